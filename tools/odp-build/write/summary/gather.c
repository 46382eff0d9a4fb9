/* Records to sums, while they pass: a row of cells for each place and time. */
#include "write/summary/summary_internal.h"

struct odp_summary *odp_summary_new(const struct odp_resource *r, const struct odp_row_places *rows)
{
    struct odp_arena arena; /* it holds the summary, too */
    odp_arena_init(&arena);
    struct odp_summary *s = odp_arena_zero(&arena, 1, sizeof *s);
    s->resource = r;
    s->measures = &r->measures;
    s->place = odp_place_of(r);
    s->through = odp_place_through(r);
    s->rows_of = rows;
    s->no_places = s->through != NULL && !odp_row_places_whole(rows, s->through);
    s->no_times = r->measures.time < 0;
    s->arena = arena;
    odp_map_init(&s->codes.map);
    odp_map_init(&s->stamps.map);
    odp_map_init(&s->row_keys);
    for (size_t i = 0; i < SUMMARY_LEVELS; i++)
        odp_map_init(&s->levels[i].codes.map);
    return s;
}

void odp_summary_free(struct odp_summary *s)
{
    if (s == NULL)
        return;
    odp_map_release(&s->codes.map);
    odp_map_release(&s->stamps.map);
    odp_map_release(&s->row_keys);
    for (size_t i = 0; i < SUMMARY_LEVELS; i++)
        odp_map_release(&s->levels[i].codes.map);
    struct odp_arena arena = s->arena;
    odp_arena_release(&arena);
}

/* ---- cells ---- */

struct cell *summary_cells(struct odp_summary *s)
{
    return odp_arena_zero(&s->arena, s->measures->n, sizeof(struct cell));
}

void summary_merge(const struct odp_summary *s, struct cell *into, const struct cell *from)
{
    for (uint32_t k = 0; k < s->measures->n; k++) {
        into[k].n += from[k].n;
        into[k].sum += from[k].sum;
    }
}

unsigned summary_decimals(const struct odp_summary *s, uint32_t k)
{
    unsigned places = s->places[k];
    return s->measures->item[k].aggregate == ODP_CHART_MEAN && places == 0 ? 1 : places;
}

bool summary_value(const struct odp_summary *s, uint32_t k, const struct cell *cells, fixed *out)
{
    enum odp_chart_aggregate aggregate = s->measures->item[k].aggregate;
    if (aggregate == ODP_CHART_COUNT) {
        *out = (fixed)cells[k].n * FIXED_ONE;
        return true;
    }
    if (cells[k].n == 0 || s->too_large[k])
        return false;
    fixed unit = fixed_power(FIXED_PLACES - summary_decimals(s, k));
    *out = aggregate == ODP_CHART_SUM ? cells[k].sum
                                      : fixed_divide(cells[k].sum, (fixed)cells[k].n * unit) * unit;
    return true;
}

/* ---- rows ---- */

static struct row *row_at(struct odp_summary *s, uint32_t place, uint32_t time)
{
    const uint32_t key[2] = {place, time};
    bool fresh;
    uint32_t at = odp_map_put(&s->row_keys, (struct odp_slice){(const char *)key, sizeof key}, &fresh);
    if (fresh) {
        s->rows = odp_arena_more(&s->arena, s->rows, at, sizeof *s->rows);
        s->rows[at] = (struct row){place, time, summary_cells(s)};
    }
    return &s->rows[at];
}

/* Which rows there are depends on all records together, not on their order; so does what is given up. */
static void give_up(struct odp_summary *s)
{
    const struct row *rows = s->rows;
    uint32_t n = summary_rows(s);
    s->no_times = s->no_places || s->place == NULL;
    s->no_places = true;
    odp_map_clear(&s->row_keys);
    s->rows = NULL;
    for (uint32_t i = 0; i < n; i++)
        summary_merge(s, row_at(s, 0, s->no_times ? 0 : rows[i].time)->cells, rows[i].cells);
}

/* ---- a record ---- */

uint32_t summary_text(struct odp_summary *s, struct texts *t, struct odp_slice key)
{
    bool fresh;
    uint32_t at = odp_map_put(&t->map, key, &fresh);
    if (fresh) {
        t->item = odp_arena_more(&s->arena, t->item, at, sizeof *t->item);
        t->item[at] = odp_arena_copy(&s->arena, key);
    }
    return at;
}

static uint32_t number_of(struct odp_summary *s, struct texts *t, struct odp_slice key)
{
    return key.ptr != NULL ? summary_text(s, t, key) + 1 : 0;
}

/* Its place, or that of the record it leads to. */
static struct odp_slice place_of(const struct odp_summary *s, const struct odp_slice *field)
{
    return s->through != NULL
               ? odp_row_places_find(s->rows_of, s->through, field[s->through->local.fields[0]])
               : field[s->place->local.fields[0]];
}

/* Its time: dates by their year. */
static struct odp_slice time_of(const struct odp_summary *s, const struct odp_slice *field)
{
    struct odp_slice text = field[s->measures->time];
    enum odp_type type = s->resource->schema.fields[s->measures->time].type;
    if ((type == ODP_TYPE_DATE || type == ODP_TYPE_DATETIME) && text.len > 4)
        text.len = 4;
    return text;
}

static void add_number(struct odp_summary *s, uint32_t k, struct odp_slice text, struct cell *cell)
{
    fixed value;
    unsigned places;
    if (text.ptr == NULL || s->too_large[k])
        return;
    if (!fixed_parse(text, &value, &places)) {
        s->too_large[k] = true;
        return;
    }
    s->places[k] = places > s->places[k] ? places : s->places[k];
    cell->sum += value;
    cell->n++;
}

void odp_summary_add(struct odp_summary *s, const struct odp_slice *field)
{
    const struct odp_measures *m = s->measures;
    uint32_t place = s->place != NULL && !s->no_places ? number_of(s, &s->codes, place_of(s, field)) : 0,
             time = s->no_times ? 0 : number_of(s, &s->stamps, time_of(s, field));
    struct cell *cells = row_at(s, place, time)->cells;
    s->records++;
    for (uint32_t k = 0; k < m->n; k++) {
        const struct odp_measure *one = &m->item[k];
        if (one->field < 0)
            cells[k].n++;
        else if (one->category != NULL)
            cells[k].n +=
                field[one->field].ptr != NULL && odp_slice_eq(field[one->field], one->category->value);
        else
            add_number(s, k, field[one->field], &cells[k]);
    }
    if (summary_rows(s) > SUMMARY_ROWS)
        give_up(s);
}
