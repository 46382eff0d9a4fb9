/* Bytes of the file to UTF-8 text.
 *
 * UTF-8 passes through: its bytes are checked by csv_slice, on any thread. Everything else is decoded here by
 * iconv; bytes that cannot be decoded become U+FFFD and are remembered with their place, one a line. The
 * encoding is the resource's word; a byte order mark may only settle what was left open (the order of UTF-16,
 * or nothing declared), and contradicts otherwise (ODP-E03; what it says is then read for further faults, and
 * not published). */
#include <errno.h>
#include <stdlib.h>
#include <strings.h>

#include "base/room.h"
#include "base/utf8.h"
#include "read/csv/reader.h"

void csv_file_diag(struct odp_diag *d, enum odp_code code, const struct odp_resource *r, const char *file)
{
    memset(d, 0, sizeof(*d));
    d->code = code;
    d->resource = r->name;
    d->dataset = r->dataset != NULL ? r->dataset->slug : NULL;
    d->file = file;
}

struct odp_slice csv_printable(struct odp_arena *a, struct odp_slice s)
{
    if (s.len > SIZE_MAX / 4)
        return (struct odp_slice){"", 0};
    char *out = odp_arena_array(a, s.len + 1, 3);
    size_t n = 0, i = 0;
    while (i < s.len) {
        size_t good = odp_utf8_valid((struct odp_slice){s.ptr + i, s.len - i});
        for (size_t end = i + good; i < end; i++) {
            if (s.ptr[i] != '\0')
                out[n++] = s.ptr[i];
            else
                n += odp_utf8_encode(0xFFFD, out + n);
        }
        if (i < s.len) {
            n += odp_utf8_encode(0xFFFD, out + n);
            i++;
        }
    }
    out[n] = '\0';
    return (struct odp_slice){out, n};
}

void csv_clean(struct odp_arena *a, struct odp_diag *d)
{
    if (d->source.ptr == NULL ||
        (odp_utf8_valid(d->source) == d->source.len && memchr(d->source.ptr, '\0', d->source.len) == NULL))
        return;
    const char *p = d->source.ptr;
    size_t start = d->mark_start, end = start + d->mark_len;
    struct odp_slice before = csv_printable(a, (struct odp_slice){p, start});
    struct odp_slice mark = csv_printable(a, (struct odp_slice){p + start, end - start});
    struct odp_slice all = csv_printable(a, d->source);
    d->source = all;
    d->mark_start = (uint32_t)before.len;
    d->mark_len = (uint32_t)mark.len;
    if (before.len + mark.len > all.len) /* the mark split a character */
        d->mark_start = d->mark_len = 0;
}

struct mark {
    const char *bytes;
    unsigned len, unit;
    const char *name;    /* shown */
    const char *family;  /* the encoding that leaves the byte order open */
    const char *decoder; /* iconv's name; NULL: UTF-8 */
};
/* UTF-32LE before UTF-16LE: its mark begins with the other's. */
static const struct mark marks[] = {
    {"\xEF\xBB\xBF", 3, 1, "UTF-8", "utf-8", NULL},
    {"\xFF\xFE\0\0", 4, 4, "UTF-32LE", "utf-32", "UTF-32LE"},
    {"\0\0\xFE\xFF", 4, 4, "UTF-32BE", "utf-32", "UTF-32BE"},
    {"\xFF\xFE", 2, 2, "UTF-16LE", "utf-16", "UTF-16LE"},
    {"\xFE\xFF", 2, 2, "UTF-16BE", "utf-16", "UTF-16BE"},
};

static const struct mark *find_mark(const char *p, size_t n)
{
    for (size_t i = 0; i < ODP_COUNT(marks); i++)
        if (n >= marks[i].len && memcmp(p, marks[i].bytes, marks[i].len) == 0)
            return &marks[i];
    return NULL;
}

/* Names that differ in case, '-', '_' and ' ' are one: "UTF_8" is "utf8". */
static bool same_name(const char *a, const char *b)
{
    for (;;) {
        while (*a == '-' || *a == '_' || *a == ' ')
            a++;
        while (*b == '-' || *b == '_' || *b == ' ')
            b++;
        if (*a == '\0' || *b == '\0')
            return *a == *b;
        if (strncasecmp(a++, b++, 1) != 0)
            return false;
    }
}

