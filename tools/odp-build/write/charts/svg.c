/* The picture as a file of its own. It runs no script and asks for no other file, its text is text, and its
 * ids begin with the chart's name, so that it can stand in a page beside others. */
#include "base/html.h"
#include "write/charts/charts_internal.h"

#define WIDTH  480.0
#define MARGIN 8.0
#define ZOOM   1.5 /* shown so large where nobody says otherwise: text of 8 units is 12 pixels */

static void add_head(const struct odp_chart_data *d, enum odp_lang lang, const char *prefix, double height,
                     struct odp_buffer *out)
{
    const char *code = lang == ODP_LANG_EN ? "en" : "id";
    odp_buffer_add_str(
        out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
             "xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"");
    odp_canvas_number(out, (WIDTH + 2 * MARGIN) * ZOOM);
    odp_buffer_add_str(out, "\" height=\"");
    odp_canvas_number(out, height * ZOOM);
    odp_buffer_add_str(out, "\" viewBox=\"0 0 ");
    odp_canvas_number(out, WIDTH + 2 * MARGIN);
    odp_buffer_add_char(out, ' ');
    odp_canvas_number(out, height);
    odp_buffer_printf(
        out,
        "\" font-family=\"'Noto Sans','Segoe UI',Roboto,'Liberation Sans',sans-serif\" "
        "xml:space=\"preserve\" "
        "role=\"img\" lang=\"%s\" xml:lang=\"%s\" aria-labelledby=\"%s-t %s-d\">\n<title id=\"%s-t\">",
        code, code, prefix, prefix, prefix);
    odp_canvas_escaped(out, odp_slice_of(odp_text_get(&d->chart->title, lang)));
    odp_buffer_printf(out, "</title>\n<desc id=\"%s-d\">", prefix);
}

enum odp_status odp_chart_svg(const struct odp_chart_data *d, struct odp_fonts *f, enum odp_lang lang,
                              const char *license, struct odp_buffer *out)
{
    struct odp_buffer words, ink;
    struct odp_canvas c;
    char prefix[8];
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    odp_buffer_init(&words);
    odp_buffer_init(&ink);
    odp_canvas_init(&c, f, NULL, &ink, lang);
    /* Short, as it stands before every glyph: a digest of the name, "i3f09a". */
    for (const char *p = d->chart->name; *p != '\0'; p++)
        h = (h ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
    (void)snprintf(prefix, sizeof prefix, "%c%05x", lang == ODP_LANG_EN ? 'e' : 'i',
                   (unsigned)((h ^ (h >> 32)) & 0xFFFFF));
    c.prefix = prefix;
    odp_chart_data_alternative(d, lang, &words);
    double height = odp_chart_picture(d, &c, MARGIN, MARGIN, WIDTH, true) + 2 * MARGIN;
    add_head(d, lang, prefix, height, out);
    odp_canvas_escaped(out, odp_buffer_slice(&words));
    odp_buffer_add_str(out, "</desc>\n");
    odp_svg_license(out, license);
    odp_buffer_add_str(out, "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
    odp_buffer_add_slice(out, odp_buffer_slice(&ink));
    odp_buffer_add_str(out, "</svg>\n");
    out->failed |= odp_canvas_release(&c) || ink.failed || words.failed;
    odp_buffer_release(&ink);
    odp_buffer_release(&words);
    return out->failed || odp_fonts_status(f) != ODP_OK ? odp_failure_set("draw a chart", d->chart->name, 0)
                                                        : ODP_OK;
}
