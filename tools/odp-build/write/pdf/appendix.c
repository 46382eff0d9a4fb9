/* The appendix: the fields' meanings, in both languages; the codes' meanings; where the data comes from. All
 * of it is in the catalogue, so the tables are made once and set as often as the document is.
 *
 * A text in two languages that shares a cell has its English below the Indonesian. */
#include <stdlib.h>

#include "words/pdf.h"
#include "write/facts/facts.h"
#include "write/typesetting/words.h"
#include "write/pdf/pdf_internal.h"
#include "write/pdf/table_internal.h"

enum { CODES_MOST = 200, COLUMNS_MOST = 7 };

#define AFTER_INTRO  4.0
#define HEADING_ROOM 40.0 /* about what a heading of the second level takes */

/* A heading, a paragraph, a table; each but the heading may be missing. */
struct part {
    int level;
    const char *heading, *dest;
    const char *intro;
    uint32_t columns;
    uint64_t rows;
    struct odp_slice *cell; /* rows * columns */
    struct odp_print_table *table;
    struct part *next;
};

struct odp_print_appendix {
    struct part *first, **end;
};

/* While it is made. */
struct making {
    const struct odp_print_job *job;
    struct odp_facts_of of;
    const struct odp_schema *schema;
    struct odp_fonts *fonts;
    struct odp_arena *arena;
    struct odp_print_appendix *appendix;
    unsigned lists; /* code lists so far */
};

/* ---- pieces of text ---- */

static bool is_text(const char *s)
{
    return s != NULL && *s != '\0';
}

/* Nothing where S is empty. */
static struct odp_slice some(const char *s)
{
    return is_text(s) ? odp_slice_of(s) : (struct odp_slice){NULL, 0};
}

static bool has_english(const struct odp_text *t)
{
    return *odp_facts_english(t) != '\0';
}

/* Both languages, or the one that there is. */
static struct odp_slice both(struct making *m, const struct odp_text *t)
{
    const char *id = t->in[ODP_LANG_ID], *en = t->in[ODP_LANG_EN];
    return has_english(t) ? odp_slice_of(odp_arena_printf(m->arena, "%s\n%s", id, en))
                          : some(is_text(id) ? id : en);
}

static struct odp_slice cell_of(void *ctx, uint64_t i, uint32_t k, const char **uri)
{
    const struct part *p = ctx;
    return p->cell[i * p->columns + k];
}

/* ---- parts ---- */

/* ROWS: at most so many; the caller counts those that it fills. */
static struct part *part_new(struct making *m, int level, const char *heading, const char *dest,
                             uint32_t columns, size_t rows)
{
    struct part *p = odp_arena_zero(m->arena, 1, sizeof *p);
    *p = (struct part){.level = level, .heading = heading, .dest = dest, .columns = columns};
    p->cell = odp_arena_zero(m->arena, rows * columns + 1, sizeof *p->cell);
    return p;
}

static struct odp_slice *next_row(struct part *p)
{
    return &p->cell[p->rows++ * p->columns];
}

/* HEADS: one for each column. */
static void part_add(struct making *m, struct part *p, const char *const *heads)
{
    struct odp_print_column column[COLUMNS_MOST] = {{0}};
    for (uint32_t k = 0; k < p->columns; k++)
        column[k].head = heads[k];
    column[0].key = true;
    *m->appendix->end = p;
    m->appendix->end = &p->next;
    const struct odp_print_records records = {
        .columns = column, .n = p->columns, .rows = p->rows, .cell = cell_of, .ctx = p, .narrow = true};
    if (p->columns > 0)
        p->table = odp_print_table_new(m->fonts, &records);
}

/* ---- the meaning of the fields ---- */

#define PAIR_(id, en)   id "\n" en
#define PAIR(word)      PAIR_(word)
#define FIRST_(id, en)  id
#define FIRST(word)     FIRST_(word)
#define SECOND_(id, en) en
#define SECOND(word)    SECOND_(word)

static struct odp_slice yes_no(bool yes, bool key)
{
    static const struct odp_slice words[2][2] = {{ODP_LIT(PAIR(W_pdf_no)), ODP_LIT(PAIR(W_pdf_no_key))},
                                                 {ODP_LIT(PAIR(W_pdf_yes)), ODP_LIT(PAIR(W_pdf_yes_key))}};
    return words[yes][key];
}

