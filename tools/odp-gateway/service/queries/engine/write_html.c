/* A page for people who open an address of records in a browser: a table, or of one record its list of
 * values. No scripts; everything that comes from the data or the request is escaped (base/html.h).
 * Geometry is named by its type and a point on it: who wants it whole takes another form, which the page
 * links to. */
#include "base/html.h"
#include "base/utf8.h"
#include "service/queries/engine/write_internal.h"
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

static void raw(struct odp_query_result *r, const char *html)
{
    odp_buffer_add_str(&r->body, html);
}

static void say(struct odp_query *q, struct odp_query_result *r, const char *id, const char *en)
{
    odp_html_text(&r->body, q->call->lang == ODP_LANG_EN ? en : id);
}

static void escaped(struct odp_query_result *r, struct odp_slice text)
{
    odp_html_twice(&r->body, text);
}

static void attribute(struct odp_query_result *r, const char *before, const char *text)
{
    raw(r, before);
    if (text == NULL)
        r->body.failed = true;
    odp_html_text(&r->body, text);
    raw(r, "\"");
}

/* ---- values ------------------------------------------------------------------------------------------ */

static void add_geometry(struct odp_query *q, const struct query_row *row, struct odp_query_result *r)
{
    struct odp_geom g;
    double at[2];
    enum odp_status status = query_label_of(q, row, at, &g);
    r->body.failed = r->body.failed || status == ODP_FAIL;
    if (status != ODP_OK)
        return;
    raw(r, odp_geom_type_name(g.type));
    raw(r, " (");
    query_add_degrees(&r->body, at[0]);
    raw(r, ", ");
    query_add_degrees(&r->body, at[1]);
    raw(r, ")");
}

static void add_column_title(struct odp_query *q, struct odp_query_result *r, uint32_t k)
{
    const struct odp_search_column *c = &q->info->columns[k];
    odp_html_text(&r->body, odp_text_is_empty(&c->title) ? c->name : odp_text_get(&c->title, q->call->lang));
    if (!odp_text_is_empty(&c->unit)) {
        raw(r, " (");
        odp_html_text(&r->body, odp_text_get(&c->unit, q->call->lang));
        raw(r, ")");
    }
}

static void add_key(struct odp_query *q, struct odp_query_result *r, const struct query_row *row)
{
    if (q->info->nkey == 0)
        odp_buffer_add_u64(&r->body, (uint64_t)row->id);
    for (uint32_t k = 0; k < q->info->nkey; k++) {
        if (k > 0)
            raw(r, ", ");
        escaped(r, row->values[q->info->key[k]]);
    }
}

/* ---- the page ---------------------------------------------------------------------------------------- */

static void add_title(struct odp_query *q, struct odp_query_result *r)
{
    odp_html_text(&r->body, q->call->dataset_title != NULL ? q->call->dataset_title : q->info->slug);
    if (q->info->resource != NULL) {
        raw(r, " – ");
        odp_html_text(&r->body, q->info->resource);
    }
    if (q->call->kind == ODP_QUERY_ITEM) {
        raw(r, " – ");
        escaped(r, odp_utf8_valid(q->call->key) == q->call->key.len ? q->call->key : ODP_LIT("?"));
    }
}

/* What was asked: the parameters as they were given. Only whole UTF-8 may become part of a page. */
static void add_asked(struct odp_query *q, struct odp_query_result *r)
{
    bool any = false;
    for (size_t i = 0; i < q->call->nparams; i++) {
        const struct odp_query_param *p = &q->call->params[i];
        if (odp_slice_is(p->name, "cursor") || odp_slice_is(p->name, "f") || p->value.len == 0)
            continue;
        if (odp_utf8_valid(p->name) != p->name.len || odp_utf8_valid(p->value) != p->value.len)
            continue;
        if (!any) {
            raw(r, "<h2>");
            say(q, r, W_queries_what_asked);
            raw(r, "</h2>\n<dl>\n");
        }
        any = true;
        raw(r, "<dt>");
        escaped(r, p->name);
        raw(r, "</dt><dd>");
        escaped(r, p->value);
        raw(r, "</dd>\n");
    }
    if (any)
        raw(r, "</dl>\n");
}

