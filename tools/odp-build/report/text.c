/* The words of a diagnostic: templates filled in, numbers in the language's writing, data text made fit for a
 * terminal.
 *
 * A part of a help text whose argument is not known ("perhaps: {1}") is left out; parts are separated by ";
 * ". report_clean makes control characters, and characters that turn the direction of a line, U+FFFD, and a
 * tab an arrow, so that a hostile cell cannot move the cursor or forge a line. */
#include <stdio.h>

#include "words/report.h"
#include <string.h>

#include "base/odd_sign.h"
#include "base/utf8.h"
#include "base/white_space.h"
#include "report/report_internal.h"

#define REPLACEMENT 0xFFFDu
#define LABEL_WIDTH 40 /* of a column's label: places stay short */

/* Characters that would move the cursor or turn the direction of the line. */
static uint32_t harmless(uint32_t cp)
{
    if (cp == '\t')
        return 0x2192; /* an arrow: a tab is one column here */
    if (cp == '\n' || cp == '\r')
        return cp == '\n' ? 0x21B5 : 0x240D; /* a line break in a cell is no damage */
    if (cp < 0x20 || (cp >= 0x7F && cp < 0xA0) || (cp >= 0x202A && cp <= 0x202E) ||
        (cp >= 0x2066 && cp <= 0x2069) || cp == 0x200E || cp == 0x200F || cp == 0x2028 || cp == 0x2029)
        return REPLACEMENT;
    return cp;
}

/* The same, and what its reader would not see: special spaces, and signs without a width. */
static uint32_t visible(uint32_t cp)
{
    if (cp >= 0x80 && odp_is_space(cp))
        return 0x2423; /* an open box */
    return harmless(cp) == cp && odp_odd_unseen(cp) ? 0xB7 : harmless(cp);
}

static void copy(struct odp_buffer *out, struct odp_slice s, uint32_t (*as)(uint32_t), size_t *mark,
                 size_t *mark_end)
{
    size_t start = out->len, from = SIZE_MAX, to = SIZE_MAX;
    for (size_t i = 0; i < s.len;) {
        uint32_t cp = REPLACEMENT;
        char bytes[4];
        struct odp_slice rest = {s.ptr + i, s.len - i};
        size_t used = 1;
        if ((unsigned char)*rest.ptr < 0x80) {
            cp = (unsigned char)*rest.ptr;
        } else {
            struct odp_slice window = {rest.ptr, rest.len < 4 ? rest.len : 4};
            size_t n = odp_utf8_decode(window.ptr, window.len, &cp);
            if (n > 0 && n <= window.len && odp_utf8_valid((struct odp_slice){window.ptr, n}) == n)
                used = n;
            else
                cp = REPLACEMENT;
        }
        if (mark != NULL && from == SIZE_MAX && i >= *mark)
            from = out->len - start;
        if (mark_end != NULL && to == SIZE_MAX && i >= *mark_end)
            to = out->len - start;
        odp_buffer_add(out, bytes, odp_utf8_encode(as(cp), bytes));
        i += used;
    }
    if (mark != NULL)
        *mark = from != SIZE_MAX ? from : out->len - start;
    if (mark_end != NULL)
        *mark_end = to != SIZE_MAX ? to : out->len - start;
}

void report_clean(struct odp_buffer *out, struct odp_slice s)
{
    copy(out, s, harmless, NULL, NULL);
}

void report_show(struct odp_buffer *out, struct odp_slice s, size_t *mark, size_t *mark_end)
{
    copy(out, s, visible, mark, mark_end);
}

void report_decimal(struct odp_buffer *out, double v, int places, enum odp_lang lang)
{
    char text[64];
    snprintf(text, sizeof text, "%.*f", places, v);
    for (const char *p = text; *p != '\0'; p++)
        odp_buffer_add_char(out, *p == '.' && lang == ODP_LANG_ID ? ',' : *p);
}

/* What the placeholder at P stands for; its length, or 0 when there is none. */
static size_t placeholder(const char *p, const struct odp_diag *d, struct odp_slice *out)
{
    if (p[0] == '{' && p[1] >= '0' && p[1] < '0' + ODP_DIAG_ARGS && p[2] == '}') {
        *out = d->args[p[1] - '0'];
        return 3;
    }
    if (strncmp(p, "{value}", 7) == 0) {
        *out = d->value;
        return 7;
    }
    return 0;
}

