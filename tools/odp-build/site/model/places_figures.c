/* The figures of a place in every table, beside those of what it lies in and of all places together: by time,
 * and where it stands. */
#include "site/model/places_internal.h"

enum { SPARK_LEAST = 3, SPARK_MOST = 15, SPARK_WIDTH = 100, SPARK_HEIGHT = 28, SPARK_EDGE = 2 };

/* ---- one figure ---- */

/* "4.2" of 0.0421 parts of one. */
static json_t *make_percent(double part)
{
    const double tenths = 1000 * (part < 0 ? -part : part) + .5;
    const json_int_t n = tenths < 1e15 ? (json_int_t)tenths : 0;
    return json_sprintf("%" JSON_INTEGER_FORMAT ".%d", n / 10, (int)(n % 10));
}

/* From the time before that has a value; of a percentage in points. */
static void set_change(json_t *o, const struct place_table *t, const json_t *row, size_t m, bool percent)
{
    size_t time = place_time(t, row, m), from = time;
    const json_t *before = NULL;
    while (t->panel && before == NULL && from-- > 0)
        before = place_value(t, row, from, m);
    if (before == NULL)
        return;
    const double a = json_number_value(place_value(t, row, time, m)), b = json_number_value(before);
    if (!percent && b <= 0)
        return;
    json_t *by = make_percent(percent ? (a - b) / 100 : (a - b) / b);
    if (strcmp(json_string_value(by), "0.0") != 0)
        odp_set(o, "change",
                json_pack("{s:O, s:b, s:b, s:b, s:o}", "value", by, "is_points", (int)percent, "is_up",
                          (int)(a > b), "is_down", (int)(a < b), "from",
                          odp_model_time(place_time_name(t, from))));
    json_decref(by);
}

/* *V: the value at TIME. What has no record at a time has none of what is counted there. */
static bool point_of(const struct place_table *t, const json_t *row, size_t time, size_t m, double *v)
{
    const json_t *value = place_value(t, row, time, m);
    *v = json_number_value(value);
    return value != NULL || (!t->panel && !t->means[m]);
}

/* The values by time as points of a line. */
static void set_spark(json_t *o, const struct place_table *t, const json_t *row, size_t m)
{
    enum { LOWEST = SPARK_HEIGHT - SPARK_EDGE, HIGH = SPARK_HEIGHT - 2 * SPARK_EDGE };
    const size_t first = t->ntimes > SPARK_MOST ? t->ntimes - SPARK_MOST : 0;
    double low = 0, high = 0, v;
    size_t seen = 0;
    struct odp_buffer points = {0};
    for (size_t i = first; i < t->ntimes; i++) {
        if (!point_of(t, row, i, m, &v))
            continue;
        low = seen == 0 || v < low ? v : low;
        high = seen == 0 || v > high ? v : high;
        seen++;
    }
    if (seen < SPARK_LEAST)
        return;
    for (size_t i = first; i < t->ntimes; i++) {
        if (!point_of(t, row, i, m, &v))
            continue;
        if (points.len > 0)
            odp_buffer_add_char(&points, ' ');
        odp_buffer_add_u64(&points, (i - first) * SPARK_WIDTH / (t->ntimes - 1 - first));
        odp_buffer_add_char(&points, ',');
        odp_buffer_add_u64(&points,
                           (uint64_t)(LOWEST - HIGH * (high > low ? (v - low) / (high - low) : .5) + .5));
    }
    odp_set(o, "spark",
            json_pack("{s:s, s:o, s:o}", "points", odp_buffer_cstr(&points), "from",
                      odp_model_time(place_time_name(t, first)), "to",
                      odp_model_time(place_time_name(t, t->ntimes - 1))));
    odp_buffer_release(&points);
}

static void set_rank(json_t *o, const struct place_rank *r)
{
    if (r->rank > 0 && r->of > 1)
        odp_set(o, "rank", json_pack("{s:I, s:I}", "at", (json_int_t)r->rank, "of", (json_int_t)r->of));
    if (r->inner > 0 && r->inner_of > 1)
        odp_set(o, "inner",
                json_pack("{s:I, s:I}", "at", (json_int_t)r->inner, "of", (json_int_t)r->inner_of));
}

static void set_beside(json_t *o, const char *key, const struct place_table *t, const struct odp_place *place,
                       size_t time, size_t m)
{
    json_t *value = place_shown(t, place_value(t, place_row(t, place), time, m), m);
    if (value != NULL)
        odp_set(o, key, value);
}

