/* A page for people who open records in a browser (templates/records): a table, or the list of a record's
 * values. A code has its name, with or without labels=true. A geometry is its type and a point on it; the
 * page links to forms that have it whole.
 *
 * Rows are written one by one, so the body has the size that ends a page; the page is put around them at
 * last. */
#include "base/template/template.h"
#include "base/utf8.h"
#include "published/paths.h"
#include "service/queries/engine/engine_internal.h"

extern const struct odp_template_text odp_record_pages[]; /* of templates/records */
extern const unsigned char odp_record_model[];

/* Opened at its first use, shared by all threads, never closed. NULL: failure, which the next one tries
 * again. */
static struct odp_templates *open_pages(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static struct odp_templates *pages;
    (void)pthread_mutex_lock(&lock);
    struct odp_templates *found =
        pages != NULL || odp_templates_open_made(&pages, odp_record_pages, odp_record_model) == ODP_OK ? pages
                                                                                                       : NULL;
    (void)pthread_mutex_unlock(&lock);
    return found;
}

/* PAGE of MODEL, which is taken, into OUT. */
static void render(struct odp_query *q, const char *page, json_t *model, struct odp_buffer *out)
{
    struct odp_templates *pages = open_pages();
    if (pages == NULL ||
        odp_templates_render(pages, page, q->call->lang, (const json_t *const[]){model}, 1, out) != ODP_OK)
        q->failed = true;
    json_decref(model);
}

/* ---- values ---- */

/* Only valid UTF-8 becomes part of a page. */
static json_t *text_of(struct odp_slice s)
{
    return odp_utf8_valid(s) == s.len ? json_stringn(odp_or_empty(s.ptr), s.len) : json_string("?");
}

static void set_text(json_t *o, const char *name, const char *text)
{
    if (text != NULL && *text != '\0')
        (void)json_object_set_new(o, name, json_string(text));
}

static void set_flag(json_t *o, const char *name, bool yes)
{
    (void)json_object_set_new(o, name, json_boolean(yes));
}

/* Column K by its title. */
static json_t *column_of(struct odp_query *q, uint32_t k)
{
    const struct odp_search_column *c = &q->info->columns[k];
    json_t *o = json_object();
    set_text(o, "title", odp_text_is_empty(&c->title) ? c->name : odp_text_get(&c->title, q->call->lang));
    set_text(o, "unit", odp_text_get(&c->unit, q->call->lang));
    set_flag(o, "number", odp_type_is_number(c->type));
    return o;
}

/* The page of the place that is the VALUE of column K. */
static void set_page(struct odp_query *q, json_t *cell, uint32_t k, struct odp_slice value)
{
    static const char api[] = "v1/";
    const struct odp_query_call *call = q->call;
    const size_t root = strlen(call->root);
    if (call->place == NULL || strcmp(q->info->columns[k].name, call->place) != 0 || value.len == 0)
        return;
    const char *code = odp_arena_copy(q->arena, value).ptr;
    if (odp_path_place_is(code) && root >= sizeof api - 1)
        set_text(cell, "page",
                 odp_arena_printf(q->arena, "%.*s%s", (int)(root - (sizeof api - 1)), call->root,
                                  odp_path_place(code, call->lang, q->arena)));
}

static json_t *cell_of(struct odp_query *q, const struct query_row *row, uint32_t k)
{
    json_t *o = column_of(q, k);
    (void)json_object_set_new(o, "value", text_of(row->values[k]));
    const char *name = row->names != NULL ? odp_text_get(&row->names[k], q->call->lang) : "";
    if (!odp_slice_is(row->values[k], name))
        set_text(o, "name", name);
    set_page(q, o, k, row->values[k]);
    return o;
}

static bool shows_geometry(const struct odp_query *q)
{
    return q->show_geometry && q->info->has_geometry;
}

static json_t *geometry_of(struct odp_query *q, const struct query_row *row)
{
    struct odp_geom g;
    struct odp_buffer text = {0};
    double at[2];
    if (query_label_of(q, row, at, &g)) {
        odp_buffer_printf(&text, "%s (", odp_geom_type_name(g.type));
        query_add_degrees(&text, at[0]);
        odp_buffer_add_str(&text, ", ");
        query_add_degrees(&text, at[1]);
        odp_buffer_add_char(&text, ')');
    }
    json_t *o = json_pack("{s:s}", "text", odp_buffer_cstr(&text));
    q->failed = q->failed || text.failed;
    odp_buffer_release(&text);
    return o;
}

/* ---- rows ---- */

/* Whether the first column shown names the record by itself. */
static bool key_is_first(const struct odp_query *q)
{
    return q->info->nkey == 1 && q->nselect > 0 && q->select[0] == q->info->key[0];
}

/* "Aceh (11)"; a value without a name alone. */
static void add_named(const struct odp_query *q, const struct query_row *row, uint32_t k,
                      struct odp_buffer *out)
{
    const char *name = row->names != NULL ? odp_text_get(&row->names[k], q->call->lang) : "";
    const bool named = *name != '\0' && !odp_slice_is(row->values[k], name);
    if (named)
        odp_buffer_printf(out, "%s (", name);
    odp_buffer_add_slice(out, row->values[k]);
    odp_buffer_add_str(out, named ? ")" : "");
}