static bool fill_part(struct odp_buffer *out, const char *text, size_t len, const struct odp_diag *d)
{
    bool complete = true;
    for (const char *p = text; p < text + len;) {
        struct odp_slice arg = {0};
        size_t n = placeholder(p, d, &arg);
        if (n == 0) {
            odp_buffer_add_char(out, *p++);
            continue;
        }
        if (arg.ptr == NULL || arg.len == 0 || odp_slice_is(arg, "—"))
            complete = false;
        else
            report_show(out, arg, NULL, NULL);
        p += n;
    }
    return complete;
}

void odp_report_fill(struct odp_buffer *out, const char *text, const struct odp_diag *d)
{
    (void)fill_part(out, text, strlen(text), d);
}

void report_title(struct odp_buffer *out, const struct odp_diag *d, enum odp_lang lang)
{
    if (d->message != NULL && *odp_text_get(d->message, lang) != '\0')
        report_clean(out, odp_slice_of(odp_text_get(d->message, lang)));
    else
        odp_report_fill(out, odp_text_get(&odp_code_info(d->code)->words.title, lang), d);
}

/* TEXT is made of parts with "; " between them; a part whose argument is not known (empty, or a dash) is left
 * out. */
static void fill_parts(struct odp_buffer *out, const char *text, const struct odp_diag *d)
{
    size_t start = out->len;
    while (*text != '\0') {
        const char *end = strstr(text, "; ");
        size_t len = end != NULL ? (size_t)(end - text) : strlen(text), before = out->len;
        if (before > start)
            odp_buffer_add_str(out, "; ");
        if (!fill_part(out, text, len, d) && !out->failed)
            out->len = before;
        text += end != NULL ? len + 2 : len;
    }
}

void report_expected(struct odp_buffer *out, const struct odp_diag *d, enum odp_lang lang)
{
    fill_parts(out, odp_text_get(&odp_code_info(d->code)->words.expected, lang), d);
}

void odp_report_help(struct odp_buffer *out, const struct odp_diag *d, enum odp_lang lang)
{
    fill_parts(out, odp_text_get(&odp_code_info(d->code)->words.help, lang), d);
}

bool report_add_help(struct odp_buffer *out, const char *before, const struct odp_diag *d, enum odp_lang lang)
{
    size_t start = out->len;
    odp_buffer_add_str(out, before);
    size_t end = out->len;
    odp_report_help(out, d, lang);
    bool any = out->len > end;
    if (!any && !out->failed)
        out->len = start;
    return any;
}

void report_odd(struct odp_buffer *out, const char *open, const struct odp_diag *d, enum odp_lang lang,
                const char *close)
{
    struct odp_buffer words;
    odp_buffer_init(&words);
    if (d->value.ptr != NULL && !d->secret && odp_odd_say(&words, d->value, lang)) {
        odp_buffer_add_str(out, open);
        odp_buffer_add_str(out, lang == ODP_LANG_ID ? "ada " : "");
        report_clean(out, odp_buffer_slice(&words));
        odp_buffer_add_str(out, close);
    }
    if (words.failed)
        out->failed = true;
    odp_buffer_release(&words);
}

void odp_report_message(struct odp_buffer *out, const struct odp_diag *d, enum odp_lang lang)
{
    report_title(out, d, lang);
    if (d->value.ptr != NULL && d->value.len > 0) {
        odp_buffer_add_str(out, ": “");
        report_show(out, d->value, NULL, NULL);
        odp_buffer_add_str(out, "”");
        report_odd(out, " (", d, lang, ")");
    }
    size_t before = out->len;
    odp_buffer_add_str(out, odp_word(lang, W_report_expected_2));
    size_t start = out->len;
    report_expected(out, d, lang);
    if (out->len == start)
        out->len = before;
}

void report_place(struct odp_buffer *out, const char *dataset, const char *resource, const char *field)
{
    if (dataset != NULL) {
        bool list = strncmp(dataset, "references/", 11) == 0;
        report_clean(out, odp_slice_of(dataset));
        if (resource != NULL && strcmp(resource, dataset) != 0) {
            odp_buffer_add_char(out, list ? '@' : '/');
            report_clean(out, odp_slice_of(resource));
        }
    }
    if (field != NULL) {
        if (dataset != NULL)
            odp_buffer_add_char(out, '.');
        report_clean(out, odp_slice_of(field));
    }
}

