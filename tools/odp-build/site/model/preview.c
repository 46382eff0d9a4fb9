/* The first records, as cells, and what the page's script needs to show the others ("config").
 *
 * The script sorts, filters and searches all records, of a published file that it reads when somebody asks
 * for that.
 *
 * preview.json is cut before it is parsed: ten records are shown, fifty looked at for a value that an example
 * of a filter can ask for. v1/<slug>.json is never read. */
#include "site/model/model_internal.h"

enum {
    ROWS = 10,
    FIELDS = 200,
    LABELS = 1000,
    LONG = 400,
    WHOLE_MAX = 2000000 /* bytes: what a telephone may load and sort (docs/formats.md) */
};

/* ---- only what is shown is parsed ---- */

/* Past the JSON value at I: strings are skipped whole, brackets are counted. */
static size_t skip_value(struct odp_slice t, size_t i)
{
    int depth = 0;
    bool quoted = false;
    for (; i < t.len; i++) {
        char c = t.ptr[i];
        if (quoted) {
            i += c == '\\';
            quoted = c != '"';
        } else if (c == '"') {
            quoted = true;
        } else if (c == '[' || c == '{') {
            depth++;
        } else if (c == ']' || c == '}') {
            if (--depth == 0)
                return i + 1;
        }
    }
    return t.len;
}

void model_preview_cut(struct odp_slice t, size_t most, struct odp_buffer *out)
{
    static const char member[] = "\"rows\":[";
    const char *rows = t.ptr != NULL ? memmem(t.ptr, t.len, member, sizeof member - 1) : NULL;
    size_t begin = rows != NULL ? (size_t)(rows - t.ptr) + sizeof member - 1 : t.len, i = begin, end = begin;
    /* A field's name could hold that text only with its quotes escaped. */
    for (size_t n = 0; rows != NULL && i < t.len && t.ptr[i] != ']'; n++) {
        while (i < t.len && strchr(" \t\r\n,", t.ptr[i]) != NULL)
            i++;
        if (i >= t.len || t.ptr[i] != '[')
            break;
        i = skip_value(t, i);
        if (n < most)
            end = i;
    }
    odp_buffer_add(out, t.ptr, end);
    if (i > end)
        odp_buffer_add(out, t.ptr + i, t.len - i);
    else
        odp_buffer_add(out, t.ptr + end, t.len - end);
}

/* ---- cells ------------------------------------------------------------------------------------------ */

/* Whole in the downloads; cut between characters. */
static const char *shortened(struct model *m, const char *text)
{
    size_t n = LONG;
    if (strlen(text) <= LONG)
        return text;
    while (n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80)
        n--;
    return model_printf(m, "%.*s…", (int)n, text);
}

/* Where a cell leads: a document of this version (its path), an address of the web. */
static void set_link(struct model *m, json_t *o, const json_t *field, const char *text)
{
    const char *path = json_object_get(field, "odp:document") != NULL
                           ? model_printf(m, "data/%s/%s/%s", m->slug, m->version, text)
                           : "";
    bool web = strncmp(text, "https://", 8) == 0 || strncmp(text, "http://", 7) == 0;
    set_text(m, o, "path", *path != '\0' && odp_model_is_staged(m->job, path) ? path : "");
    set_text(m, o, "href",
             *path == '\0' && web && strcmp(odp_model_text(field, "format"), "uri") == 0 ? text : "");
}

static json_t *make_cell(struct model *m, const struct table *t, const json_t *field, const json_t *value)
{
    const char *text = json_string_value(value);
    json_t *o = json_object(), *shown = text != NULL ? model_shown(m, field, text) : json_string("");
    set(m, o, "text",
        json_is_string(shown) ? json_string(shortened(m, json_string_value(shown))) : json_incref(shown));
    json_decref(shown);
    set_link(m, o, text != NULL ? field : NULL, text != NULL ? text : "");
    set_flag(m, o, "is_null", text == NULL);
    set_flag(m, o, "is_number", model_is_number(field));
    set_flag(m, o, "is_key",
             odp_model_has(json_object_get(t->schema, "primaryKey"), odp_model_text(field, "name")));
    return o;
}

