/* Inside of build/release: the stage, and small things its files share. */
#ifndef ODP_RELEASE_STAGE_H
#define ODP_RELEASE_STAGE_H

#include <pthread.h>

#include "release/release.h"

struct stage_list { /* behind a pointer: sorted on demand, for const readers too */
    struct odp_site_file *files;
    size_t n, cap;
    size_t nsorted;         /* so many of the first are in order */
    pthread_mutex_t mutex;  /* guards the list, the arena and the counter */
    struct odp_arena arena; /* paths and types of the files */
    uint64_t scratches;
    char made[1024];        /* the folder that was made last: files come by folder */
};

struct odp_stage {
    struct odp_arena arena;
    const char *out;    /* --out without a slash at its end */
    const char *builds; /* "<out>.builds" */
    const char *dir;    /* the stage's folder; NULL once it was switched or removed */
    int lock;           /* descriptor of builds/.lock, locked; -1: none */
    struct stage_list *list;
    const char *origin; /* where absent files are; NULL: all are here */
    struct odp_output output;
    struct odp_diags *diags;
    struct odp_makers *makers;       /* of twins; NULL: none yet */
    const struct odp_site *previous; /* whose files have their twins already; NULL: none */
    bool ahead;                      /* twins are made as files are closed */
};

/* F was closed: its twins may be begun. Any thread. */
enum odp_status odp_stage_twins_ask(struct odp_stage *s, const struct odp_site_file *f) ODP_MUST_USE;

/* The file at PATH of the site is there: enter it. Strings are copied. */
enum odp_status odp_stage_add(struct odp_stage *s, const char *path, const char *media_type, const char *encoding,
                              enum odp_class cls, const struct odp_file_info *info) ODP_MUST_USE;
/* PATH of the site on the disk, its folder made; in A. */
char *odp_stage_place(const struct odp_stage *s, const char *path, struct odp_arena *a) ODP_MUST_USE;
/* The bytes of the staged file at PATH, at most MAX, appended to OUT; of one whose bytes are elsewhere those of PREVIOUS (may be NULL). DONE: there is none. */
enum odp_status odp_stage_read(const struct odp_stage *s, const char *path, size_t max, const struct odp_site *previous, struct odp_buffer *out,
                               struct odp_diags *diags) ODP_MUST_USE;
/* A hard link to the file at FROM (on the disk), entered like FILE but at PATH. */
enum odp_status odp_stage_link(struct odp_stage *s, const char *from, const char *path,
                               const struct odp_site_file *file) ODP_MUST_USE;
/* A staged file once more, at PATH. */
enum odp_status odp_stage_link_staged(struct odp_stage *s, const struct odp_site_file *file, const char *path) ODP_MUST_USE;
/* "data/<slug>/…", "v1/<slug>.json…", "v1/<slug>/…", "search/<slug>/…" */
bool odp_site_path_is_of(const char *path, const char *slug);
/* "packages/<language>/…": a package of the client libraries, or what lies beside one. Its bytes never change. */
bool odp_site_path_is_package(const char *path);
/* Relative, no empty segment, no "." or "..", nothing a shell or another system would take for something else. */
bool odp_site_path_ok(const char *path);
/* OK; BAD: not there, or not those bytes. */
enum odp_status odp_site_verify(const char *disk_path, const struct odp_site_file *file) ODP_MUST_USE;
/* The same for F of SITE at DISK_PATH, without reading it where its inode, size and time are those of the last time it was read. */
enum odp_status odp_site_intact(const struct odp_site *site, const struct odp_site_file *f, const char *disk_path) ODP_MUST_USE;
/* ODP-V03 about PATH of the site in DIR; returns BAD, or FAIL without memory. */
enum odp_status odp_site_complain(struct odp_diags *diags, const char *dir, const char *path, const char *expected);
/* A file of a published site by path, or NULL. */
const struct odp_site_file *odp_site_find(const struct odp_site *s, const char *path);
/* F's bytes, checked, appended to OUT (which is empty). BAD: they have changed (reported). */
enum odp_status odp_site_read(const struct odp_site *s, const struct odp_site_file *f, struct odp_buffer *out,
                              struct odp_diags *diags) ODP_MUST_USE;
const char *odp_class_name(enum odp_class cls);

#endif
