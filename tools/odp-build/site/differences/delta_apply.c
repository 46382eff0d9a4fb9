/* Reading and applying a delta. Nothing in it is believed: every number is checked before it is used, and
 * memory does not depend on what is read. The old file is proved first, the new one before it gets its name.
 */
#include "site/differences/delta.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "base/json_load.h"
#include "base/refusal.h"
#include "base/temporary.h"
#include "words/site.h"

enum { PIECE = 64 << 10, LINE_MOST = 4096, WINDOW_GZIP = 15 + 16, DIGITS_MOST = 16 };

/* Sizes, offsets and lengths end here, so that JavaScript can hold them. */
#define NUMBER_MOST (((uint64_t)1 << 53) - 1)

struct patch {
    struct odp_arena *arena;
    struct odp_text *why;
    struct odp_delta_header *header;
    struct odp_reader *delta;
    z_stream zip;
    bool zipped;    /* ZIP is open */
    bool ended;     /* gzip's end was seen, its checksum was right */
    size_t at, len; /* of OUT: what was unpacked and not yet taken */
    uint64_t operations;
    const char *old_path;
    int old; /* descriptor; -1: none */
    struct odp_file *fresh;
    char line[LINE_MOST + 1];
    uint8_t in[PIECE], out[PIECE], piece[PIECE];
};

#define refuse(p, ...) odp_refusal_put((p)->arena, (p)->why, __VA_ARGS__)

static enum odp_status refuse_old(const struct patch *p, const char *path, int errnum)
{
    (void)refuse(p, W_site_delta_old_cannot_open, path);
    return odp_refusal_add(p->arena, p->why, errnum);
}

/* ---- open and close ---- */

static enum odp_status open_delta(struct patch **out, const char *path, struct odp_delta_header *h,
                                  struct odp_arena *a, struct odp_text *why)
{
    int errnum = 0;
    struct patch *p = *out = calloc(1, sizeof *p);
    *why = (struct odp_text){{"", ""}};
    *h = (struct odp_delta_header){0};
    if (p == NULL)
        return odp_failure_set("read delta", path, ENOMEM);
    p->arena = a;
    p->why = why;
    p->header = h;
    p->old = -1;
    p->zipped = inflateInit2(&p->zip, WINDOW_GZIP) == Z_OK;
    if (!p->zipped)
        return odp_failure_set("read delta", path, ENOMEM);
    enum odp_status status = odp_reader_open(&p->delta, path, &errnum);
    if (status == ODP_BAD) {
        (void)refuse(p, W_site_delta_cannot_open, path);
        (void)odp_refusal_add(a, why, errnum);
    }
    return status;
}

static void close_delta(struct patch *p)
{
    if (p == NULL)
        return;
    odp_file_discard(p->fresh);
    odp_reader_close(p->delta);
    if (p->zipped)
        (void)inflateEnd(&p->zip);
    if (p->old >= 0)
        (void)close(p->old);
    free(p);
}

/* ---- bytes of the delta ---- */

/* More of the file for gzip. DONE: there is none. */
static enum odp_status feed(struct patch *p)
{
    size_t got = 0;
    const bool first = p->zip.total_in == 0;
    enum odp_status status = odp_reader_read(p->delta, p->in, PIECE, &got);
    if (status == ODP_DONE && first)
        return refuse(p, W_site_delta_empty);
    if (status != ODP_OK)
        return status;
    if (first && (p->in[0] != 0x1F || (got > 1 && p->in[1] != 0x8B)))
        return refuse(p, W_site_delta_no_gzip);
    p->zip.next_in = p->in;
    p->zip.avail_in = (uInt)got;
    return ODP_OK;
}

/* The gzip stream is over: nothing may follow it. */
static enum odp_status at_end_of_gzip(struct patch *p)
{
    size_t got = p->zip.avail_in;
    p->ended = true;
    if (got == 0 && odp_reader_read(p->delta, p->in, 1, &got) == ODP_FAIL)
        return ODP_FAIL;
    return got != 0 ? refuse(p, W_site_delta_bytes_after_gzip) : ODP_OK;
}