/* Names people write that iconv does not know. */
static const char *iconv_name(const char *name)
{
    static const struct {
        const char *written, *meant;
    } names[] = {{"windows1252", "WINDOWS-1252"},
                 {"cp1252", "WINDOWS-1252"},
                 {"latin1", "ISO-8859-1"},
                 {"iso88591", "ISO-8859-1"},
                 {"latin9", "ISO-8859-15"},
                 {"ascii", "ASCII"},
                 {"usascii", "ASCII"},
                 {"utf16le", "UTF-16LE"},
                 {"utf16be", "UTF-16BE"},
                 {"utf32le", "UTF-32LE"},
                 {"utf32be", "UTF-32BE"},
                 {"macroman", "MACINTOSH"},
                 {"shiftjis", "SHIFT_JIS"},
                 {"sjis", "SHIFT_JIS"}};
    for (size_t i = 0; i < ODP_COUNT(names); i++)
        if (same_name(name, names[i].written))
            return names[i].meant;
    return name;
}

static bool is_utf8_name(const char *name)
{
    return same_name(name, "utf8") || same_name(name, "utf-8-sig");
}

/* iconv takes "" and "char" for the locale's encoding and suffixes that repair in silence: neither may come
 * from a descriptor.
 */
static bool is_safe_name(const char *name)
{
    size_t n = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.:+");
    return n > 0 && n < 40 && name[n] == '\0' && strcasecmp(name, "char") != 0 &&
           strcasecmp(name, "wchar_t") != 0;
}

static bool open_decoder(struct csv_text *t, const char *name)
{
    t->cd = iconv_open("UTF-8", name);
    t->open_cd = t->cd != (iconv_t)-1;
    if (!t->open_cd && errno == ENOMEM)
        (void)odp_failure_memory(); /* and not: the encoding is not known */
    return t->open_cd;
}

/* UTF-16 without a mark and without a declared order: the header's first character is ASCII and shows it;
 * else RFC 2781, 4.3.
 */
static const char *order_of(const char *p, size_t n, bool wide)
{
    bool little = n >= 2 && p[0] != '\0' && p[1] == '\0';
    static const char *const names[2][2] = {{"UTF-16BE", "UTF-16LE"}, {"UTF-32BE", "UTF-32LE"}};
    return names[wide][little];
}

/* Whether the mark agrees with the encoding DECLARED. */
static bool mark_agrees(const struct mark *m, const char *declared)
{
    return same_name(m->name, declared) || same_name(m->family, declared) ||
           (m->decoder == NULL && is_utf8_name(declared));
}

static enum odp_status say_encoding(enum odp_code code, const struct odp_resource *r, const char *file,
                                    const char *a, const char *b, struct odp_diags *diags)
{
    struct odp_diag d;
    csv_file_diag(&d, code, r, file);
    d.args[0] = odp_slice_of(a);
    d.args[1] = odp_slice_of(b);
    d.where = r->where;
    if (code == ODP_E03)
        d.line = d.column = 1;
    odp_diags_add(diags, &d);
    return ODP_BAD;
}

/* Settles how the text is decoded, by the first bytes in t->raw. */
static enum odp_status choose(struct csv_text *t, const struct odp_resource *r, const char *file,
                              struct odp_diags *diags)
{
    const char *declared = r->encoding != NULL ? r->encoding : "utf-8";
    const struct mark *m = find_mark(t->raw, t->nraw);
    const char *decoder = NULL;
    t->unit = 1;
    if (m != NULL && r->encoding_declared && !mark_agrees(m, declared)) {
        /* The text is read as the mark says, for its further faults. */
        if (say_encoding(ODP_E03, r, file, m->name, declared, diags) == ODP_FAIL)
            return ODP_FAIL;
    }
    if (m != NULL) {
        t->bom = m->len;
        t->unit = m->unit;
        decoder = m->decoder;
    } else if (same_name(declared, "utf-16") || same_name(declared, "utf-32")) {
        bool wide = same_name(declared, "utf-32");
        decoder = order_of(t->raw, t->nraw, wide);
    } else if (!is_utf8_name(declared)) {
        decoder = iconv_name(declared);
    }
    t->utf8 = decoder == NULL;
    if (decoder != NULL && strncmp(decoder, "UTF-16", 6) == 0)
        t->unit = 2;
    else if (decoder != NULL && strncmp(decoder, "UTF-32", 6) == 0)
        t->unit = 4;
    if (decoder != NULL && (!is_safe_name(decoder) || !open_decoder(t, decoder)))
        return say_encoding(ODP_E02, r, file, declared, NULL, diags);
    const char *shown = decoder == NULL ? "UTF-8" : decoder;
    memcpy(t->encoding, shown, strlen(shown) + 1);
    return ODP_OK;
}