/* The record's key, with the address of it alone. */
static json_t *key_of(struct odp_query *q, const struct query_row *row)
{
    struct odp_buffer link = {0}, text = {0};
    query_add_item_link(q, row, &link);
    if (q->info->nkey == 0)
        odp_buffer_add_u64(&text, (uint64_t)row->id);
    for (uint32_t k = 0; k < q->info->nkey; k++) {
        odp_buffer_add_str(&text, k > 0 ? ", " : "");
        add_named(q, row, q->info->key[k], &text);
    }
    json_t *o =
        json_pack("{s:s, s:o}", "href", odp_buffer_cstr(&link), "text", text_of(odp_buffer_slice(&text)));
    q->failed = q->failed || link.failed || text.failed;
    odp_buffer_release(&link);
    odp_buffer_release(&text);
    return o;
}

static void add_row(struct odp_query *q, const struct query_row *row)
{
    bool item = q->call->kind == ODP_QUERY_ITEM;
    json_t *o = json_object(), *cells = json_array();
    for (uint32_t k = item ? 0 : key_is_first(q); k < q->nselect; k++)
        (void)json_array_append_new(cells, cell_of(q, row, q->select[k]));
    (void)json_object_set_new(o, "cells", cells);
    if (!item)
        (void)json_object_set_new(o, "key", key_of(q, row));
    if (shows_geometry(q))
        (void)json_object_set_new(o, "geometry", geometry_of(q, row));
    render(q, "row", o, &q->answer->body);
}

/* ---- the page ---- */

/* The parameters as given. */
static json_t *asked_of(const struct odp_query *q)
{
    json_t *list = json_array();
    for (size_t i = 0; i < q->call->nparams; i++) {
        const struct odp_query_param *p = &q->call->params[i];
        if (!odp_slice_is(p->name, "cursor") && !odp_slice_is(p->name, "f") && p->value.len > 0)
            (void)json_array_append_new(
                list, json_pack("{s:o, s:o}", "name", text_of(p->name), "value", text_of(p->value)));
    }
    return list;
}

static json_t *pages_of(struct odp_query *q)
{
    const struct odp_query_result *r = q->answer;
    json_t *o = json_object();
    if (q->cursor != NULL || q->offset > 0)
        set_text(o, "first", query_link_form(q, NULL, "html"));
    set_text(o, "previous", r->previous);
    set_text(o, "next", r->next);
    return o;
}

static json_t *table_of(struct odp_query *q)
{
    json_t *o = json_object(), *columns = json_array(), *asked = asked_of(q), *pages = pages_of(q);
    for (uint32_t k = 0; k < q->nselect; k++)
        (void)json_array_append_new(columns, column_of(q, q->select[k]));
    set_flag(o, "has_asked", json_array_size(asked) > 0);
    (void)json_object_set_new(o, "asked", asked);
    set_flag(o, "has_key", !key_is_first(q));
    (void)json_object_set_new(o, "columns", columns);
    set_flag(o, "has_geometry", shows_geometry(q));
    (void)json_object_set_new(o, "returned", json_integer((json_int_t)q->answer->returned));
    if (q->answer->total >= 0)
        (void)json_object_set_new(o, "total", json_integer(q->answer->total));
    if (json_object_size(pages) > 0)
        (void)json_object_set(o, "pages", pages);
    json_decref(pages);
    return o;
}

static json_t *page_of(struct odp_query *q)
{
    const struct odp_query_call *call = q->call;
    json_t *o = json_object();
    set_text(o, "lang", call->lang == ODP_LANG_EN ? "en" : "id");
    set_text(o, "dataset", call->dataset_title != NULL ? call->dataset_title : q->info->slug);
    set_text(o, "resource", q->info->resource);
    set_text(o, "version", q->info->version);
    set_text(o, "updated", q->info->last_update);
    if (call->kind == ODP_QUERY_ITEM)
        (void)json_object_set_new(o, "key", text_of(call->key));
    else
        (void)json_object_set_new(o, "table", table_of(q));
    if (!call->ogc)
        set_text(o, "json", query_link_self(q, "json"));
    if (call->ogc || q->info->has_geometry)
        set_text(o, "geojson", query_link_self(q, call->ogc ? "json" : "geojson"));
    set_text(o, "csv", query_link_self(q, "csv"));
    if (call->ogc)
        set_text(o, "collection", query_link_collection(q));
    return o;
}

static void begin(struct odp_query *q)
{
}

static void end(struct odp_query *q)
{
    struct odp_buffer *body = &q->answer->body, rows = *body;
    json_t *o = page_of(q);
    (void)json_object_set_new(o, "rows", text_of(odp_buffer_slice(&rows)));
    odp_buffer_init(body);
    q->failed = q->failed || rows.failed;
    render(q, "records", o, body);
    odp_buffer_release(&rows);
}

const struct query_writer query_write_html = {"text/html; charset=utf-8", begin, add_row, end,
                                              QUERY_READ_SHAPE | QUERY_READ_LABEL};