/* Makes sure that something is in OUT. DONE: the whole stream was taken. */
static enum odp_status fill(struct patch *p)
{
    if (p->at < p->len)
        return ODP_OK;
    p->at = p->len = 0;
    while (p->len == 0 && !p->ended) {
        enum odp_status status = p->zip.avail_in == 0 ? feed(p) : ODP_OK;
        if (status == ODP_DONE)
            return refuse(p, W_site_delta_cut);
        if (status != ODP_OK)
            return status;
        p->zip.next_out = p->out;
        p->zip.avail_out = PIECE;
        int result = inflate(&p->zip, Z_NO_FLUSH);
        p->len = PIECE - p->zip.avail_out;
        if (result == Z_MEM_ERROR)
            return odp_failure_set("read delta", NULL, ENOMEM);
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
            return refuse(p, W_site_delta_gzip_broken);
        if (result == Z_STREAM_END && (status = at_end_of_gzip(p)) != ODP_OK)
            return status;
    }
    return p->len > 0 ? ODP_OK : ODP_DONE;
}

/* A line without its line feed into p->line, at most MOST bytes. DONE: the stream is over before it began. */
static enum odp_status read_line(struct patch *p, size_t most, size_t *len)
{
    for (*len = 0;;) {
        enum odp_status status = fill(p);
        if (status == ODP_DONE && *len > 0)
            return refuse(p, W_site_delta_line_cut);
        if (status != ODP_OK)
            return status;
        char c = (char)p->out[p->at++];
        p->line[*len] = c == '\n' ? '\0' : c;
        if (c == '\n')
            return ODP_OK;
        if (*len == most)
            return refuse(p, W_site_delta_line_long, most);
        *len += 1;
    }
}

/* ---- the header ---- */

static enum odp_status read_side(struct patch *p, const json_t *root, const char *name, const char **version,
                                 struct odp_file_info *info)
{
    const json_t *side = json_object_get(root, name), *bytes = json_object_get(side, "bytes"),
                 *label = json_object_get(side, "version");
    const json_int_t size = json_integer_value(bytes);
    if (!json_is_integer(bytes) || size < 0 || (uint64_t)size > NUMBER_MOST ||
        !odp_digest_parse(json_string_value(json_object_get(side, "sha256")), info->sha256) ||
        (label != NULL && !json_is_string(label)))
        return refuse(p, W_site_delta_side, name, name);
    info->size = (uint64_t)size;
    *version = label != NULL ? odp_arena_str(p->arena, json_string_value(label)) : NULL;
    return ODP_OK;
}

static enum odp_status read_root(struct patch *p, const json_t *root)
{
    struct odp_delta_header *h = p->header;
    const char *format = json_string_value(json_object_get(root, "format"));
    if (format == NULL)
        return refuse(p, W_site_delta_no_header);
    if (strcmp(format, "odp-delta-1") != 0)
        return refuse(p, W_site_delta_format, format);
    enum odp_status status = read_side(p, root, "from", &h->from_version, &h->from);
    return status == ODP_OK ? read_side(p, root, "to", &h->to_version, &h->to) : status;
}

static enum odp_status read_header(struct patch *p)
{
    size_t len;
    enum odp_status status = read_line(p, LINE_MOST, &len);
    if (status == ODP_DONE)
        return refuse(p, W_site_delta_nothing);
    if (status != ODP_OK)
        return status;
    json_t *root = odp_json_load(p->line, len, JSON_REJECT_DUPLICATES, NULL);
    status = read_root(p, root);
    json_decref(root);
    return status;
}

/* ---- the old file ---- */

static enum odp_status open_old(struct patch *p, const char *path)
{
    struct stat st;
    p->old_path = path;
    do
        p->old = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    while (p->old < 0 && errno == EINTR);
    if (p->old < 0 && !odp_file_is_users_fault(errno))
        return odp_failure_set("open", path, errno);
    if (p->old < 0)
        return refuse_old(p, path, errno);
    if (fstat(p->old, &st) != 0)
        return odp_failure_set("stat", path, errno);
    if (!S_ISREG(st.st_mode))
        return refuse_old(p, path, S_ISDIR(st.st_mode) ? EISDIR : ENXIO);
    return ODP_OK;
}

