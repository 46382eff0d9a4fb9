#include "write/map/areas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/html.h"
#include "base/json_load.h"
#include "words/summary.h"
#include "write/map/picture_internal.h"
#include "write/summary/areas.h"

enum { STEP = 10, MARGIN = 12, BOX_HEIGHT = 12, LINE = 18, SMALL_LINE = 15 };
#define PI 3.14159265358979323846
static const int widths[2] = {800, 360};

struct odp_map_areas {
    const char **codes; /* by feature: whose shape it is */
    struct odp_map_picture ground;
    struct picture frame[2];     /* wide, narrow */
    struct odp_buffer around[2]; /* the neighbours */
    struct odp_buffer *paths[2]; /* by feature */
    size_t n;
};
/* One picture: its figures, and how it looks. */
struct sheet {
    const struct odp_map_areas_of *of;
    struct odp_areas figures;
};

/* ---- shapes, once ---- */

/* All of the boundaries in so wide a frame. */
static void fit(struct picture *m, const json_t *bbox, int width)
{
    double b[4];
    for (size_t k = 0; k < 4; k++)
        b[k] =
            bbox != NULL ? json_number_value(json_array_get(bbox, k)) : (const double[]){95, -11, 141, 6}[k];
    double middle = (b[1] + b[3]) / 2, w = b[2] - b[0], h = b[3] - b[1];
    w = w < 0.02 ? 0.02 : w;
    h = h < 0.01 ? 0.01 : h;
    m->kx = cos((middle > 80 ? 80 : middle < -80 ? -80 : middle) * PI / 180);
    m->width = width;
    m->scale = width / (w * m->kx * 1.04);
    m->height = floor(h * 1.08 * m->scale);
    if (m->height > width) { /* a country that is higher than wide */
        m->scale *= width / m->height;
        m->height = width;
    }
    m->west = (b[0] + b[2]) / 2 - m->width / m->scale / m->kx / 2;
    m->north = middle + m->height / m->scale / 2;
}

/* Whose shape feature I of BOUNDARIES is. */
static const char *code_of(const json_t *boundaries, const json_t *feature)
{
    const json_t *key = json_array_get(json_object_get(json_object_get(boundaries, "odp"), "key"), 0);
    const char *name = json_string_value(key);
    const char *code = name != NULL ? odp_json_text(json_object_get(feature, "properties"), name) : NULL;
    return code != NULL ? code : "";
}

static bool set_shapes(struct odp_map_areas *a, const json_t *features, int k)
{
    struct picture *m = &a->frame[k];
    *m = (struct picture){.p = &a->ground, .step = STEP};
    fit(m, json_object_get(a->ground.map, "bbox"), widths[k]);
    a->paths[k] = calloc(a->n + 1, sizeof *a->paths[k]);
    if (a->paths[k] == NULL)
        return false;
    m->step = STEP * 3 / 2;
    if (a->ground.coast != NULL)
        picture_neighbours(m, &a->around[k]);
    m->step = STEP;
    for (size_t i = 0; i < a->n; i++)
        picture_area(m, &a->paths[k][i], json_object_get(json_array_get(features, i), "geometry"));
    return true;
}

struct odp_map_areas *odp_map_areas_new(const json_t *boundaries, const json_t *coast)
{
    const json_t *features = json_object_get(boundaries, "features");
    struct odp_map_areas *a = calloc(1, sizeof *a);
    if (a == NULL)
        return NULL;
    a->n = json_array_size(features);
    a->codes = calloc(a->n + 1, sizeof *a->codes);
    a->ground = (struct odp_map_picture){.map = boundaries, .coast = coast};
    for (size_t i = 0; a->codes != NULL && i < a->n; i++)
        a->codes[i] = code_of(boundaries, json_array_get(features, i));
    if (a->codes != NULL && set_shapes(a, features, 0) && set_shapes(a, features, 1))
        return a;
    odp_map_areas_free(a);
    return NULL;
}

void odp_map_areas_free(struct odp_map_areas *a)
{
    for (int k = 0; a != NULL && k < 2; k++) {
        odp_buffer_release(&a->around[k]);
        for (size_t i = 0; a->paths[k] != NULL && i < a->n; i++)
            odp_buffer_release(&a->paths[k][i]);
        free(a->paths[k]);
    }
    if (a != NULL)
        free(a->codes);
    free(a);
}

/* ---- figures ---- */

static const char *name_of(const void *names, const char *code, enum odp_lang lang)
{
    const json_t *both = json_object_get(json_object_get(names, "labels"), code);
    const char *name = odp_json_text(both, odp_lang_code(lang));
    name = name != NULL && *name != '\0' ? name : odp_json_text(both, "id");
    return name != NULL ? name : "";
}

