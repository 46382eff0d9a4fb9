/* All figures of a place as files: CSV and JSON, a line for each table, measure that matters and time. */
#include "base/json.h"
#include "site/model/places_internal.h"

/* One figure beside the others; a number that is not there is NULL. */
struct line {
    const char *time; /* "" of the total */
    const json_t *value, *above, *all;
    const struct place_rank *rank;
};

/* What T says of PLACE's measure M at TIME. False: nothing. */
static bool find_line(const struct place_table *t, const struct odp_place *place, size_t time, size_t m,
                      struct line *out)
{
    *out = (struct line){.time = time < t->ntimes ? json_string_value(place_time_name(t, time)) : "",
                         .value = place_value(t, place_row(t, place), time, m),
                         .above = place->parent != NULL ? place_value(t, place_row(t, place->parent), time, m)
                                                        : NULL,
                         .all = place_value(t, place_row(t, NULL), time, m),
                         .rank = place_rank(t, place, time, m)};
    return out->value != NULL;
}

/* How many times a table tells; the total of a panel is its last time. */
static size_t times_of(const struct place_table *t)
{
    return t->ntimes + (t->panel ? 0 : 1);
}

static void add_number(struct odp_buffer *out, const json_t *value)
{
    if (json_is_integer(value))
        odp_buffer_printf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        odp_buffer_printf(out, "%.15g", json_real_value(value));
}

/* ---- CSV ---- */

static void csv_rank(struct odp_buffer *out, uint32_t at, uint32_t of)
{
    odp_buffer_add_char(out, ',');
    if (at > 0)
        odp_buffer_add_u64(out, at);
    odp_buffer_add_char(out, ',');
    if (at > 0)
        odp_buffer_add_u64(out, of);
}

static void csv_line(struct odp_buffer *out, const char *begin, const struct line *l)
{
    const json_t *const numbers[] = {l->value, l->above, l->all};
    odp_buffer_add_str(out, begin);
    odp_buffer_add_str(out, l->time);
    for (size_t k = 0; k < 3; k++) {
        odp_buffer_add_char(out, ',');
        add_number(out, numbers[k]);
    }
    csv_rank(out, l->rank->rank, l->rank->of);
    csv_rank(out, l->rank->inner, l->rank->inner_of);
    odp_buffer_add_str(out, "\r\n");
}

void odp_place_csv_begin(struct odp_buffer *out)
{
    odp_buffer_add_str(
        out, "dataset,measure,title,unit,time,value,province,nation,rank,of,province_rank,province_of\r\n");
}

void odp_place_csv(struct odp_places *p, struct place_table *t, const struct odp_place *place,
                   struct odp_buffer *out)
{
    struct line line;
    for (size_t m = 0; places_need(p, t) && m < t->nmeasures; m++)
        for (size_t time = 0; time < times_of(t); time++)
            if (find_line(t, place, time, m, &line))
                csv_line(out, t->csv[m], &line);
}

/* ---- JSON ---- */

static void add_name(struct odp_buffer *out, const json_t *name)
{
    odp_json_add_str(out, "{\"id\":", odp_text_of(name, "id"));
    odp_json_add_str(out, ",\"en\":", odp_text_of(name, "en"));
    odp_buffer_add_char(out, '}');
}

static void json_member(struct odp_buffer *out, const char *name, const json_t *value)
{
    if (value == NULL)
        return;
    odp_buffer_printf(out, ",\"%s\":", name);
    add_number(out, value);
}

static void json_line(struct odp_buffer *out, const struct line *l)
{
    const struct place_rank *r = l->rank;
    odp_buffer_add_char(out, '{');
    if (*l->time != '\0')
        odp_json_add_str(out, "\"time\":", l->time);
    odp_buffer_add_str(out, *l->time != '\0' ? ",\"value\":" : "\"value\":");
    add_number(out, l->value);
    json_member(out, "province", l->above);
    json_member(out, "nation", l->all);
    if (r->rank > 0)
        odp_buffer_printf(out, ",\"rank\":%u,\"of\":%u", r->rank, r->of);
    if (r->inner > 0)
        odp_buffer_printf(out, ",\"province_rank\":%u,\"province_of\":%u", r->inner, r->inner_of);
    odp_buffer_add_char(out, '}');
}

/* How measure M's member begins. */
static void json_begin(struct odp_buffer *out, const struct place_table *t, size_t m)
{
    static const char *const texts[] = {"title", "label", "unit"};
    const json_t *measure = json_array_get(json_object_get(t->summary, "measures"), t->measures[m]), *text;
    odp_json_add_str(out, "{\"dataset\":", t->slug);
    if (*t->name != '\0')
        odp_json_add_str(out, ",\"resource\":", t->name);
    odp_json_add_str(out, ",\"measure\":", odp_text_of(measure, "name"));
    odp_json_add_str(out, ",\"aggregate\":", odp_text_of(measure, "aggregate"));
    for (size_t k = 0; k < 3; k++) {
        if ((text = json_object_get(measure, texts[k])) == NULL)
            continue;
        odp_buffer_printf(out, ",\"%s\":", texts[k]);
        add_name(out, text);
    }
    odp_buffer_add_str(out, ",\"values\":[");
}

static void json_measure(struct odp_buffer *out, const struct place_table *t, const struct odp_place *place,
                         size_t m, const char **between)
{
    const size_t begin = out->len;
    struct line line;
    const char *before = "";
    odp_buffer_add_str(out, *between);
    json_begin(out, t, m);
    for (size_t time = 0; time < times_of(t); time++) {
        if (!find_line(t, place, time, m, &line))
            continue;
        odp_buffer_add_str(out, before);
        json_line(out, &line);
        before = ",";
    }
    if (*before == '\0') {
        out->len = begin;
    } else {
        odp_buffer_add_str(out, "]}");
        *between = ",\n";
    }
}

void odp_place_json(struct odp_places *p, struct place_table *t, const struct odp_place *place,
                    struct odp_buffer *out)
{
    const char *between = "";
    for (size_t m = 0; places_need(p, t) && m < t->nmeasures; m++)
        json_measure(out, t, place, m, &between);
}

void odp_place_json_begin(const struct odp_place *place, struct odp_buffer *out)
{
    odp_json_add_str(out, "{\"code\":", place->code);
    odp_buffer_add_str(out, ",\"name\":");
    add_name(out, place->name);
    odp_json_add_str(out, ",\"list\":", place->list);
    if (place->parent != NULL)
        odp_json_add_str(out, ",\"parent\":", place->parent->code);
    odp_buffer_add_str(out, ",\"data\":[\n");
}

void odp_place_json_end(struct odp_buffer *out)
{
    odp_buffer_add_str(out, "\n],\"status\":\"success\"}\n");
}
