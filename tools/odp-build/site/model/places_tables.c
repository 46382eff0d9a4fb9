/* The tables with places: which places they tell of; when they are asked, their summaries, the rows of places
 * in them, and where each stands among the others of its list, and among those that lie in the same place. */
#include "site/model/places_internal.h"

#include <stdlib.h>

#include "published/parts.h"
#include "published/paths.h"

/* ---- asked ---- */

const json_t *place_value(const struct place_table *t, const json_t *row, size_t time, size_t m)
{
    const json_t *values = time < t->ntimes ? json_array_get(json_object_get(row, "times"), t->older + time)
                                            : json_object_get(row, "total"),
                 *value = json_array_get(values, t->measures[m]);
    return json_is_number(value) ? value : NULL;
}

size_t place_time(const struct place_table *t, const json_t *row, size_t m)
{
    if (!t->panel)
        return place_value(t, row, t->ntimes, m) != NULL ? t->ntimes : PLACES_NONE;
    for (size_t time = t->ntimes; time-- > 0;)
        if (place_value(t, row, time, m) != NULL)
            return time;
    return PLACES_NONE;
}

const json_t *place_time_name(const struct place_table *t, size_t time)
{
    const json_t *names = json_object_get(json_object_get(t->summary, "time"), "values");
    return time < t->ntimes ? json_array_get(names, t->older + time) : NULL;
}

json_t *place_shown(const struct place_table *t, const json_t *value, size_t m)
{
    return odp_model_measured(json_array_get(json_object_get(t->summary, "measures"), t->measures[m]), value);
}

const json_t *place_row(const struct place_table *t, const struct odp_place *place)
{
    if (place == NULL)
        return json_object_get(t->summary, "all");
    return t->row_of[place->number] > 0 ? t->rows[t->row_of[place->number] - 1] : NULL;
}

const struct place_rank *place_rank(const struct place_table *t, const struct odp_place *place, size_t time,
                                    size_t m)
{
    static const struct place_rank none;
    const uint32_t row = t->row_of[place->number];
    return row > 0 ? &t->ranks[((row - 1) * (t->ntimes + 1) + time) * t->nmeasures + m] : &none;
}

/* ---- a table ---- */

/* What places of LIST are filtered by in T, whose places are those of another list: a column that is the
 * beginning of the code. */
static const char *filter_of(const struct odp_places *p, const json_t *schema, const char *field, size_t list)
{
    const json_t *one;
    size_t i;
    json_array_foreach(json_object_get(schema, "odp:queryables"), i, one)
    {
        if (strcmp(odp_text_of(one, "field"), field) == 0 &&
            places_list_of(p, odp_text_of(json_object_get(one, "reference"), "dataset")) == list)
            return odp_text_of(one, "name");
    }
    return NULL;
}

/* "perumahan,backlog_kepemilikan,Backlog kepemilikan,rumah tangga," */
static const char *csv_begin(struct odp_places *p, const struct place_table *t, const json_t *measure)
{
    struct odp_buffer csv = {0};
    const char *label = odp_model_in(measure, "label", ODP_LANG_ID),
               *title = odp_model_in(measure, "title", ODP_LANG_ID);
    const char *const texts[] = {*t->name != '\0' ? places_printf(p, "%s/%s", t->slug, t->name) : t->slug,
                                 odp_text_of(measure, "name"),
                                 *label != '\0' ? places_printf(p, "%s: %s", title, label) : title,
                                 odp_model_in(measure, "unit", ODP_LANG_ID)};
    for (size_t k = 0; k < ODP_COUNT(texts); k++) {
        if (*texts[k] != '\0')
            odp_text_csv(&csv, odp_slice_of(texts[k]));
        odp_buffer_add_char(&csv, ',');
    }
    return odp_buffer_keep(&csv, &p->arena);
}

bool places_counts(const json_t *measure)
{
    return json_is_true(json_object_get(measure, "is_count")) ||
           *odp_model_in(measure, "label", ODP_LANG_ID) != '\0';
}

/* What pages say of it; its label is the value of a category. */
static json_t *make_measure(const struct place_table *t, const json_t *measure)
{
    json_t *o = odp_model_measure(measure);
    odp_set(o, "label", odp_model_both(measure, "label"));
    if (places_counts(o))
        odp_set(o, "unit", odp_model_noun(t->summary, 0));
    return o;
}

