/* katalog/<slug>/ms-keg.xlsx, ms-var.xlsx, ms-ind.xlsx: statistical metadata as BPS collects it (Peraturan
 * BPS 5/2020): of the activity, the variables, the indicators. The portal fills in what it knows;
 * sdi:kegiatan and sdi:indikator have what only the producer knows; the rest is blank, and the sheet says how
 * much that is. The sheets are Indonesian.
 *
 * A sheet is JSON that a template (templates/documents/pages/ms-*.json) makes of the dataset's document;
 * workbook.c writes it. Every dataset has MS-Keg, where each row says who filled it. MS-Var is made of the
 * published schema, so it has public fields only. MS-Ind exists only if sdi:indikator is declared. Members
 * and titles are catalog/activity.def, one list for the check (ODP-C29) and the sheets. Blocks are the
 * regulation's nine; the rows within follow BPS's form as far as it is known. */
#include "site/metadata/metadata_internal.h"

static const struct activity_row {
    const char *block, *name, *title; /* NAME NULL: a block begins */
} activity[] = {
#define ODP_ACTIVITY_BLOCK(name, title)        {name, NULL, title},
#define ODP_ACTIVITY(block, name, kind, title) {block, name, title},
#include "catalog/activity.def"
};

static const struct indicator_column {
    const char *name, *title;
} indicators[] = {
#define ODP_INDICATOR(name, kind, title) {name, title},
#include "catalog/activity.def"
};

/* One value of sdi:kegiatan or sdi:indikator, or "". */
static const char *one_shown(struct odp_metadata *m, const json_t *v)
{
    if (json_is_boolean(v))
        return json_is_true(v) ? "Ya" : "Tidak";
    if (json_is_integer(v))
        return metadata_printf(m, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
    const char *id = odp_text_of(v, "id");
    if (json_is_object(v))
        return *id != '\0' ? id : odp_text_of(v, "en");
    return json_is_string(v) ? json_string_value(v) : "";
}

/* The same; values of a list joined by "; ". */
static const char *shown(struct odp_metadata *m, const json_t *v)
{
    const char *all = "";
    const json_t *one;
    size_t i;
    if (!json_is_array(v))
        return one_shown(m, v);
    json_array_foreach(v, i, one) all =
        metadata_printf(m, "%s%s%s", all, i > 0 ? "; " : "", one_shown(m, one));
    return all;
}

/* The producer's value, else the portal's ("ms-known": {"identitas.judul": "…"}). */
static json_t *activity_row(struct odp_metadata *m, const json_t *said, const json_t *known,
                            const struct activity_row *row, const char *number)
{
    const char *value = shown(m, json_object_get(json_object_get(said, row->block), row->name));
    const bool own = *value != '\0';
    if (!own)
        value = odp_text_of(known, metadata_printf(m, "%s.%s", row->block, row->name));
    return json_pack("{s:s, s:s, s:s, s:b, s:b}", "number", number, "title", row->title, "value", value,
                     "by_producer", own, "by_portal", !own && *value != '\0');
}

static void put_activity(struct odp_metadata *m, json_t *document, const json_t *entry)
{
    const json_t *said = json_object_get(entry, "sdi:kegiatan");
    json_t *coded = json_copy(document), *data = json_copy(document), *blocks = json_array(), *rows = NULL;
    json_int_t total = 0, blank = 0;
    odp_set(coded, "activity_code", odp_model_both(entry, "sdi:kodeKegiatan"));
    json_t *known = metadata_json_take(m, "ms-known", ODP_LANG_ID, coded);
    for (size_t i = 0; i < ODP_COUNT(activity); i++) {
        if (activity[i].name == NULL) {
            rows = json_array();
            odp_add(blocks,
                    json_pack("{s:o, s:s, s:o}", "number", json_sprintf("%zu", json_array_size(blocks) + 1),
                              "title", activity[i].title, "rows", rows));
            continue;
        }
        json_t *row =
            activity_row(m, said, known, &activity[i],
                         metadata_printf(m, "%zu.%zu", json_array_size(blocks), json_array_size(rows) + 1));
        blank += *odp_text_of(row, "value") == '\0';
        total++;
        odp_add(rows, row);
    }
    odp_set(data, "blocks", blocks);
    odp_set_number(data, "total", total);
    odp_set_number(data, "blank", blank);
    metadata_workbook_take(m, "ms-keg", document, data);
    json_decref(known);
}

static void put_indicators(struct odp_metadata *m, json_t *document, const json_t *list)
{
    const size_t n = ODP_COUNT(indicators);
    const json_t *one;
    json_t *titles = json_array(), *rows = json_array(), *data = json_copy(document);
    size_t i;
    for (size_t k = 0; k < n; k++)
        odp_add(titles, json_string(indicators[k].title));
    json_array_foreach(list, i, one)
    {
        json_t *cells = json_array();
        for (size_t k = 0; k < n; k++)
            odp_add(cells, json_string(shown(m, json_object_get(one, indicators[k].name))));
        odp_add(rows, json_pack("{s:i, s:o}", "number", (int)i + 1, "cells", cells));
    }
    odp_set(data, "titles", titles);
    odp_set(data, "rows", rows);
    metadata_workbook_take(m, "ms-ind", document, data);
}

void metadata_sheets(struct odp_metadata *m, json_t *document, const json_t *entry)
{
    const json_t *said = json_object_get(json_object_get(entry, "sdi:kegiatan"), "identitas"),
                 *list = json_object_get(entry, "sdi:indikator");
    const char *title = shown(m, json_object_get(said, "judul"));
    json_t *named = json_copy(document);
    odp_set(named, "activity",
            *title != '\0' ? json_string(title) : json_incref(json_object_get(document, "title")));
    put_activity(m, named, entry);
    metadata_workbook_take(m, "ms-var", named, json_copy(named));
    if (json_array_size(list) > 0)
        put_indicators(m, named, list);
    json_decref(named);
}
