/* tempat/peta-<list>.svg: where places are. The shapes of a list of boundaries, each with its code as id, so
 * that a page draws all of them and marks one: <use href="peta-provinsi.svg#32"/>. One file for all pages; an
 * equirectangular sketch, a unit is a tenth of a degree. */
#include "site/model/places.h"
#include "site/pages/pages_internal.h"

#include <math.h>

struct sketch {
    struct odp_buffer *out;
    double west, north;
};

/* "M12 3l1 0 0 1z"; nothing of a ring of fewer than three points that differ. */
static void add_ring(const struct sketch *s, const json_t *ring)
{
    enum { TENTHS = 10 };
    struct odp_buffer path = {0};
    const json_t *point;
    long x0 = 0, y0 = 0;
    size_t n = 0, i;
    json_array_foreach(ring, i, point)
    {
        const long x = lround((json_number_value(json_array_get(point, 0)) - s->west) * TENTHS),
                   y = lround((s->north - json_number_value(json_array_get(point, 1))) * TENTHS);
        if (n == 0)
            odp_buffer_printf(&path, "M%ld %ld", x, y);
        else if (x != x0 || y != y0)
            odp_buffer_printf(&path, "l%ld %ld", x - x0, y - y0);
        else
            continue;
        x0 = x;
        y0 = y;
        n++;
    }
    if (n > 3) {
        odp_buffer_add_slice(s->out, odp_buffer_slice(&path));
        odp_buffer_add_char(s->out, 'z');
    }
    odp_buffer_release(&path);
}

static void add_shape(const struct sketch *s, const json_t *geometry)
{
    const json_t *parts = json_object_get(geometry, "coordinates"), *polygon, *ring;
    const bool one = strcmp(odp_text_of(geometry, "type"), "Polygon") == 0;
    json_t *all = one ? json_pack("[O]", parts) : json_incref((json_t *)(uintptr_t)parts);
    size_t i, k;
    json_array_foreach(all, i, polygon) json_array_foreach(polygon, k, ring) add_ring(s, ring);
    json_decref(all);
}

/* The shapes of DOCUMENT (<slug>.map.geojson), whose places are those of LIST; into HERE: {code: true}. */
static void draw(struct portal *p, const json_t *document, const char *list, json_t *here,
                 struct odp_buffer *out)
{
    const json_t *box = json_object_get(document, "bbox"), *feature,
                 *key = json_array_get(json_object_get(json_object_get(document, "odp"), "key"), 0);
    const struct sketch s = {out, json_number_value(json_array_get(box, 0)),
                             json_number_value(json_array_get(box, 3))};
    size_t i;
    odp_buffer_add_str(out, "<svg xmlns=\"http://www.w3.org/2000/svg\"><g id=\"semua\">");
    json_array_foreach(json_object_get(document, "features"), i, feature)
    {
        const char *code = json_is_string(key)
                               ? odp_text_of(json_object_get(feature, "properties"), json_string_value(key))
                               : "";
        const struct odp_place *place = odp_places_find(p->job->places, list, code);
        if (place == NULL)
            continue;
        odp_buffer_printf(out, "<path id=\"t%s\" d=\"", code); /* a code with a page has no sign to escape */
        add_shape(&s, json_object_get(feature, "geometry"));
        odp_buffer_add_str(out, "\"/>");
        odp_set_flag(here, code, true);
    }
    odp_buffer_add_str(out, "</g></svg>\n");
}

static const char *box_of(struct portal *p, const json_t *document)
{
    const json_t *box = json_object_get(document, "bbox");
    double at[4];
    for (size_t i = 0; i < 4; i++)
        at[i] = json_number_value(json_array_get(box, i));
    return portal_printf(p, "0 0 %ld %ld", lround((at[2] - at[0]) * 10), lround((at[3] - at[1]) * 10));
}

json_t *portal_place_maps(struct portal *p)
{
    const json_t *entry;
    json_t *maps = json_object();
    size_t i;
    json_array_foreach(p->job->entries, i, entry)
    {
        const char *list = odp_text_of(entry, "boundaries_of"), *slug = odp_text_of(entry, "slug"),
                   *path = portal_printf(p, "%speta-%s.svg", odp_path(ODP_PATH_place_dir, ODP_LANG_ID), list);
        json_t *document = NULL, *here = json_object();
        struct odp_buffer svg = {0};
        if (*list != '\0' && json_object_get(maps, list) == NULL && p->status == ODP_OK)
            p->status = odp_job_read(
                p->job,
                portal_printf(p, "data/%s/%s/%s.map.geojson", slug, odp_text_of(entry, "version"), slug),
                &document);
        if (document != NULL)
            draw(p, document, list, here, &svg);
        if (json_object_size(here) > 0 && p->status == ODP_OK)
            p->status =
                odp_stage_put(p->job->stage, path, "image/svg+xml", ODP_CLASS_PUBLIC, odp_buffer_slice(&svg));
        if (json_object_size(here) > 0)
            odp_set(maps, list,
                    json_pack("{s:s, s:s, s:O}", "path", path, "box", box_of(p, document), "here", here));
        odp_buffer_release(&svg);
        json_decref(document);
        json_decref(here);
    }
    return maps;
}

/* {"path", "box", "code"} of the shape of PLACE, or of what it lies in; NULL: there is none. */
json_t *portal_place_map(const json_t *maps, const struct odp_place *place)
{
    for (; place != NULL; place = place->parent) {
        const json_t *map = json_object_get(maps, place->list);
        if (json_object_get(json_object_get(map, "here"), place->code) != NULL)
            return json_pack("{s:s, s:s, s:s}", "path", odp_text_of(map, "path"), "box",
                             odp_text_of(map, "box"), "code", place->code);
    }
    return NULL;
}
