/* Inside of check: the files that values of odp:document fields name. Each is looked at once, whichever
 * thread asks first; the others wait for it. Lives as long as a validator. */
#pragma once

#include "read/pdf/document.h"

/* Where a name leads. */
enum odp_document_place {
    ODP_DOCUMENT_HERE,    /* to a file, looked at: see info */
    ODP_DOCUMENT_MISSING, /* to nothing */
    ODP_DOCUMENT_OUTSIDE, /* out of the folder, over a symbolic link */
    ODP_DOCUMENT_CLOSED   /* to something that cannot be read: see info.errnum */
};

struct odp_document_file {
    const char *path; /* "dokumen/2024/permen-01.pdf": below the dataset's folder of sources */
    enum odp_document_place place;
    struct odp_document_info info;
};

struct odp_document_files;
/* DIR: the dataset's folder of sources; copied. */
enum odp_status odp_document_files_new(struct odp_document_files **out, const char *dir) ODP_MUST_USE;
void odp_document_files_free(struct odp_document_files *d);
/* The file NAME (a safe path) of FOLDER; borrowed as long as D lives. Any thread. */
enum odp_status odp_document_files_get(struct odp_document_files *d, const char *folder,
                                       struct odp_slice name,
                                       const struct odp_document_file **out) ODP_MUST_USE;
/* One thread, after all: files of FOLDER that nobody asked for, *N of them (counted to
 * ODP_DOCUMENT_FILES_SEEN at most); the first ones by name, separated by ", ", into TEXT. */
enum { ODP_DOCUMENT_FILES_SEEN = 10000 };
enum odp_status odp_document_files_unnamed(struct odp_document_files *d, const char *folder, uint64_t *n,
                                           struct odp_buffer *text) ODP_MUST_USE;
