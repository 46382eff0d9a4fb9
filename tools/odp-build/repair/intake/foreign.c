/* Workbooks and tables of HTML (what many programs call .xls) as CSV in a scratch file, UTF-8 with commas. */
#include <iconv.h>
#include <stdlib.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/file.h"
#include "base/utf8.h"
#include "read/sheet.h"
#include "read/source.h"
#include "repair/intake/intake_internal.h"
#include "repair/rewrite/csv_cell.h"

enum { PAGE_MAX = 256 * 1024 * 1024, SPAN_MAX = 1000 };

struct pen {
    struct odp_file *file;
    struct csv_rules rules;
    struct odp_buffer line;
    uint32_t column;
    bool failed;
};

static enum odp_status pen_open(struct pen *w, struct odp_intake *x)
{
    static const struct odp_dialect plain = {.delimiter = ',', .quote = '"', .double_quote = true};
    *w = (struct pen){0};
    csv_rules_init(&w->rules, &plain, false);
    x->path = intake_scratch(x);
    x->how.encoding = "utf-8";
    x->how.dialect.delimiter = ',';
    x->how.dialect.quote = '"';
    return x->path != NULL ? odp_file_create_scratch(&w->file, x->path) : ODP_FAIL;
}

static void pen_cell(struct pen *w, struct odp_slice text)
{
    if (w->column++ > 0)
        odp_buffer_add_char(&w->line, ',');
    w->failed |= !odp_cell_write(&w->rules, text, false, false, &w->line);
}

static enum odp_status pen_row(struct pen *w)
{
    odp_buffer_add_char(&w->line, '\n');
    if (odp_buffer_status(&w->line) != ODP_OK || w->failed)
        return ODP_FAIL;
    enum odp_status status = odp_file_write(w->file, w->line.ptr, w->line.len);
    odp_buffer_clear(&w->line);
    w->column = 0;
    return status;
}

static enum odp_status pen_close(struct pen *w, enum odp_status status)
{
    odp_buffer_release(&w->line);
    if (status == ODP_OK)
        return odp_file_close(w->file, NULL);
    odp_file_discard(w->file);
    return status;
}

/* ---- workbooks ---- */

/* The first cells of merged ranges, by column: those below mean the same. */
struct merged {
    struct odp_buffer *text;
    size_t n;
    uint64_t filled;
};

/* What the cell at C stands for, as it is written: marked by how it is stored. */
static enum odp_status keep_first(struct merged *m, const struct odp_sheet_cell *c, struct odp_slice text)
{
    if (c->column >= m->n) {
        size_t n = (size_t)c->column + 1;
        struct odp_buffer *more = odp_realloc_array(m->text, n, sizeof *more);
        if (more == NULL)
            return ODP_FAIL;
        memset(more + m->n, 0, (n - m->n) * sizeof *more);
        m->text = more;
        m->n = n;
    }
    odp_buffer_clear(&m->text[c->column]);
    odp_buffer_add_slice(&m->text[c->column], text);
    return odp_buffer_status(&m->text[c->column]);
}

static void sheet_cell(struct pen *w, const struct odp_sheet_cell *c, struct merged *m,
                       struct odp_buffer *room)
{
    char number[80];
    struct odp_slice text = odp_xlsx_shown(c, number);
    char mark = NATIVE_TEXT;
    if (c->kind == ODP_CELL_NUMBER)
        mark = c->percent ? NATIVE_PERCENT : NATIVE_NUMBER;
    if (c->kind == ODP_CELL_DATE && c->iso.len > 0)
        mark = NATIVE_DATE;
    if (c->kind == ODP_CELL_BOOLEAN) {
        mark = NATIVE_BOOLEAN;
        text = c->text;
    }
    odp_buffer_clear(room);
    if (mark != NATIVE_TEXT)
        odp_buffer_add_char(room, mark);
    odp_buffer_add_slice(room, text);
    if (c->kind == ODP_CELL_EMPTY && c->merged && c->merge_column == c->column && c->column < m->n) {
        odp_buffer_add_slice(room, odp_buffer_slice(&m->text[c->column]));
        m->filled++;
    } else if (c->kind == ODP_CELL_EMPTY && c->formula) {
        odp_buffer_add_str(room, "#N/A"); /* it was never computed: a fault */
    }
    w->failed |= odp_buffer_status(room) != ODP_OK;
    w->failed |= c->anchor && keep_first(m, c, odp_buffer_slice(room)) != ODP_OK;
    pen_cell(w, odp_buffer_slice(room));
}