/* Measure M of PLACE (NULL: of all places); NULL: there is no value. */
static json_t *make_item(const struct place_table *t, const struct odp_place *place, size_t m, size_t newest)
{
    const json_t *row = place_row(t, place);
    const size_t time = place_time(t, row, m);
    if (time == PLACES_NONE)
        return NULL;
    const json_t *value = place_value(t, row, time, m);
    const bool counts = places_counts(t->shown[m]);
    json_t *measure = t->shown[m],
           *o = json_pack("{s:O, s:o}", "measure", measure, "value", place_shown(t, value, m));
    odp_set(o, "unit",
            counts ? odp_model_noun(t->summary, json_number_value(value))
                   : json_incref(json_object_get(measure, "unit")));
    if (time != newest)
        odp_set(o, "time", odp_model_time(place_time_name(t, time)));
    set_change(o, t, row, m, json_is_true(json_object_get(measure, "is_percent")));
    set_spark(o, t, row, m);
    if (place == NULL)
        return o;
    set_rank(o, place_rank(t, place, time, m));
    set_beside(o, "nation", t, NULL, time, m);
    if (place->parent != NULL)
        set_beside(o, "above", t, place->parent, time, m);
    return o;
}

/* ---- a table ---- */

/* "kode_kabkota = '32.73'": CQL2. A code with a page has no quote in it. */
static const char *filter_text(const struct place_table *t, const struct odp_place *place, char *room,
                               size_t size)
{
    const char *field = t->fields[place->level];
    bool plain = field != NULL && !(*field >= '0' && *field <= '9');
    for (const char *c = field; plain && *c != '\0'; c++)
        plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || *c == '_';
    int n = plain ? snprintf(room, size, "%s = '%s'", field, place->code) : 0;
    return n > 0 && (size_t)n < size ? room : "";
}

/* The newest time that a figure of ROW is of; of what is no panel NTIMES. */
static size_t newest_time(const struct place_table *t, const json_t *row)
{
    size_t newest = t->panel ? 0 : t->ntimes;
    for (size_t m = 0; m < t->nmeasures && t->panel; m++) {
        const size_t time = place_time(t, row, m);
        newest = time != PLACES_NONE && time > newest ? time : newest;
    }
    return newest;
}

/* The time of all figures: "2023", or "2014" to "2023". */
static void set_times(json_t *o, const struct place_table *t, size_t newest)
{
    if (t->ntimes > 0)
        odp_set(o, "until", odp_model_time(place_time_name(t, t->panel ? newest : t->ntimes - 1)));
    if (!t->panel && t->ntimes > 1 && t->older == 0)
        odp_set(o, "since", odp_model_time(place_time_name(t, 0)));
}

json_t *odp_place_table_facts(struct odp_places *p, struct place_table *t, const struct odp_place *place)
{
    char filter[400];
    if (!places_need(p, t))
        return NULL;
    const json_t *row = place_row(t, place);
    const size_t newest = newest_time(t, row);
    json_t *items = json_array();
    for (size_t m = 0; m < t->nmeasures && row != NULL; m++) {
        json_t *item = make_item(t, place, m, newest);
        if (item != NULL)
            odp_add(items, item);
    }
    if (json_array_size(items) == 0) {
        json_decref(items);
        return NULL;
    }
    json_t *o = json_pack("{s:s, s:s, s:O, s:o, s:s, s:o}", "slug", t->slug, "table", t->name, "title",
                          t->title, "record", odp_model_both(t->summary, "record"), "filter",
                          place != NULL ? filter_text(t, place, filter, sizeof filter) : "", "items", items);
    odp_set_flag(o, "has_rows", t->through == NULL && odp_model_is_staged(p->job, t->explore));
    if (t->through != NULL && t->through != t->entry)
        odp_set(o, "through",
                json_pack("{s:s, s:o}", "slug", odp_text_of(t->through, "slug"), "title",
                          odp_model_both_or(t->through, "title", odp_text_of(t->through, "slug"))));
    set_times(o, t, newest);
    return o;
}

struct place_table *odp_place_next_table(const struct odp_places *p, const struct odp_place *place,
                                         const struct place_table *last)
{
    for (size_t i = last != NULL ? (size_t)(last - p->tables) + 1 : 0; i < p->ntables; i++)
        if (place_has(&p->tables[i], place, PLACE_ROW))
            return &p->tables[i];
    return NULL;
}
