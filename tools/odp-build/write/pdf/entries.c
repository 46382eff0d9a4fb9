/* Records as entries: their order, groups and names. See entries_internal.h. */
#include "write/pdf/entries_internal.h"

#include <stdlib.h>

#include "base/decimal.h"
#include "words/pdf.h"
#include "write/typesetting/words.h"

/* The latter three: bytes. */
enum { BOOKMARKS_MAX = 10000, NAME_MOST = 400, TITLE_MOST = 2000, STATUS_MOST = 100 };

/* A heading is no place for a page of text. */
static const char *name_of(struct odp_print_entries *e, uint32_t row)
{
    const struct odp_resource *r = e->job->resource;
    bool own = r->print.heading.n > 0;
    const struct odp_key *key = own ? &r->print.heading : &r->schema.primary;
    odp_buffer_clear(&e->text);
    for (uint32_t i = 0; i < key->n; i++) {
        struct odp_slice value = odp_entry_cell(e, row, key->fields[i]);
        if (value.len == 0)
            continue;
        if (e->text.len > 0)
            odp_buffer_add_str(&e->text, own ? " " : " · ");
        odp_words_cell(&e->text, &r->schema, key->fields[i], value, ODP_LANG_ID);
    }
    if (e->text.len == 0)
        odp_buffer_printf(&e->text, odp_word(ODP_LANG_ID, W_pdf_record), (unsigned long long)row + 1);
    e->cut = e->cut || e->text.len > NAME_MOST;
    return odp_print_shortened(e->arena, odp_buffer_cstr(&e->text), NAME_MOST);
}

/* FIELD where it is there, public, and has no value of more than MOST bytes; else -1. */
static int fitting(const struct odp_print_entries *e, int field, size_t most)
{
    if (field < 0 || !e->job->resource->schema.fields[field].is_public)
        return -1;
    for (uint32_t i = 0; i < e->n; i++)
        if (odp_entry_cell(e, i, (uint32_t)field).len > most)
            return -1;
    return field;
}

/* ---- groups ---- */

struct member {
    struct odp_slice value;
    size_t rank; /* the category's position; then unknown values; nulls last */
    uint32_t row;
    bool number;
};

static int member_value_cmp(const struct member *a, const struct member *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->value.ptr == NULL || b->value.ptr == NULL)
        return 0;
    int c = a->number ? odp_decimal_cmp(a->value, b->value) : 0;
    return c != 0 ? c : odp_slice_cmp(a->value, b->value);
}

static int member_cmp(const void *x, const void *y)
{
    const struct member *a = x, *b = y;
    int c = member_value_cmp(a, b);
    return c != 0 ? c : (a->row > b->row) - (a->row < b->row);
}

static size_t rank_of(const struct odp_field *f, struct odp_slice value)
{
    size_t i = 0;
    if (value.ptr == NULL)
        return f->ncategories + 1;
    while (i < f->ncategories && !odp_slice_eq(f->categories[i].value, value))
        i++;
    return i;
}

/* "DKI Jakarta" of 31, where that is known; else the value as it is printed. */
static void name_group(struct odp_print_entries *e, struct odp_entry_group *g, uint32_t field,
                       struct odp_slice value)
{
    const struct odp_text label = odp_print_meaning(e->job, field, value);
    const char *meaning = odp_text_get(&label, ODP_LANG_ID);
    odp_buffer_clear(&e->text);
    if (value.ptr == NULL)
        odp_buffer_add_str(&e->text, odp_word(ODP_LANG_ID, W_pdf_others));
    else if (*meaning != '\0')
        odp_buffer_add_str(&e->text, meaning);
    else
        odp_words_cell(&e->text, &e->job->resource->schema, field, value, ODP_LANG_ID);
    const char *name = odp_print_shortened(e->arena, odp_buffer_cstr(&e->text), NAME_MOST);
    odp_buffer_clear(&e->text);
    odp_buffer_add_str(&e->text, name);
    odp_buffer_printf(&e->text, odp_word(ODP_LANG_ID, W_pdf_group_records),
                      odp_print_count(e->arena, g->n, ODP_LANG_ID));
    g->text = odp_arena_str(e->arena, odp_buffer_cstr(&e->text));
    g->dest = odp_arena_printf(e->arena, "kelompok-%zu", (size_t)(g - e->groups) + 1);
}

static void make_groups(struct odp_print_entries *e, uint32_t field)
{
    const struct odp_field *f = &e->job->resource->schema.fields[field];
    bool number = odp_type_is_number(f->type);
    struct member *m = odp_arena_array(e->arena, (size_t)e->n + 1, sizeof *m);
    for (uint32_t i = 0; i < e->n; i++) {
        struct odp_slice value = odp_entry_cell(e, i, field);
        m[i] = (struct member){value, rank_of(f, value), i, number};
    }
    qsort(m, e->n, sizeof *m, member_cmp);
    e->groups = odp_arena_zero(e->arena, (size_t)e->n + 1, sizeof *e->groups);
    for (uint32_t i = 0; i < e->n; i++) {
        e->order[i] = m[i].row;
        if (i == 0 || member_value_cmp(&m[i - 1], &m[i]) != 0)
            e->groups[e->ngroups++].first = i;
        e->groups[e->ngroups - 1].n++;
    }
    for (size_t k = 0; k < e->ngroups; k++)
        name_group(e, &e->groups[k], field, m[e->groups[k].first].value);
}

static void make_order(struct odp_print_entries *e)
{
    const struct odp_resource *r = e->job->resource;
    e->order = odp_arena_array(e->arena, (size_t)e->n + 1, sizeof *e->order);
    if (r->print.group >= 0 && r->schema.fields[r->print.group].is_public) {
        make_groups(e, (uint32_t)r->print.group);
        return;
    }
    for (uint32_t i = 0; i < e->n; i++)
        e->order[i] = i;
    e->groups = odp_arena_zero(e->arena, 1, sizeof *e->groups);
    e->groups[0].n = e->n;
    e->ngroups = 1;
}

/* ---- the whole ---- */

struct odp_print_entries *odp_print_entries_new(const struct odp_print_job *job, struct odp_fonts *f,
                                                struct odp_arena *a)
{
    struct odp_print_entries *e = odp_arena_zero(a, 1, sizeof *e);
    e->job = job;
    e->fonts = f;
    e->arena = a;
    e->n = (uint32_t)job->rows;
    e->bookmarks = e->n <= BOOKMARKS_MAX;
    e->title = fitting(e, job->resource->print.title, TITLE_MOST);
    e->status = fitting(e, job->resource->print.status, STATUS_MOST);
    e->names = odp_arena_array(a, (size_t)e->n + 1, sizeof *e->names);
    e->listed = odp_arena_zero(a, (size_t)e->n + 1, sizeof *e->listed);
    for (uint32_t i = 0; i < e->n; i++)
        e->names[i] = name_of(e, i);
    make_order(e);
    odp_facts_new(e);
    return e;
}

void odp_print_entries_free(struct odp_print_entries *e)
{
    if (e == NULL)
        return;
    odp_facts_free(e);
    odp_buffer_release(&e->text);
    odp_buffer_release(&e->more);
}
