/* A page for people who open records in a browser: a table, or the list of a record's values. No scripts;
 * everything from data or request is escaped (base/html.h). A geometry is its type and a point on it; the
 * page links to forms that have it whole. */
#include "base/html.h"
#include "base/utf8.h"
#include "service/queries/engine/engine_internal.h"
#include "words/queries.h"

static const char style[] =
    "body{font:16px/1.5 system-ui,sans-serif;margin:0 "
    "auto;padding:1rem;max-width:90rem;color:#1a1a1a;background:#fff}"
    "h1{font-size:1.4rem;margin:.2rem 0}h2{font-size:1rem;margin:1rem 0 .2rem}"
    "a{color:#0b5394}a:focus,div:focus{outline:3px solid #b45f06}"
    ".wide{overflow-x:auto;margin:1rem "
    "0}table{border-collapse:collapse;font-size:.9rem}caption{text-align:left;padding:.3rem "
    "0}"
    "th,td{border:1px solid #c4ccd4;padding:.3rem .6rem;text-align:left;vertical-align:top}thead "
    "th{background:#eef2f6}"
    "tbody th{font-weight:600}.n{text-align:right;white-space:nowrap}"
    "dl{display:grid;grid-template-columns:minmax(8rem,max-content) 1fr;gap:.2rem "
    "1rem}dt{font-weight:600}dd{margin:0;overflow-wrap:anywhere}"
    "nav ul{list-style:none;padding:0;display:flex;flex-wrap:wrap;gap:1rem}"
    "@media(max-width:32rem){dl{display:block}dd{margin:0 0 .5rem}}"
    "@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}a{color:#8fc1ee}thead "
    "th{background:#2a2a2a}th,td{border-color:#555}}";

static void raw(struct odp_query *q, const char *html)
{
    odp_buffer_add_str(&q->answer->body, html);
}

static void text(struct odp_query *q, const char *s)
{
    odp_html_text(&q->answer->body, s);
}

static void say(struct odp_query *q, const char *id, const char *en)
{
    text(q, q->call->lang == ODP_LANG_EN ? en : id);
}

static void value(struct odp_query *q, struct odp_slice s)
{
    odp_html_twice(&q->answer->body, s);
}

/* ---- values ---- */

/* "Kota Bandung (32.73)", or the value alone. */
static void add_value(struct odp_query *q, const struct query_row *row, uint32_t k)
{
    const struct odp_text *name = row->names != NULL ? &row->names[k] : NULL;
    if (name == NULL || odp_text_is_empty(name)) {
        value(q, row->values[k]);
        return;
    }
    text(q, odp_text_get(name, q->call->lang));
    raw(q, " (");
    value(q, row->values[k]);
    raw(q, ")");
}

static void add_geometry(struct odp_query *q, const struct query_row *row)
{
    struct odp_geom g;
    double at[2];
    if (!query_label_of(q, row, at, &g))
        return;
    raw(q, odp_geom_type_name(g.type));
    raw(q, " (");
    query_add_degrees(&q->answer->body, at[0]);
    raw(q, ", ");
    query_add_degrees(&q->answer->body, at[1]);
    raw(q, ")");
}

static void add_column_title(struct odp_query *q, uint32_t k)
{
    const struct odp_search_column *c = &q->info->columns[k];
    text(q, odp_text_is_empty(&c->title) ? c->name : odp_text_get(&c->title, q->call->lang));
    if (odp_text_is_empty(&c->unit))
        return;
    raw(q, " (");
    text(q, odp_text_get(&c->unit, q->call->lang));
    raw(q, ")");
}

static bool is_number(const struct odp_query *q, uint32_t k)
{
    return odp_type_is_number(q->info->columns[q->select[k]].type);
}

static bool shows_geometry(const struct odp_query *q)
{
    return q->show_geometry && q->info->has_geometry;
}

/* ---- the page ---- */

