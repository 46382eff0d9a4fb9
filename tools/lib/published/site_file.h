/* A file of a site: its path and digest, and the report that it differs from the manifest. */
#pragma once

#include <jansson.h>

#include "base/diag.h"
#include "base/digest.h"
#include "published/output.h"

/* One file of a site, as in manifest and control. */
struct odp_site_file {
    const char *path; /* relative to the site */
    const char *media_type;
    const char *encoding; /* NULL, "gzip", "br" */
    enum odp_class cls;
    uint64_t size;
    uint8_t sha256[ODP_SHA256_SIZE];
    bool settled; /* in a stage: it comes from a published site, so its twins are decided */
    bool absent;  /* in a stage: its bytes are at the site it was carried from (a sparse build) */
};

/* "public", "keyed", "internal" */
const char *odp_class_name(enum odp_class cls);
/* "data/<slug>/…", "v1/<slug>.json…", "v1/<slug>/…", "search/<slug>/…" */
bool odp_site_path_is_of(const char *path, const char *slug);
/* The dataset or list that PATH is of by the rule above: its slug, a part of PATH; empty: of none. */
struct odp_slice odp_site_path_slug(const char *path);
/* "packages/<language>/…": a package of the client libraries, or a file beside one. Its bytes never change.
 */
bool odp_site_path_is_package(const char *path);
/* Relative, without empty segments, "." and "..", and without signs that mean something to a shell or
 * another system. */
bool odp_site_path_ok(const char *path);
/* BAD: the file is missing, or has other bytes. */
enum odp_status odp_site_verify(const char *disk_path, const struct odp_site_file *file) ODP_MUST_USE;
/* Reports ODP-V03 about PATH of the site in DIR. Returns BAD, or FAIL: out of memory. */
enum odp_status odp_site_complain(struct odp_diags *diags, const char *dir, const char *path,
                                  const char *expected);

/* Reads ENTRY of manifest.json's "files", borrowing from it. Returns the name of a wrong member, or NULL. */
const char *odp_site_file_read(struct odp_site_file *f, const json_t *entry);
/* Reads "files" of MANIFEST, sorted by path, into A, borrowing strings. BAD: it is no manifest. */
enum odp_status odp_site_files_read(const json_t *manifest, struct odp_site_file **files, size_t *n,
                                    struct odp_arena *a) ODP_MUST_USE;
/* The file at PATH among N sorted ones, or NULL. */
const struct odp_site_file *odp_site_files_find(const struct odp_site_file *files, size_t n,
                                                const char *path);
/* The first of N sorted files whose path is not before PATH: those that begin with PATH follow each other
 * from there. */
size_t odp_site_files_from(const struct odp_site_file *files, size_t n, const char *path);
/* The folders of N sorted files, each once, one before what is in it; but for the one that all are in. False:
 * no more. AT begins with zeros. */
struct odp_site_folders {
    size_t i, from; /* the file, and the byte of its path where the next folder's name is */
};
bool odp_site_folder_next(struct odp_site_folders *at, const struct odp_site_file *files, size_t n,
                          struct odp_slice *folder);
int odp_site_file_by_path(const void *a, const void *b); /* for qsort */
/* Whether both have the same bytes. */
bool odp_site_file_same(const struct odp_site_file *a, const struct odp_site_file *b);
/* Reports ODP-V03: F of the site in DIR has other bytes. BAD, or FAIL. */
enum odp_status odp_site_file_damaged(struct odp_diags *diags, const char *dir,
                                      const struct odp_site_file *f);
