/* gambar/<slug>.png and gambar/portal.png: pictures that social media and messengers show beside a link (Open
 * Graph), 1200 x 630. That of a dataset is its first chart, drawn with its version; without one its title, in
 * the colours of the theme: the slug decides the tiles at the right, so a dataset keeps its pattern, and the
 * figures tell the version. Code lists have none: links to them show the portal's.
 *
 * The file holds title, author and licence, too, and no time. */
#include "site/metadata/metadata_internal.h"

#include <errno.h>

#include "base/html.h"
#include "base/text.h"
#include "published/parts.h"
#include "write/typesetting/fonts.h"
#include "write/typesetting/png.h"

enum { WIDTH = 1200, HEIGHT = 630, MARGIN = 72, TEXT_WIDTH = 800, TILE = 70, TILE_COLUMNS = 4 };
enum { PICTURE_MAX = 1 << 24 };
enum { FORMATS_MAX = ODP_FORMATS + 1 /* "API" */ };

struct picture {
    const char *slug; /* decides the pattern */
    const char *over, *title, *facts, *publisher, *portal;
    const char *formats[FORMATS_MAX];
    size_t nformats;
};

struct metadata_painter {
    struct odp_metadata *m;
    struct odp_fonts *fonts;
    cairo_surface_t *surface;
    cairo_t *cr;
    double band[3], text[3], tint[3];
};

/* ---- colours ---- */

static double part(const char *two)
{
    static const char digits[] = "0123456789abcdef";
    const char *a = strchr(digits, two[0]), *b = strchr(digits, two[1]);
    return a != NULL && b != NULL ? (double)((a - digits) * 16 + (b - digits)) / 255 : 0;
}

static void read_color(const char *hex, double rgb[3])
{
    for (int i = 0; i < 3; i++)
        rgb[i] = part(hex + 1 + 2 * i);
}

/* SHARE of ON's colour on the band's. */
static void mix(struct metadata_painter *p, const double on[3], double share)
{
    cairo_set_source_rgb(p->cr, p->band[0] + (on[0] - p->band[0]) * share,
                         p->band[1] + (on[1] - p->band[1]) * share,
                         p->band[2] + (on[2] - p->band[2]) * share);
}

/* ---- drawing ---- */

static void draw_tiles(struct metadata_painter *p, const char *slug)
{
    uint8_t digest[ODP_SHA256_SIZE] = {0};
    if (odp_digest_of(slug, strlen(slug), digest) != ODP_OK)
        p->m->status = ODP_FAIL;
    for (int column = 0; column < TILE_COLUMNS; column++)
        for (int row = 0; row < HEIGHT / TILE; row++) {
            const int k = column * (HEIGHT / TILE) + row;
            const double level = (double)((digest[k % ODP_SHA256_SIZE] >> (k / ODP_SHA256_SIZE)) % 6) / 6;
            const double share = level * 0.9 * (column + 1) / TILE_COLUMNS;
            if (share <= 0)
                continue;
            mix(p, p->tint, share);
            cairo_rectangle(p->cr, WIDTH - (TILE_COLUMNS - column) * TILE, row * TILE, TILE - 6, TILE - 6);
            cairo_fill(p->cr);
        }
}

/* Where a text begins. What does not fit the room (0: a line) is set smaller, down to smallest, then cut. */
struct spot {
    double x, y, room, smallest;
};

