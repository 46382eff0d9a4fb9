/* "Keterangan": the table, the notation of its values, the meaning of its columns, in Indonesian and English
 * side by side. Column A has letters of columns, B names; labels of the upper part run over both. */

#include "words/xlsx.h"
#include "write/facts/facts.h"
#include "write/xlsx/xlsx_internal.h"

struct about {
    struct xlsx_emit *e;
    lxw_worksheet *sheet;
    lxw_row_t row;
    struct odp_facts_of of;
};

/* Facts are label (A, B), Indonesian (C, D), English (E, F). */
enum {
    COL_LABEL = 0,
    COL_NAME = 1,
    COL_ID = 2,
    COL_EN = 4,
    COL_LAST = 5,
    SPAN_WRAP = 59 /* characters that surely fit into two of these columns */
};

static const double widths[] = {7, 26, 28, 36, 28, 36, 20, 26, 10, 24};

/* ---- cells ---- */

static void put(struct about *a, lxw_col_t col, const char *text, lxw_format *format)
{
    if (text != NULL && *text != '\0')
        odp_book_put_str(&a->e->book, a->sheet, a->row, col, text, format);
}

static void put_link(struct about *a, lxw_col_t col, const char *text, const char *address)
{
    bool internal = strncmp(address, "internal:", 9) == 0;
    if (text == NULL || *text == '\0')
        return;
    (void)odp_xlsx_text_put(&a->e->book.text, odp_slice_of(text));
    if (!internal && !odp_xlsx_is_link(odp_slice_of(address)))
        put(a, col, text, a->e->looks.text);
    else
        odp_book_note(&a->e->book, worksheet_write_url_opt(a->sheet, a->row, col, address, a->e->looks.link,
                                                           odp_buffer_cstr(&a->e->book.text), NULL));
}

/* The row's height must be known before its cells. */
static void set_lines(struct about *a, unsigned lines)
{
    odp_book_note(&a->e->book, worksheet_set_row(a->sheet, a->row, odp_xlsx_height(lines) + 2, NULL));
}

static unsigned lines_of(const char *text, double width)
{
    return text != NULL ? odp_xlsx_lines(odp_slice_of(text), (unsigned)(width * 0.93)) : 1;
}

static const char *in_both(struct xlsx_emit *e, const struct odp_text *t, enum odp_lang lang)
{
    const char *en = odp_facts_english(t);
    if (lang != ODP_LANGS)
        return odp_text_get(t, lang);
    return *en == '\0' ? odp_text_get(t, ODP_LANG_ID)
                       : odp_arena_printf(&e->base.arena, "%s / %s", t->in[ODP_LANG_ID], en);
}

/* ---- facts ---- */

static void put_label(struct about *a, const struct odp_text *label)
{
    put(a, COL_LABEL, in_both(a->e, label, ODP_LANGS), a->e->looks.label);
}

static void section(struct about *a, const char *id, const char *en, bool languages)
{
    a->row += 2;
    put(a, COL_LABEL, odp_arena_printf(&a->e->base.arena, "%s / %s", id, en), a->e->looks.section);
    for (enum odp_lang lang = 0; languages && lang < ODP_LANGS; lang++)
        put(a, lang == ODP_LANG_ID ? COL_ID : COL_EN, odp_word(lang, W_xlsx_language), a->e->looks.label);
}

/* A text over columns FIRST to LAST. */
static void put_span(struct about *a, lxw_col_t first, lxw_col_t last, const char *text, const char *address)
{
    odp_book_note(&a->e->book,
                  worksheet_merge_range(a->sheet, a->row, first, a->row, last, "", a->e->looks.text));
    if (address != NULL)
        put_link(a, first, text, address);
    else
        put(a, first, text, a->e->looks.text);
}

/* Facts that are the same in both languages (addresses, digests) are written once, over the room of both. */
static void pair(struct about *a, const struct odp_text *label, const struct odp_text *text,
                 const char *address)
{
    const char *id = odp_text_get(text, ODP_LANG_ID), *en = odp_facts_english(text);
    bool same = *en == '\0';
    unsigned most = odp_xlsx_lines(odp_slice_of(id), same ? 2 * SPAN_WRAP : SPAN_WRAP);
    unsigned lines = same ? 1 : odp_xlsx_lines(odp_slice_of(en), SPAN_WRAP);
    a->row++;
    set_lines(a, lines > most ? lines : most);
    put_label(a, label);
    put_span(a, COL_ID, same ? COL_LAST : COL_EN - 1, id, address);
    if (!same)
        put_span(a, COL_EN, COL_LAST, en, address);
}

