/* PDF files that stewards supply: looked at, never changed. Knows nothing of datasets. */
#pragma once

#include "base/file.h"

enum { ODP_DOCUMENT_BYTES_MAX = 256 << 20 };

enum odp_document_fault {
    ODP_DOCUMENT_OK = 0,
    ODP_DOCUMENT_ABSENT,   /* no such file, or no regular one, or not readable: see errnum */
    ODP_DOCUMENT_LARGE,    /* more than ODP_DOCUMENT_BYTES_MAX */
    ODP_DOCUMENT_NO_PDF,   /* does not begin like one */
    ODP_DOCUMENT_DAMAGED,  /* begins like one, but its structure is broken, or it has no page */
    ODP_DOCUMENT_ENCRYPTED /* opens with a password only, or restricts its readers */
};
struct odp_document_info {
    enum odp_document_fault fault;
    int errnum;
    uint64_t bytes, pages;
    uint8_t sha256[ODP_SHA256_SIZE];
    bool has_scripts; /* JavaScript, or an action that starts a program */
    char why[200];    /* of a damaged one: what the library says, cleaned of paths; else "" */
};
/* OK with OUT filled (also with a fault); FAIL: no memory, a read error. Any thread. */
enum odp_status odp_document_inspect(const char *path, struct odp_document_info *out) ODP_MUST_USE;

/* A value of an odp:document field as published, in A: "dokumen/<first 16 hex digits of the SHA-256>/<NAME,
 * segments escaped like slices'>" with FOLDER's own last segment in front. So a changed file is a changed
 * value: versions and differences see it. NULL: no memory. */
char *odp_document_path(const char *folder, struct odp_slice name, const uint8_t sha256[ODP_SHA256_SIZE],
                        struct odp_arena *a) ODP_MUST_USE;
