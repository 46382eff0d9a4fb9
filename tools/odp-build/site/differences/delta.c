/* Writing a delta: the header line and the operations of docs/delta.md, through gzip.
 *
 * Both files are mapped (base/mapped.h). They are files of a site (0444, never rewritten). The bytes of gzip
 * are fixed by the level, an empty name, time 0 and "unknown" as system; equal files and an equal zlib give
 * an equal delta.
 *
 * Offsets are absolute, so that an applier is some ten lines in any language. A mapped file that is cut
 * short meanwhile ends the process with exit 3 and its name; `patch`, which works on files of users, reads.
 */
#include "site/differences/delta.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/mapped.h"
#include "published/doc.h"
#include "site/differences/delta_match.h"

enum { PIECE = 64 << 10, LEVEL = 6, WINDOW_GZIP = 15 + 16, MEMORY_LEVEL = 8, SYSTEM_UNKNOWN = 255 };

/* ---- through gzip ---- */

struct writer {
    struct odp_file *file;
    z_stream zip;
    gz_header header;
    uint64_t left; /* bytes that may still be written */
    uint8_t piece[PIECE];
};

static enum odp_status writer_new(struct writer **out, struct odp_file *file, uint64_t limit)
{
    struct writer *w = calloc(1, sizeof *w);
    *out = NULL;
    if (w == NULL)
        return odp_failure_set("make delta", NULL, ENOMEM);
    if (deflateInit2(&w->zip, LEVEL, Z_DEFLATED, WINDOW_GZIP, MEMORY_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(w);
        return odp_failure_set("make delta", NULL, ENOMEM);
    }
    w->header.os = SYSTEM_UNKNOWN;
    (void)deflateSetHeader(&w->zip, &w->header); /* fails only on a stream that is not gzip */
    w->file = file;
    w->left = limit;
    w->zip.next_out = w->piece;
    w->zip.avail_out = PIECE;
    *out = w;
    return ODP_OK;
}

static void writer_free(struct writer *w)
{
    if (w == NULL)
        return;
    deflateEnd(&w->zip);
    free(w);
}

/* Writes what gzip has ready. DONE: beyond the limit. */
static enum odp_status flush(struct writer *w)
{
    size_t n = PIECE - w->zip.avail_out;
    if (n > w->left)
        return ODP_DONE;
    w->left -= n;
    w->zip.next_out = w->piece;
    w->zip.avail_out = PIECE;
    return odp_file_write(w->file, w->piece, n);
}

static enum odp_status put(struct writer *w, const void *ptr, uint64_t len)
{
    enum odp_status status = ODP_OK;
    const uint8_t *p = ptr;
    while (len > 0 && status == ODP_OK) {
        uInt n = len < (1u << 30) ? (uInt)len : 1u << 30;
        w->zip.next_in = (z_const Bytef *)(uintptr_t)p;
        w->zip.avail_in = n;
        while (w->zip.avail_in > 0 && status == ODP_OK) {
            if (deflate(&w->zip, Z_NO_FLUSH) == Z_STREAM_ERROR)
                return odp_failure_set("make delta", NULL, EINVAL);
            if (w->zip.avail_out == 0)
                status = flush(w);
        }
        p += n;
        len -= n;
    }
    return status;
}

static enum odp_status finish(struct writer *w)
{
    for (;;) {
        int result = deflate(&w->zip, Z_FINISH);
        if (result == Z_STREAM_ERROR)
            return odp_failure_set("make delta", NULL, EINVAL);
        enum odp_status status = flush(w);
        if (status != ODP_OK || result == Z_STREAM_END)
            return status;
    }
}

/* ---- header and operations ---- */

static json_t *make_side(const struct odp_delta_side *side)
{
    char hex[ODP_SHA256_HEX];
    odp_digest_hex(side->info.sha256, hex);
    return json_pack("{s:s*, s:I, s:s}", "version", side->version, "bytes", (json_int_t)side->info.size,
                     "sha256", hex);
}

static enum odp_status put_header(struct writer *w, const struct odp_delta_side *from,
                                  const struct odp_delta_side *to)
{
    struct odp_buffer line = {0};
    json_t *header =
        json_pack("{s:s, s:o, s:o}", "format", "odp-delta-1", "from", make_side(from), "to", make_side(to));
    enum odp_status status = odp_doc_print(&line, header, ODP_DOC_LINE);
    odp_buffer_add_char(&line, '\n');
    if (status == ODP_OK)
        status = odp_buffer_status(&line);
    if (status == ODP_OK)
        status = put(w, line.ptr, line.len);
    json_decref(header);
    odp_buffer_release(&line);
    return status;
}

static enum odp_status put_insert(struct writer *w, const uint8_t *bytes, uint64_t len)
{
    char line[32];
    if (len == 0)
        return ODP_OK;
    int n = snprintf(line, sizeof line, "I %llu\n", (unsigned long long)len);
    enum odp_status status = put(w, line, (uint64_t)n);
    return status == ODP_OK ? put(w, bytes, len) : status;
}

static enum odp_status put_copy(struct writer *w, const struct delta_match *m)
{
    char line[64];
    int n = snprintf(line, sizeof line, "C %llu %llu\n", (unsigned long long)m->old_at,
                     (unsigned long long)m->len);
    return put(w, line, (uint64_t)n);
}

static enum odp_status put_operations(struct writer *w, struct delta_matcher *m, const uint8_t *fresh,
                                      uint64_t size)
{
    struct delta_match found;
    uint64_t at = 0;
    enum odp_status status;
    while ((status = delta_matcher_next(m, &found)) == ODP_OK) {
        status = put_insert(w, fresh + at, found.at - at);
        if (status == ODP_OK)
            status = put_copy(w, &found);
        if (status != ODP_OK)
            return status;
        at = found.at + found.len;
    }
    if (status != ODP_DONE)
        return status;
    status = put_insert(w, fresh + at, size - at);
    if (status == ODP_OK)
        status = put(w, "E\n", 2);
    return status == ODP_OK ? finish(w) : status;
}

enum odp_status odp_delta_make(struct odp_file *out, const struct odp_delta_side *from,
                               const struct odp_delta_side *to, uint64_t limit)
{
    static const uint8_t nothing[1];
    struct odp_mapped old = {0}, fresh = {0};
    struct delta_matcher *matcher = NULL;
    struct writer *w = NULL;
    enum odp_status status = odp_mapped_open(&old, from->path, from->info.size);
    if (status == ODP_OK)
        status = odp_mapped_open(&fresh, to->path, to->info.size);
    const uint8_t *old_bytes = old.ptr != NULL ? old.ptr : nothing,
                  *bytes = fresh.ptr != NULL ? fresh.ptr : nothing;
    if (status == ODP_OK)
        status = delta_matcher_new(&matcher, old_bytes, old.len, bytes, fresh.len);
    if (status == ODP_OK)
        status = writer_new(&w, out, limit);
    if (status == ODP_OK)
        status = put_header(w, from, to);
    if (status == ODP_OK)
        status = put_operations(w, matcher, bytes, fresh.len);
    writer_free(w);
    delta_matcher_free(matcher);
    odp_mapped_close(&fresh);
    odp_mapped_close(&old);
    return status;
}
