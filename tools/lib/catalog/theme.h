/* The look of the portal: <catalog>/theme.json {"logo": "logo.svg", "light": {"accent": "#0b4f7d", …},
 * "dark": {…}, "css": "extra.css"}, all optional. Colours are #rgb or #rrggbb, named as in theme.def, whose
 * pairs are checked with the defaults (ODP-C26). */
#pragma once

#include "base/slice.h"
#include "base/status.h"

enum odp_theme_color {
#define ODP_THEME_COLOR(symbol, name, light, dark) ODP_THEME_##symbol,
#include "catalog/theme.def"
#undef ODP_THEME_COLOR
    ODP_THEME_COLORS
};
enum odp_theme_mode { ODP_THEME_LIGHT, ODP_THEME_DARK, ODP_THEME_MODES };

/* {0} is the theme of a catalogue without theme.json. */
struct odp_theme {
    const char *file;                                      /* the path of theme.json; NULL: none */
    const char *colors[ODP_THEME_MODES][ODP_THEME_COLORS]; /* "#rrggbb", lower case; NULL: theme.def's */
    const char *logo_file, *css_file;                      /* paths on the disk, or NULL */
    struct odp_slice logo, css; /* their bytes, checked: they run nothing and lead to no other host */
    bool logo_is_png;           /* else SVG */
};

const char *odp_theme_name(enum odp_theme_color c); /* "accent-text" */
/* What is in force. */
const char *odp_theme_get(const struct odp_theme *t, enum odp_theme_mode mode, enum odp_theme_color c);
/* Class I of five of a choropleth, 0 the least: from a tint of the accent to the accent itself. */
enum { ODP_THEME_RAMP = 5 };
void odp_theme_ramp(const struct odp_theme *t, enum odp_theme_mode mode, int i, char out[8]);
/* The accent as a ground: PERCENT of it in the colour of the page. */
void odp_theme_tint(const struct odp_theme *t, enum odp_theme_mode mode, unsigned percent, char out[8]);
/* 1 to 21, of two "#rrggbb" (WCAG 2.2, contrast ratio). */
double odp_theme_contrast(const char *a, const char *b);
