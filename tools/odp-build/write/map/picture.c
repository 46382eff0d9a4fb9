#include "write/map/picture_internal.h"

#include <math.h>
#include <string.h>

#include "base/html.h"
#include "base/json_load.h"
#include "words/write.h"

enum { TRIES = 4, BYTES_MAX = 150 * 1000, LINE = 24 };
#define PI 3.14159265358979323846

/* ---- what there is ---- */

static void see_kind(struct picture *m, const json_t *geometry)
{
    const char *type = odp_json_text(geometry, "type");
    if (type == NULL)
        return;
    m->has_points = m->has_points || strstr(type, "Point") != NULL;
    m->has_lines = m->has_lines || strstr(type, "Line") != NULL;
    m->has_areas = m->has_areas || strstr(type, "Polygon") != NULL;
}

static void read_entries(struct picture *m)
{
    const json_t *category = json_object_get(m->odp, "category"),
                 *values = json_object_get(category, "values");
    m->field = odp_json_text(category, "field");
    for (size_t i = 0; m->field != NULL && i < json_array_size(values) && m->n < PICTURE_ENTRIES; i++) {
        const json_t *v = json_array_get(values, i);
        const char *color = odp_json_text(v, "color");
        m->entry[m->n++] = (struct picture_entry){json_object_get(v, "value"), picture_in(m, v, "label"),
                                                  color != NULL ? color : "#3C78C8",
                                                  (uint64_t)json_integer_value(json_object_get(v, "count"))};
    }
    if (m->n == 0) {
        m->field = NULL;
        m->entry[m->n++] = (struct picture_entry){
            NULL, "", "#3C78C8", (uint64_t)json_integer_value(json_object_get(m->odp, "located"))};
    }
}

/* The frame around the features: with a margin, not narrower than a strip, not so small that one point fills
 * it. */
static void fit(struct picture *m)
{
    const json_t *bbox = json_object_get(m->p->map, "bbox");
    double b[4];
    for (size_t k = 0; k < 4; k++)
        b[k] =
            bbox != NULL ? json_number_value(json_array_get(bbox, k)) : (const double[]){95, -11, 141, 6}[k];
    double middle = (b[1] + b[3]) / 2;
    m->kx = cos((middle > 80 ? 80 : middle < -80 ? -80 : middle) * PI / 180);
    double w = (b[2] - b[0]) * m->kx, h = b[3] - b[1], large = w > h ? w : h;
    large = large < 0.02 ? 0.02 : large;
    w = (w < large * 0.25 ? large * 0.25 : w) * 1.12;
    h = (h < large * 0.25 ? large * 0.25 : h) * 1.12;
    m->width = PICTURE_WIDTH;
    m->height = floor(m->width * h / w);
    m->height = m->height < 340 ? 340 : m->height > 560 ? 560 : m->height;
    m->scale = m->width / w < m->height / h ? m->width / w : m->height / h;
    double x = (b[0] + b[2]) / 2, half = m->width / m->scale / m->kx / 2;
    m->west = x - half;
    m->east = x + half;
    m->north = middle + m->height / m->scale / 2;
    m->south = middle - m->height / m->scale / 2;
}

static void prepare(struct picture *m, const struct odp_map_picture *p)
{
    *m = (struct picture){
        .p = p, .odp = json_object_get(p->map, "odp"), .features = json_object_get(p->map, "features")};
    const char *form = odp_json_text(m->odp, "form");
    m->grid = form != NULL && strcmp(form, "grid") == 0;
    for (size_t i = 0; i < json_array_size(m->features); i++)
        see_kind(m, json_object_get(json_array_get(m->features, i), "geometry"));
    read_entries(m);
    fit(m);
}

/* ---- the document ---- */

/* TEXT as XML. */
static void add_text(struct odp_buffer *out, const char *text)
{
    odp_html_text(out, text);
}

/* Light by attributes, dark by the style: where styles are not allowed it is light. */
static const char style[] = "<style>@media(prefers-color-scheme:dark){.paper{fill:#12181d}.sea{fill:#10181f}."
                            "land{fill:#202b34;stroke:#4d5c68}.other{fill:#19222a;stroke:#3a4650}"
                            ".rule{stroke:#2c3944}.edge{stroke:#4d5c68}.ink{fill:#e4e9ed}.soft{fill:#a9b4bd}."
                            "halo{stroke:#10181f}.bar{stroke:#e4e9ed}}</style>";

/* Rough width of TEXT, at 13 units a line. */
static int width_of(const char *text)
{
    int n = 0;
    for (; *text != '\0'; text++)
        n += ((unsigned char)*text & 0xC0) != 0x80;
    return n * 72 + 10;
}

