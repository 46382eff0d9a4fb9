/* Inside of publish/verify: what is known of the site, and the parts of the check. Each part reads only files
 * that were proved by size and digest before, so one damaged file is one fault and not ten.
 *
 * A fault of the site goes to the diagnostics and the check goes on. A failure of the machine latches in
 * v->status: loops end, and later parts do nothing. */
#pragma once

#include <jansson.h>

#include "base/pool.h"
#include "publish/publish.h"

/* What became of a file of the manifest. */
enum verify_state {
    VERIFY_SKIPPED, /* not of the audience, or not looked at yet */
    VERIFY_ABSENT,  /* a sparse build: its bytes are at the site it came from */
    VERIFY_GOOD,    /* there, with size and digest of the manifest */
    VERIFY_WRONG    /* reported */
};
struct verify_file {
    struct odp_site_file f;
    enum verify_state state;
    bool in_control;
};

struct verify {
    const struct odp_verify_options *o;
    struct odp_verify_result *result;
    enum odp_status status; /* OK, FAIL; BAD: nothing else can be checked */
    struct odp_arena *arena;
    struct odp_diags *diags;
    struct odp_pool *pool;
    struct odp_remote *remote;       /* NULL: a folder */
    const char *shown, *dir;         /* for messages; on the disk (remote: where it is fetched to) */
    bool sparse;                     /* <build>.remote exists */
    uint8_t digest[ODP_SHA256_SIZE]; /* of manifest.json */
    struct odp_buffer manifest;      /* its bytes */
    json_t *json;                    /* holds the strings of files */
    struct verify_file *files;       /* sorted by path */
    size_t n;
    json_t *index; /* v1/index.json, or NULL */
};

/* ---- a file of the site (site_file.c) ---- */

/* A fault about PATH. EXPECTED is {1}, or {2} with DETAIL as {1}; FOUND is shown as found. Any of the three
 * may be NULL. */
void verify_fault(struct verify *v, enum odp_code code, const char *path, const char *detail,
                  const char *expected, const char *found);
/* A fault that has all it needs. */
void verify_report(struct verify *v, const struct odp_diag *d);
struct verify_file *verify_find(const struct verify *v, const char *path);
/* A file that was proved, or NULL. */
struct verify_file *verify_good(const struct verify *v, const char *path);
/* F's path on the disk; in A. */
char *verify_place(const struct verify *v, const char *path, struct odp_arena *a) ODP_MUST_USE;
/* The bytes of F, which was proved, appended to OUT (empty). OK or FAIL. */
enum odp_status verify_read(const struct verify *v, const struct verify_file *f,
                            struct odp_buffer *out) ODP_MUST_USE;
/* TEXT as JSON, a member never twice; NULL: it is none, and WHY, in English, says where. */
json_t *verify_parse(struct odp_slice text, char why[JSON_ERROR_TEXT_LENGTH]);
/* The JSON of F, which was proved; NULL: it is none (reported as V69). */
json_t *verify_json(struct verify *v, const struct verify_file *f);

/* ---- the parts, in this order ---- */

void verify_files(struct verify *v);
void verify_control(struct verify *v);
void verify_latest(struct verify *v);
void verify_versions(struct verify *v);
void verify_log(struct verify *v);
void verify_signature(struct verify *v);

/* N pieces of work on the pool, the largest first. WORK runs on any thread and returns OK or FAIL. */
struct verify_run {
    struct verify *v;
    void *ctx;
    size_t n;
    uint64_t (*size)(const void *ctx, size_t i);
    enum odp_status (*work)(void *ctx, size_t i);
    enum odp_phase phase;
};
void verify_largest_first(const struct verify_run *r);

/* ---- twins: decompressed in a bounded stream (unpack.c) ---- */

enum verify_coding { VERIFY_GZIP, VERIFY_BROTLI };
struct verify_unpack; /* one stream; not shared between threads */
/* LIMIT: bytes of the plain file; one more and the stream is refused. */
enum odp_status verify_unpack_new(struct verify_unpack **out, enum verify_coding coding,
                                  uint64_t limit) ODP_MUST_USE;
void verify_unpack_free(struct verify_unpack *u);
/* BAD: damaged, too long, or something follows the end; then nothing more need be given. */
enum odp_status verify_unpack_add(struct verify_unpack *u, const void *ptr, size_t len) ODP_MUST_USE;
/* OK: the stream was whole; size and digest of what came out. BAD: it was not. */
enum odp_status verify_unpack_end(struct verify_unpack *u, struct odp_file_info *plain) ODP_MUST_USE;

/* ---- versions: what is read back ---- */

/* One distribution, to be read back; or one delta, to be applied. Paths are the site's and borrowed. */
struct verify_reading {
    const char *schema;       /* path of its schema.json */
    const char *const *paths; /* the file, or the pages in order */
    size_t npaths;
    int form; /* enum odp_form */
    size_t group;
    uint64_t bytes;
    enum odp_status status; /* OK, BAD (FAULT says why), DONE: not read */
    const char *fault;
    uint64_t rows;
    bool whole;
    uint8_t logical[ODP_SHA256_SIZE], attributes[ODP_SHA256_SIZE];
};
/* A resource of a version: what all its distributions must contain. */
struct verify_group {
    const char *version;
    uint64_t rows;
    bool known; /* DIGEST is what the list of versions says */
    uint8_t digest[ODP_SHA256_SIZE];
};
struct verify_delta {
    const char *path, *from, *to; /* the delta; old and new file */
    uint64_t bytes;
    enum odp_status status;
    const char *fault;
};
struct verify_work {
    struct verify_group *groups;
    struct verify_reading *readings;
    struct verify_delta *deltas;
    size_t ngroups, nreadings, ndeltas;
};
/* Reads back and applies on the pool, then compares and reports. */
void verify_contents(struct verify *v, struct verify_work *w);
