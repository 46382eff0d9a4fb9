/* The first records, as cells, and the configuration of the page's script for the others.
 *
 * The script sorts, filters and searches all records, in a published file that it reads on demand. */
#include "site/model/model_internal.h"

enum {
    ROWS = 10,
    FIELDS = 200,
    LABELS = 1000,
    LONG = 400,
    WHOLE_MAX = 2000000 /* bytes: what a telephone may load and sort (docs/formats.md) */
};

/* ---- cells ---- */

/* Cut between characters; the downloads have all of it. */
static json_t *shortened(const char *text)
{
    size_t n = LONG;
    if (strlen(text) <= LONG)
        return json_string(text);
    while (n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80)
        n--;
    return json_sprintf("%.*s…", (int)n, text);
}

/* A cell, and its link: a document of this version (its path), or an address of the web. */
static json_t *make_cell(struct model *m, const struct table *t, const json_t *field, const json_t *value)
{
    const char *text = json_string_value(value), *path = "", *href = "";
    json_t *shown = text != NULL ? model_shown(m, field, text) : json_string("");
    if (text != NULL && json_object_get(field, "odp:document") != NULL)
        path = odp_model_staged(m->job, model_printf(m, "data/%s/%s/%s", m->slug, m->version, text));
    else if (text != NULL && strcmp(odp_text_of(field, "format"), "uri") == 0 &&
             (strncmp(text, "https://", 8) == 0 || strncmp(text, "http://", 7) == 0))
        href = text;
    json_t *o = json_pack(
        "{s:o, s:s, s:s, s:b, s:b, s:b}", "text",
        json_is_string(shown) ? shortened(json_string_value(shown)) : json_incref(shown), "path", path,
        "href", href, "is_null", (int)(text == NULL), "is_number", (int)model_is_number(field), "is_key",
        (int)odp_model_has(json_object_get(t->schema, "primaryKey"), odp_text_of(field, "name")));
    json_decref(shown);
    return o;
}

/* Names of columns are strings, else "". */
static const char *name_of(const json_t *name)
{
    return json_is_string(name) ? json_string_value(name) : "";
}

static size_t index_of(const json_t *names, const char *name)
{
    size_t i = 0;
    while (i < json_array_size(names) && strcmp(name_of(json_array_get(names, i)), name) != 0)
        i++;
    return i;
}

/* "31.72-0001"; parts of a composite key with commas, as in the API's addresses; "" without a key. */
static const char *key_of(struct model *m, const struct table *t, const json_t *names, const json_t *row)
{
    const json_t *part;
    const char *all = "";
    size_t k;
    json_array_foreach(json_object_get(t->schema, "primaryKey"), k, part)
    {
        const char *value = json_string_value(json_array_get(row, index_of(names, name_of(part))));
        if (value == NULL)
            return "";
        all = k > 0 ? model_printf(m, "%s,%s", all, value) : value;
    }
    return all;
}

/* ---- for the script ---- */

static const char *const up[] = {
    [ODP_LANG_ID] = "../", [ODP_LANG_EN] = "../../"}; /* from the page to the site's root */

/* In one pass: a field may have a hundred thousand categories. */
static json_t *labels_of(struct model *m, const json_t *field, enum odp_lang lang)
{
    const json_t *c;
    json_t *labels = json_object();
    size_t i;
    json_array_foreach(json_object_get(field, "categories"), i, c)
    {
        const char *value = model_scalar(m, json_is_object(c) ? json_object_get(c, "value") : c);
        json_t *o = json_pack("{s:o}", "in",
                              json_object_get(c, "odp:label") != NULL ? odp_model_both(c, "odp:label")
                                                                      : model_shown(m, field, value));
        odp_set_str(labels, value, odp_model_in(o, "in", lang));
        json_decref(o);
    }
    return labels;
}

/* The file with all records: the smallest that the script can read, else one to download. "kind" only if the
 * script shall read it. NULL: none, since a PDF may be an excerpt. */
