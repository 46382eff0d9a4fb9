/* What the preview shows: the files that the manifest of the newest build names, and no others, or the report
 * of the build that has failed in the place of every page. Any thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"

struct serve_view;
enum odp_status serve_view_new(struct serve_view **out) ODP_MUST_USE;
void serve_view_free(struct serve_view *v); /* NULL is allowed */
/* From now on the build that the link SITE leads to. */
enum odp_status serve_view_site(struct serve_view *v, const char *site) ODP_MUST_USE;
/* From now on REPORT (HTML, copied) instead of pages; other files stay those of the last good build. */
enum odp_status serve_view_report(struct serve_view *v, struct odp_slice report) ODP_MUST_USE;
/* Appends the report that is to be shown instead of a page; false: there is none. */
bool serve_view_reported(struct serve_view *v, struct odp_buffer *out);

struct serve_file {
    int fd; /* to be closed */
    uint64_t size;
    char type[96];
    char encoding[8]; /* "", "gzip", "br" */
};
/* Opens the file at PATH of the build. False: it has none, or none that can be opened. */
bool serve_view_open(struct serve_view *v, const char *path, struct serve_file *out);
/* Whether there is one. */
bool serve_view_has(struct serve_view *v, const char *path);