/* Those that matter; they stand first. */
static void set_measures(struct odp_places *p, struct place_table *t)
{
    const json_t *measure;
    size_t i;
    json_array_foreach(json_object_get(t->summary, "measures"), i, measure)
    {
        const size_t m = t->nmeasures;
        if (m == PLACES_MEASURES || !json_is_true(json_object_get(measure, "highlight")))
            continue;
        t->shown[m] = make_measure(t, measure);
        odp_add(p->held, t->shown[m]);
        t->means[m] = json_is_true(json_object_get(t->shown[m], "is_level"));
        t->csv[m] = csv_begin(p, t, measure);
        t->measures[m] = i;
        t->nmeasures++;
    }
}

/* ---- rows ---- */

static void add_row(const struct odp_places *p, struct place_table *t, size_t list, const char *code,
                    const json_t *row)
{
    uint32_t at = odp_map_find(&p->lists[list].codes, odp_slice_of(code));
    if (at == ODP_MAP_NONE || !json_is_object(row))
        return;
    const size_t number = p->lists[list].first + at;
    t->places[t->nrows] = &p->all[number];
    t->rows[t->nrows++] = row;
    t->row_of[number] = (uint32_t)t->nrows;
}

static void set_rows(struct odp_places *p, struct place_table *t)
{
    json_t *levels = json_object_get(t->summary, "places"), *rows, *row;
    const char *slug, *code;
    size_t most = 0;
    json_object_foreach(levels, slug, rows) most += json_object_size(rows);
    t->row_of = odp_arena_zero(&p->arena, p->nall + 1, sizeof *t->row_of);
    t->places = odp_arena_array(&p->arena, most + 1, sizeof *t->places);
    t->rows = odp_arena_array(&p->arena, most + 1, sizeof *t->rows);
    json_object_foreach(levels, slug, rows)
    {
        const size_t list = places_list_of(p, slug);
        if (list != PLACES_NONE)
            json_object_foreach(rows, code, row) add_row(p, t, list, code, row);
    }
}

/* ---- ranks ---- */

struct ranked {
    double value;
    uint32_t row;
};

static int highest_first(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return x->value != y->value ? (x->value < y->value ? 1 : -1) : (x->row > y->row) - (x->row < y->row);
}

/* Of the places around: how many have come, the last one's value and rank. */
struct around {
    uint32_t n, rank;
    double value;
};

static struct place_rank *rank_at(const struct place_table *t, size_t row, size_t time, size_t m)
{
    return &t->ranks[(row * (t->ntimes + 1) + time) * t->nmeasures + m];
}

/* Equal values have one rank: 1, 2, 2, 4. */
static uint32_t next_rank(struct around *a, double value)
{
    a->n++;
    if (a->n == 1 || value != a->value)
        a->rank = a->n;
    a->value = value;
    return a->rank;
}

static void rank_rows(struct place_table *t, const struct ranked *list, size_t n, struct around *around,
                      size_t time, size_t m)
{
    struct around all = {0};
    for (size_t i = 0; i < n; i++) {
        struct place_rank *r = rank_at(t, list[i].row, time, m);
        const struct odp_place *in = t->places[list[i].row]->parent;
        r->rank = next_rank(&all, list[i].value);
        r->of = (uint32_t)n;
        r->inner = in != NULL ? next_rank(&around[in->number], list[i].value) : 0;
    }
    for (size_t i = 0; i < n; i++) {
        const struct odp_place *in = t->places[list[i].row]->parent;
        rank_at(t, list[i].row, time, m)->inner_of = in != NULL ? around[in->number].n : 0;
    }
    for (size_t i = 0; i < n; i++)
        if (t->places[list[i].row]->parent != NULL)
            around[t->places[list[i].row]->parent->number].n = 0;
}