static size_t index_of(const json_t *names, const char *name)
{
    size_t i = 0;
    while (i < json_array_size(names) && (json_string_value(json_array_get(names, i)) == NULL ||
                                          strcmp(json_string_value(json_array_get(names, i)), name) != 0))
        i++;
    return i;
}

/* "31.72-0001"; parts of a composite key with commas, as in the API's addresses; "" without a key. */
static const char *key_of(struct model *m, const struct table *t, const json_t *names, const json_t *row)
{
    const json_t *part;
    const char *all = "";
    size_t k;
    json_array_foreach(json_object_get(t->schema, "primaryKey"), k, part) {
        const char *value = json_string_value(
            json_array_get(row, index_of(names, json_is_string(part) ? json_string_value(part) : "")));
        if (value == NULL)
            return "";
        all = k > 0 ? model_printf(m, "%s,%s", all, value) : value;
    }
    return all;
}

/* ---- for the script --------------------------------------------------------------------------------- */

/* Each once, by the category itself: a field may have a hundred thousand of them. */
static json_t *labels_of(struct model *m, const json_t *field, enum odp_lang lang)
{
    const json_t *c;
    json_t *labels = json_object();
    size_t i;
    json_array_foreach(json_object_get(field, "categories"), i, c) {
        const char *value = model_scalar(m, json_is_object(c) ? json_object_get(c, "value") : c);
        json_t *o = json_pack("{s:o}", "in",
                              json_object_get(c, "odp:label") != NULL ? odp_model_both(c, "odp:label")
                                                                      : model_shown(m, field, value));
        set_text(m, labels, value, odp_model_in(o, "in", lang));
        json_decref(o);
    }
    return labels;
}

/* Where all records are: the smallest file that the script can read, or what there is for people to download.
 * "kind" only where it is to be read. NULL: nowhere, since a PDF may be an excerpt. */
static json_t *whole_of(struct model *m, const struct table *t, enum odp_lang lang)
{
    static const char *const readable[] = {"csv", "json", "geojson"}; /* of lib/records.js */
    const json_t *best = NULL, *other = NULL, *file;
    size_t i;
    json_array_foreach(json_object_get(t->o, "files"), i, file) {
        bool known = false;
        for (size_t k = 0; k < sizeof readable / sizeof *readable; k++)
            known = known || strcmp(odp_model_text(file, "form"), readable[k]) == 0;
        if (known && (best == NULL || odp_model_number(file, "bytes") < odp_model_number(best, "bytes")))
            best = file;
        else if (strcmp(odp_model_text(file, "form"), "pdf") != 0)
            other = file;
    }
    file = best != NULL ? best : other;
    if (file == NULL)
        return NULL;
    struct odp_buffer size;
    odp_buffer_init(&size);
    odp_text_size(&size, (uint64_t)odp_model_number(file, "bytes"), lang);
    json_t *o = json_pack(
        "{s:s, s:s, s:s}", "href",
        model_printf(m, "%s%s", lang == ODP_LANG_ID ? "../" : "../../", odp_model_text(file, "path")), "name",
        odp_model_text(file, "name"), "size", odp_buffer_cstr(&size));
    odp_buffer_release(&size);
    if (best != NULL && odp_model_number(file, "bytes") <= WHOLE_MAX)
        set_text(m, o, "kind", odp_model_text(best, "form"));
    return o;
}