static void put_count(struct about *a, const struct odp_text *label)
{
    a->row++;
    put_label(a, label);
    static const lxw_col_t columns[] = {COL_ID, COL_EN};
    for (size_t k = 0; k < ODP_COUNT(columns); k++)
        odp_book_note(&a->e->book, worksheet_write_number(a->sheet, a->row, columns[k], (double)a->e->total,
                                                          a->e->looks.count));
}

static void facts(struct about *a, unsigned place, const char *id, const char *en, bool languages)
{
    size_t n;
    const struct odp_fact_told *f = odp_facts_make(&a->of, place, &n);
    const struct odp_text none = {{"", ""}};
    if (n > 0)
        section(a, id, en, languages);
    for (size_t i = 0; i < n; i++, f++) {
        if (f->is_count)
            put_count(a, &f->label);
        else
            pair(a, &f->label, &f->value, f->address);
        if (f->address == NULL || strcmp(odp_text_get(&f->value, ODP_LANG_ID), f->address) == 0)
            continue;
        const struct odp_text address = {{f->address, NULL}};
        pair(a, &none, &address, f->address);
    }
}

/* ---- how values are written ---- */

static void note(struct about *a, struct odp_text label, const char *id, const char *en)
{
    const struct odp_text text = {{id, en}};
    pair(a, &label, &text, NULL);
}

static bool has_kind(const struct xlsx_emit *e, enum xlsx_kind kind)
{
    for (lxw_col_t k = 0; k < e->ncolumns; k++)
        if (e->columns[k].kind == kind)
            return true;
    return false;
}

/* A note with the number of the values it speaks of. */
static void counted(struct about *a, enum xlsx_note which, const char *id, const char *en)
{
    const char *text[ODP_LANGS];
    uint64_t n = odp_xlsx_noted(a->e, which);
    if (n == 0)
        return;
    for (enum odp_lang lang = 0; lang < ODP_LANGS; lang++) {
        odp_buffer_clear(&a->e->address);
        odp_text_number(&a->e->address, n, lang);
        text[lang] = odp_arena_printf(&a->e->base.arena, "%s %s", odp_buffer_cstr(&a->e->address),
                                      odp_word(lang, id, en));
    }
    note(a, (struct odp_text){{W_xlsx_except}}, text[ODP_LANG_ID], text[ODP_LANG_EN]);
}

static void notes(struct about *a)
{
    struct xlsx_emit *e = a->e;
    section(a, W_xlsx_how_written, false);
    note(a, (struct odp_text){{W_xlsx_empty}}, W_xlsx_empty_note);
    if (has_kind(e, XLSX_NUMBER))
        note(a, (struct odp_text){{W_xlsx_numbers}}, W_xlsx_numbers_note);
    note(a, (struct odp_text){{W_xlsx_codes}}, W_xlsx_codes_note);
    if (has_kind(e, XLSX_DATETIME))
        note(a, (struct odp_text){{W_xlsx_times}}, W_xlsx_times_note);
    if (e->base.job->has_geometry)
        note(a, (struct odp_text){{W_xlsx_places}}, W_xlsx_places_note);
    if (e->data_sheets > 1) {
        const char *text[ODP_LANGS];
        for (enum odp_lang lang = 0; lang < ODP_LANGS; lang++)
            text[lang] = odp_arena_printf(&e->base.arena, odp_word(lang, W_xlsx_sheets_note), e->data_sheets,
                                          e->book.sheets[0].name, e->book.sheets[e->data_sheets - 1].name);
        note(a, (struct odp_text){{W_xlsx_sheets}}, text[ODP_LANG_ID], text[ODP_LANG_EN]);
    }
    for (lxw_col_t k = 0; k < e->ncolumns; k++)
        if (e->columns[k].as_text)
            note(a, (struct odp_text){{e->columns[k].header, NULL}}, W_xlsx_as_text);
    counted(a, XLSX_NOTE_DIGITS, W_xlsx_digits_note);
    counted(a, XLSX_NOTE_OLD_DATE, W_xlsx_old_date_note);
    counted(a, XLSX_NOTE_STAMP, W_xlsx_stamp_note);
    counted(a, XLSX_NOTE_LONG, W_xlsx_long_note);
    counted(a, XLSX_NOTE_LINKS, W_xlsx_links_note);
}