static void add_head(struct odp_query *q, struct odp_query_result *r)
{
    raw(r, "<!doctype html>\n<html lang=\"");
    raw(r, q->call->lang == ODP_LANG_EN ? "en" : "id");
    raw(r, "\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" "
           "content=\"default-src 'none'; "
           "style-src "
           "'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n<meta name=\"viewport\" "
           "content=\"width=device-width, "
           "initial-scale=1\">\n<title>");
    add_title(q, r);
    raw(r, "</title>\n<style>");
    raw(r, style);
    raw(r, "</style>\n</head>\n<body>\n<header>\n<h1>");
    add_title(q, r);
    raw(r, "</h1>\n<p>");
    say(q, r, W_queries_version);
    raw(r, " ");
    odp_html_text(&r->body, q->info->version);
    if (q->info->last_update != NULL) {
        raw(r, " · ");
        say(q, r, W_queries_updated);
        raw(r, " ");
        odp_html_date(&r->body, q->info->last_update, q->call->lang);
    }
    raw(r, "</p>\n</header>\n<main>\n");
}

/* Whether the first column shown names the record by itself. */
static bool key_is_first(const struct odp_query *q)
{
    return q->info->nkey == 1 && q->nselect > 0 && q->select[0] == q->info->key[0];
}

static enum odp_status begin(struct odp_query *q, struct odp_query_result *r)
{
    add_head(q, r);
    if (q->call->kind == ODP_QUERY_ITEM)
        return odp_buffer_status(&r->body);
    add_asked(q, r);
    raw(r, "<div class=\"wide\" role=\"region\" tabindex=\"0\" "
           "aria-labelledby=\"records\">\n<table>\n<caption id=\"records\">");
    say(q, r, W_queries_records);
    raw(r, "</caption>\n<thead>\n<tr>");
    if (!key_is_first(q)) {
        raw(r, "<th scope=\"col\">");
        say(q, r, W_queries_key);
        raw(r, "</th>");
    }
    for (uint32_t k = 0; k < q->nselect; k++) {
        raw(r, odp_type_is_number(q->info->columns[q->select[k]].type) ? "<th scope=\"col\" class=\"n\">"
                                                                       : "<th scope=\"col\">");
        add_column_title(q, r, q->select[k]);
        raw(r, "</th>");
    }
    if (q->show_geometry && q->info->has_geometry) {
        raw(r, "<th scope=\"col\">");
        say(q, r, W_queries_geometry);
        raw(r, "</th>");
    }
    raw(r, "</tr>\n</thead>\n<tbody>\n");
    return odp_buffer_status(&r->body);
}

static void add_row_head(struct odp_query *q, const struct query_row *row, struct odp_query_result *r)
{
    struct odp_buffer link;
    odp_buffer_init(&link);
    query_add_item_link(q, row, &link);
    odp_buffer_add_str(&link, "?f=html");
    raw(r, "<th scope=\"row\"><a href=\"");
    escaped(r, odp_buffer_slice(&link));
    raw(r, "\">");
    add_key(q, r, row);
    raw(r, "</a></th>");
    if (odp_buffer_status(&link) != ODP_OK)
        r->body.failed = true;
    odp_buffer_release(&link);
}

static void add_table_row(struct odp_query *q, const struct query_row *row, struct odp_query_result *r)
{
    raw(r, "<tr>");
    add_row_head(q, row, r);
    for (uint32_t k = key_is_first(q); k < q->nselect; k++) {
        raw(r, odp_type_is_number(q->info->columns[q->select[k]].type) ? "<td class=\"n\">" : "<td>");
        escaped(r, row->values[q->select[k]]);
        raw(r, "</td>");
    }
    if (q->show_geometry && q->info->has_geometry) {
        raw(r, "<td>");
        add_geometry(q, row, r);
        raw(r, "</td>");
    }
    raw(r, "</tr>\n");
}

