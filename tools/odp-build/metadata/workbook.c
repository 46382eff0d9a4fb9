/* The workbook in which people write metadata: what is there, and in colour what is missing. */
#include "catalog/frequency.h"
#include "metadata/workbook_internal.h"
#include "xlsx/book.h"

enum { CELL_MOST = 32000 };

struct book {
    struct odp_book out;
    lxw_worksheet *sheet[OF_CATEGORY + 1], *kept;
    lxw_row_t next[OF_CATEGORY + 1], nkept;
    lxw_format *head, *text, *gap, *whose;
    enum odp_lang lang;
    struct odp_arena *arena;
};

static void put(struct book *b, lxw_worksheet *sheet, lxw_row_t row, lxw_col_t column, const char *text,
                lxw_format *look)
{
    odp_book_put_str(&b->out, sheet, row, column, text, look);
}

static const char *say(const struct book *b, const char *id, const char *en)
{
    return odp_word(b->lang, id, en);
}

/* A column: its name, hidden; its label. */
static void head(struct book *b, enum member_of of, lxw_col_t at, const char *name, const char *label,
                 double width)
{
    put(b, b->sheet[of], 0, at, name, b->whose);
    put(b, b->sheet[of], 1, at, label, b->head);
    odp_book_note(&b->out, worksheet_set_column(b->sheet[of], at, at, width, NULL));
}

static const char *label_of(const struct book *b, const struct member *m, int lang)
{
    static const struct odp_text languages[] = {{{W_metadata_indonesian}}, {{W_metadata_english}}};
    const char *label = odp_text_get(&m->label, b->lang);
    return m->both ? odp_arena_printf(b->arena, "%s (%s)", label, odp_text_get(&languages[lang], b->lang))
                   : label;
}

static void choose_frequency(struct book *b, lxw_worksheet *sheet, lxw_col_t at)
{
    static const char *usual[] = {"DAILY",  "WEEKLY",   "MONTHLY", "QUARTERLY", "ANNUAL_2",
                                  "ANNUAL", "BIENNIAL", "IRREG",   "NEVER",     NULL};
    lxw_data_validation check = {.validate = LXW_VALIDATION_TYPE_LIST,
                                 .value_list = (void *)usual,
                                 .error_type = LXW_VALIDATION_ERROR_TYPE_WARNING};
    odp_book_validate(&b->out, sheet, BOOK_HEADS, at, BOOK_HEADS + 1000, &check);
}

static void begin_sheet(struct book *b, enum member_of of)
{
    static const struct odp_text names[] = {
        {{W_metadata_portal}}, {{W_metadata_datasets}}, {{W_metadata_columns}}, {{W_metadata_categories}}};
    lxw_col_t at = 0;
    b->sheet[of] = odp_book_sheet(&b->out, odp_text_get(&names[of], b->lang));
    b->next[of] = BOOK_HEADS;
    if (b->sheet[of] == NULL)
        return;
    if (of > OF_PORTAL)
        head(b, of, at++, "dataset", say(b, W_metadata_dataset), 20);
    if (of >= OF_FIELD)
        head(b, of, at++, "field", say(b, W_metadata_column), 24);
    if (of == OF_CATEGORY)
        head(b, of, at++, "value", say(b, W_metadata_category), 16);
    const lxw_col_t whose = at;
    for (size_t i = 0; i < metadata_nmembers; i++) {
        const struct member *m = &metadata_members[i];
        for (int lang = 0; m->of == of && lang < (m->both ? ODP_LANGS : 1); lang++, at++) {
            head(b, of, at, book_column(m, lang, b->arena), label_of(b, m, lang),
                 m->kind == MEMBER_LONG ? 44 : 26);
            if (m->kind == MEMBER_CODE)
                choose_frequency(b, b->sheet[of], at);
        }
    }
    lxw_row_col_options hidden = {.hidden = LXW_TRUE};
    odp_book_note(&b->out, worksheet_set_row_opt(b->sheet[of], 0, LXW_DEF_ROW_HEIGHT, NULL, &hidden));
    worksheet_freeze_panes(b->sheet[of], BOOK_HEADS, whose);
}

/* The column of MEMBER in LANG on its sheet. */
static lxw_col_t column_of(const struct member *m, int lang)
{
    lxw_col_t at = m->of == OF_PORTAL ? 0 : (lxw_col_t)m->of;
    for (const struct member *before = metadata_members; before < m; before++)
        at = before->of == m->of ? (lxw_col_t)(at + (before->both ? ODP_LANGS : 1)) : at;
    return (lxw_col_t)(at + lang);
}

