/* The words of a diagnostic: templates filled in, numbers in the language's writing, data text cleaned for a
 * terminal.
 *
 * A part of a help text whose argument is unknown ("perhaps: {1}") is left out; "; " separates parts.
 * report_clean turns control characters and characters that change the direction of a line into U+FFFD, and
 * a tab into an arrow, so a hostile cell cannot move the cursor or forge a line. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/odd_sign.h"
#include "base/refusal.h"
#include "base/utf8.h"
#include "base/white_space.h"
#include "report/report_internal.h"
#include "words/report.h"

#define REPLACEMENT 0xFFFDu
#define LABEL_WIDTH 40 /* of a column's label: places stay short */

/* ---- text of any origin ---- */

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

/* The same for invisible characters: special spaces and signs without a width. */
static uint32_t visible(uint32_t cp)
{
    if (cp >= 0x80 && odp_is_space(cp))
        return 0x2423; /* an open box */
    return harmless(cp) == cp && odp_odd_unseen(cp) ? 0xB7 : harmless(cp);
}

/* Decodes the character at P, of which REST bytes are left; U+FFFD for an invalid byte. Returns its length.
 */
static size_t decode(const char *p, size_t rest, uint32_t *cp)
{
    size_t most = rest < 4 ? rest : 4, n = odp_utf8_decode(p, most, cp);
    if (n > 0 && n <= most && odp_utf8_valid((struct odp_slice){p, n}) == n)
        return n;
    *cp = REPLACEMENT;
    return 1;
}

static void copy(struct odp_buffer *out, struct odp_slice s, uint32_t (*as)(uint32_t), size_t *mark)
{
    size_t start = out->len, at[2] = {SIZE_MAX, SIZE_MAX}, used;
    for (size_t i = 0; i < s.len; i += used) {
        uint32_t cp;
        char bytes[4];
        used = decode(s.ptr + i, s.len - i, &cp);
        for (int k = 0; k < 2 && mark != NULL; k++)
            if (at[k] == SIZE_MAX && i >= mark[k])
                at[k] = out->len - start;
        odp_buffer_add(out, bytes, odp_utf8_encode(as(cp), bytes));
    }
    for (int k = 0; k < 2 && mark != NULL; k++)
        mark[k] = at[k] != SIZE_MAX ? at[k] : out->len - start;
}

void report_clean(struct odp_buffer *out, struct odp_slice s)
{
    copy(out, s, harmless, NULL);
}

void report_show(struct odp_buffer *out, struct odp_slice s, size_t mark[2])
{
    copy(out, s, visible, mark);
}

/* ---- templates of diagnostics.json ---- */

/* The reader's word for what a form of JSON begins with: "[…] ≥ 1" is a list, "string" is text. Takes what it
 * stands for from FORM. */
static const char *form_word(struct odp_slice *form, enum odp_lang lang)
{
    static const struct {
        struct odp_slice begins;
        bool stays; /* in the form */
        struct odp_text word;
    } forms[] = {{ODP_LIT("{"), true, {{W_report_form_object}}},
                 {ODP_LIT("["), true, {{W_report_form_list}}},
                 {ODP_LIT("string"), false, {{W_report_form_text}}},
                 {ODP_LIT("integer"), false, {{W_report_form_integer}}},
                 {ODP_LIT("number"), false, {{W_report_form_number}}},
                 {ODP_LIT("true, false"), false, {{W_report_form_truth}}}};
    for (size_t i = 0; i < ODP_COUNT(forms); i++) {
        const struct odp_slice begins = forms[i].begins;
        if (form->len < begins.len || memcmp(form->ptr, begins.ptr, begins.len) != 0)
            continue;
        *form = forms[i].stays ? *form : (struct odp_slice){form->ptr + begins.len, form->len - begins.len};
        return odp_text_get(&forms[i].word, lang);
    }
    return "";
}

/* Finds what the placeholder at P stands for; returns its length, or 0 if there is none. {e0} is {0} that
 * names what the system said ("ENOENT"), in words; {f0} is {0} that is a form of JSON: its first WORD in the
 * reader's language. */
static size_t placeholder(const char *p, const struct odp_diag *d, enum odp_lang lang, struct odp_slice *out,
                          const char **word)
{
    size_t named = p[0] == '{' && (p[1] == 'e' || p[1] == 'f') ? 1 : 0;
    const char *number = p + named;
    if (p[0] == '{' && number[1] >= '0' && number[1] < '0' + ODP_DIAG_ARGS && number[2] == '}') {
        *out = d->args[number[1] - '0'];
        const struct odp_refusal *refusal = p[1] == 'e' ? odp_refusal_named(*out) : NULL;
        if (refusal != NULL)
            *out = odp_slice_of(refusal->reason.in[lang]);
        if (p[1] == 'f')
            *word = form_word(out, lang);
        return named + 3;
    }
    if (strncmp(p, "{value}", 7) == 0) {
        *out = d->value;
        return 7;
    }
    return 0;
}

