/* Records as entries: their order, groups and names. See entries_internal.h. */
#include "write/pdf/entries_internal.h"

#include <stdlib.h>

#include "base/decimal.h"
#include "words/pdf.h"
#include "write/typesetting/words.h"

enum {
    BOOKMARKS_MAX = 10000,
    NAME_MOST = 400,
    TITLE_MOST = 2000,
    STATUS_MOST = 100
}; /* the latter three: bytes */

/* ---- names ---- */

static void add_part(struct odp_print_entries *e, uint32_t row, uint32_t at, const char *between)
{
    struct odp_slice value = odp_entry_cell(e, row, at);
    if (value.ptr == NULL || value.len == 0)
        return;
    if (e->text.len > 0)
        odp_buffer_add_str(&e->text, between);
    odp_words_cell(&e->text, &e->job->resource->schema, at, value, ODP_LANG_ID);
}

/* A heading is no place for a page of text: what is longer ends in an ellipsis. Returns whether it was cut.
 */
static bool shorten(struct odp_buffer *text)
{
    size_t at = NAME_MOST;
    if (text->len <= NAME_MOST)
        return false;
    while (at > 0 && ((unsigned char)text->ptr[at] & 0xC0) == 0x80)
        at--;
    text->len = at;
    odp_buffer_add_str(text, "…");
    return true;
}

static const char *name_of(struct odp_print_entries *e, uint32_t row)
{
    const struct odp_resource *r = e->job->resource;
    const struct odp_key *key = r->print.heading.n > 0 ? &r->print.heading : &r->schema.primary;
    odp_buffer_clear(&e->text);
    for (uint32_t i = 0; i < key->n; i++)
        add_part(e, row, key->fields[i], key == &r->print.heading ? " " : " · ");
    if (e->text.len == 0)
        odp_buffer_printf(&e->text, odp_word(ODP_LANG_ID, W_pdf_record), (unsigned long long)row + 1);
    e->cut = shorten(&e->text) || e->cut;
    return odp_buffer_status(&e->text) == ODP_OK ? odp_arena_str(e->arena, odp_buffer_cstr(&e->text)) : NULL;
}

