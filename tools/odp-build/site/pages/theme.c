/* The theme as a style sheet: custom properties, light and dark, then the ministry's own rules. What is in it
 * was checked with the catalogue.
 *
 * A colour is a custom property of catalog/theme.def, in no style sheet. Every pair that text, borders and
 * focus are seen in was checked for contrast, in light and dark, with the catalogue. */
#include "site/pages/pages_internal.h"

static void add_mode(struct odp_buffer *css, const struct odp_theme *t, enum odp_theme_mode mode)
{
    odp_buffer_add_str(css, ":root{");
    for (int i = 0; i < ODP_THEME_COLORS; i++)
        odp_buffer_printf(css, "--color-%s:%s;", odp_theme_name((enum odp_theme_color)i),
                          odp_theme_get(t, mode, (enum odp_theme_color)i));
    odp_buffer_add_str(css, "}");
}

enum odp_status portal_theme(struct portal *p, struct odp_buffer *css)
{
    const struct odp_theme *t = &p->catalog->theme;
    /* Paper is light, whatever the screen is. */
    add_mode(css, t, ODP_THEME_LIGHT);
    odp_buffer_add_str(css, "\n@media screen and (prefers-color-scheme:dark){");
    add_mode(css, t, ODP_THEME_DARK);
    odp_buffer_add_str(css, "}\n");
    if (t->css.len > 0)
        odp_buffer_add(css, t->css.ptr, t->css.len);
    for (int mode = 0; mode < ODP_THEME_MODES; mode++)
        p->colors[mode] = odp_theme_get(t, (enum odp_theme_mode)mode, ODP_THEME_BG);
    enum odp_status status = odp_buffer_status(css);
    if (status == ODP_OK && t->logo_file != NULL) {
        status = portal_asset_put(p, "logo", t->logo_is_png ? ".png" : ".svg", t->logo);
        p->logo = status == ODP_OK ? odp_model_text(json_object_get(p->assets, "logo"), "path") : NULL;
    }
    return status;
}
