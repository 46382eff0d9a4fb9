/* The pages of collections. */
#include "site/api/ogc_page.h"

static const struct odp_text collections = {{"Koleksi", "Collections"}};

static const char *stem_of(struct api_page *p, const struct api_resource *r, const char *after)
{
    const char *stem = odp_arena_printf(&p->api->arena, "collections/%s%s", r->id, after);
    p->api->doc.failed = p->api->doc.failed || stem == NULL;
    return stem;
}

static void begin_fact(struct api_page *p, const char *id, const char *en)
{
    api_page_raw(p, "<dt>");
    api_page_say(p, id, en);
    api_page_raw(p, "</dt><dd>");
}

/* Records, geometry, extent, interval: what both kinds of pages tell. */
static void add_facts(struct api_page *p, const struct api_resource *r)
{
    const struct odp_search_info *info = r->info;
    begin_fact(p, "Rekaman", "Records");
    api_page_count(p, info->rows);
    api_page_raw(p, "</dd>\n");
    begin_fact(p, "Geometri", "Geometry");
    api_page_geometry(p, info);
    api_page_raw(p, "</dd>\n");
    if (info->has_bbox) {
        begin_fact(p, "Cakupan", "Extent");
        api_page_extent(p, info);
        api_page_raw(p, "</dd>\n");
    }
    if (info->interval[0] != NULL || info->interval[1] != NULL) {
        begin_fact(p, "Waktu", "Time");
        api_page_interval(p, info);
        api_page_raw(p, "</dd>\n");
    }
}

void api_page_collections(struct api_page *p)
{
    api_page_begin(p, &collections, NULL, NULL);
    for (size_t i = 0; i < p->api->n; i++) {
        const struct api_resource *r = &p->api->resources[i];
        api_page_raw(p, "<section>\n<h2>");
        api_page_link(p, stem_of(p, r, ""));
        api_page_both(p, &r->title);
        api_page_raw(p, "</a></h2>\n<p>");
        api_page_both(p, &r->description);
        api_page_say(p, "</p>\n<dl>\n<dt>Nama</dt><dd><code>", "</p>\n<dl>\n<dt>Name</dt><dd><code>");
        api_page_text(p, r->id);
        api_page_raw(p, "</code></dd>\n");
        add_facts(p, r);
        api_page_raw(p, "</dl>\n</section>\n");
    }
    api_page_end(p, "collections.json");
}

/* ---- one collection
 * ---------------------------------------------------------------------------------------------------------------- */