static enum odp_status make_names(struct odp_print_entries *e)
{
    e->names = odp_arena_array(e->arena, (size_t)e->n + 1, sizeof *e->names);
    for (uint32_t i = 0; i < e->n; i++)
        if ((e->names[i] = name_of(e, i)) == NULL)
            return ODP_FAIL;
    return ODP_OK;
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
    size_t rank; /* the category's place; behind them what is none; nulls last */
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
static void add_group_name(struct odp_print_entries *e, uint32_t field, struct odp_slice value)
{
    const struct odp_resource *r = e->job->resource;
    const struct odp_field *f = &r->schema.fields[field];
    struct odp_text label = {{NULL, NULL}};
    size_t rank = rank_of(f, value);
    if (value.ptr == NULL) {
        odp_buffer_add_str(&e->text, odp_word(ODP_LANG_ID, W_pdf_others));
        return;
    }
    if (rank < f->ncategories)
        label = f->categories[rank].label;
    else if (e->job->codes != NULL)
        label = odp_code_lists_find(e->job->codes, r, field, value);
    if (*odp_text_get(&label, ODP_LANG_ID) != '\0')
        odp_buffer_add_str(&e->text, odp_text_get(&label, ODP_LANG_ID));
    else
        odp_words_cell(&e->text, &r->schema, field, value, ODP_LANG_ID);
}

static enum odp_status close_group(struct odp_print_entries *e, struct odp_entry_group *g, uint32_t field,
                                   const struct member *of)
{
    struct odp_buffer count;
    odp_buffer_init(&count);
    odp_buffer_clear(&e->text);
    add_group_name(e, field, of->value);
    (void)shorten(&e->text);
    odp_print_count(&count, g->n, ODP_LANG_ID);
    odp_buffer_printf(&e->text, odp_word(ODP_LANG_ID, W_pdf_group_records), odp_buffer_cstr(&count));
    bool ok = !e->text.failed && !count.failed;
    odp_buffer_release(&count);
    g->text = ok ? odp_arena_str(e->arena, odp_buffer_cstr(&e->text)) : NULL;
    g->dest = odp_arena_printf(e->arena, "kelompok-%zu", (size_t)(g - e->groups) + 1);
    return g->text != NULL ? ODP_OK : ODP_FAIL;
}

static enum odp_status make_groups(struct odp_print_entries *e, uint32_t field)
{
    const struct odp_field *f = &e->job->resource->schema.fields[field];
    bool number = odp_type_is_number(f->type);
    struct member *m = odp_realloc_array(NULL, (size_t)e->n + 1, sizeof *m);
    enum odp_status status = m != NULL ? ODP_OK : ODP_FAIL;
    size_t n = 0;
    for (uint32_t i = 0; status == ODP_OK && i < e->n; i++) {
        struct odp_slice value = odp_entry_cell(e, i, field);
        m[i] = (struct member){value, rank_of(f, value), i, number};
    }
    if (status == ODP_OK && e->n > 0)
        qsort(m, e->n, sizeof *m, member_cmp);
    for (uint32_t i = 0; status == ODP_OK && i < e->n; i++)
        n += i == 0 || member_value_cmp(&m[i - 1], &m[i]) != 0;
    if (status == ODP_OK && (e->groups = odp_arena_zero(e->arena, n + 1, sizeof *e->groups)) == NULL)
        status = ODP_FAIL;
    for (uint32_t i = 0; status == ODP_OK && i < e->n; i++) {
        e->order[i] = m[i].row;
        if (i == 0 || member_value_cmp(&m[i - 1], &m[i]) != 0)
            e->groups[e->ngroups++].first = i;
        struct odp_entry_group *g = &e->groups[e->ngroups - 1];
        g->n++;
        if (i + 1 == e->n || member_value_cmp(&m[i], &m[i + 1]) != 0)
            status = close_group(e, g, field, &m[i]);
    }
    free(m);
    return status;
}

static enum odp_status make_order(struct odp_print_entries *e)
{
    const struct odp_resource *r = e->job->resource;
    e->order = odp_arena_array(e->arena, (size_t)e->n + 1, sizeof *e->order);
    e->listed = odp_arena_zero(e->arena, (size_t)e->n + 1, sizeof *e->listed);
    if (r->print.group >= 0 && r->schema.fields[r->print.group].is_public)
        return make_groups(e, (uint32_t)r->print.group);
    for (uint32_t i = 0; i < e->n; i++)
        e->order[i] = i;
    e->groups = odp_arena_zero(e->arena, 1, sizeof *e->groups);
    e->groups[0].n = e->n;
    e->ngroups = 1;
    return ODP_OK;
}

/* ---- the whole ---- */

enum odp_status odp_print_entries_new(struct odp_print_entries **out, const struct odp_print_job *job,
                                      struct odp_fonts *f, struct odp_arena *a)
{
    *out = NULL;
    if (job->rows >= UINT32_MAX)
        return odp_failure_set("print entries of more than 4294967294 records of",
                               job->resource->dataset->slug, 0);
    struct odp_print_entries *e = odp_arena_zero(a, 1, sizeof *e);
    e->job = job;
    e->fonts = f;
    e->arena = a;
    e->n = (uint32_t)job->rows;
    e->bookmarks = e->n <= BOOKMARKS_MAX;
    e->title = fitting(e, job->resource->print.title, TITLE_MOST);
    e->status = fitting(e, job->resource->print.status, STATUS_MOST);
    odp_buffer_init(&e->text);
    odp_buffer_init(&e->more);
    enum odp_status status = make_names(e);
    if (status == ODP_OK)
        status = make_order(e);
    if (status == ODP_OK)
        status = odp_facts_new(e);
    if (status == ODP_OK)
        *out = e;
    else
        odp_print_entries_free(e);
    return status;
}

void odp_print_entries_free(struct odp_print_entries *e)
{
    if (e == NULL)
        return;
    odp_facts_free(e);
    odp_buffer_release(&e->text);
    odp_buffer_release(&e->more);
}