static enum odp_status read_raw(struct csv_text *t)
{
    size_t got = 0;
    enum odp_status status = odp_reader_read(t->file, t->raw + t->nraw, sizeof(t->raw) - t->nraw, &got);
    if (status == ODP_FAIL)
        return status;
    t->nraw += got;
    t->raw_end = status == ODP_DONE || t->nraw < sizeof(t->raw);
    return ODP_OK;
}

static enum odp_status say_other(const struct csv_other *other, const struct odp_resource *r,
                                 const char *file, struct odp_diags *diags)
{
    struct odp_arena arena;
    struct odp_diag d;
    odp_arena_init(&arena);
    csv_file_diag(&d, ODP_F03, r, file);
    d.args[0] = ODP_LIT("CSV");
    d.args[1] = d.value = odp_slice_of(other->name);
    d.args[2] = csv_conversion(other, file, &arena);
    enum odp_status status = odp_diags_add(diags, &d);
    odp_arena_release(&arena);
    return status == ODP_FAIL ? ODP_FAIL : ODP_BAD;
}

enum odp_status csv_text_open(struct csv_text *t, const struct odp_resource *r, const char *path,
                              const char *file, struct odp_diags *diags)
{
    struct odp_diag d;
    int errnum = 0;
    enum odp_status status = odp_reader_open(&t->file, path, &errnum);
    if (status == ODP_BAD) {
        csv_file_diag(&d, ODP_F02, r, file);
        d.args[0] = odp_slice_of(strerrorname_np(errnum));
        odp_diags_add(diags, &d);
        return ODP_BAD;
    }
    if (status != ODP_OK || read_raw(t) != ODP_OK)
        return ODP_FAIL;
    struct csv_other other;
    if (csv_other_kind((struct odp_slice){t->raw, t->nraw}, r->dialect.header, &other))
        return say_other(&other, r, file, diags);
    if ((status = choose(t, r, file, diags)) != ODP_OK)
        return status;
    /* What was read for a look is the first of the text. */
    t->nraw -= (size_t)t->bom;
    memmove(t->raw, t->raw + t->bom, t->nraw);
    t->decoded = t->bom;
    if (t->utf8) {
        odp_buffer_add(&t->buf, t->raw, t->nraw);
        t->nraw = 0;
        t->base = t->bom;
        t->eof = t->raw_end;
        status = odp_buffer_status(&t->buf);
    } else {
        status = csv_text_fill(t);
    }
    if (status != ODP_OK)
        return status;
    if (t->eof && csv_is_blank(NULL, t->buf.ptr, t->buf.len)) {
        csv_file_diag(&d, ODP_F04, r, file);
        odp_diags_add(diags, &d);
        return ODP_BAD;
    }
    return ODP_OK;
}

void csv_text_close(struct csv_text *t)
{
    odp_reader_close(t->file);
    if (t->open_cd)
        iconv_close(t->cd);
    odp_buffer_release(&t->buf);
    free(t->bad);
    memset(t, 0, sizeof(*t));
}

/* Remembers N undecodable bytes at P, which become the character at the end of the window. One a line is
 * enough: the whole record is refused. */
