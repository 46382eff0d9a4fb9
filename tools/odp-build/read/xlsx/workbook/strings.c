/* Shared strings: one buffer, and where each ends in it. Text as OOXML writes it. */

#include "base/ascii.h"
#include "base/room.h"
#include "base/utf8.h"
#include "read/xlsx/workbook/workbook_internal.h"
#include "words/read.h"

static int hex4(const char *p)
{
    int v = 0;
    for (int i = 0; i < 4; i++) {
        int d = odp_hex_value(p[i]);
        if (d < 0)
            return -1;
        v = v * 16 + d;
    }
    return v;
}

/* The code unit of "_xHHHH_" at P, or -1. */
static int escape_at(const char *p, size_t n)
{
    return n >= 7 && p[0] == '_' && p[1] == 'x' && p[6] == '_' ? hex4(p + 2) : -1;
}

void wb_unescape(struct odp_buffer *b, size_t start)
{
    if (b->failed || start >= b->len || memchr(b->ptr + start, '_', b->len - start) == NULL)
        return;
    size_t out = start, i = start;
    while (i < b->len) {
        int unit = escape_at(b->ptr + i, b->len - i);
        if (unit < 0) {
            b->ptr[out++] = b->ptr[i++];
            continue;
        }
        uint32_t cp = (uint32_t)unit;
        i += 7;
        if (cp >= 0xD800 && cp < 0xDC00) {
            int low = escape_at(b->ptr + i, b->len - i);
            bool pair = low >= 0xDC00 && low < 0xE000;
            cp = pair ? 0x10000 + ((cp - 0xD800) << 10) + ((uint32_t)low - 0xDC00) : 0xFFFD;
            i += pair ? 7 : 0;
        } else if (cp >= 0xDC00 && cp < 0xE000) {
            cp = 0xFFFD;
        }
        out += odp_utf8_encode(cp, b->ptr + out); /* at most four bytes where there were seven */
    }
    b->len = out;
}

void wb_strip(struct odp_buffer *b, size_t start)
{
    if (b->failed || start >= b->len)
        return;
    struct odp_slice s = odp_slice_trim((struct odp_slice){b->ptr + start, b->len - start});
    memmove(b->ptr + start, s.ptr, s.len);
    b->len = start + s.len;
}

struct loading {
    struct wb_strings *s;
    size_t start; /* of the string being read */
    size_t run;   /* of its <t> */
    bool in_text, preserve, preserve_all;
    unsigned phonetic;
};

static void strings_start(struct wb_xml *x, const char *name, const char **attributes)
{
    struct loading *l = x->ctx;
    const char *space =
        x->depth == 1 || strcmp(name, "t") == 0 ? wb_attribute(attributes, "xml:space") : NULL;
    if (x->depth == 1)
        l->preserve_all = space != NULL && strcmp(space, "preserve") == 0;
    if (strcmp(name, "si") == 0)
        l->start = l->s->text.len;
    else if (strcmp(name, "rPh") == 0)
        l->phonetic++;
    else if (strcmp(name, "t") == 0 && l->phonetic == 0) {
        l->in_text = true;
        l->run = l->s->text.len;
        l->preserve = space != NULL ? strcmp(space, "preserve") == 0 : l->preserve_all;
    }
}

static void too_many(struct wb_xml *x)
{
    wb_xml_stop(x, ODP_WORKBOOK_TOO_LARGE, W_read_too_much_shared_text);
}

static void end_string(struct wb_xml *x, struct loading *l)
{
    struct wb_strings *s = l->s;
    wb_unescape(&s->text, l->start);
    if (s->text.len - l->start > x->in.w->limits.cell_bytes) {
        wb_xml_stop(x, ODP_WORKBOOK_TOO_LARGE, W_read_text_one_cell_too_long);
        return;
    }
    if (s->text.len + (s->n + 1) * sizeof(*s->end) > x->in.w->limits.string_bytes) {
        too_many(x);
        return;
    }
    if (!odp_room(s->end, s->n, s->cap)) {
        wb_xml_fail(x);
        return;
    }
    s->end[s->n++] = (uint32_t)s->text.len;
}

static void strings_end(struct wb_xml *x, const char *name)
{
    struct loading *l = x->ctx;
    if (strcmp(name, "t") == 0) {
        if (l->in_text && !l->preserve)
            wb_strip(&l->s->text, l->run);
        l->in_text = false;
    } else if (strcmp(name, "rPh") == 0 && l->phonetic > 0) {
        l->phonetic--;
    } else if (strcmp(name, "si") == 0) {
        end_string(x, l);
    }
}

static void strings_text(struct wb_xml *x, const char *s, int n)
{
    struct loading *l = x->ctx;
    if (!l->in_text)
        return;
    odp_buffer_add(&l->s->text, s, (size_t)n);
    if (l->s->text.failed)
        wb_xml_fail(x);
    else if (l->s->text.len > x->in.w->limits.string_bytes ||
             l->s->text.len - l->start > (size_t)x->in.w->limits.cell_bytes * 7)
        too_many(x);
}

enum odp_status wb_strings_load(struct odp_workbook *w, struct odp_workbook_fault *fault)
{
    static const struct wb_events events = {strings_start, strings_end, strings_text};
    struct loading l = {.s = &w->strings};
    if (w->strings.loaded || w->strings_part == NULL)
        return ODP_OK;
    enum odp_status status = wb_xml_run(w, w->strings_part, &events, &l, false, fault);
    w->strings.loaded = status == ODP_OK;
    return status;
}
