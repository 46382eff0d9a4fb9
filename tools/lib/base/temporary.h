/* Files of the run's own: with a name until they are whole, and without one.
 *
 * Names for the bytes of a file until they are whole, next to its place: BEFORE, the number of the process,
 * AFTER ("b.zip." 123 ".part"). Such a file of a killed run is useless: the next run that writes to the same
 * place removes it. */
#pragma once

#include "base/file.h"

/* A free name in the folder of BEFORE. Removes files there with a name of this form whose process has ended
 * and which were not written to for ten minutes. NULL: out of memory. */
char *odp_temporary(struct odp_arena *a, const char *before, const char *after) ODP_MUST_USE;
/* The same for PATH itself: "PATH." 123 END. */
char *odp_temporary_of(struct odp_arena *a, const char *path, const char *end) ODP_MUST_USE;
/* BYTES at PATH in one step, whatever is there now. FAIL: PATH is as it was, or, where its folder could not
 * be synced, holds BYTES. */
enum odp_status odp_file_replace(const char *path, struct odp_slice bytes, mode_t mode) ODP_MUST_USE;

/* The folder for what nobody keeps: TMPDIR, else /tmp. */
const char *odp_temporary_place(void);
/* A file without a name: whatever ends the program, it does not stay. Read and written at any place, by any
 * thread. WHAT names it in a failure. Close(2) it. *FD is -1 with FAIL. */
enum odp_status odp_scratch_open(int *fd, const char *what) ODP_MUST_USE;
enum odp_status odp_scratch_write(int fd, const void *bytes, size_t len, uint64_t at,
                                  const char *what) ODP_MUST_USE;
/* All LEN bytes; an end before them is a fault. */
enum odp_status odp_scratch_read(int fd, void *bytes, size_t len, uint64_t at, const char *what) ODP_MUST_USE;