static json_t *config_field(struct model *m, const json_t *field, const char *name, enum odp_lang lang)
{
    const char *title = odp_model_in(field, "odp:title", lang);
    const size_t n = json_array_size(json_object_get(field, "categories"));
    const bool few =
        n > 0 && n <= LABELS; /* of more the table shows the codes: the page would be megabytes */
    json_t *o =
        json_pack("{s:s, s:s, s:s, s:s}", "name", name, "title", *title != '\0' ? title : name, "unit",
                  odp_model_in(field, "odp:unit", lang), "type", odp_model_text(field, "type"));
    if (json_object_get(field, "odp:document") != NULL)
        set_text(
            m, o, "folder",
            model_printf(m, "%sdata/%s/%s/", lang == ODP_LANG_ID ? "../" : "../../", m->slug, m->version));
    if (strcmp(odp_model_text(field, "format"), "uri") == 0)
        set_flag(m, o, "uri", true);
    if (few)
        set(m, o, "labels", labels_of(m, field, lang));
    if (few && json_is_true(json_object_get(field, "categoriesOrdered")))
        set_flag(m, o, "ordered", true);
    return o;
}

static json_t *make_config(struct model *m, const struct table *t, enum odp_lang lang)
{
    const json_t *key = json_object_get(t->schema, "primaryKey"), *one;
    json_t *config = json_object(), *fields = json_array(), *whole = whole_of(m, t, lang);
    size_t i;
    json_array_foreach(json_object_get(t->preview, "fields"), i, one) {
        const char *name = json_is_string(one) ? json_string_value(one) : "";
        odp_doc_add(&m->doc, fields, config_field(m, model_field(t->schema, name), name, lang));
    }
    set(m, config, "fields", fields);
    set(m, config, "total", json_incref(json_object_get(t->preview, "total")));
    if (whole != NULL)
        set(m, config, "whole", whole);
    set(m, config, "key", key != NULL ? json_deep_copy(key) : json_array());
    return config;
}

/* ---- the table -------------------------------------------------------------------------------------- */

static json_t *make_row(struct model *m, const struct table *t, const json_t *names, const json_t *row,
                        size_t k)
{
    const char *key = key_of(m, t, names, row);
    const json_t *name;
    json_t *cells = json_array();
    size_t i;
    json_array_foreach(names, i, name)
        if (i < FIELDS)
            odp_doc_add(&m->doc, cells,
                        make_cell(m, t,
                                  model_field(t->schema, json_is_string(name) ? json_string_value(name) : ""),
                                  json_array_get(row, i)));
    return json_pack("{s:o, s:s, s:s}", "cells", cells, "number", model_printf(m, "%zu", k + 1), "key", key);
}

void model_preview(struct model *m, struct table *t)
{
    const json_t *names = json_object_get(t->preview, "fields"), *rows = json_object_get(t->preview, "rows"),
                 *one;
    size_t i;
    if (json_array_size(names) == 0)
        return;
    json_t *head = json_array(), *list = json_array(), *o = json_object();
    json_array_foreach(names, i, one) {
        const char *name = json_is_string(one) ? json_string_value(one) : "";
        const json_t *field = model_field(t->schema, name);
        if (i < FIELDS)
            odp_doc_add(&m->doc, head,
                        json_pack("{s:o, s:o, s:b}", "heading",
                                  *odp_model_in(field, "odp:title", ODP_LANG_ID) != '\0'
                                      ? odp_model_both(field, "odp:title")
                                      : json_string(name),
                                  "unit", odp_model_both(field, "odp:unit"), "is_number",
                                  model_is_number(field)));
    }
    json_array_foreach(rows, i, one)
        if (i < ROWS)
            odp_doc_add(&m->doc, list, make_row(m, t, names, one, i));
    set_number(m, o, "first", (json_int_t)json_array_size(list));
    set_number(m, o, "total", odp_model_number(t->preview, "total"));
    set(m, o, "head", head);
    set(m, o, "list", list);
    set_text(m, o, "path",
             model_printf(m, "data/%s/%s/%s%s.preview.json", m->slug, m->version, m->slug, t->suffix));
    set(m, o, "config_id", make_config(m, t, ODP_LANG_ID));
    set(m, o, "config_en", make_config(m, t, ODP_LANG_EN));
    set(m, t->o, "preview", o);
}