static void begin_table(struct api_page *p, const char *id, const char *en)
{
    api_page_raw(p, "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"");
    api_page_say(p, id, en);
    api_page_raw(p, "\"><table>\n<thead><tr>");
    api_page_say(p, "<th scope=\"col\">Nama</th><th scope=\"col\">Arti</th><th scope=\"col\">Jenis</th>",
                 "<th scope=\"col\">Name</th><th scope=\"col\">Meaning</th><th scope=\"col\">Type</th>");
}

/* Title and description; the description is left away where it only says the title again. */
static void add_meaning(struct api_page *p, const struct api_resource *r, uint32_t k)
{
    const struct odp_search_column *c = &r->info->columns[k];
    const struct odp_text description = api_column_description(r, k);
    const char *title = odp_text_get(&c->title, p->lang), *more = odp_text_get(&description, p->lang);
    api_page_text(p, *title != '\0' ? title : c->name);
    if (*more != '\0' && strcmp(more, title) != 0) {
        api_page_raw(p, "<br><small>");
        api_page_text(p, more);
        api_page_raw(p, "</small>");
    }
}

static void add_type(struct api_page *p, const struct odp_search_column *c)
{
    const char *unit = odp_text_get(&c->unit, p->lang);
    api_page_type(p, c->type);
    if (*unit != '\0') {
        api_page_raw(p, ", ");
        api_page_text(p, unit);
    }
}

static bool is_key(const struct odp_search_info *info, uint32_t k)
{
    for (uint32_t i = 0; i < info->nkey; i++)
        if (info->key[i] == k)
            return true;
    return false;
}

static void add_fields(struct api_page *p, const struct api_resource *r)
{
    api_page_say(p, "<h2 id=\"kolom\">Kolom</h2>\n", "<h2 id=\"fields\">Fields</h2>\n");
    begin_table(p, "Kolom", "Fields");
    api_page_raw(p, "</tr></thead>\n<tbody>\n");
    for (uint32_t k = 0; k < r->info->nfields; k++) {
        const struct odp_search_column *c = &r->info->columns[k];
        api_page_raw(p, "<tr><th scope=\"row\"><code>");
        api_page_text(p, c->name);
        api_page_raw(p, "</code></th><td>");
        add_meaning(p, r, k);
        api_page_raw(p, "</td><td>");
        add_type(p, c);
        if (is_key(r->info, k))
            api_page_say(p, "; kunci utama", "; primary key");
        api_page_raw(p, "</td></tr>\n");
    }
    api_page_raw(p, "</tbody></table></div>\n");
}

/* The files of the version; addresses of the index begin with "../", and stand in v1/. */
static void add_downloads(struct api_page *p, const struct api_resource *r)
{
    const json_t *files = json_object_get(r->resource, "files");
    if (json_array_size(files) == 0)
        return;
    api_page_say(p, "<h2 id=\"unduhan\">Unduhan</h2>\n<p>Tanpa kunci:</p>\n<ul>\n",
                 "<h2 id=\"downloads\">Downloads</h2>\n<p>Without a key:</p>\n<ul>\n");
    for (size_t i = 0; i < json_array_size(files); i++) {
        const json_t *f = json_array_get(files, i);
        const char *url = api_text(f, "url"), *name = strrchr(url, '/');
        api_page_raw(p, "<li><a href=\"");
        api_page_raw(p, p->up);
        api_page_raw(p, "../");
        api_page_text(p, url);
        api_page_raw(p, "\">");
        api_page_text(p, name != NULL ? name + 1 : url);
        api_page_raw(p, "</a> (");
        api_page_text(p, api_text(f, "format"));
        api_page_raw(p, ")</li>\n");
    }
    api_page_raw(p, "</ul>\n");
}

static void add_about(struct api_page *p, const struct api_resource *r)
{
    const json_t *license = json_object_get(r->entry, "license");
    const struct odp_text license_title = api_both(license, "title"), producer = api_both(r->entry, "producer");
    api_page_raw(p, "<dl>\n");
    begin_fact(p, "Nama", "Name");
    api_page_raw(p, "<code>");
    api_page_text(p, r->id);
    api_page_raw(p, "</code></dd>\n");
    add_facts(p, r);
    begin_fact(p, "Versi", "Version");
    api_page_text(p, r->info->version);
    api_page_raw(p, "</dd>\n");
    if (!odp_text_is_empty(&producer)) {
        begin_fact(p, "Produsen data", "Producer");
        api_page_both(p, &producer);
        api_page_raw(p, "</dd>\n");
    }
    if (*api_text(license, "path") != '\0') {
        begin_fact(p, "Lisensi", "Licence");
        api_page_raw(p, "<a rel=\"license\" href=\"");
        api_page_text(p, api_text(license, "path"));
        api_page_raw(p, "\">");
        api_page_text(p, odp_text_is_empty(&license_title) ? api_text(license, "name") : odp_text_get(&license_title, p->lang));
        api_page_raw(p, "</a></dd>\n");
    }
    api_page_raw(p, "</dl>\n");
}

static void add_opening(struct api_page *p, const struct api_resource *r)
{
    api_page_say(p, "<h2 id=\"buka\">Membukanya</h2>\n<p>Di QGIS: ", "<h2 id=\"open\">Opening it</h2>\n<p>In QGIS: ");
    api_page_raw(p, "<a href=\"");
    api_page_raw(p, p->up);
    api_page_say(p, "index.html#qgis\">langkah-langkahnya</a>, lalu pilih ",
                 "index.en.html#qgis\">the steps</a>, then choose ");
    api_page_raw(p, "<b>");
    api_page_text(p, api_joined(p->api, &r->title, " / "));
    api_page_say(p, "</b>. Dengan GDAL:</p>\n<pre tabindex=\"0\"><code>", "</b>. With GDAL:</p>\n<pre tabindex=\"0\"><code>");
    api_page_raw(p, "echo \"Authorization: Bearer odp_live_…\" &gt; header.txt\nexport GDAL_HTTP_HEADER_FILE=header.txt\n");
    api_page_copy(p, r->id);
    api_page_raw(p, "</code></pre>\n<ul>\n<li><a href=\"");
    api_page_raw(p, p->up);
    api_page_text(p, stem_of(p, r, "/items?f=html"));
    api_page_say(p, "\">Rekamannya</a> (dengan kunci)</li>\n<li>", "\">Its records</a> (with a key)</li>\n<li>");
    api_page_link(p, stem_of(p, r, "/queryables"));
    api_page_say(p, "Yang dapat disaring</a></li>\n<li>", "What it can be filtered by</a></li>\n<li>");
    api_page_file(p, stem_of(p, r, "/schema.json"));
    api_page_raw(p, "JSON Schema</a></li>\n</ul>\n");
}

void api_page_collection(struct api_page *p, const struct api_resource *r)
{
    api_page_begin(p, &r->title, &collections, "collections");
    api_page_raw(p, "<p>");
    api_page_both(p, &r->description);
    api_page_raw(p, "</p>\n");
    add_about(p, r);
    add_opening(p, r);
    add_fields(p, r);
    add_downloads(p, r);
    api_page_end(p, stem_of(p, r, ".json"));
}

/* ---- queryables
 * ---------------------------------------------------------------------------------------------------------------------- */

/* The values of a closed list. */
static void add_values(struct api_page *p, const struct api_resource *r, uint32_t k)
{
    json_t *schema = api_field(p->api, r, k, API_VALUE);
    const json_t *values = json_object_get(schema, "enum");
    for (size_t i = 0; i < json_array_size(values); i++) {
        const json_t *v = json_array_get(values, i);
        api_page_raw(p, i > 0 ? ", <code>" : "<code>");
        if (json_is_string(v))
            api_page_text(p, json_string_value(v));
        else if (json_is_integer(v))
            odp_buffer_printf(p->out, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
        api_page_raw(p, "</code>");
    }
    json_decref(schema);
}

static void add_queryable_rows(struct api_page *p, const struct api_resource *r)
{
    const struct odp_search_info *info = r->info;
    if (info->has_geometry && info->geometry_name != NULL) {
        api_page_raw(p, "<tr><th scope=\"row\"><code>");
        api_page_text(p, info->geometry_name);
        api_page_say(p, "</code></th><td>Geometri</td><td>", "</code></th><td>Geometry</td><td>");
        api_page_geometry(p, info);
        api_page_raw(p, "</td><td></td></tr>\n");
    }
    for (uint32_t k = 0; k < info->ncolumns; k++) {
        const struct odp_search_column *c = &info->columns[k];
        if (!api_is_queryable(c))
            continue;
        api_page_raw(p, "<tr><th scope=\"row\"><code>");
        api_page_text(p, c->name);
        api_page_raw(p, "</code></th><td>");
        add_meaning(p, r, k);
        api_page_raw(p, "</td><td>");
        add_type(p, c);
        api_page_raw(p, "</td><td>");
        add_values(p, r, k);
        api_page_raw(p, "</td></tr>\n");
    }
}

void api_page_queryables(struct api_page *p, const struct api_resource *r)
{
    struct odp_text title;
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        title.in[lang] =
            odp_arena_printf(&p->api->arena, lang == ODP_LANG_ID ? "%s: yang dapat disaring" : "%s: what it can be filtered by",
                             odp_text_get(&r->title, (enum odp_lang)lang));
        p->api->doc.failed = p->api->doc.failed || title.in[lang] == NULL;
    }
    api_page_begin(p, &title, &r->title, stem_of(p, r, ""));
    api_page_say(
        p,
        "<p>Nama-nama ini dapat dipakai dalam <code>filter</code> (CQL2) dan sebagai parameter: <code>nama=nilai</code>. "
        "Nama yang bukan "
        "kata biasa ditulis di antara tanda kutip ganda.</p>\n",
        "<p>These names can be used in <code>filter</code> (CQL2) and as parameters: <code>name=value</code>. A name that "
        "is no plain word is "
        "written between double quotes.</p>\n");
    begin_table(p, "Yang dapat disaring", "What it can be filtered by");
    api_page_say(p, "<th scope=\"col\">Nilai</th></tr></thead>\n<tbody>\n",
                 "<th scope=\"col\">Values</th></tr></thead>\n<tbody>\n");
    add_queryable_rows(p, r);
    api_page_raw(p, "</tbody></table></div>\n");
    api_page_end(p, stem_of(p, r, "/queryables.json"));
}
