/* Numbers and colours as SVG has them. */
#include "write/charts/charts_internal.h"

void odp_canvas_number(struct odp_buffer *svg, double v)
{
    char text[40];
    size_t n = odp_decimal_fixed(v, 2, text);
    odp_buffer_add(svg, text, n);
}

void odp_canvas_color(struct odp_buffer *svg, const char *name, struct odp_rgb ink)
{
    odp_buffer_printf(svg, " %s=\"#%02x%02x%02x\"", name, ink.r, ink.g, ink.b);
}