static json_t *whole_of(const struct table *t, enum odp_lang lang)
{
    static const char *const readable[] = {"csv", "json", "geojson"}; /* of lib/records.js */
    const json_t *best = NULL, *other = NULL, *file;
    struct odp_buffer size = {0};
    size_t i;
    json_array_foreach(json_object_get(t->o, "files"), i, file)
    {
        bool known = false;
        for (size_t k = 0; k < sizeof readable / sizeof *readable; k++)
            known = known || strcmp(odp_text_of(file, "form"), readable[k]) == 0;
        if (known && (best == NULL || odp_model_number(file, "bytes") < odp_model_number(best, "bytes")))
            best = file;
        else if (strcmp(odp_text_of(file, "form"), "pdf") != 0)
            other = file;
    }
    file = best != NULL ? best : other;
    if (file == NULL)
        return NULL;
    const json_int_t bytes = odp_model_number(file, "bytes");
    odp_text_size(&size, (uint64_t)bytes, lang);
    json_t *o = json_pack("{s:s+, s:s, s:s, s:s*}", "href", up[lang], odp_text_of(file, "path"), "name",
                          odp_text_of(file, "name"), "size", odp_buffer_cstr(&size), "kind",
                          best != NULL && bytes <= WHOLE_MAX ? odp_text_of(best, "form") : NULL);
    odp_buffer_release(&size);
    return o;
}

static json_t *config_field(struct model *m, const json_t *field, const char *name, enum odp_lang lang)
{
    const char *title = odp_model_in(field, "odp:title", lang);
    const size_t n = json_array_size(json_object_get(field, "categories"));
    const bool few =
        n > 0 && n <= LABELS; /* with more the table shows the codes: the page would be megabytes */
    json_t *o = json_pack("{s:s, s:s, s:s, s:s}", "name", name, "title", *title != '\0' ? title : name,
                          "unit", odp_model_in(field, "odp:unit", lang), "type", odp_text_of(field, "type"));
    if (json_object_get(field, "odp:document") != NULL)
        odp_set(o, "folder", json_sprintf("%sdata/%s/%s/", up[lang], m->slug, m->version));
    if (strcmp(odp_text_of(field, "format"), "uri") == 0)
        odp_set_flag(o, "uri", true);
    if (few)
        odp_set(o, "labels", labels_of(m, field, lang));
    if (few && json_is_true(json_object_get(field, "categoriesOrdered")))
        odp_set_flag(o, "ordered", true);
    return o;
}

static json_t *make_config(struct model *m, const struct table *t, enum odp_lang lang)
{
    const json_t *key = json_object_get(t->schema, "primaryKey"), *one;
    json_t *fields = json_array();
    size_t i;
    json_array_foreach(json_object_get(t->preview, "fields"), i, one)
        odp_add(fields, config_field(m, model_field(t->schema, name_of(one)), name_of(one), lang));
    return json_pack("{s:o, s:O, s:o*, s:o}", "fields", fields, "total", json_object_get(t->preview, "total"),
                     "whole", whole_of(t, lang), "key", key != NULL ? json_deep_copy(key) : json_array());
}

/* ---- the table ---- */

static json_t *make_row(struct model *m, const struct table *t, const json_t *names, const json_t *row,
                        size_t k)
{
    const json_t *name;
    json_t *cells = json_array();
    size_t i;
    json_array_foreach(names, i, name) if (i < FIELDS)
        odp_add(cells, make_cell(m, t, model_field(t->schema, name_of(name)), json_array_get(row, i)));
    return json_pack("{s:o, s:o, s:s}", "cells", cells, "number", json_sprintf("%zu", k + 1), "key",
                     key_of(m, t, names, row));
}

void model_preview(struct model *m, struct table *t)
{
    const json_t *names = json_object_get(t->preview, "fields"), *one;
    json_t *head = json_array(), *list = json_array();
    size_t i;
    json_array_foreach(names, i, one)
    {
        const json_t *field = model_field(t->schema, name_of(one));
        if (i < FIELDS)
            odp_add(head,
                    json_pack("{s:o, s:o, s:b}", "heading", model_heading(field, name_of(one)), "unit",
                              odp_model_both(field, "odp:unit"), "is_number", (int)model_is_number(field)));
    }
    json_array_foreach(json_object_get(t->preview, "rows"), i, one) if (i < ROWS)
        odp_add(list, make_row(m, t, names, one, i));
    json_t *o = json_pack("{s:I, s:I, s:o, s:o}", "first", (json_int_t)json_array_size(list), "total",
                          odp_model_number(t->preview, "total"), "head", head, "list", list);
    if (json_array_size(names) > 0) {
        odp_set(o, "path",
                json_sprintf("data/%s/%s/%s%s.preview.json", m->slug, m->version, m->slug, t->suffix));
        odp_set(o, "config_id", make_config(m, t, ODP_LANG_ID));
        odp_set(o, "config_en", make_config(m, t, ODP_LANG_EN));
        odp_set(t->o, "preview", json_incref(o));
    }
    json_decref(o);
}