/* The legend below the frame; returns its height. With OUT NULL it is only measured. */
static int legend(const struct picture *m, struct odp_buffer *out, int top)
{
    int x = 120, y = top + 20 * 10;
    struct odp_buffer count = {0};
    if (m->field == NULL)
        return 0;
    const char *title = picture_in(m, json_object_get(m->odp, "category"), "title");
    if (out != NULL) {
        odp_buffer_printf(out, "<text x=\"12\" y=\"%d\" font-weight=\"600\" class=\"ink\">", y / 10);
        add_text(out, title);
        odp_buffer_add_str(out, "</text>");
    }
    y += LINE * 10;
    for (size_t i = 0; i < m->n; i++) {
        odp_buffer_clear(&count);
        odp_text_number(&count, m->entry[i].count, m->p->lang);
        int wide = 300 + width_of(m->entry[i].label) + width_of(odp_buffer_cstr(&count)) + 160;
        if (x > 120 && x + wide > PICTURE_WIDTH * 10 - 100) {
            x = 120;
            y += LINE * 10;
        }
        if (out != NULL) {
            picture_symbol(m, out, i, x, y - 45);
            odp_buffer_printf(out, "<text x=\"%d\" y=\"%d\" class=\"ink\">", (x + 230) / 10, y / 10);
            add_text(out, m->entry[i].label);
            odp_buffer_printf(out, " <tspan class=\"soft\" fill=\"#4a5560\">%s</tspan></text>",
                              odp_buffer_cstr(&count));
        }
        x += wide;
    }
    odp_buffer_release(&count);
    return y - top + 8 * 10;
}

static void head(const struct picture *m, struct odp_buffer *out, int height)
{
    odp_buffer_printf(out,
                      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                      "height=\"%d\" role=\"img\" aria-labelledby=\"t d\" lang=\"%s\" "
                      "font-family=\"system-ui,'Segoe UI',Roboto,'Noto Sans','Liberation Sans',sans-serif\" "
                      "font-size=\"13\"><title id=\"t\">",
                      PICTURE_WIDTH, height, PICTURE_WIDTH, height, picture_is_english(m) ? "en" : "id");
    add_text(out, m->p->title);
    odp_buffer_add_str(out, "</title><desc id=\"d\">");
    struct odp_buffer text = {0};
    picture_alternative(m, &text);
    add_text(out, odp_buffer_cstr(&text));
    out->failed |= text.failed;
    odp_buffer_release(&text);
    odp_buffer_add_str(out, "</desc>");
    odp_svg_license(out, m->p->license);
    odp_buffer_printf(out, "%s<clipPath id=\"f\"><path d=\"M0 0H%dV%dH0z\"/></clipPath>", style,
                      PICTURE_WIDTH, (int)m->height);
}

static void foot(const struct picture *m, struct odp_buffer *out, int y)
{
    if (m->p->coast == NULL)
        return;
    odp_buffer_printf(out,
                      "<text x=\"12\" y=\"%d\" font-size=\"11\" class=\"soft\" fill=\"#4a5560\">%s</text>", y,
                      odp_word(m->p->lang, W_write_coast_lines_natural_earth_not));
}

static void draw(struct picture *m, struct odp_buffer *out)
{
    int frame = (int)m->height, words = legend(m, NULL, frame * 10) / 10, note = m->p->coast != NULL ? 22 : 0;
    head(m, out, frame + words + note + (words + note > 0 ? 6 : 0));
    odp_buffer_printf(out,
                      "<path class=\"paper\" fill=\"#fff\" d=\"M0 0H%dV%dH0z\"/><g "
                      "clip-path=\"url(#f)\"><path class=\"sea\" fill=\"#eaf1f6\" d=\"M0 0H%dV%dH0z\"/>",
                      PICTURE_WIDTH, frame + words + note + 6, PICTURE_WIDTH, frame);
    if (m->p->coast != NULL)
        picture_coast(m, out);
    picture_graticule(m, out);
    picture_shapes(m, out);
    picture_scale(m, out);
    odp_buffer_printf(out,
                      "</g><path class=\"edge\" fill=\"none\" stroke=\"#9aa7b2\" d=\"M.5 "
                      ".5H%d.5V%d.5H.5z\"/><g fill=\"#1c242b\">",
                      PICTURE_WIDTH - 1, frame - 1);
    (void)legend(m, out, frame * 10);
    odp_buffer_add_str(out, "</g>");
    foot(m, out, frame + words + 16);
    odp_buffer_add_str(out, "</svg>\n");
}

enum odp_status odp_map_picture_svg(const struct odp_map_picture *p, struct odp_buffer *out)
{
    static const int steps[TRIES] = {1, 3, 6, 10};
    struct picture m;
    size_t start = out->len;
    prepare(&m, p);
    for (int i = 0; i < TRIES && (i == 0 || out->len - start > BYTES_MAX); i++) { /* coarser, until it fits */
        out->len = start;
        m.step = steps[i];
        draw(&m, out);
    }
    return odp_buffer_status(out);
}

enum odp_status odp_map_picture_alternative(const struct odp_map_picture *p, struct odp_buffer *out)
{
    struct picture m;
    prepare(&m, p);
    picture_alternative(&m, out);
    return odp_buffer_status(out);
}