/* False if an argument is unknown: empty, or a dash. */
static bool fill_part(struct odp_buffer *out, struct odp_slice text, const struct odp_diag *d,
                      enum odp_lang lang)
{
    bool complete = true;
    for (const char *p = text.ptr; p < text.ptr + text.len;) {
        struct odp_slice arg = {0};
        const char *word = "";
        size_t n = placeholder(p, d, lang, &arg, &word);
        if (n == 0) {
            odp_buffer_add_char(out, *p++);
            continue;
        }
        odp_buffer_add_str(out, word);
        if (*word == '\0' && (arg.ptr == NULL || arg.len == 0 || odp_slice_is(arg, "—")))
            complete = false;
        else
            report_show(out, arg, NULL);
        p += n;
    }
    return complete;
}

void odp_report_fill(struct odp_buffer *out, const struct odp_text *text, const struct odp_diag *d,
                     enum odp_lang lang)
{
    (void)fill_part(out, odp_slice_of(odp_text_get(text, lang)), d, lang);
}

/* Fills in WORDS, whose parts are separated by "; "; leaves out parts with an unknown argument. */
static void fill_parts(struct odp_buffer *out, const struct odp_text *words, const struct odp_diag *d,
                       enum odp_lang lang)
{
    const char *text = odp_text_get(words, lang);
    size_t start = out->len;
    while (*text != '\0') {
        const char *end = strstr(text, "; ");
        size_t len = end != NULL ? (size_t)(end - text) : strlen(text), before = out->len;
        if (before > start)
            odp_buffer_add_str(out, "; ");
        if (!fill_part(out, (struct odp_slice){text, len}, d, lang) && !out->failed)
            out->len = before;
        text += end != NULL ? len + 2 : len;
    }
}

static void code_title(struct odp_buffer *out, const struct odp_diag *d, enum odp_lang lang)
{
    odp_report_fill(out, &odp_code_info(d->code)->words.title, d, lang);
}

void report_title(struct odp_buffer *out, const struct odp_diag *d, enum odp_lang lang)
{
    if (d->message != NULL && *odp_text_get(d->message, lang) != '\0')
        report_clean(out, odp_slice_of(odp_text_get(d->message, lang)));
    else
        code_title(out, d, lang);
}

void report_expected(struct odp_buffer *out, const struct odp_diag *d, enum odp_lang lang)
{
    fill_parts(out, &odp_code_info(d->code)->words.expected, d, lang);
}

void odp_report_help(struct odp_buffer *out, const struct odp_diag *d, enum odp_lang lang)
{
    fill_parts(out, &odp_code_info(d->code)->words.help, d, lang);
}

void report_odd(struct odp_buffer *out, const struct odp_diag *d, enum odp_lang lang)
{
    struct odp_buffer words = {0};
    if (d->value.ptr != NULL && !d->secret && odp_odd_say(&words, d->value, lang)) {
        odp_buffer_add_str(out, lang == ODP_LANG_ID ? "ada " : "");
        report_clean(out, odp_buffer_slice(&words));
    }
    out->failed = out->failed || words.failed;
    odp_buffer_release(&words);
}

/* Appends BEFORE, the words that SAY writes, and AFTER; nothing if there are no words. */
static bool add_between(struct odp_buffer *out, const char *before, report_words *say,
                        const struct odp_diag *d, enum odp_lang lang, const char *after)
{
    size_t start = out->len;
    odp_buffer_add_str(out, before);
    size_t end = out->len;
    say(out, d, lang);
    bool any = out->len > end;
    if (any)
        odp_buffer_add_str(out, after);
    else if (!out->failed)
        out->len = start;
    return any;
}

void odp_report_message(struct odp_buffer *out, const struct odp_diag *d, enum odp_lang lang)
{
    report_title(out, d, lang);
    report_after_title(out, d, lang);
}

void report_after_title(struct odp_buffer *out, const struct odp_diag *d, enum odp_lang lang)
{
    if (d->value.ptr != NULL && d->value.len > 0) {
        odp_buffer_add_str(out, ": “");
        report_show(out, d->value, NULL);
        odp_buffer_add_str(out, "”");
        (void)add_between(out, " (", report_odd, d, lang, ")");
    }
    (void)add_between(out, odp_word(lang, W_report_expected_2), report_expected, d, lang, "");
}

bool report_add_help(struct report_job *j, const char *before, const struct odp_diag *d)
{
    return add_between(j->to, before, odp_report_help, d, j->lang, "");
}

const char *report_text(struct report_job *j, report_words *say, const struct odp_diag *d)
{
    odp_buffer_clear(&j->scratch);
    say(&j->scratch, d, j->lang);
    return odp_arena_str(&j->arena, odp_buffer_cstr(&j->scratch));
}

bool report_same_words(struct report_job *j, report_words *say, const struct odp_diag *a,
                       const struct odp_diag *b)
{
    odp_buffer_clear(&j->scratch);
    odp_buffer_clear(&j->other);
    say(&j->scratch, a, j->lang);
    say(&j->other, b, j->lang);
    return odp_slice_eq(odp_buffer_slice(&j->scratch), odp_buffer_slice(&j->other));
}