/* Up to PIECE bytes of the old file from AT. DONE: it ends there. */
static enum odp_status read_old(struct patch *p, uint64_t at, uint64_t most, size_t *got)
{
    size_t want = most < PIECE ? (size_t)most : PIECE;
    for (*got = 0; *got < want;) {
        ssize_t n = pread(p->old, p->piece + *got, want - *got, (off_t)(at + *got));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return odp_failure_set("read", p->old_path, errno);
        if (n == 0)
            break;
        *got += (size_t)n;
    }
    return *got > 0 ? ODP_OK : ODP_DONE;
}

static enum odp_status measure_old(struct patch *p, struct odp_file_info *info)
{
    struct odp_digest *digest;
    enum odp_status status = odp_digest_new(&digest);
    for (info->size = 0; status == ODP_OK;) {
        size_t got;
        status = read_old(p, info->size, PIECE, &got);
        if (status == ODP_OK)
            status = odp_digest_add(digest, p->piece, got);
        info->size += got;
    }
    if (status == ODP_DONE)
        status = odp_digest_end(digest, info->sha256);
    odp_digest_free(digest);
    return status;
}

static bool same(const struct odp_file_info *a, const struct odp_file_info *b)
{
    return a->size == b->size && memcmp(a->sha256, b->sha256, ODP_SHA256_SIZE) == 0;
}

static enum odp_status prove_old(struct patch *p)
{
    const struct odp_delta_header *h = p->header;
    struct odp_file_info found;
    char wanted_hex[ODP_SHA256_HEX], found_hex[ODP_SHA256_HEX];
    enum odp_status status = measure_old(p, &found);
    if (status != ODP_OK || same(&found, &h->from))
        return status;
    odp_digest_hex(h->from.sha256, wanted_hex);
    odp_digest_hex(found.sha256, found_hex);
    const char *version = h->from_version != NULL ? h->from_version : "";
    return refuse(p, W_site_delta_other_file, *version != '\0' ? " " : "", version,
                  (unsigned long long)h->from.size, wanted_hex, (unsigned long long)found.size, found_hex);
}

/* ---- operations ---- */

struct operation {
    char kind; /* 'C', 'I', 'E' */
    uint64_t offset, length;
};

/* Digits without sign and without leading zeros, then END; at least LEAST. */
static bool read_number(const char **p, char end, uint64_t least, uint64_t *out)
{
    size_t n = 0;
    for (*out = 0; (*p)[n] >= '0' && (*p)[n] <= '9' && n <= DIGITS_MOST; n++)
        *out = *out * 10 + (uint64_t)((*p)[n] - '0');
    bool good = n > 0 && n <= DIGITS_MOST && (*p)[n] == end && (n == 1 || **p != '0') &&
                *out <= NUMBER_MOST && *out >= least;
    *p += n + 1;
    return good;
}

static enum odp_status read_operation(struct patch *p, struct operation *op)
{
    enum { OPERATION_MOST = 2 + 2 * DIGITS_MOST + 1 };
    size_t len;
    enum odp_status status = read_line(p, OPERATION_MOST, &len);
    if (status == ODP_DONE)
        return refuse(p, W_site_delta_no_end);
    if (status != ODP_OK)
        return status;
    const char *at = p->line + 2;
    bool good = len > 2 && p->line[1] == ' ';
    *op = (struct operation){.kind = p->line[0]};
    p->operations++;
    if (op->kind == 'C')
        good = good && read_number(&at, ' ', 0, &op->offset);
    if (op->kind == 'C' || op->kind == 'I')
        good = good && read_number(&at, '\0', 1, &op->length) && at == p->line + len + 1;
    else
        good = op->kind == 'E' && len == 1;
    return good ? ODP_OK : refuse(p, W_site_delta_operation, (unsigned long long)p->operations);
}

