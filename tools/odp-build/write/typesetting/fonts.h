/* The fonts of everything that is drawn. Only fonts named here are ever used, whatever else the machine has:
 * the same bytes everywhere. Noto Sans for text; where it lacks a character, the other Noto Sans families of
 * the same folder (Debian: fonts-noto-core). */
#pragma once

#include <fontconfig/fontconfig.h>
#include <pango/pangocairo.h>
#include <pango/pangofc-fontmap.h>

#include "base/buffer.h"
#include "base/status.h"

struct odp_fonts; /* for one thread */

/* FAIL: the fonts are not there (the failure names the package). */
enum odp_status odp_fonts_open(struct odp_fonts **out) ODP_MUST_USE;
/* FAIL: a text could not be held, and was laid out as an empty one. */
enum odp_status odp_fonts_status(const struct odp_fonts *f) ODP_MUST_USE;
void odp_fonts_close(struct odp_fonts *f);

/* Sizes in points. */
struct odp_face {
    double size;
    bool bold, italic;
};
/* TEXT as it is laid out: valid UTF-8, every kind of line end as LF, a tab as a space, U+FFFD for control
 * characters and what is not UTF-8. Layouts do this themselves. */
void odp_fonts_clean(struct odp_slice text, struct odp_buffer *out);
/* A layout of TEXT (UTF-8), WIDTH points wide (< 0: one line), wrapped at words, inside of words that are
 * wider. Metrics do not depend on the device (no hinting). Free with g_object_unref. */
PangoLayout *odp_fonts_layout(struct odp_fonts *f, struct odp_face face, struct odp_slice text, double width,
                              PangoAlignment align);
struct odp_extent { /* in points */
    double width, height;
};
struct odp_extent odp_fonts_extent(PangoLayout *layout);
/* Of TEXT. WIDTH as above. */
struct odp_extent odp_fonts_measure(struct odp_fonts *f, struct odp_face face, struct odp_slice text,
                                    double width);
/* Draws with the top left corner at x, y, in CR's colour. The file's text is the layout's text. Not
 * pango_cairo_show_layout: see fonts_show.c. */
void odp_fonts_show(cairo_t *cr, PangoLayout *layout, double x, double y);
/* One line of a layout, its baseline beginning at x, y. */
void odp_fonts_show_line(cairo_t *cr, PangoLayoutLine *line, double x, double y);