static enum odp_status copy_sheet(struct pen *w, struct odp_source *sheet, uint64_t *filled,
                                  struct odp_diags *diags)
{
    struct merged merged = {0};
    struct odp_sheet_row row;
    struct odp_buffer room = {0};
    uint32_t line = 1;
    enum odp_status status;
    while ((status = odp_xlsx_row(sheet, &row, diags)) == ODP_OK) {
        for (; line < row.row && status == ODP_OK; line++)
            status = pen_row(w); /* rows without a value */
        for (uint32_t i = 0; i < row.n && status == ODP_OK; i++) {
            while (w->column < row.cells[i].column)
                pen_cell(w, ODP_LIT(""));
            sheet_cell(w, &row.cells[i], &merged, &room);
        }
        if (status == ODP_OK)
            status = pen_row(w);
        line = row.row + 1;
        if (status != ODP_OK)
            break;
    }
    odp_buffer_release(&room);
    for (size_t i = 0; i < merged.n; i++)
        odp_buffer_release(&merged.text[i]);
    free(merged.text);
    *filled = merged.filled;
    return status == ODP_DONE ? ODP_OK : status;
}

static enum odp_status from_sheet(struct odp_intake *x, struct odp_diags *diags)
{
    struct odp_source *sheet = NULL;
    struct pen pen;
    uint64_t filled = 0;
    enum odp_status status = odp_xlsx_open(&sheet, x->resource, x->path, x->options.file, diags);
    if (status == ODP_OK && (status = pen_open(&pen, x)) == ODP_OK)
        status = pen_close(&pen, copy_sheet(&pen, sheet, &filled, diags));
    if (filled > 0)
        intake_note(x, ODP_INTAKE_MERGED, ODP_LIT(""), ODP_LIT(""), filled);
    odp_source_close(sheet);
    x->native = true;
    return status;
}

/* ---- HTML ---- */

struct page {
    struct pen pen;
    const char *p, *end;
    struct odp_buffer text; /* of the cell that is open */
    bool in_cell, in_row;
    unsigned span;
    enum odp_status status;
};

static bool begins(const struct page *h, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(h->end - h->p) >= n && strncasecmp(h->p, word, n) == 0;
}

/* Whether a tag of that NAME begins here: "<td" and not "<tdx". */
static bool is_tag(const struct page *h, const char *name)
{
    size_t n = strlen(name);
    return begins(h, name) && (h->p + n == h->end || !odp_is_alnum(h->p[n]));
}

static void skip_past(struct page *h, const char *word)
{
    while (h->p < h->end && !begins(h, word))
        h->p++;
    size_t n = strlen(word), left = (size_t)(h->end - h->p);
    h->p += n < left ? n : left;
}

/* "&amp;" and "&#233;" as what they mean; another & stays. */
static void take_entity(struct page *h)
{
    static const struct {
        const char *name, *text;
    } names[] = {{"&amp;", "&"},   {"&lt;", "<"},   {"&gt;", ">"},
                 {"&quot;", "\""}, {"&apos;", "'"}, {"&nbsp;", " "}};
    for (size_t i = 0; i < ODP_COUNT(names); i++)
        if (begins(h, names[i].name)) {
            odp_buffer_add_str(&h->text, names[i].text);
            h->p += strlen(names[i].name);
            return;
        }
    char digits[12], utf8[4], *stop;
    size_t n = 0;
    bool hex = begins(h, "&#x");
    const char *p = h->p + (hex ? 3 : 2);
    while (begins(h, "&#") && p < h->end && n + 1 < sizeof digits && odp_hex_value(*p) >= 0)
        digits[n++] = *p++;
    digits[n] = '\0';
    unsigned long cp = n > 0 ? strtoul(digits, &stop, hex ? 16 : 10) : 0;
    if (n == 0 || *stop != '\0' || p == h->end || *p != ';' || cp < ' ' || cp > 0x10FFFF) {
        odp_buffer_add_char(&h->text, *h->p++);
        return;
    }
    odp_buffer_add(&h->text, utf8, odp_utf8_encode(cp == 0xA0 ? ' ' : (uint32_t)cp, utf8));
    h->p = p + 1;
}

/* Line breaks of the page, with the white space around them, are one space. */
static void take_break(struct page *h)
{
    while (h->p < h->end && (*h->p == '\n' || *h->p == '\r' || *h->p == '\t' || *h->p == ' '))
        h->p++;
    while (h->text.len > 0 && h->text.ptr[h->text.len - 1] == ' ')
        h->text.len--;
    odp_buffer_add_char(&h->text, ' ');
}

static void end_cell(struct page *h)
{
    if (!h->in_cell)
        return;
    pen_cell(&h->pen, odp_slice_trim(odp_buffer_slice(&h->text)));
    for (unsigned i = 1; i < h->span; i++)
        pen_cell(&h->pen, ODP_LIT(""));
    h->in_cell = false;
}

static void end_row(struct page *h)
{
    end_cell(h);
    if (h->in_row && h->status == ODP_OK)
        h->status = pen_row(&h->pen);
    h->in_row = false;
}

/* The number of columns that the cell of this tag spans. */
static unsigned span_of(const struct page *h)
{
    const char *stop = memchr(h->p, '>', (size_t)(h->end - h->p));
    size_t n = stop != NULL ? (size_t)(stop - h->p) : 0;
    for (size_t i = 0; i + 8 < n; i++)
        if (strncasecmp(h->p + i, "colspan=", 8) == 0) {
            size_t at = i + 8 + (h->p[i + 8] == '"' || h->p[i + 8] == '\'');
            unsigned span = 0;
            while (at < n && odp_is_digit(h->p[at]) && span < SPAN_MAX)
                span = span * 10 + (unsigned)(h->p[at++] - '0');
            return span > 0 && span < SPAN_MAX ? span : 1;
        }
    return 1;
}