/* Its cell, and the same on the hidden sheet. */
static void put_entry(struct book *b, const struct entries *l, const struct entry *e, lxw_row_t row)
{
    const char *slug = l->dataset != NULL ? l->dataset->slug : "";
    for (int lang = 0; lang < entry_langs(e); lang++) {
        const char *value = strlen(e->value[lang]) > CELL_MOST ? "" : e->value[lang];
        put(b, b->sheet[e->member->of], row, column_of(e->member, lang), value,
            e->lacks[lang] ? b->gap : b->text);
        const char *const kept[] = {slug, entry_place(l, e), book_column(e->member, lang, b->arena), value};
        for (lxw_col_t c = 0; c < 4; c++)
            if (*kept[c] != '\0')
                put(b, b->kept, b->nkept, c, kept[c], NULL);
        b->nkept++;
    }
}

static void put_document(struct book *b, const struct odp_catalog *c, const struct odp_dataset *d)
{
    struct entries l;
    metadata_list(&l, c, d, b->arena);
    for (size_t i = 0; i < l.n; i++) {
        const struct entry *e = &l.item[i], *last = i > 0 ? e - 1 : NULL;
        const enum member_of of = e->member->of;
        lxw_col_t at = 0;
        if (last == NULL || last->member->of != of || last->field != e->field ||
            last->category != e->category) {
            const lxw_row_t row = b->next[of]++;
            if (d != NULL)
                put(b, b->sheet[of], row, at++, d->slug, b->whose);
            if (of >= OF_FIELD)
                put(b, b->sheet[of], row, at++,
                    odp_arena_printf(b->arena, "%s%s%s", e->resource->primary ? "" : e->resource->name,
                                     e->resource->primary ? "" : ".", e->field->name),
                    b->whose);
            if (of == OF_CATEGORY)
                put(b, b->sheet[of], row, at,
                    odp_arena_printf(b->arena, "%.*s", (int)e->category->value.len, e->category->value.ptr),
                    b->whose);
        }
        put_entry(b, &l, e, b->next[of] - 1);
    }
}

static void put_all(struct book *b, const struct odp_catalog *c, const char *const *slugs, size_t nslugs)
{
    enum { USUAL = LOOK_WRAP | LOOK_TOP | LOOK_TEXT | LOOK_FRAME };
    const struct odp_look looks[] = {
        {&b->head, .how = USUAL | LOOK_BOLD | LOOK_WHITE, .back = LOOK_INK},
        {&b->text, .how = USUAL},
        {&b->gap, .how = USUAL, .back = 0xFFF2CC},
        {&b->whose, .how = USUAL, .back = 0xD9E2F3},
    };
    odp_book_looks(&b->out, looks, ODP_COUNT(looks));
    for (enum member_of of = nslugs > 0 ? OF_DATASET : OF_PORTAL; of <= OF_CATEGORY; of++)
        begin_sheet(b, of);
    if ((b->kept = odp_book_sheet(&b->out, BOOK_MARK)) == NULL)
        return;
    worksheet_hide(b->kept);
    put(b, b->kept, b->nkept, 0, BOOK_MARK, NULL);
    put(b, b->kept, b->nkept++, 1, odp_arena_printf(b->arena, "%d", BOOK_FORMAT), NULL);
    if (nslugs == 0)
        put_document(b, c, NULL);
    for (size_t i = 0; i < c->ndatasets; i++) {
        bool wanted = nslugs == 0 && !c->datasets[i].reference;
        for (size_t k = 0; k < nslugs; k++)
            wanted = wanted || strcmp(slugs[k], c->datasets[i].slug) == 0;
        if (wanted)
            put_document(b, c, &c->datasets[i]);
    }
    worksheet_activate(b->sheet[OF_DATASET]);
}

enum odp_status odp_metadata_workbook(const char *path, const struct odp_catalog *c, const char *const *slugs,
                                      size_t nslugs, enum odp_lang lang)
{
    struct odp_arena a = {0};
    struct book b = {.lang = lang, .arena = &a};
    if (odp_file_kind_of(path) != ODP_FILE_NONE)
        return ODP_BAD;
    odp_book_make(&b.out, path, false, false, &a);
    put_all(&b, c, slugs, nslugs);
    enum odp_status status = odp_book_made(&b.out, path);
    odp_arena_release(&a);
    return status;
}
