/* The pages v1/ogc/….html (Indonesian) and ….en.html: what this is and how to open it, for people.
 *
 * GDAL 3.6 asks for 10 records at a time unless told -oo PAGE_SIZE=1000: pages say so, since each request
 * costs quota. */
#include "site/api/ogc_page.h"

static void add_base(struct api_page *p)
{
    api_page_text(p, p->api->base);
    api_page_raw(p, "v1/ogc");
}

/* ---- the landing page
 * ----------------------------------------------------------------------------------------------------------- */

static void add_key(struct api_page *p)
{
    api_page_say(
        p,
        "<h2 id=\"kunci\">1. Kunci</h2>\n<p>Halaman ini dan daftar koleksi terbuka untuk siapa saja; rekamannya meminta "
        "kunci API. Kunci itu "
        "gratis dan langsung jadi:</p>\n",
        "<h2 id=\"key\">1. A key</h2>\n<p>These pages and the list of collections are open to everybody; records ask for "
        "an API key. It is free and "
        "ready at once:</p>\n");
    api_page_raw(p, "<pre tabindex=\"0\"><code>curl ");
    api_page_text(p, p->api->base);
    api_page_raw(p, "auth/register \\\n  -H 'Content-Type: application/json' \\\n  -d "
                    "'{\"name\":\"Sari\",\"email\":\"sari@example.org\"}'</code></pre>\n");
}

static void add_qgis(struct api_page *p)
{
    api_page_say(p,
                 "<h2 id=\"qgis\">2. Di QGIS</h2>\n<ol>\n<li><b>Layer › Add Layer › Add WFS / OGC API - Features "
                 "Layer…</b></li>\n<li><b>New</b>. "
                 "<i>Name</i>: bebas. <i>URL</i>: <code>",
                 "<h2 id=\"qgis\">2. In QGIS</h2>\n<ol>\n<li><b>Layer › Add Layer › Add WFS / OGC API - Features "
                 "Layer…</b></li>\n<li><b>New</b>. "
                 "<i>Name</i>: as you like. <i>URL</i>: <code>");
    add_base(p);
    api_page_say(
        p,
        "</code>. <i>Version</i>: OGC API - Features.</li>\n<li>Di <i>Authentication</i>, tab <i>Configurations</i>, "
        "tambahkan konfigurasi "
        "berjenis <b>API Header</b>: <i>Header key</i> <code>Authorization</code>, <i>Header value</i> <code>Bearer "
        "odp_live_…</code> (kunci "
        "Anda). Lalu pilih konfigurasi itu.</li>\n<li><b>OK</b>, <b>Connect</b>, pilih koleksi, <b>Add</b>. QGIS "
        "mengambil hanya bagian peta yang "
        "terlihat, dan meneruskan penyaring ke portal ini.</li>\n</ol>\n",
        "</code>. <i>Version</i>: OGC API - Features.</li>\n<li>Under <i>Authentication</i>, tab <i>Configurations</i>, "
        "add a configuration of the "
        "type <b>API Header</b>: <i>Header key</i> <code>Authorization</code>, <i>Header value</i> <code>Bearer "
        "odp_live_…</code> (your key). Then "
        "choose that configuration.</li>\n<li><b>OK</b>, <b>Connect</b>, choose a collection, <b>Add</b>. QGIS fetches "
        "only the part of the map in "
        "view, and hands filters on to this portal.</li>\n</ol>\n");
}

static void add_gdal(struct api_page *p)
{
    const char *id = p->api->n > 0 ? p->api->resources[0].id : "koleksi";
    api_page_say(p, "<h2 id=\"gdal\">3. Dengan GDAL</h2>\n<pre tabindex=\"0\"><code>",
                 "<h2 id=\"gdal\">3. With GDAL</h2>\n<pre tabindex=\"0\"><code>");
    api_page_raw(p, "echo \"Authorization: Bearer odp_live_…\" &gt; header.txt\nexport GDAL_HTTP_HEADER_FILE=header.txt\nogrinfo -so \"OAPIF:");
    add_base(p);
    api_page_raw(p, "\"\n");
    api_page_copy(p, id);
    api_page_raw(p, "</code></pre>\n");
    api_page_say(p, "<p><code>PAGE_SIZE=1000</code> menghemat kuota: tanpa itu GDAL meminta sedikit rekaman setiap kali.</p>\n",
                 "<p><code>PAGE_SIZE=1000</code> saves quota: without it GDAL asks for few records at a time.</p>\n");
    api_page_say(
        p,
        "<p>Untuk seluruh dataset sekaligus, <a href=\"../../rilis.html\">unduhannya</a> lebih cepat daripada API, dan "
        "tidak meminta kunci.</p>\n",
        "<p>For a whole dataset at once its <a href=\"../../en/releases.html\">download</a> is faster than the API, and "
        "asks for no key.</p>\n");
}

static void add_index_table(struct api_page *p)
{
    api_page_say(p, "<h2 id=\"koleksi\">Koleksi</h2>\n", "<h2 id=\"collections\">Collections</h2>\n");
    api_page_say(p,
                 "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Koleksi\"><table>\n<thead><tr><th "
                 "scope=\"col\">Koleksi</th><th scope=\"col\">Nama",
                 "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"Collections\"><table>\n<thead><tr><th "
                 "scope=\"col\">Collection</th><th scope=\"col\">Name");
    api_page_say(p, "</th><th scope=\"col\">Geometri</th><th scope=\"col\" class=\"n\">Rekaman</th></tr></thead>\n<tbody>\n",
                 "</th><th scope=\"col\">Geometry</th><th scope=\"col\" class=\"n\">Records</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < p->api->n; i++) {
        const struct api_resource *r = &p->api->resources[i];
        api_page_raw(p, "<tr><th scope=\"row\">");
        api_page_link(p, odp_arena_printf(&p->api->arena, "collections/%s", r->id));
        api_page_both(p, &r->title);
        api_page_raw(p, "</a></th><td><code>");
        api_page_text(p, r->id);
        api_page_raw(p, "</code></td><td>");
        api_page_geometry(p, r->info);
        api_page_raw(p, "</td><td class=\"n\">");
        api_page_count(p, r->info->rows);
        api_page_raw(p, "</td></tr>\n");
    }
    api_page_raw(p, "</tbody></table></div>\n");
}