static enum odp_status copy_old(struct patch *p, const struct operation *op)
{
    const uint64_t size = p->header->from.size;
    if (op->offset > size || op->length > size - op->offset)
        return refuse(p, W_site_delta_copies_beyond, (unsigned long long)op->offset,
                      (unsigned long long)op->length, (unsigned long long)size);
    for (uint64_t done = 0; done < op->length;) {
        size_t got;
        enum odp_status status = read_old(p, op->offset + done, op->length - done, &got);
        if (status == ODP_DONE)
            return refuse(p, W_site_delta_old_changed);
        if (status == ODP_OK)
            status = odp_file_write(p->fresh, p->piece, got);
        if (status != ODP_OK)
            return status;
        done += got;
    }
    return ODP_OK;
}

static enum odp_status insert_bytes(struct patch *p, uint64_t length)
{
    while (length > 0) {
        enum odp_status status = fill(p);
        if (status == ODP_DONE)
            return refuse(p, W_site_delta_insert_cut);
        size_t n = p->len - p->at < length ? p->len - p->at : (size_t)length;
        if (status == ODP_OK)
            status = odp_file_write(p->fresh, p->out + p->at, n);
        if (status != ODP_OK)
            return status;
        p->at += n;
        length -= n;
    }
    return ODP_OK;
}

static enum odp_status run_operations(struct patch *p)
{
    struct operation op = {0};
    for (;;) {
        enum odp_status status = read_operation(p, &op);
        if (status == ODP_OK && op.kind == 'E')
            break;
        if (status == ODP_OK && op.length > p->header->to.size - odp_file_size(p->fresh))
            status = refuse(p, W_site_delta_result_exceeds, (unsigned long long)p->header->to.size);
        if (status == ODP_OK)
            status = op.kind == 'C' ? copy_old(p, &op) : insert_bytes(p, op.length);
        if (status != ODP_OK)
            return status;
    }
    enum odp_status status = fill(p);
    if (status == ODP_OK)
        return refuse(p, W_site_delta_bytes_after_end);
    return status == ODP_DONE ? ODP_OK : status;
}

/* ---- the new file ---- */

/* Under a name of its own: FRESH is never there half. */
static enum odp_status write_fresh(struct patch *p, const char *fresh)
{
    struct odp_file_info info;
    const char *part = odp_temporary_of(p->arena, fresh, ".part");
    enum odp_status status = part != NULL ? odp_file_create(&p->fresh, part, 0644) : ODP_FAIL;
    if (status == ODP_OK)
        status = run_operations(p);
    if (status != ODP_OK)
        return status;
    struct odp_file *file = p->fresh;
    p->fresh = NULL;
    status = odp_file_close(file, &info);
    if (status == ODP_OK && !same(&info, &p->header->to))
        status = refuse(p, W_site_delta_result_differs);
    else if (status == ODP_OK)
        return odp_file_place(part, fresh);
    (void)unlink(part);
    return status;
}

enum odp_status odp_delta_apply(const char *delta, const char *old, const char *fresh,
                                struct odp_delta_header *h, struct odp_arena *a, struct odp_text *why)
{
    struct stat st;
    struct patch *p = NULL;
    enum odp_status status = open_delta(&p, delta, h, a, why);
    if (status != ODP_FAIL && lstat(fresh, &st) == 0)
        status = refuse(p, W_site_delta_exists, fresh);
    if (status == ODP_OK)
        status = read_header(p);
    if (status == ODP_OK)
        status = open_old(p, old);
    if (status == ODP_OK)
        status = prove_old(p);
    if (status == ODP_OK)
        status = write_fresh(p, fresh);
    close_delta(p);
    return status;
}

enum odp_status odp_delta_header(const char *delta, struct odp_delta_header *h, struct odp_arena *a,
                                 struct odp_text *why)
{
    struct patch *p = NULL;
    enum odp_status status = open_delta(&p, delta, h, a, why);
    if (status == ODP_OK)
        status = read_header(p);
    close_delta(p);
    return status;
}