/* ---- the columns ---- */

enum what { LETTER, NAME, TITLE, MEANING, UNIT, TYPE, REQUIRED, LIST, MEMBER };

/* A column of one of the two tables. */
struct head {
    enum what what;
    enum odp_lang lang; /* ODP_LANGS: both in one cell */
    struct odp_text head;
    const char *member; /* of the field, for MEMBER */
};

static const struct head columns_table[] = {{LETTER, ODP_LANGS, {{W_xlsx_head_column}}, NULL},
                                            {NAME, ODP_LANGS, {{W_xlsx_head_field}}, NULL},
                                            {TITLE, ODP_LANG_ID, {{W_xlsx_head_title}}, NULL},
                                            {MEANING, ODP_LANG_ID, {{W_xlsx_head_meaning}}, NULL},
                                            {TITLE, ODP_LANG_EN, {{W_xlsx_head_title}}, NULL},
                                            {MEANING, ODP_LANG_EN, {{W_xlsx_head_meaning}}, NULL},
                                            {UNIT, ODP_LANGS, {{W_xlsx_head_unit}}, NULL},
                                            {TYPE, ODP_LANGS, {{W_xlsx_head_type}}, NULL},
                                            {REQUIRED, ODP_LANGS, {{W_xlsx_head_required}}, NULL},
                                            {LIST, ODP_LANGS, {{W_xlsx_head_codes}}, NULL}};
static const struct head members_table[] = {
    {LETTER, ODP_LANGS, {{W_xlsx_head_column}}, NULL},
    {NAME, ODP_LANGS, {{W_xlsx_head_field}}, NULL},
    {MEMBER, ODP_LANG_ID, {{W_xlsx_head_concept}}, "sdi:konsep"},
    {MEMBER, ODP_LANG_ID, {{W_xlsx_head_definition}}, "sdi:definisi"},
    {MEMBER, ODP_LANG_EN, {{W_xlsx_head_concept}}, "sdi:konsep"},
    {MEMBER, ODP_LANG_EN, {{W_xlsx_head_definition}}, "sdi:definisi"},
    {MEMBER, ODP_LANGS, {{W_xlsx_head_measure}}, "sdi:ukuran"},
    {MEMBER, ODP_LANGS, {{W_xlsx_head_classification}}, "sdi:klasifikasi"}};

static struct odp_text column_text(const struct xlsx_column *c, const struct odp_fact_column *f,
                                   const struct head *h)
{
    switch (h->what) {
    case TITLE:
        return odp_text_is_empty(&f->title) ? (struct odp_text){{f->name, f->name}} : f->title;
    case MEANING:
        return f->field != NULL ? f->field->description : f->meaning;
    case UNIT:
        return f->unit;
    case TYPE:
        return c->as_text ? (struct odp_text){{W_xlsx_number_as_text}} : odp_field_type(f->type)->label;
    case REQUIRED:
        if (f->field == NULL)
            return (struct odp_text){{"", ""}};
        return f->required ? (struct odp_text){{W_xlsx_yes}} : (struct odp_text){{W_xlsx_no}};
    default:
        return f->field != NULL ? odp_facts_member(f->field->json, h->member) : (struct odp_text){{"", ""}};
    }
}

/* The text of a table's cell; "" if empty. */
static const char *cell_text(struct about *a, lxw_col_t column, const struct odp_fact_column *f,
                             const struct head *h)
{
    const struct xlsx_column *c = &a->e->columns[column];
    char letter[16];
    switch (h->what) {
    case LETTER:
        lxw_col_to_name(letter, column, LXW_FALSE);
        return odp_arena_str(&a->e->base.arena, letter);
    case NAME:
        return c->name;
    case LIST:
        return c->list != NULL ? c->list->sheet : "";
    default:
        break;
    }
    const struct odp_text t = column_text(c, f, h);
    return in_both(a->e, &t, h->lang);
}

