/* The first records, as cells: ten on the dataset's page, a screen full where all are explored. */
#include "site/model/model_internal.h"

enum {
    ROWS = 25,
    FIELDS = 200,
    LONG = 400,
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

/* A cell, with the code of a name; and its link: the page of a place, a document of this version, or an
 * address of the web. */
static json_t *make_cell(struct model *m, const struct table *t, const json_t *field, const json_t *value)
{
    const char *text = json_string_value(value), *path = "", *href = "";
    json_t *name = text != NULL ? model_label(m, t->schema, odp_text_of(field, "name"), text) : NULL,
           *shown = json_incref(name);
    if (shown == NULL)
        shown = text != NULL ? model_shown(m, field, text) : json_string("");
    if (text != NULL && json_object_get(field, "odp:document") != NULL)
        path = odp_model_staged(m->job, model_printf(m, "data/%s/%s/%s", m->slug, m->version, text));
    else if (text != NULL && strcmp(odp_text_of(field, "format"), "uri") == 0 &&
             (strncmp(text, "https://", 8) == 0 || strncmp(text, "http://", 7) == 0))
        href = text;
    const json_t *list = name != NULL ? model_list_of(t->schema, odp_text_of(field, "name")) : NULL;
    json_t *cell = json_is_string(shown) ? shortened(json_string_value(shown)) : json_incref(shown),
           *page = list != NULL ? model_place_page(m->job, odp_text_of(list, "dataset"), text, &m->arena)
                                : json_string(path);
    json_t *o = json_pack(
        "{s:o, s:s, s:o, s:s, s:b, s:b, s:b}", "text", cell, "code", name != NULL ? text : "", "path", page,
        "href", href, "is_null", (int)(text == NULL), "is_number", (int)model_is_number(field), "is_key",
        (int)odp_model_has(json_object_get(t->schema, "primaryKey"), odp_text_of(field, "name")));
    json_decref(shown);
    json_decref(name);
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
        odp_set(o, "embed", json_sprintf("%s/tabel%s.html", m->slug, t->suffix));
        odp_set(t->o, "preview", json_incref(o));
    }
    json_decref(o);
}