static void rank_list(struct place_table *t, size_t list, struct ranked *room, struct around *around)
{
    for (size_t k = 0; k < (t->ntimes + 1) * t->nmeasures; k++) {
        const size_t time = k / t->nmeasures, m = k % t->nmeasures;
        size_t n = 0;
        for (uint32_t row = 0; row < t->nrows; row++) {
            const json_t *value =
                t->places[row]->level == list ? place_value(t, t->rows[row], time, m) : NULL;
            if (value != NULL)
                room[n++] = (struct ranked){json_number_value(value), row};
        }
        qsort(room, n, sizeof *room, highest_first);
        rank_rows(t, room, n, around, time, m);
    }
}

static void set_ranks(struct odp_places *p, struct place_table *t)
{
    struct odp_arena scratch;
    odp_arena_init(&scratch);
    struct ranked *room = odp_arena_array(&scratch, t->nrows + 1, sizeof *room);
    struct around *around = odp_arena_zero(&scratch, p->nall + 1, sizeof *around);
    t->ranks =
        odp_arena_zero(&p->arena, (t->nrows + 1) * (t->ntimes + 1) * (t->nmeasures + 1), sizeof *t->ranks);
    for (size_t list = 0; list < p->nlists; list++)
        rank_list(t, list, room, around);
    p->arena.failed = p->arena.failed || scratch.failed;
    odp_arena_release(&scratch);
}

/* ---- a summary ---- */

static void set_times(struct place_table *t)
{
    const json_t *time = json_object_get(t->summary, "time");
    const size_t n = json_array_size(json_object_get(time, "values"));
    t->older = n > PLACES_TIMES ? n - PLACES_TIMES : 0;
    t->ntimes = n - t->older;
    t->panel = json_is_true(json_object_get(time, "panel"));
}

/* *FOUND: whether it has places of a list that is known, and figures that matter. */
static enum odp_status read_summary(struct odp_places *p, struct place_table *t, bool *found)
{
    *found = false;
    enum odp_status status = odp_job_read(p->job, t->path, &t->summary);
    if (t->summary == NULL)
        return status;
    odp_set(p->summaries, t->path, t->summary);
    t->level = places_list_of(p, odp_text_of(json_object_get(t->summary, "place"), "list"));
    set_times(t);
    set_measures(p, t);
    if (t->level == PLACES_NONE || t->nmeasures == 0)
        return ODP_OK;
    *found = true;
    set_rows(p, t);
    set_ranks(p, t);
    return ODP_OK;
}

bool places_need(struct odp_places *p, struct place_table *t)
{
    bool found;
    if (t->row_of == NULL && p->status == ODP_OK)
        p->status = read_summary(p, t, &found);
    return t->row_of != NULL && p->status == ODP_OK;
}

/* ---- which places a table tells of ---- */

static char marks_of(const struct place_table *t, const json_t *row)
{
    const size_t compared = place_time(t, place_row(t, NULL), 0);
    char marks = PLACE_ROW;
    if (compared != PLACES_NONE && place_value(t, row, compared, 0) != NULL)
        marks |= PLACE_CELL;
    for (size_t m = 0; m < t->nmeasures; m++)
        marks |= place_time(t, row, m) != PLACES_NONE ? PLACE_SECTION : 0;
    return marks;
}

static void keep(struct odp_buffer *kept, const char *text)
{
    odp_buffer_add(kept, text, strlen(text) + 1);
}

/* T->fields; of one whose places are another dataset's none: the codes are in no column of it. */
static enum odp_status keep_filters(const struct odp_places *p, const struct place_table *t,
                                    struct odp_buffer *kept)
{
    const json_t *place = json_object_get(t->summary, "place");
    const bool own = json_object_get(place, "through") == NULL;
    const char *field = odp_text_of(place, "field");
    json_t *schema = NULL;
    enum odp_status status = own ? odp_job_schema(p->job, t->slug, t->resource, &schema) : ODP_OK;
    for (size_t i = 0; i < p->nlists; i++) {
        const char *by = !own ? NULL : i == t->level ? field : filter_of(p, schema, field, i);
        keep(kept, by != NULL ? by : "");
    }
    json_decref(schema);
    return status;
}

/* What is kept of a table from build to build: the slug of the dataset that it tells through, its fields, and
 * a byte of marks for each place. Nothing: it has no places. */
