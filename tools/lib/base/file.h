/* The one door through which bytes reach the disk, and from which they come. This header is writing; it
 * includes reading (file_read.h), folders (dir.h) and paths (path.h).
 *
 * Every step that can fail (open, write, flush, fsync, close, rename, mkdir, link) is checked, recorded with
 * its path by odp_failure_set, and returned as ODP_FAIL. A file that was created and not closed well is
 * removed by discard. Writers hash what they write: size and SHA-256 come from close, never from reading
 * again. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/dir.h"
#include "base/file_read.h"
#include "base/path.h"
#include "base/slice.h"

struct odp_file; /* a file being written */

/* Creates PATH (it must not exist) with MODE less the umask; parent folders must exist. */
enum odp_status odp_file_create(struct odp_file **out, const char *path, mode_t mode) ODP_MUST_USE;
/* The same, but close does not sync: whoever makes many of them syncs the file system once
 * (odp_dir_sync_all). */
enum odp_status odp_file_create_of_many(struct odp_file **out, const char *path, mode_t mode) ODP_MUST_USE;
/* A file of the run's own, which ends with it: neither hashed nor synced. INFO of close must be NULL. */
enum odp_status odp_file_create_scratch(struct odp_file **out, const char *path) ODP_MUST_USE;
enum odp_status odp_file_write(struct odp_file *f, const void *ptr, size_t len) ODP_MUST_USE;
uint64_t odp_file_size(const struct odp_file *f); /* bytes written so far */
/* Flush, fsync, close. F is freed in every case; on FAIL the file is removed. INFO may be NULL. */
enum odp_status odp_file_close(struct odp_file *f, struct odp_file_info *info) ODP_MUST_USE;
/* Close and remove. NULL is allowed. */
void odp_file_discard(struct odp_file *f);
/* FROM as the new file TO with MODE. BAD: FROM cannot be opened. */
enum odp_status odp_file_copy(const char *from, const char *to, mode_t mode,
                              struct odp_file_info *info) ODP_MUST_USE;
/* A file that a library wrote itself: opened again, synced, measured and hashed. */
enum odp_status odp_file_seal(const char *path, struct odp_file_info *info) ODP_MUST_USE;
enum odp_status odp_file_seal_of_many(const char *path,
                                      struct odp_file_info *info) ODP_MUST_USE; /* not synced */

/* Writes a whole small file through the same door. */
enum odp_status odp_file_put(const char *path, struct odp_slice bytes, mode_t mode,
                             struct odp_file_info *info) ODP_MUST_USE;

/* The same of N pieces, one after the other. */
enum odp_status odp_file_put_pieces(const char *path, const struct odp_slice *pieces, size_t n, mode_t mode,
                                    struct odp_file_info *info) ODP_MUST_USE;

/* LINE (its line feed included) at the end of PATH, which is made where it is missing; synced. A last line
 * that a killed run left without its line feed is ended first, so that only that line is lost. */
enum odp_status odp_file_append_line(const char *path, struct odp_slice line, mode_t mode) ODP_MUST_USE;

enum odp_status odp_file_rename(const char *from, const char *to)
    ODP_MUST_USE; /* and syncs the target's folder; FAIL where TO is a device */
/* The same for a finished file, unless memory was refused (odp_memory_status). FAIL: FRESH is gone. */
enum odp_status odp_file_place(const char *fresh, const char *path) ODP_MUST_USE;
/* PATH exists, and a finished file may not take its place: a device, a pipe, /dev/stdout. */
bool odp_file_is_device(const char *path);
/* BYTES written to such a path. */
enum odp_status odp_file_pour(const char *path, struct odp_slice bytes) ODP_MUST_USE;
enum odp_status odp_file_link(const char *from, const char *to)
    ODP_MUST_USE; /* hard link, or copy where the file system has none */