/* Draws TEXT; returns its height. */
static double draw_text(struct metadata_painter *p, struct odp_face face, const char *text, struct spot at)
{
    double h = 0, line = 0, most;
    struct odp_buffer clean = {0};
    odp_fonts_clean(odp_slice_of(text), &clean);
    struct odp_slice s = odp_buffer_slice(&clean);
    for (;; face.size -= 4) {
        line = odp_fonts_measure(p->fonts, face, ODP_LIT("X"), -1).height;
        h = odp_fonts_measure(p->fonts, face, s, TEXT_WIDTH).height;
        most = at.room > line ? at.room - 0.001 : line + 1;
        if (h <= most || face.size - 4 < at.smallest)
            break;
    }
    PangoLayout *layout = odp_fonts_layout(p->fonts, face, s, TEXT_WIDTH, PANGO_ALIGN_LEFT);
    cairo_save(p->cr);
    cairo_rectangle(p->cr, 0, at.y, WIDTH, most - (double)((long)most % (long)(line > 1 ? line : 1)) + 1);
    cairo_clip(p->cr);
    odp_fonts_show(p->cr, layout, at.x, at.y);
    cairo_restore(p->cr);
    g_object_unref(layout);
    if (clean.failed || odp_fonts_status(p->fonts) != ODP_OK)
        p->m->status = odp_failure_set("make", "PNG", ENOMEM);
    odp_buffer_release(&clean);
    return h < most ? h : most;
}

static void draw_formats(struct metadata_painter *p, const struct picture *of, double y)
{
    const struct odp_face face = {.size = 26};
    double x = MARGIN;
    for (size_t i = 0; i < of->nformats; i++) {
        struct odp_extent e = odp_fonts_measure(p->fonts, face, odp_slice_of(of->formats[i]), -1);
        mix(p, p->text, 0.55);
        cairo_set_line_width(p->cr, 2);
        cairo_rectangle(p->cr, x + 1, y + 1, (double)(int)e.width + 36, 48);
        cairo_stroke(p->cr);
        mix(p, p->text, 1);
        (void)draw_text(p, face, of->formats[i], (struct spot){x + 19, y + 25 - e.height / 2, 0, face.size});
        x += (double)(int)e.width + 36 + 18;
    }
}

static void draw(struct metadata_painter *p, const struct picture *of)
{
    cairo_set_antialias(p->cr, CAIRO_ANTIALIAS_GRAY);
    mix(p, p->text, 0);
    cairo_paint(p->cr);
    draw_tiles(p, of->slug);
    mix(p, p->tint, 1);
    cairo_rectangle(p->cr, MARGIN, 72, 64, 6);
    cairo_fill(p->cr);
    (void)draw_text(p, (struct odp_face){.size = 28}, of->over, (struct spot){MARGIN, 94, 0, 20});
    mix(p, p->text, 1);
    double y = 146 + draw_text(p, (struct odp_face){.size = 68, .bold = true}, of->title,
                               (struct spot){MARGIN, 146, 216, 40});
    mix(p, p->text, 0.85);
    (void)draw_text(p, (struct odp_face){.size = 30}, of->facts, (struct spot){MARGIN, y + 14, 0, 20});
    draw_formats(p, of, 442);
    mix(p, p->text, 0.85);
    (void)draw_text(p, (struct odp_face){.size = 26, .bold = true}, of->publisher,
                    (struct spot){MARGIN, 520, 0, 16});
    (void)draw_text(p, (struct odp_face){.size = 24}, of->portal, (struct spot){MARGIN, 558, 0, 16});
}

/* ---- the files ---- */

static enum odp_status open_painter(struct metadata_painter *p)
{
    const struct odp_theme *t = &p->m->catalog->theme;
    read_color(odp_theme_get(t, ODP_THEME_LIGHT, ODP_THEME_BAND), p->band);
    read_color(odp_theme_get(t, ODP_THEME_LIGHT, ODP_THEME_BAND_TEXT), p->text);
    read_color(odp_theme_get(t, ODP_THEME_DARK, ODP_THEME_ACCENT), p->tint);
    enum odp_status status = odp_fonts_open(&p->fonts); /* loads cairo, too */
    if (status != ODP_OK)
        return status;
    p->surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, WIDTH, HEIGHT);
    p->cr = cairo_create(p->surface);
    if (cairo_status(p->cr) != CAIRO_STATUS_SUCCESS)
        return odp_failure_set("make", "PNG", ENOMEM);
    return ODP_OK;
}