static enum odp_status look_at(struct odp_places *p, struct place_table *t, struct odp_buffer *kept)
{
    bool found;
    enum odp_status status = read_summary(p, t, &found);
    if (status != ODP_OK || !found)
        return status;
    keep(kept, odp_text_of(json_object_get(json_object_get(t->summary, "place"), "through"), "dataset"));
    status = keep_filters(p, t, kept);
    for (size_t i = 0; i < p->nall; i++)
        odp_buffer_add_char(kept, t->row_of[i] > 0 ? marks_of(t, t->rows[t->row_of[i] - 1]) : 0);
    return status == ODP_OK ? odp_buffer_status(kept) : status;
}

/* KEPT becomes the text of a part (published/parts.h), so that summaries are read only where they have
 * changed. */
static enum odp_status get_kept(struct odp_places *p, struct place_table *t, struct odp_slice *kept)
{
    struct odp_buffer key = {0}, text = {0};
    odp_buffer_add(&key, p->lists_key, sizeof p->lists_key);
    odp_buffer_printf(&key, "%s\n%s", t->path, odp_text_of(t->resource, "schema"));
    enum odp_status status = odp_buffer_status(&key);
    if (status == ODP_OK)
        status = odp_part_begin(p->job->stage, places_printf(p, "figures/%s/%s", t->slug, t->name),
                                odp_buffer_slice(&key));
    if (status == ODP_OK) {
        status = look_at(p, t, &text);
        odp_part_set_text(p->job->stage, odp_buffer_slice(&text));
        status = odp_part_end(p->job->stage, status);
    }
    *kept = odp_part_text(p->job->stage);
    odp_buffer_release(&text);
    odp_buffer_release(&key);
    return status == ODP_DONE ? ODP_OK : status;
}

static void take_kept(struct odp_places *p, struct place_table *t, struct odp_slice kept)
{
    const char *text = kept.ptr;
    t->through = *text != '\0' ? odp_model_find(p->job->entries, "slug", text) : NULL;
    for (size_t i = 0; i < p->nlists; i++) {
        text += strlen(text) + 1;
        t->fields[i] = *text != '\0' ? text : NULL;
    }
    t->marks = text + strlen(text) + 1;
    for (size_t i = 0; i < p->nall; i++)
        p->all[i].known = p->all[i].known || t->marks[i] != 0;
}

/* ---- all of them ---- */

/* One table of a dataset, its INDEX-th; nothing where its summary has no places of a list that is known. */
static enum odp_status read_table(struct odp_places *p, const json_t *entry, size_t index)
{
    const json_t *resource = json_array_get(json_object_get(entry, "resources"), index);
    struct place_table *t = &p->tables[p->ntables];
    const char *slug = odp_text_of(entry, "slug"), *name = index > 0 ? odp_text_of(resource, "name") : "";
    struct odp_slice kept;
    *t = (struct place_table){.slug = slug,
                              .name = name,
                              .entry = entry,
                              .resource = resource,
                              .path = places_printf(p, "data/%s/%s/%s%s%s.summary.json", slug,
                                                    odp_text_of(entry, "version"), slug, index > 0 ? "-" : "",
                                                    name),
                              .explore = odp_path_explore(slug, ODP_LANG_ID, &p->arena)};
    enum odp_status status = get_kept(p, t, &kept);
    if (status == ODP_OK && kept.len > 0) {
        take_kept(p, t, kept);
        t->title =
            index > 0 ? odp_model_both_or(resource, "title", name) : odp_model_both_or(entry, "title", slug);
        odp_add(p->held, t->title);
        p->ntables++;
    }
    return status;
}

enum odp_status places_read_tables(struct odp_places *p)
{
    const json_t *entry;
    enum odp_status status = ODP_OK;
    size_t i, n = 0;
    json_array_foreach(p->job->entries, i, entry) n += json_array_size(json_object_get(entry, "resources"));
    p->tables = odp_arena_array(&p->arena, n + 1, sizeof *p->tables);
    json_array_foreach(p->job->entries, i, entry)
    {
        n = odp_model_is_list(entry) || p->nlists == 0 ? 0
                                                       : json_array_size(json_object_get(entry, "resources"));
        for (size_t k = 0; k < n && status == ODP_OK; k++)
            status = read_table(p, entry, k);
    }
    return status;
}