/* ---- titles of groups ---- */

bool report_same_titles(struct report_job *j, const struct odp_diag_group *g)
{
    for (const struct odp_diag_node *e = g->examples; e != NULL; e = e->next)
        if (e != g->examples && !report_same_words(j, report_title, &g->examples->diag, &e->diag))
            return false;
    return true;
}

void report_bare_title(struct report_job *j, enum odp_code code)
{
    for (const char *text = odp_text_get(&odp_code_info(code)->words.title, j->lang); *text != '\0'; text++) {
        if (text[0] == '{' && strchr(text, '}') != NULL) {
            report_str(j, "…");
            text = strchr(text, '}');
        } else {
            odp_buffer_add_char(j->to, *text);
        }
    }
}

/* The title of CODE in all groups, or in ONE. */
static void shared_title(struct report_job *j, const struct odp_diag_group *one, enum odp_code code)
{
    const struct odp_diag *first = NULL;
    bool same = true;
    for (size_t i = 0; i < (one != NULL ? 1 : j->n) && same; i++) {
        const struct odp_diag_group *g = one != NULL ? one : j->groups[i].g;
        for (const struct odp_diag_node *e = g->code == code ? g->examples : NULL; e != NULL && same;
             e = e->next) {
            first = first != NULL ? first : &e->diag;
            same = first == &e->diag || report_same_words(j, code_title, first, &e->diag);
        }
    }
    if (first != NULL && same)
        code_title(j->to, first, j->lang);
    else
        report_bare_title(j, code);
}

void report_code_title(struct report_job *j, enum odp_code code)
{
    shared_title(j, NULL, code);
}

void report_group_title(struct report_job *j, const struct odp_diag_group *g)
{
    if (g->examples != NULL && report_same_titles(j, g))
        report_title(j->to, &g->examples->diag, j->lang);
    else
        shared_title(j, g, g->code);
}

/* ---- places ---- */

void report_place_of(struct odp_buffer *out, const char *dataset, const char *resource, const char *field)
{
    if (dataset != NULL) {
        report_clean(out, odp_slice_of(dataset));
        if (resource != NULL && strcmp(resource, dataset) != 0) {
            odp_buffer_add_char(out, '/');
            report_clean(out, odp_slice_of(resource));
        }
    }
    if (field != NULL) {
        odp_buffer_add_str(out, dataset != NULL ? "." : "");
        report_clean(out, odp_slice_of(field));
    }
}

void report_place(struct report_job *j, const struct odp_diag_group *g)
{
    report_place_of(j->to, g->dataset, g->resource, g->field);
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
        part = odp_utf8_cut(part, part.len - 1);
    odp_buffer_add_str(out, " (");
    report_clean(out, part);
    odp_buffer_add_str(out, part.len < label.len ? "…)" : ")");
}

void report_sheet_place(struct odp_buffer *out, const struct odp_diag *d, enum odp_lang lang)
{
    char cell[32];
    report_clean(out, odp_slice_of(d->sheet));
    odp_buffer_add_char(out, '!');
    if (d->column > 0)
        odp_buffer_add_str(out, odp_diag_cell(d, cell));
    else /* the whole row, as spreadsheet programs name it */
        odp_buffer_printf(out, "%llu:%llu", (unsigned long long)d->line, (unsigned long long)d->line);
}

bool report_counts_records(const char *file)
{
    const char *end = file != NULL && strlen(file) > 4 ? file + strlen(file) - 4 : "";
    return strcasecmp(end, ".shp") == 0 || strcasecmp(end, ".zip") == 0 || strcasecmp(end, ".dbf") == 0;
}

/* ---- words and numbers ---- */

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

const char *report_dataset_word(const struct report_job *j, const struct odp_diag_group *g)
{
    if (g->dataset != NULL)
        return g->dataset;
    return report_code(g)[4] == 'V' ? report_word(j, W_report_site) : report_word(j, W_report_catalogue);
}

void report_str(struct report_job *j, const char *s)
{
    odp_buffer_add_str(j->to, s);
}

void report_put(struct report_job *j, const char *id, const char *en, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, en);
    if (vasprintf(&text, odp_word(j->lang, id, en), args) < 0)
        j->failed = true;
    else
        report_str(j, text);
    va_end(args);
    free(text);
}

void report_number(struct report_job *j, uint64_t n)
{
    odp_text_number(j->to, n, j->lang);
}

void report_counted(struct report_job *j, uint64_t n, const char *one_id, const char *one_en,
                    const char *many_id, const char *many_en)
{
    report_number(j, n);
    report_str(j, n == 1 ? odp_word(j->lang, one_id, one_en) : odp_word(j->lang, many_id, many_en));
}

void report_decimal(struct report_job *j, double v, int places)
{
    char text[64];
    snprintf(text, sizeof text, "%.*f", places, v);
    odp_text_decimal(j->to, odp_slice_of(text), j->lang);
}