static void open_sheet(struct sheet *s, const struct odp_map_areas *a, const struct odp_map_areas_of *of)
{
    const char *list = odp_json_text(json_object_get(of->names, "title"), odp_lang_code(of->lang));
    s->of = of;
    odp_areas_init(&s->figures, &(struct odp_areas_of){.summary = of->summary,
                                                       .level = of->level,
                                                       .list = list != NULL ? list : "",
                                                       .codes = a->codes,
                                                       .nshapes = a->n,
                                                       .name = name_of,
                                                       .ctx = of->names,
                                                       .lang = of->lang});
}

/* ---- lines of text ---- */

/* TEXT in lines of at most WIDTH units, at Y; returns how high they are. With OUT NULL they are only
 * measured. */
static int lines(struct odp_buffer *out, const char *text, int width, int y)
{
    size_t most = (size_t)(width - 2 * MARGIN) * 10 / 60, at = 0, len = strlen(text);
    int high = 0;
    while (at < len) {
        size_t end = at, n = 0, space = 0;
        for (; end < len && n <= most; end++) {
            n += ((unsigned char)text[end] & 0xC0) != 0x80;
            space = text[end] == ' ' ? end : space;
        }
        if (end < len && space > at)
            end = space;
        if (out != NULL) {
            struct odp_buffer line = {0};
            odp_buffer_add(&line, text + at, end - at);
            odp_buffer_printf(out, "<text x=\"%d\" y=\"%d\">", MARGIN, y + high + 11);
            odp_html_text(out, odp_buffer_cstr(&line));
            odp_buffer_add_str(out, "</text>");
            out->failed |= line.failed;
            odp_buffer_release(&line);
        }
        high += SMALL_LINE;
        at = end + (end < len && text[end] == ' ');
    }
    return high;
}

/* ---- the legend ---- */

static void box(struct odp_buffer *out, const struct odp_map_areas_look *look, int class, int x, int y,
                int width)
{
    if (class < 0)
        odp_buffer_printf(out, "<path class=\"n\" fill=\"%s\"", look->missing[0]);
    else
        odp_buffer_printf(out, "<path class=\"c%d\" fill=\"%s\"", class, look->ramp[0][class]);
    odp_buffer_printf(out, " d=\"M%d %dh%dv%dh-%dz\"/>", x, y, width, BOX_HEIGHT, width);
}

/* Boxes side by side, where each begins below it; what has no figure in a line of its own. */
static void scale(struct odp_buffer *out, const struct sheet *f, int width, int y)
{
    size_t n = json_array_size(f->figures.breaks) + 1;
    n = n > ODP_MAP_CLASSES ? ODP_MAP_CLASSES : n;
    const int wide = width > 500 ? 100 : (width - 2 * MARGIN) / ODP_MAP_CLASSES, size = width > 500 ? 12 : 10;
    for (size_t i = 0; i < n; i++)
        box(out, f->of->look, odp_areas_shade(i, n, ODP_MAP_CLASSES), MARGIN + (int)i * wide, y, wide);
    for (size_t i = 0; i + 1 < n; i++) {
        odp_buffer_printf(out, "<text class=\"ink\" font-size=\"%d\" x=\"%d\" y=\"%d\">", size,
                          MARGIN + (int)(i + 1) * wide, y + BOX_HEIGHT + 13);
        odp_areas_bound(out, &f->figures, i);
        odp_buffer_add_str(out, "</text>");
    }
    if (f->figures.missing == 0)
        return;
    y += BOX_HEIGHT + LINE;
    box(out, f->of->look, -1, MARGIN, y, 24);
    odp_buffer_printf(out, "<text class=\"ink\" font-size=\"%d\" x=\"%d\" y=\"%d\">%s</text>", size,
                      MARGIN + 30, y + 10, odp_word(f->of->lang, W_summary_areas_missing));
}

/* ---- the picture ---- */

/* Light by attributes, dark by the style. */
static void style(struct odp_buffer *out, const struct odp_map_areas_look *look)
{
    odp_buffer_add_str(out, "<style>@media(prefers-color-scheme:dark){.paper{fill:#12181d}.sea{fill:#10181f}"
                            ".other{fill:#19222a;stroke:#3a4650}.areas{stroke:#10181f}.ink{fill:#e4e9ed}"
                            ".soft{fill:#a9b4bd}");
    for (int i = 0; i < ODP_MAP_CLASSES; i++)
        odp_buffer_printf(out, ".c%d{fill:%s}", i, look->ramp[1][i]);
    odp_buffer_printf(out, ".n{fill:%s}}</style>", look->missing[1]);
}

static void head(struct odp_buffer *out, const struct sheet *f, int width, int height)
{
    struct odp_buffer text = {0};
    odp_buffer_printf(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
        "role=\"img\" aria-labelledby=\"t d\" lang=\"%s\" "
        "font-family=\"system-ui,'Segoe UI',Roboto,'Noto Sans','Liberation Sans',sans-serif\" "
        "font-size=\"13\"><title id=\"t\">",
        width, height, width, height, odp_lang_code(f->of->lang));
    odp_html_text(out, f->of->title);
    odp_buffer_add_str(out, "</title><desc id=\"d\">");
    odp_areas_alternative(&text, &f->figures);
    odp_html_text(out, odp_buffer_cstr(&text));
    odp_buffer_add_str(out, "</desc>");
    odp_svg_license(out, f->of->license);
    style(out, f->of->look);
    out->failed |= text.failed;
    odp_buffer_release(&text);
}