static void make_fields(struct making *m)
{
    static const char *const heads[] = {PAIR(W_pdf_field),     PAIR(W_pdf_title), FIRST(W_pdf_meaning),
                                        SECOND(W_pdf_meaning), PAIR(W_pdf_type),  PAIR(W_pdf_required),
                                        PAIR(W_pdf_unit)};
    struct odp_fact_column *columns;
    size_t n = odp_facts_columns(&m->of, m->job->has_geometry && m->job->columns > m->schema->n, &columns);
    bool units = false;
    for (size_t i = 0; i < n; i++)
        units = units || !odp_text_is_empty(&columns[i].unit);
    struct part *p = part_new(m, 1, ODP_PRINT_BOTH(W_pdf_fields), "arti-kolom", units ? 7 : 6, n);
    for (size_t i = 0; i < n; i++) {
        const struct odp_fact_column *c = &columns[i];
        struct odp_slice *row = next_row(p);
        row[0] = odp_slice_of(c->name);
        row[1] = both(m, &c->title);
        row[2] = some(c->meaning.in[ODP_LANG_ID]);
        row[3] = some(c->meaning.in[ODP_LANG_EN]);
        row[4] = both(m, &odp_field_type(c->type)->label);
        row[5] = yes_no(c->required, c->key);
        if (units)
            row[6] = both(m, &c->unit);
    }
    part_add(m, p, heads);
}

/* A field's entries for Satu Data besides definition and unit; only fields that have such. */
static void make_standard(struct making *m)
{
    static const char *const heads[] = {PAIR(W_pdf_field), PAIR(W_pdf_concept), PAIR(W_pdf_measure),
                                        PAIR(W_pdf_classification)};
    static const char *const members[] = {"sdi:konsep", "sdi:ukuran", "sdi:klasifikasi"};
    struct part *p = part_new(m, 2, ODP_PRINT_BOTH(W_pdf_standard), "standar-data", 4, (size_t)m->schema->n);
    for (uint32_t i = 0; i < m->schema->n; i++) {
        const struct odp_field *f = &m->schema->fields[i];
        bool any = false;
        for (size_t k = 0; k < 3; k++)
            any = any || json_object_get(f->json, members[k]) != NULL;
        if (!any || !f->is_public)
            continue;
        struct odp_slice *row = next_row(p);
        row[0] = odp_slice_of(f->name);
        for (size_t k = 0; k < 3; k++) {
            struct odp_text t = odp_facts_member(f->json, members[k]);
            row[k + 1] = both(m, &t);
        }
    }
    if (p->rows > 0)
        part_add(m, p, heads);
}

/* ---- code lists ---- */

static const char *list_dest(struct making *m)
{
    return odp_arena_printf(m->arena, "kode-%u", ++m->lists);
}

/* The chapter's heading precedes the first list. */
static void open_lists(struct making *m)
{
    if (m->lists == 0)
        part_add(m, part_new(m, 1, ODP_PRINT_BOTH(W_pdf_code_lists), "daftar-kode", 0, 0), NULL);
}

/* "Jenis belanja / Kind of spending" */
static const char *list_title(struct making *m, const struct odp_text *title, const char *name)
{
    const char *id = title->in[ODP_LANG_ID], *en = title->in[ODP_LANG_EN];
    if (!is_text(id) && !is_text(en))
        return name;
    return is_text(id) && has_english(title) ? odp_arena_printf(m->arena, "%s / %s", id, en)
                                             : odp_text_get(title, ODP_LANG_ID);
}

/* More of a label than the code. */
struct told {
    bool id, en;
};

static void look_at(struct told *told, struct odp_slice code, const struct odp_text *label)
{
    told->id = told->id || (is_text(label->in[ODP_LANG_ID]) && !odp_slice_is(code, label->in[ODP_LANG_ID]));
    told->en = told->en || (is_text(label->in[ODP_LANG_EN]) && !odp_slice_is(code, label->in[ODP_LANG_EN]));
}

static void add_code(struct part *p, const struct told *told, struct odp_slice code,
                     const struct odp_text *label)
{
    struct odp_slice *row = next_row(p);
    *row++ = code;
    if (told->id)
        *row++ = some(label->in[ODP_LANG_ID]);
    if (told->en)
        *row = some(label->in[ODP_LANG_EN]);
}

