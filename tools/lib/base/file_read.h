/* Files read whole, in pieces, or only looked at. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/digest.h"
#include "base/status.h"

struct odp_file_info {
    uint64_t size;
    uint8_t sha256[ODP_SHA256_SIZE];
};

/* What stat says, for messages. DENIED: it exists, but we may not read it, or it is in a closed folder, or on
 * a disk that does not answer. */
enum odp_file_kind { ODP_FILE_NONE, ODP_FILE_REGULAR, ODP_FILE_FOLDER, ODP_FILE_OTHER, ODP_FILE_DENIED };
enum odp_file_kind odp_file_kind_of(const char *path);
/* Whether a file that could not be opened is for its owner to mend (missing, closed, no file); else the
 * machine is at fault (descriptors, memory, disk). */
bool odp_file_is_users_fault(int errnum);
/* OK: PATH is a regular file that may be read. BAD: it is not; *ERRNUM says why (ENOENT, EISDIR, EACCES;
 * ENXIO: neither file nor folder). FAIL: the machine cannot say (EIO). */
enum odp_status odp_file_look(const char *path, int *errnum) ODP_MUST_USE;
uint64_t odp_file_size_of(const char *path); /* 0 when there is none */

/* The whole of PATH appended to OUT. BAD: not there, not readable, not a regular file, or larger than MAX
 * bytes (the caller reports it); ERRNUM, if not NULL, gets the errno (EFBIG when too large). FAIL: a read
 * error or no memory. */
enum odp_status odp_file_read(const char *path, size_t max, struct odp_buffer *out, int *errnum) ODP_MUST_USE;

/* Size and digest of a file that is there. BAD: it is not, or cannot be opened. */
enum odp_status odp_file_digest(const char *path, struct odp_file_info *info) ODP_MUST_USE;

/* Sequential reading of a large file in pieces. */
struct odp_reader;
enum odp_status odp_reader_open(struct odp_reader **out, const char *path,
                                int *errnum) ODP_MUST_USE; /* BAD: cannot open; fifos are OK */
/* Up to CAP bytes; *GOT is 0 and DONE at the end. */
enum odp_status odp_reader_read(struct odp_reader *r, void *ptr, size_t cap, size_t *got) ODP_MUST_USE;
uint64_t odp_reader_size(const struct odp_reader *r); /* bytes of the file when opened */
void odp_reader_close(struct odp_reader *r);