static enum odp_status remember(struct csv_text *t, const char *p, size_t n)
{
    uint64_t at = t->base + t->buf.len;
    if (t->nbad > t->bad_first) {
        uint64_t last = t->bad[t->nbad - 1].at;
        if (last >= t->base) {
            const char *between = t->buf.ptr + (last - t->base);
            size_t len = (size_t)(at - last);
            if (memchr(between, '\n', len) == NULL && memchr(between, '\r', len) == NULL)
                return ODP_OK;
        }
    }
    if (!odp_room(t->bad, t->nbad, t->bad_cap))
        return ODP_FAIL;
    struct csv_bad *bad = &t->bad[t->nbad++];
    *bad = (struct csv_bad){.at = at, .offset = t->decoded, .nbyte = (unsigned)(n < 4 ? n : 4)};
    memcpy(bad->byte, p, bad->nbyte);
    return ODP_OK;
}

/* A stateful decoder gives out what it holds and begins anew. */
static enum odp_status flush(struct csv_text *t)
{
    size_t room = 64, space = room;
    char *out = odp_buffer_reserve(&t->buf, room);
    if (out == NULL)
        return ODP_FAIL;
    (void)iconv(t->cd, NULL, NULL, &out, &space);
    t->buf.len += room - space;
    return ODP_OK;
}

/* Decodes what is in t->raw to the end of the window; an incomplete character stays in raw unless it is the
 * last. */
static enum odp_status decode(struct csv_text *t)
{
    char *in = t->raw;
    size_t left = t->nraw;
    while (left > 0) {
        size_t room = left * 3 + 16, space = room, before = left;
        char *out = odp_buffer_reserve(&t->buf, room);
        if (out == NULL)
            return ODP_FAIL;
        size_t r = iconv(t->cd, &in, &left, &out, &space);
        int error = errno;
        t->buf.len += room - space;
        t->decoded += before - left;
        if (r != (size_t)-1 || error == E2BIG)
            continue;
        if (error == EINVAL && !t->raw_end)
            break;
        size_t skip = error == EINVAL || left < t->unit ? left : t->unit;
        if (flush(t) != ODP_OK || remember(t, in, skip) != ODP_OK)
            return ODP_FAIL;
        odp_buffer_add(&t->buf, "\xEF\xBF\xBD", 3);
        in += skip;
        left -= skip;
        t->decoded += skip;
    }
    if (t->raw_end && flush(t) != ODP_OK)
        return ODP_FAIL;
    memmove(t->raw, in, left);
    t->nraw = left;
    return odp_buffer_status(&t->buf);
}

enum odp_status csv_text_fill_keeping(struct csv_text *t, size_t kept, size_t want)
{
    size_t gone = t->pos - kept, rest = t->buf.len - t->pos;
    if (gone > 0) {
        memmove(t->buf.ptr, t->buf.ptr + gone, kept + rest);
        t->base += gone;
        t->buf.len -= gone;
        t->pos = kept;
    }
    /* A record longer than a block: twice as much each time, so that framing it anew costs no more than
     * reading it. */
    want = rest > want ? rest : want;
    size_t end = t->buf.len + want;
    if (t->utf8) {
        size_t got = 0;
        char *p = odp_buffer_reserve(&t->buf, want);
        if (p == NULL)
            return ODP_FAIL;
        enum odp_status status = odp_reader_read(t->file, p, want, &got);
        if (status == ODP_FAIL)
            return status;
        t->buf.len += got;
        t->eof = got < want;
        return ODP_OK;
    }
    while (t->buf.len < end && !t->eof) {
        if (!t->raw_end && read_raw(t) != ODP_OK)
            return ODP_FAIL;
        if (decode(t) != ODP_OK)
            return ODP_FAIL;
        t->eof = t->raw_end;
    }
    return ODP_OK;
}

enum odp_status csv_text_fill(struct csv_text *t)
{
    return csv_text_fill_keeping(t, 0, CSV_BLOCK);
}

const struct csv_bad *csv_text_bad(struct csv_text *t, uint64_t from, uint64_t to)
{
    const struct csv_bad *first = NULL;
    while (t->bad_first < t->nbad && t->bad[t->bad_first].at < to) {
        if (first == NULL && t->bad[t->bad_first].at >= from)
            first = &t->bad[t->bad_first];
        t->bad_first++;
    }
    if (t->bad_first == t->nbad)
        t->bad_first = t->nbad = 0; /* FIRST stays readable: nothing is written before the next fill */
    return first;
}

uint64_t csv_text_consumed(const struct csv_text *t)
{
    if (t->utf8)
        return t->base + t->pos;
    return t->decoded;
}