static void take_tag(struct page *h)
{
    if (begins(h, "<!--")) {
        skip_past(h, "-->");
        return;
    }
    if (is_tag(h, "<style") || is_tag(h, "<script") || is_tag(h, "<title")) {
        skip_past(h, is_tag(h, "<style") ? "</style" : is_tag(h, "<script") ? "</script" : "</title");
    } else if (is_tag(h, "<td") || is_tag(h, "<th")) {
        end_cell(h);
        h->in_cell = h->in_row = true;
        h->span = span_of(h);
        odp_buffer_clear(&h->text);
    } else if (is_tag(h, "</td") || is_tag(h, "</th")) {
        end_cell(h);
    } else if (is_tag(h, "<tr") || is_tag(h, "</tr") || is_tag(h, "</table")) {
        end_row(h);
    } else if (is_tag(h, "<br") && h->in_cell) {
        odp_buffer_add_char(&h->text, '\n');
    }
    skip_past(h, ">");
}

static enum odp_status copy_page(struct page *h)
{
    while (h->p < h->end && h->status == ODP_OK) {
        char c = *h->p;
        if (c == '<' && h->p + 1 < h->end && (odp_is_letter(h->p[1]) || h->p[1] == '/' || h->p[1] == '!'))
            take_tag(h);
        else if (!h->in_cell)
            h->p++;
        else if (c == '&')
            take_entity(h);
        else if (c == '\n' || c == '\r' || c == '\t')
            take_break(h);
        else
            odp_buffer_add_char(&h->text, *h->p++);
    }
    end_row(h);
    return h->status == ODP_OK ? odp_buffer_status(&h->text) : h->status;
}

/* What is not UTF-8 is windows-1252, which spreadsheets write. */
static enum odp_status to_utf8(struct odp_buffer *page)
{
    struct odp_buffer out = {0};
    iconv_t cd = odp_utf8_valid(odp_buffer_slice(page)) < page->len ? iconv_open("UTF-8", "WINDOWS-1252")
                                                                    : (iconv_t)-1;
    if (cd == (iconv_t)-1)
        return ODP_OK;
    char *in = page->ptr, *to = odp_buffer_reserve(&out, page->len * 3 + 1);
    size_t left = page->len, room = page->len * 3;
    if (to != NULL && iconv(cd, &in, &left, &to, &room) != (size_t)-1) {
        out.len = page->len * 3 - room;
        odp_buffer_release(page);
        *page = out;
    } else {
        odp_buffer_release(&out); /* its bytes stay, and are faults */
    }
    iconv_close(cd);
    return odp_buffer_status(page);
}

static enum odp_status from_page(struct odp_intake *x, struct odp_diags *diags)
{
    struct odp_buffer page = {0};
    struct page h = {0};
    int errnum = 0;
    enum odp_status status = odp_file_read(x->path, PAGE_MAX, &page, &errnum);
    if (status == ODP_BAD) {
        struct odp_diag d;
        csv_file_diag(&d, ODP_F02, x->resource, x->options.file);
        d.args[0] = odp_slice_of(strerrorname_np(errnum));
        status = odp_diags_refuse(diags, &d);
    }
    if (status == ODP_OK)
        status = to_utf8(&page);
    if (status == ODP_OK && (status = pen_open(&h.pen, x)) == ODP_OK) {
        h.p = page.ptr;
        h.end = page.ptr + page.len;
        status = pen_close(&h.pen, copy_page(&h));
    }
    odp_buffer_release(&h.text);
    odp_buffer_release(&page);
    return status;
}

/* The file's first bytes; "" where it cannot be read: whoever reads it next says why. */
static enum odp_status first_bytes(const char *path, char *block, size_t size, size_t *got)
{
    struct odp_reader *reader = NULL;
    int errnum;
    *got = 0;
    enum odp_status status = odp_reader_open(&reader, path, &errnum);
    if (status == ODP_OK)
        status = odp_reader_read(reader, block, size, got);
    odp_reader_close(reader);
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

enum odp_status intake_foreign(struct odp_intake *x, struct odp_diags *diags)
{
    char block[1024];
    size_t got;
    struct csv_other other;
    const struct odp_slice none = {"", 0};
    if (first_bytes(x->path, block, sizeof block, &got) != ODP_OK)
        return ODP_FAIL;
    if (!csv_other_kind((struct odp_slice){block, got}, x->resource->dialect.header, &other))
        return ODP_OK;
    bool book = strcmp(other.name, "Excel (.xlsx)") == 0;
    if (!book && strcmp(other.name, "HTML") != 0)
        return ODP_OK; /* the reader of text says what it is */
    x->foreign = true;
    intake_note(x, ODP_INTAKE_FORM, odp_slice_of(book ? "xlsx" : "HTML"), none, 0);
    return book ? from_sheet(x, diags) : from_page(x, diags);
}
