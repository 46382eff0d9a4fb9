/* <build>.seals, beside the build and not part of it: the manifest's files, ready to use, each with inode,
 * size and time when its digest was last known to be right, so that the next build need read neither the
 * manifest nor the files. Paths lie in the file in their order. Binary, for one manifest and one machine. It
 * is a hint: if it is missing or anything differs, the manifest is parsed and digests are computed. (It
 * trusts that nobody changes a file and sets its time back; odp-build verify trusts nothing.) */
#pragma once

#include "base/mapped.h"
#include "published/site_file.h"

struct odp_seal {
    uint64_t inode, size;
    int64_t seconds, nanos; /* of the last change of its content */
};
struct odp_seals {
    struct odp_seal manifest; /* of the manifest itself, which has DIGEST */
    uint8_t digest[ODP_SHA256_SIZE];
    const struct odp_seal *seals;   /* by index in the manifest; NULL: none are known */
    const struct odp_seal *folders; /* in the order of odp_site_folder_next */
    struct odp_site_file *files;    /* as odp_site_files_read makes them */
    size_t n, nfolders;
    struct odp_mapped file; /* that holds all the others but FILES; the caller closes it */
};

/* The seals in the file at PATH, FILES in A; none, if it is not there or damaged. */
enum odp_status odp_seals_read(struct odp_seals *s, const char *path, struct odp_arena *a) ODP_MUST_USE;
/* PATH is relative to the folder FD. */
bool odp_seal_holds(const struct odp_seal *seal, int fd, const char *path);
/* Whether all folders in FD have the names in them that they had. */
bool odp_seals_hold_folders(const struct odp_seals *s, int fd);
/* Writes DIR.<kind>, beside the build DIR, as a whole, of N pieces; the next run clears away what a killed
 * one leaves (OUT.builds/.new-<kind>). */
enum odp_status odp_beside_put(const char *dir, const char *kind, const struct odp_slice *pieces,
                               size_t n) ODP_MUST_USE;
/* Seals every file and folder as it is now; the caller knows their digests to be right. One that was linked
 * from the site before keeps the seal that it has BEFORE (NULL: none was). */
enum odp_status odp_seals_write(const char *dir, const uint8_t digest[ODP_SHA256_SIZE],
                                const struct odp_site_file *files, size_t n,
                                const struct odp_seals *before) ODP_MUST_USE;