static void add_list(struct odp_query *q, const struct query_row *row, struct odp_query_result *r)
{
    raw(r, "<dl>\n");
    for (uint32_t k = 0; k < q->nselect; k++) {
        raw(r, "<dt>");
        add_column_title(q, r, q->select[k]);
        raw(r, "</dt><dd>");
        escaped(r, row->values[q->select[k]]);
        raw(r, "</dd>\n");
    }
    if (q->show_geometry && q->info->has_geometry) {
        raw(r, "<dt>");
        say(q, r, W_queries_geometry);
        raw(r, "</dt><dd>");
        add_geometry(q, row, r);
        raw(r, "</dd>\n");
    }
    raw(r, "</dl>\n");
}

static enum odp_status add_row(struct odp_query *q, const struct query_row *row, struct odp_query_result *r)
{
    if (q->call->kind == ODP_QUERY_ITEM)
        add_list(q, row, r);
    else
        add_table_row(q, row, r);
    return odp_buffer_status(&r->body);
}

static void add_link(struct odp_query *q, struct odp_query_result *r, const char *rel, const char *href,
                     const char *id, const char *en)
{
    raw(r, "<li><a rel=\"");
    raw(r, rel);
    attribute(r, "\" href=\"", href);
    raw(r, ">");
    say(q, r, id, en);
    raw(r, "</a></li>\n");
}

static void add_pages(struct odp_query *q, struct odp_query_result *r)
{
    raw(r, "</tbody>\n</table>\n</div>\n<p>");
    odp_buffer_add_u64(&r->body, r->returned);
    raw(r, " ");
    say(q, r, "rekaman ditampilkan", r->returned == 1 ? "record shown" : "records shown");
    if (r->total >= 0) {
        say(q, r, W_queries_that_match);
        odp_buffer_add_u64(&r->body, (uint64_t)r->total);
    }
    raw(r, ".</p>\n");
    if (r->next == NULL && r->previous == NULL && q->cursor == NULL && q->offset == 0)
        return;
    attribute(r, "<nav aria-label=\"", q->call->lang == ODP_LANG_EN ? "Pages" : "Halaman");
    raw(r, ">\n<ul>\n");
    if (q->cursor != NULL || q->offset > 0)
        add_link(q, r, "first", query_link_form(q, NULL, "html"), W_queries_first_page);
    if (r->previous != NULL)
        add_link(q, r, "prev", r->previous, W_queries_previous);
    if (r->next != NULL)
        add_link(q, r, "next", r->next, W_queries_next);
    raw(r, "</ul>\n</nav>\n");
}

static enum odp_status end(struct odp_query *q, struct odp_query_result *r)
{
    if (q->call->kind == ODP_QUERY_ITEMS)
        add_pages(q, r);
    attribute(r, "<nav aria-label=\"", q->call->lang == ODP_LANG_EN ? "Other forms" : "Bentuk lain");
    raw(r, ">\n<ul>\n");
    if (q->call->ogc) {
        add_link(q, r, "alternate", query_link_self(q, "json"), "GeoJSON", "GeoJSON");
    } else {
        add_link(q, r, "alternate", query_link_self(q, "json"), "JSON", "JSON");
        if (q->info->has_geometry)
            add_link(q, r, "alternate", query_link_self(q, "geojson"), "GeoJSON", "GeoJSON");
    }
    add_link(q, r, "alternate", query_link_self(q, "csv"), "CSV", "CSV");
    if (q->call->ogc)
        add_link(q, r, "collection", query_link_collection(q), W_queries_about_collection);
    raw(r, "</ul>\n</nav>\n</main>\n</body>\n</html>\n");
    return odp_buffer_status(&r->body);
}

const struct query_writer query_write_html = {
    ODP_QUERY_HTML, "text/html; charset=utf-8", begin, add_row, end, QUERY_READ_SHAPE | QUERY_READ_LABEL};