static void page_index(struct api_page *p)
{
    static const struct odp_text title = {{"Peta dan data sebagai layanan", "Maps and data as a service"}};
    api_page_begin(p, &title, NULL, NULL);
    api_page_say(
        p,
        "<p>Semua dataset portal ini sebagai koleksi <a href=\"https://ogcapi.ogc.org/features/\">OGC API - Features</a>: "
        "QGIS, GDAL, dan program "
        "lain yang mengenal standar itu membukanya dengan satu alamat, tanpa mengunduh dan mengimpor.</p>\n<p>Alamatnya: "
        "<code>",
        "<p>All datasets of this portal as collections of <a href=\"https://ogcapi.ogc.org/features/\">OGC API - Features</a>: "
        "QGIS, GDAL and other "
        "programs that know the standard open them by one address, without downloads and imports.</p>\n<p>The address: <code>");
    add_base(p);
    api_page_raw(p, "</code></p>\n");
    add_key(p);
    add_qgis(p);
    add_gdal(p);
    add_index_table(p);
    api_page_say(p, "<h2>Untuk pemrogram</h2>\n<ul>\n<li>", "<h2>For programmers</h2>\n<ul>\n<li>");
    api_page_link(p, "collections");
    api_page_say(p, "Koleksi dengan luas dan rentang waktunya</a></li>\n<li>",
                 "The collections with their extents</a></li>\n<li>");
    api_page_file(p, "api.json");
    api_page_say(p, "OpenAPI 3.0 dari layanan ini</a></li>\n<li>", "OpenAPI 3.0 of this service</a></li>\n<li>");
    api_page_file(p, "../openapi.json");
    api_page_say(p, "OpenAPI 3.1 dari seluruh API</a></li>\n<li>", "OpenAPI 3.1 of the whole API</a></li>\n<li>");
    api_page_link(p, "conformance");
    api_page_say(p, "Bagian standar yang dipenuhi</a></li>\n</ul>\n", "The parts of the standards that hold</a></li>\n</ul>\n");
    api_page_end(p, "index.json");
}

static void page_conformance(struct api_page *p)
{
    static const struct odp_text title = {{"Bagian standar yang dipenuhi", "The parts of the standards that hold"}};
    api_page_begin(p, &title, NULL, NULL);
    api_page_say(
        p,
        "<p>OGC API - Features Part 1 1.0 (OGC 17-069r4), Part 3 1.0 (OGC 19-079r2), dan CQL2 1.0 (OGC 21-065r2). Yang "
        "tidak disebut tidak "
        "dijanjikan.</p>\n<ul>\n",
        "<p>OGC API - Features Part 1 1.0 (OGC 17-069r4), Part 3 1.0 (OGC 19-079r2), and CQL2 1.0 (OGC 21-065r2). What is "
        "not named is not "
        "promised.</p>\n<ul>\n");
    for (const char *const *c = api_conformance; *c != NULL; c++) {
        api_page_raw(p, "<li><code>");
        api_page_text(p, *c);
        api_page_raw(p, "</code></li>\n");
    }
    api_page_raw(p, "</ul>\n");
    api_page_end(p, "conformance.json");
}

/* ---- all of them
 * ------------------------------------------------------------------------------------------------------------------ */

static enum odp_status put(struct api_page *p)
{
    return api_put_page(p->api,
                        odp_arena_printf(&p->api->arena, "v1/ogc/%s%s", p->stem, p->lang == ODP_LANG_ID ? ".html" : ".en.html"),
                        p->out);
}

static enum odp_status put_pages_of(struct api_page *p, const struct api_resource *r)
{
    p->up = "../";
    p->stem = odp_arena_printf(&p->api->arena, "collections/%s", r->id);
    if (p->stem == NULL)
        return ODP_FAIL;
    api_page_collection(p, r);
    enum odp_status status = put(p);
    p->up = "../../";
    p->stem = odp_arena_printf(&p->api->arena, "collections/%s/queryables", r->id);
    if (p->stem == NULL || status != ODP_OK)
        return ODP_FAIL;
    api_page_queryables(p, r);
    return put(p);
}

static enum odp_status put_pages(struct api_page *p)
{
    static const struct {
        const char *stem;
        void (*make)(struct api_page *p);
    } pages[] = {{"index", page_index}, {"conformance", page_conformance}, {"collections", api_page_collections}};
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < sizeof pages / sizeof *pages && status == ODP_OK; i++) {
        p->up = "";
        p->stem = pages[i].stem;
        pages[i].make(p);
        status = put(p);
    }
    for (size_t i = 0; i < p->api->n && status == ODP_OK; i++)
        status = put_pages_of(p, &p->api->resources[i]);
    return status;
}

enum odp_status api_pages(struct api *a)
{
    struct odp_buffer out;
    enum odp_status status = ODP_OK;
    odp_buffer_init(&out);
    for (int lang = 0; lang < ODP_LANGS && status == ODP_OK; lang++) {
        struct api_page p = {.api = a, .out = &out, .lang = (enum odp_lang)lang};
        status = put_pages(&p);
    }
    odp_buffer_release(&out);
    return status;
}
