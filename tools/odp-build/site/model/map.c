/* The map of a table: of its own shapes, of the places that it has figures for, or of both. */
#include "site/model/model_internal.h"

#include <string.h>

enum { UNASKED = 100000 }; /* bytes on the way: what a page may load that nobody asked for */

/* The number of each category, and its share. */
static json_t *make_categories(struct model *m, const json_t *about)
{
    const json_t *values = json_object_get(json_object_get(about, "category"), "values"), *v;
    json_int_t total = odp_model_number(about, "total"), counted = 0;
    json_t *rows = json_array();
    size_t i;
    json_array_foreach(values, i, v) counted += odp_model_number(v, "count");
    total = counted > total ? counted : total;
    json_array_foreach(values, i, v)
    {
        const json_int_t n = odp_model_number(v, "count"),
                         tenths = total > 0 ? (1000 * n + total / 2) / total : 0;
        json_t *label = odp_model_both_or(v, "label", model_scalar(m, json_object_get(v, "value")));
        odp_add(rows,
                json_pack("{s:o, s:I, s:o}", "label", label, "count", n, "share",
                          json_sprintf("%" JSON_INTEGER_FORMAT ".%d", tenths / 10, (int)(tenths % 10))));
    }
    return rows;
}

/* Bytes that a browser gets of the staged PATH. */
static json_int_t bytes_of(struct model *m, const char *path)
{
    const struct odp_site_file *sent = model_twin(m, path);
    if (sent == NULL)
        sent = odp_stage_find(m->job->stage, path);
    return sent != NULL ? (json_int_t)sent->size : 0;
}

const char *odp_model_boundaries(const struct odp_site_job *job, const char *list, struct odp_arena *a)
{
    const json_t *entry = *list != '\0' ? odp_model_find(job->entries, "boundaries_of", list) : NULL;
    const char *slug = odp_text_of(entry, "slug");
    return entry == NULL ? ""
                         : odp_model_staged(job, odp_arena_printf(a, "data/%s/%s/%s.map.geojson", slug,
                                                                  odp_text_of(entry, "version"), slug));
}

static const char *boundaries_of(struct model *m, const char *list)
{
    return odp_model_boundaries(m->job, list, &m->arena);
}

/* The finest level of SUMMARY's places that has boundaries: 0 its own, 1 the one above; 2: none. */
static size_t level_of(struct model *m, const json_t *place, const char *const *lists)
{
    size_t level = 0;
    while (level < 2 && *boundaries_of(m, odp_text_of(place, lists[level])) == '\0')
        level++;
    return level;
}

static json_t *title_of(struct model *m, const char *list)
{
    return odp_model_both_or(odp_job_entry(m->job, list), "title", list);
}

static const char *labels_of(struct model *m, const char *list, const char *edition)
{
    return odp_model_staged(m->job, model_printf(m, "data/%s/labels-%s.json", list, edition));
}

/* The places above, where they have boundaries, too: readers choose. */
static void set_above(struct model *m, const json_t *place, json_t *map)
{
    const char *list = odp_text_of(place, "parent"), *boundaries = boundaries_of(m, list);
    if (*boundaries != '\0')
        odp_set(map, "above",
                json_pack("{s:s, s:o, s:s, s:s}", "level", list, "title", title_of(m, list), "boundaries",
                          boundaries, "labels", labels_of(m, list, odp_text_of(place, "parent_edition"))));
}

/* What a choropleth is made of, into MAP; nothing where the table has no places with boundaries. */
static void set_areas(struct model *m, const struct table *t, json_t *map)
{
    static const char *const lists[] = {"list", "parent", ""}, *const editions[] = {"edition",
                                                                                    "parent_edition", ""};
    const char *path =
        model_printf(m, "data/%s/%s/%s%s.summary.json", m->slug, m->version, m->slug, t->suffix);
    json_t *summary = NULL;
    if (m->status == ODP_OK)
        m->status = odp_model_summary(m->job, path, &summary);
    const json_t *place = json_object_get(summary, "place");
    const size_t level = level_of(m, place, lists);
    const char *list = odp_text_of(place, lists[level]), *boundaries = boundaries_of(m, list);
    if (*boundaries != '\0' && *odp_text_of(m->entry, "boundaries_of") == '\0') {
        if (level == 0)
            set_above(m, place, map);
        odp_set_str(map, "summary", path);
        odp_set_str(map, "level", list);
        odp_set(map, "level_title", title_of(m, list));
        odp_set_str(map, "boundaries", boundaries);
        odp_set_str(map, "labels", labels_of(m, list, odp_text_of(place, editions[level])));
        odp_set_number(map, "bytes", bytes_of(m, boundaries));
        const char *holder = odp_text_of(json_object_get(place, "through"), "dataset");
        if (*holder != '\0' && strcmp(holder, m->slug) != 0)
            odp_set(map, "through", json_pack("{s:s, s:o}", "slug", holder, "title", title_of(m, holder)));
    }
    json_decref(summary);
}

static void set_shapes(struct model *m, const struct table *t, json_t *map)
{
    const char *path =
        model_printf(m, "data/%s/%s/%s%s.map.geojson", m->slug, m->version, m->slug, t->suffix);
    json_t *document = model_read(m, path);
    const json_t *about = json_object_get(document, "odp");
    if (document == NULL)
        return;
    odp_set_str(map, "path", path);
    odp_set_number(map, "bytes", bytes_of(m, path));
    odp_set(map, "field", odp_model_both(json_object_get(about, "category"), "title"));
    odp_set(map, "rows", make_categories(m, about));
    odp_set(map, "geojson", document);
}

void model_map(struct model *m, struct table *t)
{
    json_t *map = json_object();
    set_areas(m, t, map);
    set_shapes(m, t, map);
    if (json_object_size(map) > 0) {
        odp_set(map, "asked", json_boolean(odp_model_number(map, "bytes") > UNASKED));
        odp_set(map, "embed", json_sprintf("%s/peta%s.html", m->slug, t->suffix));
        odp_set(t->o, "map", json_incref(map));
    }
    json_decref(map);
}
