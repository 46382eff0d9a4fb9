/* Plans the index from the catalogue alone: columns, labels, wanted indexes. Which of them are made is known
 * at the end, because an index of a column with wide values would order them wrongly.
 *
 * Indexes: the primary key, what odp:index names (always), then, up to WRITER_INDEXES_MAX: foreign keys, the
 * columns of `datetime`, categories and enums, columns of odp:queryables and odp:timeline (no decimals),
 * uniqueKeys and `unique`, dates and years. An index that another one begins with is left out. Lists, objects
 * and geopoints get no index. */

#include "write/index/index_internal.h"

/* ---- labels ---- */

/* Categories with labels, else the code list that the field points into. */
static void plan_labels(struct odp_search_writer *w, struct writer_column *c)
{
    const struct odp_resource *r = w->job.resource;
    const struct odp_field *f = &r->schema.fields[c->field];
    const struct odp_code_list *list = odp_code_lists_of(w->job.codes, r, c->field);
    uint32_t n = 0;
    struct writer_label *labels = odp_arena_zero(&w->arena, f->ncategories + 1, sizeof *labels);
    for (size_t i = 0; i < f->ncategories; i++)
        writer_add_label(labels, &n, f->categories[i].value, &f->categories[i].label);
    writer_set_labels(c, labels, n);
    if (n == 0 && list != NULL)
        writer_list_labels(w, c, list);
}

/* ---- columns ---- */

static bool holds_words(const struct odp_field *f)
{
    return f->type == ODP_TYPE_ANY ||
           (f->type == ODP_TYPE_STRING && f->document == NULL && f->string_format != ODP_STRING_BINARY &&
            f->string_format != ODP_STRING_UUID);
}

static void plan_fields(struct odp_search_writer *w)
{
    const struct odp_schema *s = &w->job.resource->schema;
    for (uint32_t k = 0; k < s->n; k++) {
        const struct odp_field *f = &s->fields[k];
        w->column_of[k] = -1;
        if (!f->is_public)
            continue;
        uint32_t at = w->info.ncolumns++;
        w->column_of[k] = (int)at;
        w->info.columns[at] = (struct odp_search_column){
            .name = f->name, .type = f->type, .title = f->title, .unit = f->unit, .of_record = true};
        w->columns[at] = (struct writer_column){
            .source = WRITER_FIELD, .type = f->type, .field = k, .from = -1, .words = holds_words(f)};
        plan_labels(w, &w->columns[at]);
    }
    w->info.nfields = w->info.ncolumns;
}

/* The columns of K in its order; false: one of them is not public. */
static bool columns_of(const struct odp_search_writer *w, const struct odp_key *k, uint32_t *out)
{
    for (uint32_t i = 0; i < k->n; i++) {
        if (w->column_of[k->fields[i]] < 0)
            return false;
        out[i] = (uint32_t)w->column_of[k->fields[i]];
    }
    return true;
}

static void plan_info(struct odp_search_writer *w)
{
    const struct odp_resource *r = w->job.resource;
    struct odp_search_info *i = &w->info;
    i->slug = r->dataset->slug;
    i->resource = r->primary ? NULL : r->name;
    i->version = w->job.version;
    i->last_update = w->job.last_update;
    i->has_geometry = w->job.has_geometry;
    i->geometry_name = w->job.has_geometry ? w->job.geometry_name : NULL;
    i->mode = r->geometry.api;
    i->csv_points = r->geometry.types == ODP_GEOM_BIT_POINT;
    i->csv_wkt = r->geometry.csv_wkt;
    i->key = odp_arena_zero(&w->arena, (size_t)r->schema.primary.n + 1, sizeof *i->key);
    i->nkey = columns_of(w, &r->schema.primary, i->key) ? r->schema.primary.n : 0;
    for (int k = 0; k < 2; k++) {
        i->datetime[k] = r->datetime[k] >= 0 ? w->column_of[r->datetime[k]] : -1;
        i->bbox[k] = i->bbox[k + 2] = 0;
    }
    if (i->datetime[0] < 0 || i->datetime[1] < 0)
        i->datetime[0] = i->datetime[1] = i->date; /* of odp:timeline; -1: no column */
}

/* ---- indexes ---- */

/* Does an index begin with these columns already? */
static bool is_covered(const struct odp_search_writer *w, const uint32_t *columns, uint32_t n)
{
    for (uint32_t i = 0; i < w->nindexes; i++)
        if (w->indexes[i].n >= n && memcmp(w->indexes[i].columns, columns, n * sizeof *columns) == 0)
            return true;
    return false;
}