/* OF as PNG. The painter is kept for the next picture. */
static void paint(struct odp_metadata *m, const struct picture *of, struct odp_buffer *out)
{
    if (m->painter == NULL) {
        m->painter = odp_arena_zero(&m->arena, 1, sizeof *m->painter);
        m->painter->m = m;
        m->status = open_painter(m->painter);
    }
    if (m->status != ODP_OK)
        return;
    draw(m->painter, of);
    odp_png_put(m->painter->surface, out);
}

void metadata_painter_close(struct metadata_painter *p)
{
    if (p == NULL)
        return;
    odp_fonts_close(p->fonts);
    if (p->cr != NULL)
        cairo_destroy(p->cr);
    if (p->surface != NULL)
        cairo_surface_destroy(p->surface);
}

/* A chunk of text (iTXt, not compressed, no language). */
static void add_text(struct odp_buffer *out, const char *keyword, const char *text)
{
    struct odp_buffer bytes = {0};
    odp_buffer_add(&bytes, keyword, strlen(keyword) + 1);
    odp_buffer_add(&bytes, "\0\0\0", 4);
    odp_buffer_add_str(&bytes, text);
    odp_png_chunk(out, "iTXt", odp_buffer_slice(&bytes));
    out->failed = out->failed || bytes.failed;
    odp_buffer_release(&bytes);
}

/* The chart that was drawn with the version of ENTRY; DONE: there is none. */
static enum odp_status read_chart(struct odp_metadata *m, const json_t *entry, struct odp_buffer *out)
{
    const struct odp_site_job *job = m->job;
    const json_t *charts = json_object_get(json_array_get(json_object_get(entry, "resources"), 0), "charts"),
                 *c;
    size_t i;
    json_array_foreach(charts, i, c)
    {
        const char *path = odp_model_path(odp_text_of(c, "image"));
        if (*path != '\0')
            return odp_stage_read(job->stage, path, PICTURE_MAX, job->previous, out, job->diags);
    }
    return ODP_DONE;
}

/* ENTRY: of the dataset, or NULL. */
static void put(struct odp_metadata *m, const struct picture *of, const json_t *entry, const char *path)
{
    enum { HEADER = 8 + 25 }; /* signature and IHDR: texts come after them */
    const char *license = m->catalog->portal.license_path;
    struct odp_buffer drawn = {0}, png = {0};
    enum odp_status status = read_chart(m, entry, &drawn);
    if (status != ODP_OK && status != ODP_DONE)
        m->status = status;
    else if (drawn.len < HEADER)
        paint(m, of, &drawn);
    if (m->status == ODP_OK && drawn.failed)
        m->status = odp_failure_set("make", path, ENOMEM);
    if (m->status == ODP_OK) {
        odp_buffer_add(&png, drawn.ptr, HEADER);
        add_text(&png, "Title", of->title);
        add_text(&png, "Author", of->publisher);
        add_text(&png, "Copyright", license != NULL ? license : "");
        odp_buffer_add(&png, drawn.ptr + HEADER, drawn.len - HEADER);
        m->status = odp_buffer_status(&png);
    }
    if (m->status == ODP_OK)
        m->status = odp_stage_put(m->job->stage, path, "image/png", ODP_CLASS_PUBLIC, odp_buffer_slice(&png));
    odp_buffer_release(&drawn);
    odp_buffer_release(&png);
}

static const char *number(struct odp_metadata *m, json_int_t n)
{
    struct odp_buffer b = {0};
    odp_text_decimal(&b, odp_slice_of(metadata_printf(m, "%" JSON_INTEGER_FORMAT, n)), ODP_LANG_ID);
    return odp_buffer_keep(&b, &m->arena);
}

static const char *date(struct odp_metadata *m, const char *day)
{
    struct odp_buffer b = {0};
    odp_html_plain_date(&b, day, ODP_LANG_ID);
    return odp_buffer_keep(&b, &m->arena);
}