static void add_codes(struct making *m, struct part *p, const struct told *told)
{
    const char *heads[3] = {PAIR(W_pdf_code), odp_word(told->id ? ODP_LANG_ID : ODP_LANG_EN, W_pdf_meaning),
                            SECOND(W_pdf_meaning)};
    part_add(m, p, heads);
}

static void make_categories(struct making *m, const struct odp_field *f)
{
    struct told told = {false, false};
    size_t n = f->ncategories < CODES_MOST ? f->ncategories : CODES_MOST;
    for (size_t i = 0; i < n; i++)
        look_at(&told, f->categories[i].value, &f->categories[i].label);
    if ((!told.id && !told.en) || f->ncategories > CODES_MOST)
        return;
    open_lists(m);
    const char *title = list_title(m, &f->title, f->name);
    struct part *p = part_new(m, 2, title, list_dest(m), 1u + told.id + told.en, n);
    p->intro = odp_arena_printf(m->arena, "%s: %s", ODP_PRINT_BOTH(W_pdf_field), f->name);
    for (size_t i = 0; i < n; i++)
        add_code(p, &told, f->categories[i].value, &f->categories[i].label);
    add_codes(m, p, &told);
}

/* Which codes of LIST are printed: all of them, or, of a long list, those that the records of FIELDS (n of
 * them) have. In OUT, of which there is room for CODES_MOST. Returns how many; more than CODES_MOST: too
 * many. */
static size_t pick_codes(struct making *m, const struct odp_code_list *list, const uint32_t *fields,
                         uint32_t n, const struct odp_code_label **out)
{
    const struct odp_print_job *job = m->job;
    size_t picked = 0, used = 0;
    if (list->n <= CODES_MOST) {
        for (; picked < list->n; picked++)
            out[picked] = &list->labels[picked];
        return picked;
    }
    struct odp_slice *values = odp_arena_array(m->arena, (size_t)job->rows * n + 1, sizeof *values);
    for (uint64_t i = 0; i < job->rows; i++)
        for (uint32_t k = 0; k < n; k++) {
            struct odp_slice v = job->cells[i * job->columns + fields[k]];
            if (v.ptr != NULL && (used == 0 || !odp_slice_eq(v, values[used - 1])))
                values[used++] = v;
        }
    qsort(values, used, sizeof *values, odp_by_slice);
    for (size_t i = 0; i < list->n && picked <= CODES_MOST; i++)
        if (bsearch(&list->labels[i].code, values, used, sizeof *values, odp_by_slice) != NULL &&
            ++picked <= CODES_MOST)
            out[picked - 1] = &list->labels[i];
    return picked;
}

/* "Kolom / Field: kode_provinsi. Daftar / List: references/provinsi, 2025." and what is not there. */
static const char *list_intro(struct making *m, const struct odp_code_list *list, const uint32_t *fields,
                              uint32_t n, size_t picked)
{
    const struct odp_resource *r = list->resource;
    const char *names = "", *date = "", *rest = "";
    for (uint32_t k = 0; k < n; k++)
        names =
            odp_arena_printf(m->arena, "%s%s%s", names, k > 0 ? ", " : "", m->schema->fields[fields[k]].name);
    if (is_text(r->edition_date))
        date = odp_arena_printf(m->arena, " (%s)", r->edition_date);
    if (picked > CODES_MOST)
        rest = " " ODP_PRINT_BOTH(W_pdf_too_many_codes);
    else if (picked < list->n)
        rest = " " ODP_PRINT_BOTH(W_pdf_only_used_codes);
    return odp_arena_printf(m->arena, "%s: %s. %s: %s, %s%s.%s", ODP_PRINT_BOTH(W_pdf_field), names,
                            ODP_PRINT_BOTH(W_pdf_list), r->dataset->path, r->edition, date, rest);
}

static void make_list(struct making *m, const struct odp_code_list *list, const uint32_t *fields, uint32_t n)
{
    struct told told = {false, false};
    const struct odp_code_label *picked[CODES_MOST];
    size_t npicked = pick_codes(m, list, fields, n, picked), rows = npicked <= CODES_MOST ? npicked : 0;
    for (size_t i = 0; i < rows; i++)
        look_at(&told, picked[i]->code, &picked[i]->text);
    if (npicked <= CODES_MOST && !told.id && !told.en)
        return;
    open_lists(m);
    const char *title = list_title(m, &list->resource->dataset->title, list->resource->dataset->slug);
    struct part *p = part_new(m, 2, title, list_dest(m), rows > 0 ? 1u + told.id + told.en : 0, rows);
    p->intro = list_intro(m, list, fields, n, npicked);
    for (size_t i = 0; i < rows; i++)
        add_code(p, &told, picked[i]->code, &picked[i]->text);
    add_codes(m, p, &told);
}