static void add_title(struct odp_query *q)
{
    const struct odp_query_call *call = q->call;
    text(q, call->dataset_title != NULL ? call->dataset_title : q->info->slug);
    raw(q, q->info->resource != NULL ? " – " : "");
    text(q, q->info->resource);
    if (call->kind == ODP_QUERY_ITEM) {
        raw(q, " – ");
        value(q, odp_utf8_valid(call->key) == call->key.len ? call->key : ODP_LIT("?"));
    }
}

/* The parameters as given. Only valid UTF-8 becomes part of a page. */
static void add_parameters(struct odp_query *q)
{
    bool any = false;
    for (size_t i = 0; i < q->call->nparams; i++) {
        const struct odp_query_param *p = &q->call->params[i];
        if (odp_slice_is(p->name, "cursor") || odp_slice_is(p->name, "f") || p->value.len == 0 ||
            odp_utf8_valid(p->name) != p->name.len || odp_utf8_valid(p->value) != p->value.len)
            continue;
        if (!any) {
            raw(q, "<h2>");
            say(q, W_queries_what_asked);
            raw(q, "</h2>\n<dl>\n");
        }
        any = true;
        raw(q, "<dt>");
        value(q, p->name);
        raw(q, "</dt><dd>");
        value(q, p->value);
        raw(q, "</dd>\n");
    }
    raw(q, any ? "</dl>\n" : "");
}

static void add_head(struct odp_query *q)
{
    raw(q, q->call->lang == ODP_LANG_EN ? "<!doctype html>\n<html lang=\"en"
                                        : "<!doctype html>\n<html lang=\"id");
    raw(q, "\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" "
           "content=\"default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n"
           "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>");
    add_title(q);
    raw(q, "</title>\n<style>");
    raw(q, style);
    raw(q, "</style>\n</head>\n<body>\n<header>\n<h1>");
    add_title(q);
    raw(q, "</h1>\n<p>");
    say(q, W_queries_version);
    raw(q, " ");
    text(q, q->info->version);
    if (q->info->last_update != NULL) {
        raw(q, " · ");
        say(q, W_queries_updated);
        raw(q, " ");
        odp_html_date(&q->answer->body, q->info->last_update, q->call->lang);
    }
    raw(q, "</p>\n</header>\n<main>\n");
}

/* Whether the first column shown names the record by itself. */
static bool key_is_first(const struct odp_query *q)
{
    return q->info->nkey == 1 && q->nselect > 0 && q->select[0] == q->info->key[0];
}

static void begin(struct odp_query *q)
{
    add_head(q);
    if (q->call->kind == ODP_QUERY_ITEM)
        return;
    add_parameters(q);
    raw(q, "<div class=\"wide\" role=\"region\" tabindex=\"0\" "
           "aria-labelledby=\"records\">\n<table>\n<caption id=\"records\">");
    say(q, W_queries_records);
    raw(q, "</caption>\n<thead>\n<tr>");
    if (!key_is_first(q)) {
        raw(q, "<th scope=\"col\">");
        say(q, W_queries_key);
        raw(q, "</th>");
    }
    for (uint32_t k = 0; k < q->nselect; k++) {
        raw(q, is_number(q, k) ? "<th scope=\"col\" class=\"n\">" : "<th scope=\"col\">");
        add_column_title(q, q->select[k]);
        raw(q, "</th>");
    }
    if (shows_geometry(q)) {
        raw(q, "<th scope=\"col\">");
        say(q, W_queries_geometry);
        raw(q, "</th>");
    }
    raw(q, "</tr>\n</thead>\n<tbody>\n");
}

/* The record's key, as a link to it alone. */
static void add_row_head(struct odp_query *q, const struct query_row *row)
{
    struct odp_buffer link;
    odp_buffer_init(&link);
    query_add_item_link(q, row, &link);
    raw(q, "<th scope=\"row\"><a href=\"");
    text(q, odp_buffer_keep(&link, q->arena));
    raw(q, "?f=html\">");
    if (q->info->nkey == 0)
        odp_buffer_add_u64(&q->answer->body, (uint64_t)row->id);
    for (uint32_t k = 0; k < q->info->nkey; k++) {
        raw(q, k > 0 ? ", " : "");
        value(q, row->values[q->info->key[k]]);
    }
    raw(q, "</a></th>");
}

