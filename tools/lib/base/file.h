/* The one door through which bytes reach the disk, and come from it.
 *
 * Every step that can fail (open, write, flush, fsync, close, rename, mkdir, link) is checked, recorded with its path by
 * odp_failure_set, and returned as ODP_FAIL. A file that was created and not closed well is removed by discard.
 * Writers hash what they write: size and SHA-256 come from close, never from reading again. */
#ifndef ODP_BASE_FILE_H
#define ODP_BASE_FILE_H

#include <stdint.h>
#include <sys/types.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/digest.h"
#include "base/slice.h"

struct odp_file_info {
    uint64_t size;
    uint8_t sha256[ODP_SHA256_SIZE];
};

struct odp_file; /* a file being written */

/* Creates PATH (it must not exist) with MODE less the umask; parent folders must exist. */
enum odp_status odp_file_create(struct odp_file **out, const char *path, mode_t mode) ODP_MUST_USE;
/* A file of the run's own, which ends with it: neither hashed nor synced. INFO of close must be NULL. */
enum odp_status odp_file_create_scratch(struct odp_file **out, const char *path) ODP_MUST_USE;
enum odp_status odp_file_write(struct odp_file *f, const void *ptr, size_t len) ODP_MUST_USE;
uint64_t odp_file_size(const struct odp_file *f); /* bytes written so far */
/* Flush, fsync, close. F is freed in every case; on FAIL the file is removed. INFO may be NULL. */
enum odp_status odp_file_close(struct odp_file *f, struct odp_file_info *info) ODP_MUST_USE;
/* Close and remove. NULL is allowed. */
void odp_file_discard(struct odp_file *f);
/* A file that a library wrote itself: opened again, synced, measured and hashed. */
enum odp_status odp_file_seal(const char *path, struct odp_file_info *info) ODP_MUST_USE;

/* Writes a whole small file through the same door. */
enum odp_status odp_file_put(const char *path, struct odp_slice bytes, mode_t mode, struct odp_file_info *info) ODP_MUST_USE;

/* LINE (its line feed included) at the end of PATH, which is made where it is missing; synced. A last line that a killed run left
 * without its line feed is ended first, so that only that line is lost. */
enum odp_status odp_file_append_line(const char *path, struct odp_slice line, mode_t mode) ODP_MUST_USE;

/* What stat says, for messages that tell what is wrong. DENIED: there, but not readable by us, or behind a closed
 * folder, or on a disk that does not answer. */
enum odp_file_kind { ODP_FILE_NONE, ODP_FILE_REGULAR, ODP_FILE_FOLDER, ODP_FILE_OTHER, ODP_FILE_DENIED };
enum odp_file_kind odp_file_kind_of(const char *path);
/* Whether a file that could not be opened is for its owner to mend (missing, closed, no file); else the machine is at fault (descriptors, memory, disk). */
bool odp_file_is_users_fault(int errnum);
uint64_t odp_file_size_of(const char *path); /* 0 when there is none */

/* The whole of PATH appended to OUT. BAD: not there, not readable, not a regular file, or larger than MAX bytes (the
 * caller reports it); ERRNUM, if not NULL, gets the errno (EFBIG when too large). FAIL: a read error or no memory. */
enum odp_status odp_file_read(const char *path, size_t max, struct odp_buffer *out, int *errnum) ODP_MUST_USE;

/* Size and digest of a file that is there. BAD: it is not, or cannot be opened. */
enum odp_status odp_file_digest(const char *path, struct odp_file_info *info) ODP_MUST_USE;

/* Sequential reading of a large file in pieces. */
struct odp_reader;
enum odp_status odp_reader_open(struct odp_reader **out, const char *path, int *errnum) ODP_MUST_USE; /* BAD: cannot open; fifos are OK */
/* Up to CAP bytes; *GOT is 0 and DONE at the end. */
enum odp_status odp_reader_read(struct odp_reader *r, void *ptr, size_t cap, size_t *got) ODP_MUST_USE;
uint64_t odp_reader_size(const struct odp_reader *r); /* bytes of the file when opened */
void odp_reader_close(struct odp_reader *r);

enum odp_status odp_dir_make(const char *path) ODP_MUST_USE;      /* with parents; existing is OK; mode 0755 */
enum odp_status odp_dir_make_synced(const char *path) ODP_MUST_USE; /* the same, and sure to be there after a power failure */
enum odp_status odp_dir_sync(const char *path) ODP_MUST_USE;      /* fsync of the folder itself */
enum odp_status odp_dir_sync_all(const char *path) ODP_MUST_USE;  /* everything on the file system that PATH is on */
enum odp_status odp_dir_remove(const char *path) ODP_MUST_USE;    /* the whole tree, never through symbolic links; absent is OK */
enum odp_status odp_file_rename(const char *from, const char *to) ODP_MUST_USE; /* and syncs the target's folder; FAIL where TO is a device */
/* PATH is there and is none that a finished file may take the place of: a device, a pipe, /dev/stdout. */
bool odp_file_is_device(const char *path);
/* BYTES written to such a path. */
enum odp_status odp_file_pour(const char *path, struct odp_slice bytes) ODP_MUST_USE;
enum odp_status odp_file_link(const char *from, const char *to) ODP_MUST_USE;   /* hard link, or copy where the file system has none */

/* The names in PATH, sorted by bytes, without . and ..; BAD when it is not a readable folder. */
enum odp_status odp_dir_list(const char *path, struct odp_arena *a, const char ***names, size_t *n) ODP_MUST_USE;

/* "a/b"; B as it is when A is NULL or "". NULL: no memory. */
char *odp_path_join(struct odp_arena *a, const char *dir, const char *name) ODP_MUST_USE;
/* A relative POSIX path that stays inside its folder: not empty, no leading '/', no '.' or '..' or hidden segment, no
 * backslash, no control characters (Data Package v2, resource path). */
bool odp_path_is_safe(const char *path);

#endif