static void table_row(struct about *a, lxw_col_t column, const struct odp_fact_column *f,
                      const struct head *heads, lxw_col_t n)
{
    const char *text[ODP_COUNT(widths)];
    unsigned most = 1;
    for (lxw_col_t k = 0; k < n; k++) {
        text[k] = cell_text(a, column, f, &heads[k]);
        unsigned lines = lines_of(text[k], widths[k]);
        most = lines > most ? lines : most;
    }
    a->row++;
    set_lines(a, most);
    for (lxw_col_t k = 0; k < n; k++) {
        if (heads[k].what == LIST && text[k][0] != '\0')
            put_link(a, k, text[k], odp_arena_printf(&a->e->base.arena, "internal:'%s'!A1", text[k]));
        else
            put(a, k, text[k], a->e->looks.text);
    }
}

static void table(struct about *a, const struct odp_fact_column *columns, const struct head *heads,
                  lxw_col_t n)
{
    a->row++;
    set_lines(a, 2);
    for (lxw_col_t k = 0; k < n; k++)
        put(a, k, in_both(a->e, &heads[k].head, heads[k].lang), a->e->looks.head);
    for (lxw_col_t i = 0; i < a->e->ncolumns; i++) {
        const struct xlsx_column *c = &a->e->columns[i];
        const struct odp_fact_column label = {
            .name = c->name, .title = {{c->header, c->header}}, .type = ODP_TYPE_STRING};
        if (!c->is_label || heads == columns_table)
            table_row(a, i, c->is_label ? &label : columns++, heads, n);
    }
}

static bool has_members(const struct odp_fact_column *columns, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 2; k < ODP_COUNT(members_table) && columns[i].field != NULL; k++)
            if (json_object_get(columns[i].field->json, members_table[k].member) != NULL)
                return true;
    return false;
}

static struct odp_facts_of facts_of(struct xlsx_emit *e)
{
    const struct odp_emit_job *job = e->base.job;
    char hex[ODP_SHA256_HEX] = "";
    if (job->logical != NULL)
        odp_digest_hex(job->logical, hex);
    struct odp_slice date = odp_emit_version_date(job->date != NULL ? job->date : job->version);
    return (struct odp_facts_of){.catalog = job->catalog,
                                 .resource = job->resource,
                                 .version = job->version,
                                 .date = odp_arena_copy(&e->base.arena, date).ptr,
                                 .total = e->total,
                                 .slice_field = job->slice != NULL ? job->slice_field : NULL,
                                 .slice_value = job->slice_value,
                                 .url = e->url,
                                 .digest = hex[0] != '\0' ? odp_arena_printf(&e->base.arena, "sha256:%s", hex)
                                                          : NULL,
                                 .arena = &e->base.arena};
}

void odp_xlsx_about_put(struct xlsx_emit *e)
{
    struct about a = {.e = e, .of = facts_of(e)};
    struct odp_fact_column *columns;
    size_t n = odp_facts_columns(&a.of, e->base.job->has_geometry, &columns);
    a.sheet = odp_xlsx_sheet_add(e, XLSX_ABOUT, 0);
    if (a.sheet == NULL)
        return;
    odp_xlsx_print_setup(e, a.sheet, 0);
    for (size_t k = 0; k < ODP_COUNT(widths); k++)
        odp_book_note(&e->book, worksheet_set_column(a.sheet, (lxw_col_t)k, (lxw_col_t)k, widths[k], NULL));
    worksheet_gridlines(a.sheet, LXW_HIDE_ALL_GRIDLINES);
    put(&a, COL_LABEL, e->title, e->looks.title);
    a.row++;
    put(&a, COL_LABEL, odp_text_get(odp_facts_title(e->base.job->resource), ODP_LANG_EN), e->looks.subtitle);
    facts(&a, ODP_FACTS_WORKBOOK, W_xlsx_about, true);
    facts(&a, ODP_FACTS_STANDARD, W_xlsx_satu_data, false);
    notes(&a);
    section(&a, W_xlsx_columns, false);
    table(&a, columns, columns_table, ODP_COUNT(columns_table));
    if (has_members(columns, n)) {
        section(&a, W_xlsx_satu_data_columns, false);
        table(&a, columns, members_table, ODP_COUNT(members_table));
    }
}