static void add_table_row(struct odp_query *q, const struct query_row *row)
{
    raw(q, "<tr>");
    add_row_head(q, row);
    for (uint32_t k = key_is_first(q); k < q->nselect; k++) {
        raw(q, is_number(q, k) ? "<td class=\"n\">" : "<td>");
        add_value(q, row, q->select[k]);
        raw(q, "</td>");
    }
    if (shows_geometry(q)) {
        raw(q, "<td>");
        add_geometry(q, row);
        raw(q, "</td>");
    }
    raw(q, "</tr>\n");
}

static void add_list(struct odp_query *q, const struct query_row *row)
{
    raw(q, "<dl>\n");
    for (uint32_t k = 0; k < q->nselect; k++) {
        raw(q, "<dt>");
        add_column_title(q, q->select[k]);
        raw(q, "</dt><dd>");
        add_value(q, row, q->select[k]);
        raw(q, "</dd>\n");
    }
    if (shows_geometry(q)) {
        raw(q, "<dt>");
        say(q, W_queries_geometry);
        raw(q, "</dt><dd>");
        add_geometry(q, row);
        raw(q, "</dd>\n");
    }
    raw(q, "</dl>\n");
}

static void add_row(struct odp_query *q, const struct query_row *row)
{
    (q->call->kind == ODP_QUERY_ITEM ? add_list : add_table_row)(q, row);
}

static void add_link(struct odp_query *q, const char *rel, const char *href, const char *id, const char *en)
{
    raw(q, "<li><a rel=\"");
    raw(q, rel);
    raw(q, "\" href=\"");
    text(q, href);
    raw(q, "\">");
    say(q, id, en);
    raw(q, "</a></li>\n");
}

static void begin_links(struct odp_query *q, const char *id, const char *en)
{
    raw(q, "<nav aria-label=\"");
    say(q, id, en);
    raw(q, "\">\n<ul>\n");
}

static void add_pages(struct odp_query *q)
{
    const struct odp_query_result *r = q->answer;
    bool later = q->cursor != NULL || q->offset > 0;
    odp_buffer_printf(&q->answer->body, "</tbody>\n</table>\n</div>\n<p>%llu ",
                      (unsigned long long)r->returned);
    if (r->returned == 1)
        say(q, W_queries_record_shown);
    else
        say(q, W_queries_records_shown);
    if (r->total >= 0) {
        say(q, W_queries_that_match);
        odp_buffer_add_u64(&q->answer->body, (uint64_t)r->total);
    }
    raw(q, ".</p>\n");
    if (r->next == NULL && r->previous == NULL && !later)
        return;
    begin_links(q, W_queries_pages);
    if (later)
        add_link(q, "first", query_link_form(q, NULL, "html"), W_queries_first_page);
    if (r->previous != NULL)
        add_link(q, "prev", r->previous, W_queries_previous);
    if (r->next != NULL)
        add_link(q, "next", r->next, W_queries_next);
    raw(q, "</ul>\n</nav>\n");
}

static void end(struct odp_query *q)
{
    const bool ogc = q->call->ogc;
    if (q->call->kind == ODP_QUERY_ITEMS)
        add_pages(q);
    begin_links(q, W_queries_other_forms);
    add_link(q, "alternate", query_link_self(q, "json"), ogc ? "GeoJSON" : "JSON", ogc ? "GeoJSON" : "JSON");
    if (!ogc && q->info->has_geometry)
        add_link(q, "alternate", query_link_self(q, "geojson"), "GeoJSON", "GeoJSON");
    add_link(q, "alternate", query_link_self(q, "csv"), "CSV", "CSV");
    if (ogc)
        add_link(q, "collection", query_link_collection(q), W_queries_about_collection);
    raw(q, "</ul>\n</nav>\n</main>\n</body>\n</html>\n");
}

const struct query_writer query_write_html = {"text/html; charset=utf-8", begin, add_row, end,
                                              QUERY_READ_SHAPE | QUERY_READ_LABEL};