void metadata_picture(struct odp_metadata *m, const json_t *entry)
{
    if (m->status != ODP_OK || odp_model_is_list(entry))
        return; /* a link to a code list shows the portal's */
    const struct odp_portal *portal = &m->catalog->portal;
    const json_t *formats = json_object_get(entry, "formats");
    const json_t *name = json_array_get(json_object_get(entry, "subjects"), 0);
    const json_t *subject = json_is_string(name) ? odp_model_find(json_object_get(portal->json, "subjects"),
                                                                  "name", json_string_value(name))
                                                 : NULL;
    const char *day = odp_text_of(entry, "last_update"); /* none: the newest version was withdrawn */
    struct picture of = {
        .slug = odp_text_of(entry, "slug"),
        .over = subject != NULL ? odp_model_in(subject, "title", ODP_LANG_ID) : "Data terbuka",
        .title = odp_model_in(entry, "title", ODP_LANG_ID),
        .facts = *day == '\0' ? "Versi terbaru ditarik"
                              : metadata_printf(m, "%s rekaman · diperbarui %s",
                                                number(m, json_integer_value(json_object_get(entry, "rows"))),
                                                date(m, day)),
        .publisher = odp_text_get(&portal->publisher, ODP_LANG_ID),
        .portal = odp_text_get(&portal->title, ODP_LANG_ID)};
    for (size_t i = 0; i < json_array_size(formats) && of.nformats < FORMATS_MAX; i++)
        if (json_is_string(json_array_get(formats, i)))
            of.formats[of.nformats++] = json_string_value(json_array_get(formats, i));
    put(m, &of, entry, metadata_printf(m, "%s%s.png", odp_path(ODP_PATH_image_dir, ODP_LANG_ID), of.slug));
}

/* Whether some dataset has downloads in FORMAT. */
static bool is_offered(const struct odp_metadata *m, const char *format)
{
    for (size_t i = 0; i < json_array_size(m->job->entries); i++)
        if (json_object_get(json_object_get(json_array_get(m->job->entries, i), "download"), format) != NULL)
            return true;
    return false;
}

void metadata_portal_picture(struct odp_metadata *m)
{
    const struct odp_portal *portal = &m->catalog->portal;
    const char *newest = odp_model_newest(m->job);
    json_int_t datasets = 0;
    for (size_t i = 0; i < json_array_size(m->job->entries); i++)
        datasets += !odp_model_is_list(json_array_get(m->job->entries, i));
    struct picture of = {.slug = "portal",
                         .over = "Data terbuka",
                         .title = odp_text_get(&portal->title, ODP_LANG_ID),
                         .facts = metadata_printf(m, "%s dataset%s%s", number(m, datasets),
                                                  *newest != '\0' ? " · diperbarui " : "", date(m, newest)),
                         .publisher = odp_text_get(&portal->publisher, ODP_LANG_ID),
                         .portal = m->base,
                         .formats = {"API"},
                         .nformats = 1};
    for (size_t k = 0; k < ODP_FORMATS; k++)
        if (is_offered(m, odp_format_names[k]))
            of.formats[of.nformats++] = odp_format_names[k];
    struct odp_buffer key = {0}; /* all else is of the portal, which all parts depend on */
    odp_buffer_add_str(&key, of.facts);
    for (size_t i = 0; i < of.nformats; i++)
        odp_buffer_printf(&key, " %s", of.formats[i]);
    if (m->status == ODP_OK)
        m->status = odp_buffer_status(&key);
    if (m->status == ODP_OK)
        m->status = odp_part_begin(m->job->stage, "picture", odp_buffer_slice(&key));
    if (m->status == ODP_OK) {
        put(m, &of, NULL, odp_path(ODP_PATH_image, ODP_LANG_ID));
        m->status = odp_part_end(m->job->stage, m->status);
    }
    m->status = m->status == ODP_DONE ? ODP_OK : m->status;
    odp_buffer_release(&key);
}
