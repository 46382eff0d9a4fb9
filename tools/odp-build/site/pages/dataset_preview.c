/* The first records as a plain table. The script makes more of it, out of preview.json, by what stands here as JSON ("config").
 *
 * The script sorts, filters and searches all records, of a published file that it reads when somebody asks for that.
 *
 * preview.json is cut before it is parsed: ten records are shown, fifty looked at for a value that an example of a
 * filter can ask for. v1/<slug>.json is never read. */
#include "site/pages/dataset_internal.h"

enum { ROWS = 10, FIELDS = 200, LABELS = 1000, WHOLE_MAX = 2000000 /* bytes: what a telephone may load and sort (docs/formats.md) */ };

/* ---- only what is shown is parsed ------------------------------------------------------------------------------------------- */

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

void dataset_preview_cut(struct odp_slice t, size_t most, struct odp_buffer *out)
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

/* ---- cells ------------------------------------------------------------------------------------------------------------------ */

/* Where a cell leads: a document of this version, an address of the web. */
static const char *link_of(struct dataset_page *g, const json_t *field, const char *text)
{
    if (json_object_get(field, "odp:document") != NULL) {
        const char *path = odp_arena_printf(g->arena, "data/%s/%s/%s", g->slug, g->version, text);
        return path == NULL ? NULL : dataset_file(g, path) != NULL ? odp_arena_printf(g->arena, "%s%s", g->root, path) : "";
    }
    bool web = strncmp(text, "https://", 8) == 0 || strncmp(text, "http://", 7) == 0;
    return web && strcmp(portal_text(field, "format"), "uri") == 0 ? text : "";
}

static json_t *make_cell(struct dataset_page *g, const struct dataset_resource *r, const json_t *field, const json_t *value)
{
    enum { LONG = 400 };
    const char *text = json_string_value(value);
    json_t *o = json_object();
    const char *shown = text != NULL ? dataset_shown(g, field, text) : "";
    if (shown != NULL && strlen(shown) > LONG) { /* whole in the downloads; cut between characters */
        size_t n = LONG;
        while (n > 0 && ((unsigned char)shown[n] & 0xC0) == 0x80)
            n--;
        shown = odp_arena_printf(g->arena, "%.*s…", (int)n, shown);
    }
    dataset_set(g, o, "text", shown);
    dataset_set(g, o, "href", text != NULL ? link_of(g, field, text) : "");
    odp_doc_set(&g->d, o, "is_null", json_boolean(text == NULL));
    odp_doc_set(&g->d, o, "is_number", json_boolean(dataset_is_number(field)));
    odp_doc_set(&g->d, o, "is_key", json_boolean(dataset_has_text(json_object_get(r->schema, "primaryKey"), portal_text(field, "name"))));
    return o;
}

/* "31.72-0001"; parts of a composite key with commas, as in the API's addresses; "" without a key. */
static const char *key_of(struct dataset_page *g, const struct dataset_resource *r, const json_t *names, const json_t *row)
{
    const json_t *key = json_object_get(r->schema, "primaryKey");
    const char *all = "";
    for (size_t k = 0; k < json_array_size(key) && all != NULL; k++) {
        const char *name = json_string_value(json_array_get(key, k)), *part = NULL;
        for (size_t i = 0; i < json_array_size(names) && name != NULL && part == NULL; i++) {
            const char *other = json_string_value(json_array_get(names, i));
            if (other != NULL && strcmp(other, name) == 0)
                part = json_string_value(json_array_get(row, i));
        }
        if (part == NULL)
            return "";
        all = *all != '\0' ? odp_arena_printf(g->arena, "%s,%s", all, part) : part;
    }
    return all;
}

/* ---- for the script --------------------------------------------------------------------------------------------------------- */

/* Each once, by the category itself: a field may have a hundred thousand of them. */
static json_t *labels_of(struct dataset_page *g, const json_t *field)
{
    const json_t *categories = json_object_get(field, "categories");
    json_t *labels = json_object();
    for (size_t i = 0; i < json_array_size(categories); i++) {
        const json_t *c = json_array_get(categories, i);
        const char *value = dataset_scalar(json_is_object(c) ? json_object_get(c, "value") : c, g->arena);
        const char *label = value == NULL ? NULL : json_object_get(c, "odp:label") != NULL ? portal_in(c, "odp:label", g->lang) : dataset_plain(g, field, value);
        if (label == NULL)
            g->d.failed = true;
        else
            dataset_set(g, labels, value, label);
    }
    return labels;
}

static bool is_readable(const json_t *file)
{
    static const char *const kinds[] = {"csv", "json", "geojson"}; /* of lib/records.js */
    bool known = false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        known = known || strcmp(portal_text(file, "name"), kinds[i]) == 0;
    return known;
}

/* Where all records are: the smallest file that the script can read, or what there is for people to download. "kind" only where it is to be read. NULL:
 * nowhere, since a PDF may be an excerpt. */
static json_t *whole_of(struct dataset_page *g, const struct dataset_resource *r)
{
    const json_t *files = json_object_get(r->entry, "files"), *best = NULL, *other = NULL;
    for (size_t i = 0; i < json_array_size(files); i++) {
        const json_t *file = json_array_get(files, i);
        bool smaller = best == NULL || json_integer_value(json_object_get(file, "bytes")) < json_integer_value(json_object_get(best, "bytes"));
        if (is_readable(file) && smaller)
            best = file;
        else if (strcmp(portal_text(file, "name"), "pdf") != 0)
            other = file;
    }
    const json_t *file = best != NULL ? best : other;
    if (file == NULL)
        return NULL;
    json_int_t bytes = json_integer_value(json_object_get(file, "bytes"));
    const char *path = dataset_site_path(portal_text(file, "url")), *name = strrchr(path, '/');
    json_t *o = json_object();
    dataset_set(g, o, "href", odp_arena_printf(g->arena, "%s%s", g->root, path));
    dataset_set(g, o, "name", name != NULL ? name + 1 : path);
    dataset_set(g, o, "size", portal_bytes((uint64_t)bytes, g->lang, g->arena));
    if (best != NULL && bytes <= WHOLE_MAX)
        dataset_set(g, o, "kind", portal_text(best, "name"));
    return o;
}