/* Equal values are ordered by their records' numbers, as queries ask for them. */
static void want(struct odp_search_writer *w, const uint32_t *columns, uint32_t n)
{
    if (n == 0 || is_covered(w, columns, n))
        return;
    struct writer_index *index = &w->indexes[w->nindexes++];
    index->columns = odp_arena_zero(&w->arena, n, sizeof *index->columns);
    memcpy(index->columns, columns, n * sizeof *columns);
    index->n = n;
    if (n == 1 && columns != w->info.key)
        writer_order_new(w, index);
}

/* Those that odp:index names are always made, others while there are not too many. */
static void want_key(struct odp_search_writer *w, const struct odp_key *k, bool declared)
{
    uint32_t *columns = odp_arena_zero(&w->arena, (size_t)k->n + 1, sizeof *columns);
    if (columns_of(w, k, columns) && (declared || w->nindexes < WRITER_INDEXES_MAX))
        want(w, columns, k->n);
}

static void want_column(struct odp_search_writer *w, int column)
{
    uint32_t k = (uint32_t)column;
    if (column >= 0 && w->nindexes < WRITER_INDEXES_MAX)
        want(w, &k, 1);
}

enum kind_of_field { CHOICES, CODES, DAYS };

/* Fields by what the schema says of their values. */
static void want_fields(struct odp_search_writer *w, enum kind_of_field kind)
{
    for (uint32_t k = 0; k < w->info.nfields; k++) {
        const struct odp_field *f = &w->job.resource->schema.fields[w->columns[k].field];
        const bool is[] = {[CHOICES] = f->ncategories > 0 || f->constraints.enumeration.n > 0,
                           [CODES] = f->constraints.unique,
                           [DAYS] = f->type == ODP_TYPE_DATE || f->type == ODP_TYPE_DATETIME ||
                                    f->type == ODP_TYPE_YEAR || f->type == ODP_TYPE_YEARMONTH};
        if (is[kind] && odp_type_repr(f->type) != ODP_REPR_JSON)
            want_column(w, (int)k);
    }
}

/* Derived columns exist for queries; queries for numbers take other ways. */
static void want_derived(struct odp_search_writer *w)
{
    for (uint32_t k = w->info.nfields; k < w->info.ncolumns; k++) {
        enum odp_type type = w->info.columns[k].type;
        if (w->columns[k].source != WRITER_DELAY && type != ODP_TYPE_NUMBER &&
            odp_type_repr(type) != ODP_REPR_JSON)
            want_column(w, (int)k);
    }
}

static void plan_indexes(struct odp_search_writer *w)
{
    const struct odp_resource *r = w->job.resource;
    w->indexes = odp_arena_zero(&w->arena, WRITER_INDEXES_MAX + r->nindexes + 1, sizeof *w->indexes);
    want(w, w->info.key, w->info.nkey);
    w->indexes[0].key = w->nindexes > 0;
    for (size_t k = 0; k < r->nindexes; k++)
        want_key(w, &r->indexes[k], true);
    for (size_t k = 0; k < r->nforeign; k++)
        want_key(w, &r->foreign[k].local, false);
    want_column(w, w->info.datetime[0]);
    want_column(w, w->info.datetime[1]);
    want_fields(w, CHOICES);
    want_derived(w);
    for (size_t k = 0; k < r->schema.nunique; k++)
        want_key(w, &r->schema.unique[k], false);
    want_fields(w, CODES);
    want_fields(w, DAYS);
}

void writer_plan(struct odp_search_writer *w)
{
    const struct odp_resource *r = w->job.resource;
    size_t most = (size_t)r->schema.n + r->nqueryables + 2;
    struct odp_search_info *i = &w->info;
    *i = (struct odp_search_info){.datetime = {-1, -1}, ODP_SEARCH_NO_TIMELINE};
    if (most > WRITER_COLUMNS_MAX) {
        writer_fail(w, "write query index: too many columns", 0);
        return;
    }
    i->columns = odp_arena_zero(&w->arena, most + 1, sizeof *i->columns);
    w->columns = odp_arena_zero(&w->arena, most + 1, sizeof *w->columns);
    w->column_of = odp_arena_zero(&w->arena, (size_t)r->schema.n + 1, sizeof *w->column_of);
    w->record.values = odp_arena_zero(&w->arena, most + 1, sizeof *w->record.values);
    plan_fields(w);
    writer_plan_derived(w);
    plan_info(w);
    odp_search_name(i, &w->arena);
    for (uint32_t k = 0; k < i->ncolumns; k++)
        i->columns[k].scale = odp_type_is_number(i->columns[k].type) ? 0 : -1;
    plan_indexes(w);
}