static const struct odp_code_list *list_of(const struct making *m, uint32_t field)
{
    bool is = m->job->codes != NULL && m->schema->fields[field].is_public;
    return is ? odp_code_lists_of(m->job->codes, m->job->resource, field) : NULL;
}

/* Each list once, with all fields that point into it. */
static void make_lists(struct making *m)
{
    uint32_t *fields = odp_arena_array(m->arena, (size_t)m->schema->n + 1, sizeof *fields);
    for (uint32_t i = 0; i < m->schema->n; i++) {
        const struct odp_code_list *list = list_of(m, i);
        uint32_t n = 0;
        bool seen = false;
        for (uint32_t k = 0; list != NULL && k < i && !seen; k++)
            seen = list_of(m, k) == list;
        for (uint32_t k = i; list != NULL && k < m->schema->n; k++)
            if (list_of(m, k) == list)
                fields[n++] = k;
        if (list != NULL && list->n > 0 && !seen)
            make_list(m, list, fields, n);
        if (m->schema->fields[i].is_public)
            make_categories(m, &m->schema->fields[i]);
    }
}

/* ---- where the data comes from ---- */

static void make_metadata(struct making *m)
{
    static const char *const heads[] = {PAIR(W_pdf_item), PAIR(W_pdf_content)};
    size_t n;
    const struct odp_fact_told *facts = odp_facts_make(&m->of, ODP_FACTS_APPENDIX, &n);
    struct part *p = part_new(m, 1, ODP_PRINT_BOTH(W_pdf_metadata), "metadata", 2, n);
    for (size_t i = 0; i < n; i++) {
        struct odp_slice *row = next_row(p), value = both(m, &facts[i].value);
        row[0] = both(m, &facts[i].label);
        row[1] = value;
        if (facts[i].address != NULL)
            row[1] = odp_slice_of(
                odp_arena_printf(m->arena, "%.*s, %s", (int)value.len, value.ptr, facts[i].address));
    }
    if (p->rows > 0)
        part_add(m, p, heads);
}

/* ---- the whole ---- */

struct odp_print_appendix *odp_print_appendix_new(const struct odp_print_job *job, struct odp_fonts *f,
                                                  struct odp_arena *a)
{
    struct odp_print_appendix *x = odp_arena_zero(a, 1, sizeof *x);
    struct making m = {.job = job,
                       .of = odp_print_facts_of(job, a),
                       .schema = &job->resource->schema,
                       .fonts = f,
                       .arena = a,
                       .appendix = x};
    x->end = &x->first;
    make_fields(&m);
    make_standard(&m);
    make_lists(&m);
    make_metadata(&m);
    return x;
}

void odp_print_appendix_free(struct odp_print_appendix *x)
{
    for (struct part *p = x != NULL ? x->first : NULL; p != NULL; p = p->next)
        odp_print_table_free(p->table);
}

/* Room below a heading on its page. */
static double kept(struct odp_paper *p, const struct part *part)
{
    double all = part->table != NULL ? odp_print_table_start(part->table) : 0;
    if (part->intro != NULL)
        all += odp_paper_text_height(p, p->right - p->left, odp_type_small, odp_slice_of(part->intro)) +
               AFTER_INTRO;
    if (part->table == NULL && part->intro == NULL && part->next != NULL)
        all += HEADING_ROOM + kept(p, part->next);
    return all;
}

void odp_print_appendix_set(struct odp_print_appendix *x, struct odp_paper *p)
{
    if (p->landscape)
        odp_paper_page(p, false);
    for (const struct part *part = x->first; part != NULL; part = part->next) {
        odp_paper_heading(p, part->level, part->heading, part->dest, kept(p, part));
        odp_paper_paragraph(p, "P", odp_type_small, ODP_INK_SOFT, odp_slice_of(part->intro), AFTER_INTRO);
        odp_paper_ink(p, ODP_INK_TEXT);
        if (part->table != NULL)
            odp_print_table_set(part->table, p);
    }
}
