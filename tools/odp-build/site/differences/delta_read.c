/* A delta being read: gzip, the header line, operations one after the other. Memory does not depend on what
 * is read. */
#include "site/differences/delta_read.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/digest.h"
#include "base/json_load.h"
#include "words/site.h"

enum { PIECE = 64 << 10, LINE_MOST = 4096, WINDOW_GZIP = 15 + 16, DIGITS_MOST = 16, SENTENCE = 600 };

struct delta_reader {
    struct odp_reader *file;
    struct delta_refusal refusal;
    z_stream zip;
    bool ended;     /* gzip's end was seen, its checksum was right */
    size_t at, len; /* of OUT: what was unpacked and not yet taken */
    uint64_t operations;
    char line[LINE_MOST + 1];
    uint8_t in[PIECE], out[PIECE];
};

enum odp_status delta_refuse(const struct delta_refusal *r, const char *id, const char *en, ...)
{
    char text[SENTENCE];
    va_list args, again;
    va_start(args, en);
    va_copy(again, args);
    vsnprintf(text, sizeof text, id, args);
    r->why->in[ODP_LANG_ID] = odp_arena_str(r->arena, text);
    vsnprintf(text, sizeof text, en, again);
    r->why->in[ODP_LANG_EN] = odp_arena_str(r->arena, text);
    va_end(again);
    va_end(args);
    return ODP_BAD;
}

/* ---- bytes ---- */

enum odp_status delta_reader_open(struct delta_reader **out, const char *path, const struct delta_refusal *r)
{
    int errnum = 0;
    *out = NULL;
    struct delta_reader *d = calloc(1, sizeof *d);
    if (d == NULL)
        return odp_failure_set("read delta", path, ENOMEM);
    d->refusal = *r;
    if (inflateInit2(&d->zip, WINDOW_GZIP) != Z_OK) {
        free(d);
        return odp_failure_set("read delta", path, ENOMEM);
    }
    enum odp_status status = odp_reader_open(&d->file, path, &errnum);
    if (status == ODP_BAD)
        status = delta_refuse(r, W_site_delta_cannot_open, path, strerror(errnum));
    if (status == ODP_OK)
        *out = d;
    else
        delta_reader_close(d);
    return status;
}

void delta_reader_close(struct delta_reader *d)
{
    if (d == NULL)
        return;
    inflateEnd(&d->zip);
    odp_reader_close(d->file);
    free(d);
}

/* More of the file for gzip. DONE: there is none. */
static enum odp_status feed(struct delta_reader *d)
{
    size_t got = 0;
    enum odp_status status = odp_reader_read(d->file, d->in, PIECE, &got);
    bool first = d->zip.total_in == 0;
    if (status == ODP_DONE && first)
        return delta_refuse(&d->refusal, W_site_delta_empty);
    if (status != ODP_OK)
        return status;
    if (first && (d->in[0] != 0x1F || (got > 1 && d->in[1] != 0x8B)))
        return delta_refuse(&d->refusal, W_site_delta_no_gzip);
    d->zip.next_in = d->in;
    d->zip.avail_in = (uInt)got;
    return ODP_OK;
}

/* The gzip stream is over: nothing may stand behind it. */
static enum odp_status at_end_of_gzip(struct delta_reader *d)
{
    size_t got = d->zip.avail_in;
    d->ended = true;
    if (got == 0 && odp_reader_read(d->file, d->in, 1, &got) == ODP_FAIL)
        return ODP_FAIL;
    if (got != 0)
        return delta_refuse(&d->refusal, W_site_delta_bytes_after_gzip);
    return ODP_OK;
}

/* Makes sure that something is in OUT. DONE: the whole stream was taken. */
static enum odp_status fill(struct delta_reader *d)
{
    if (d->at < d->len)
        return ODP_OK;
    d->at = d->len = 0;
    while (d->len == 0 && !d->ended) {
        enum odp_status status = d->zip.avail_in == 0 ? feed(d) : ODP_OK;
        if (status == ODP_DONE)
            return delta_refuse(&d->refusal, W_site_delta_cut);
        if (status != ODP_OK)
            return status;
        d->zip.next_out = d->out;
        d->zip.avail_out = PIECE;
        int result = inflate(&d->zip, Z_NO_FLUSH);
        d->len = PIECE - d->zip.avail_out;
        if (result == Z_MEM_ERROR)
            return odp_failure_set("read delta", NULL, ENOMEM);
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
            return delta_refuse(&d->refusal, W_site_delta_gzip_broken);
        if (result == Z_STREAM_END && (status = at_end_of_gzip(d)) != ODP_OK)
            return status;
    }
    return d->len > 0 ? ODP_OK : ODP_DONE;
}