/* One path a class. */
static void shapes(struct odp_buffer *out, const struct odp_map_areas *a, const struct sheet *f, bool narrow)
{
    size_t n = json_array_size(f->figures.breaks);
    odp_buffer_add_str(out,
                       "<g class=\"areas\" stroke=\"#fff\" stroke-width=\".7\" stroke-linejoin=\"round\">");
    for (int class = -1; class < ODP_MAP_CLASSES; class ++) {
        size_t start = out->len;
        int shade = class < 0 ? class : odp_areas_shade((size_t) class, n + 1, ODP_MAP_CLASSES);
        if (class < 0)
            odp_buffer_printf(out, "<path class=\"n\" fill=\"%s\" d=\"", f->of->look->missing[0]);
        else
            odp_buffer_printf(out, "<path class=\"c%d\" fill=\"%s\" d=\"", shade,
                              f->of->look->ramp[0][shade]);
        size_t empty = out->len;
        for (size_t i = 0; i < a->n; i++)
            if (f->figures.shapes[i].class == class)
                odp_buffer_add_slice(out, odp_buffer_slice(&a->paths[narrow][i]));
        if (out->len == empty)
            out->len = start;
        else
            odp_buffer_add_str(out, "\"/>");
    }
    odp_buffer_add_str(out, "</g>");
}

/* Heading, scale, places without a shape, source: below the frame, TOP of which is Y. Returns their
 * height. */
static int below(struct odp_buffer *out, const struct sheet *f, int width, int top)
{
    struct odp_buffer beside = {0}, source = {0};
    int y = top + 8, heading = lines(NULL, f->figures.heading, width, 0) * LINE / SMALL_LINE;
    if (*f->of->source != '\0')
        odp_buffer_printf(&source, odp_word(f->of->lang, W_summary_areas_boundaries), f->of->source);
    odp_areas_beside(&beside, &f->figures);
    if (out != NULL) {
        odp_buffer_add_str(out, "<g class=\"ink\" fill=\"#1c242b\" font-weight=\"600\">");
        (void)lines(out, f->figures.heading, width, y + 1);
        odp_buffer_add_str(out, "</g><g fill=\"#1c242b\">");
        scale(out, f, width, y + heading + 2);
        odp_buffer_add_str(out, "</g><g class=\"soft\" fill=\"#4a5560\" font-size=\"11\">");
    }
    y += heading + 2 + BOX_HEIGHT + 22 + (f->figures.missing > 0 ? LINE : 0);
    y += lines(out, odp_buffer_cstr(&beside), width, y);
    y += lines(out, odp_buffer_cstr(&source), width, y);
    if (out != NULL)
        odp_buffer_add_str(out, "</g>");
    odp_buffer_release(&beside);
    odp_buffer_release(&source);
    return y - top + 4;
}

enum odp_status odp_map_areas_svg(const struct odp_map_areas *a, const struct odp_map_areas_of *of,
                                  bool narrow, struct odp_buffer *out)
{
    struct sheet f;
    const struct picture *m = &a->frame[narrow];
    const int width = (int)m->width, frame = (int)m->height;
    open_sheet(&f, a, of);
    int height = frame + below(NULL, &f, width, frame);
    head(out, &f, width, height);
    odp_buffer_printf(
        out,
        "<clipPath id=\"f\"><path d=\"M0 0H%dV%dH0z\"/></clipPath><path class=\"paper\" fill=\"#fff\" "
        "d=\"M0 0H%dV%dH0z\"/><g clip-path=\"url(#f)\"><path class=\"sea\" fill=\"#eaf1f6\" "
        "d=\"M0 0H%dV%dH0z\"/>",
        width, frame, width, height, width, frame);
    odp_buffer_add_slice(out, odp_buffer_slice(&a->around[narrow]));
    shapes(out, a, &f, narrow);
    odp_buffer_add_str(out, "</g>");
    (void)below(out, &f, width, frame);
    odp_buffer_add_str(out, "</svg>\n");
    enum odp_status status = odp_arena_status(&f.figures.arena);
    odp_areas_release(&f.figures);
    return status == ODP_OK ? odp_buffer_status(out) : status;
}

enum odp_status odp_map_areas_alternative(const struct odp_map_areas *a, const struct odp_map_areas_of *of,
                                          struct odp_buffer *out)
{
    struct sheet f;
    open_sheet(&f, a, of);
    odp_areas_alternative(out, &f.figures);
    enum odp_status status = odp_arena_status(&f.figures.arena);
    odp_areas_release(&f.figures);
    return status == ODP_OK ? odp_buffer_status(out) : status;
}