static json_t *make_config(struct dataset_page *g, const struct dataset_resource *r, const json_t *names)
{
    json_t *config = json_object(), *fields = json_array(), *key = json_object_get(r->schema, "primaryKey");
    for (size_t i = 0; i < json_array_size(names); i++) {
        const char *name = json_string_value(json_array_get(names, i));
        const json_t *field = dataset_field(r->schema, name != NULL ? name : "");
        const char *title = portal_in(field, "odp:title", g->lang);
        json_t *o = json_object();
        dataset_set(g, o, "name", name != NULL ? name : "");
        dataset_set(g, o, "title", *title != '\0' ? title : name != NULL ? name : "");
        dataset_set(g, o, "unit", portal_in(field, "odp:unit", g->lang));
        dataset_set(g, o, "type", portal_text(field, "type"));
        if (json_object_get(field, "odp:document") != NULL)
            dataset_set(g, o, "folder", odp_arena_printf(g->arena, "%sdata/%s/%s/", g->root, g->slug, g->version));
        if (strcmp(portal_text(field, "format"), "uri") == 0)
            odp_doc_set(&g->d, o, "uri", json_true());
        size_t ncategories = json_array_size(json_object_get(field, "categories"));
        bool few = ncategories > 0 && ncategories <= LABELS; /* of more the table shows the codes: the page would be megabytes */
        if (few)
            odp_doc_set(&g->d, o, "labels", labels_of(g, field));
        if (few && json_is_true(json_object_get(field, "categoriesOrdered")))
            odp_doc_set(&g->d, o, "ordered", json_true());
        odp_doc_add(&g->d, fields, o);
    }
    odp_doc_set(&g->d, config, "fields", fields);
    odp_doc_set(&g->d, config, "total", json_incref(json_object_get(r->preview, "total")));
    json_t *whole = whole_of(g, r);
    if (whole != NULL)
        odp_doc_set(&g->d, config, "whole", whole);
    odp_doc_set(&g->d, config, "key", key != NULL ? json_deep_copy(key) : json_array());
    if (g->email != NULL)
        dataset_set(g, config, "report", dataset_report_address(g, r, NULL, "{{key}}"));
    return config;
}

/* ---- the table -------------------------------------------------------------------------------------------------------------- */

static json_t *make_head(struct dataset_page *g, const json_t *field, const char *name)
{
    const char *title = portal_in(field, "odp:title", g->lang);
    json_t *o = json_object();
    dataset_set(g, o, "heading", *title != '\0' ? title : name);
    dataset_set(g, o, "name", *title != '\0' ? name : "");
    dataset_set(g, o, "unit", portal_in(field, "odp:unit", g->lang));
    odp_doc_set(&g->d, o, "is_number", json_boolean(dataset_is_number(field)));
    return o;
}

void dataset_preview(struct dataset_page *g, const struct dataset_resource *r, json_t *o)
{
    const json_t *names = json_object_get(r->preview, "fields"), *rows = json_object_get(r->preview, "rows");
    size_t n = json_array_size(names), shown = json_array_size(rows) < ROWS ? json_array_size(rows) : ROWS;
    if (n == 0)
        return;
    json_t *preview = json_object(), *head = json_array(), *list = json_array();
    for (size_t i = 0; i < n && i < FIELDS; i++) {
        const char *name = json_string_value(json_array_get(names, i));
        odp_doc_add(&g->d, head, make_head(g, dataset_field(r->schema, name != NULL ? name : ""), name != NULL ? name : ""));
    }
    for (size_t k = 0; k < shown; k++) {
        const json_t *row = json_array_get(rows, k);
        const char *key = key_of(g, r, names, row);
        json_t *one = json_object(), *cells = json_array();
        g->d.failed = g->d.failed || key == NULL;
        for (size_t i = 0; i < n && i < FIELDS; i++) {
            const char *name = json_string_value(json_array_get(names, i));
            odp_doc_add(&g->d, cells, make_cell(g, r, dataset_field(r->schema, name != NULL ? name : ""), json_array_get(row, i)));
        }
        odp_doc_set(&g->d, one, "cells", cells);
        dataset_set(g, one, "key", key != NULL && *key != '\0' ? key : portal_number(k + 1, g->lang, g->arena));
        dataset_set(g, one, "report", g->email == NULL ? "" : dataset_report_address(g, r, NULL, key != NULL && *key != '\0' ? key : NULL));
        odp_doc_add(&g->d, list, one);
    }
    odp_doc_set(&g->d, preview, "head", head);
    odp_doc_set(&g->d, preview, "list", list);
    dataset_set(g, preview, "first", portal_number(shown, g->lang, g->arena));
    dataset_set(g, preview, "shown", dataset_value(g, json_object_get(r->preview, "shown")));
    dataset_set(g, preview, "total", dataset_value(g, json_object_get(r->preview, "total")));
    dataset_set(g, preview, "src", odp_arena_printf(g->arena, "%sdata/%s/%s/%s%s.preview.json", g->root, g->slug, g->version, g->slug, r->suffix));
    odp_doc_set(&g->d, preview, "config", make_config(g, r, names));
    odp_doc_set(&g->d, o, "preview", preview);
}