void report_column(struct odp_buffer *out, const struct odp_diag *d, enum odp_lang lang)
{
    char name[8];
    if (d->table_column == 0)
        return;
    odp_buffer_add_str(out, odp_word(lang, W_report_column));
    odp_buffer_add_str(out, odp_column_name(d->table_column - 1, name));
    if (d->label == NULL || *d->label == '\0')
        return;
    struct odp_slice label = odp_slice_of(d->label), part = label;
    while (odp_utf8_width(part) > LABEL_WIDTH)
        do
            part.len--;
        while (((unsigned char)part.ptr[part.len] & 0xC0) == 0x80);
    odp_buffer_add_str(out, " (");
    report_clean(out, part);
    odp_buffer_add_str(out, part.len < label.len ? "…)" : ")");
}

const char *report_severity_word(enum odp_severity s, enum odp_lang lang)
{
    static const char *const words[][ODP_LANGS] = {
        [ODP_SEVERITY_OFF] = {W_report_off},
        [ODP_SEVERITY_NOTE] = {W_report_note},
        [ODP_SEVERITY_WARNING] = {W_report_warning_2},
        [ODP_SEVERITY_ERROR] = {W_report_error_3},
    };
    return words[s][lang];
}

bool report_same_titles(const struct odp_diag_group *g, enum odp_lang lang)
{
    struct odp_buffer first, other;
    bool same = true;
    odp_buffer_init(&first);
    odp_buffer_init(&other);
    for (const struct odp_diag_node *e = g->examples; e != NULL && same; e = e->next) {
        odp_buffer_clear(&other);
        report_title(e == g->examples ? &first : &other, &e->diag, lang);
        same = e == g->examples || odp_slice_eq(odp_buffer_slice(&first), odp_buffer_slice(&other));
    }
    odp_buffer_release(&first);
    odp_buffer_release(&other);
    return same;
}

void report_code_title(struct odp_buffer *out, const struct odp_diag_group *const *groups, size_t n,
                       enum odp_code code, enum odp_lang lang)
{
    const char *text = odp_text_get(&odp_code_info(code)->words.title, lang);
    struct odp_buffer first, other;
    bool any = false, same = true;
    odp_buffer_init(&first);
    odp_buffer_init(&other);
    for (size_t i = 0; i < n && same; i++)
        for (const struct odp_diag_node *e = groups[i]->code == code ? groups[i]->examples : NULL;
             e != NULL && same; e = e->next, any = true) {
            odp_buffer_clear(&other);
            odp_report_fill(any ? &other : &first, text, &e->diag);
            same = !any || odp_slice_eq(odp_buffer_slice(&first), odp_buffer_slice(&other));
        }
    if (any && same)
        odp_buffer_add_slice(out, odp_buffer_slice(&first));
    else
        report_bare_title(out, code, lang);
    out->failed = out->failed || first.failed || other.failed;
    odp_buffer_release(&first);
    odp_buffer_release(&other);
}

void report_group_title(struct odp_buffer *out, const struct odp_diag_group *g, enum odp_lang lang)
{
    if (g->examples != NULL && report_same_titles(g, lang))
        report_title(out, &g->examples->diag, lang);
    else
        report_code_title(out, &g, 1, g->code, lang);
}

void report_bare_title(struct odp_buffer *out, enum odp_code code, enum odp_lang lang)
{
    for (const char *text = odp_text_get(&odp_code_info(code)->words.title, lang); *text != '\0'; text++) {
        if (text[0] == '{' && strchr(text, '}') != NULL) {
            odp_buffer_add_str(out, "…");
            text = strchr(text, '}');
        } else {
            odp_buffer_add_char(out, *text);
        }
    }
}

bool report_counts_records(const char *file)
{
    size_t n = file != NULL ? strlen(file) : 0;
    return n > 4 && (strcasecmp(file + n - 4, ".shp") == 0 || strcasecmp(file + n - 4, ".zip") == 0 ||
                     strcasecmp(file + n - 4, ".dbf") == 0);
}