/* A line without its line feed into d->line, at most MOST bytes. DONE: the stream is over before it began. */
static enum odp_status read_line(struct delta_reader *d, size_t most, size_t *len)
{
    *len = 0;
    for (;;) {
        enum odp_status status = fill(d);
        if (status == ODP_DONE && *len > 0)
            return delta_refuse(&d->refusal, W_site_delta_line_cut);
        if (status != ODP_OK)
            return status;
        char c = (char)d->out[d->at++];
        if (c == '\n')
            break;
        if (*len == most)
            return delta_refuse(&d->refusal, W_site_delta_line_long, most);
        d->line[(*len)++] = c;
    }
    d->line[*len] = '\0';
    return ODP_OK;
}

/* ---- the header ---- */

static enum odp_status read_side(const struct delta_reader *d, const json_t *root, const char *name,
                                 const char **version, struct odp_file_info *info)
{
    const json_t *side = json_object_get(root, name), *bytes = json_object_get(side, "bytes");
    const json_t *label = json_object_get(side, "version");
    *version = NULL;
    if (!json_is_integer(bytes) || json_integer_value(bytes) < 0 ||
        (uint64_t)json_integer_value(bytes) > DELTA_MOST ||
        !odp_digest_parse(json_string_value(json_object_get(side, "sha256")), info->sha256) ||
        (label != NULL && !json_is_string(label)))
        return delta_refuse(&d->refusal, W_site_delta_side, name, name);
    info->size = (uint64_t)json_integer_value(bytes);
    if (label != NULL)
        *version = odp_arena_str(d->refusal.arena, json_string_value(label));
    return ODP_OK;
}

static enum odp_status read_root(const struct delta_reader *d, const json_t *root, struct odp_delta_header *h)
{
    const char *format = json_string_value(json_object_get(root, "format"));
    if (format == NULL)
        return delta_refuse(&d->refusal, W_site_delta_no_header);
    if (strcmp(format, "odp-delta-1") != 0)
        return delta_refuse(&d->refusal, W_site_delta_format, format);
    enum odp_status status = read_side(d, root, "from", &h->from_version, &h->from);
    return status == ODP_OK ? read_side(d, root, "to", &h->to_version, &h->to) : status;
}

enum odp_status delta_read_header(struct delta_reader *d, struct odp_delta_header *h)
{
    size_t len;
    *h = (struct odp_delta_header){0};
    enum odp_status status = read_line(d, LINE_MOST, &len);
    if (status == ODP_DONE)
        return delta_refuse(&d->refusal, W_site_delta_nothing);
    if (status != ODP_OK)
        return status;
    json_t *root = odp_json_load(d->line, len, JSON_REJECT_DUPLICATES, NULL);
    status = read_root(d, root, h);
    json_decref(root);
    return status;
}

/* ---- operations ---- */

/* Digits without sign and without leading zeros, then END; at least 1 unless ZERO. */
static bool read_number(const char **p, char end, bool zero, uint64_t *out)
{
    size_t n = 0;
    *out = 0;
    for (; (*p)[n] >= '0' && (*p)[n] <= '9' && n <= DIGITS_MOST; n++)
        *out = *out * 10 + (uint64_t)((*p)[n] - '0');
    bool good = n > 0 && n <= DIGITS_MOST && (*p)[n] == end && (n == 1 || **p != '0') && *out <= DELTA_MOST &&
                (zero || *out > 0);
    *p += n + 1;
    return good;
}

enum odp_status delta_read_operation(struct delta_reader *d, struct delta_operation *op)
{
    enum { OPERATION_MOST = 2 + 2 * DIGITS_MOST + 1 };
    size_t len;
    *op = (struct delta_operation){0};
    enum odp_status status = read_line(d, OPERATION_MOST, &len);
    if (status == ODP_DONE)
        return delta_refuse(&d->refusal, W_site_delta_no_end);
    if (status != ODP_OK)
        return status;
    const char *p = d->line + 2;
    bool good = false;
    op->kind = d->line[0];
    d->operations++;
    if (op->kind == 'E')
        good = len == 1;
    else if (len > 2 && d->line[1] == ' ' && op->kind == 'C')
        good = read_number(&p, ' ', true, &op->offset) && read_number(&p, '\0', false, &op->length) &&
               p == d->line + len + 1;
    else if (len > 2 && d->line[1] == ' ' && op->kind == 'I')
        good = read_number(&p, '\0', false, &op->length) && p == d->line + len + 1;
    if (!good)
        return delta_refuse(&d->refusal, W_site_delta_operation, (unsigned long long)d->operations);
    return ODP_OK;
}

enum odp_status delta_read_bytes(struct delta_reader *d, uint64_t most, const uint8_t **bytes, size_t *got)
{
    enum odp_status status = fill(d);
    if (status == ODP_DONE)
        return delta_refuse(&d->refusal, W_site_delta_insert_cut);
    if (status != ODP_OK)
        return status;
    *bytes = d->out + d->at;
    *got = d->len - d->at < most ? d->len - d->at : (size_t)most;
    d->at += *got;
    return ODP_OK;
}

enum odp_status delta_read_end(struct delta_reader *d)
{
    enum odp_status status = fill(d);
    if (status == ODP_OK)
        return delta_refuse(&d->refusal, W_site_delta_bytes_after_end);
    return status == ODP_DONE ? ODP_OK : status;
}
