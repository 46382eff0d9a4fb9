/* The files of a theme: what a ministry's own logo and style sheet may not hold. */
#pragma once

#include "base/slice.h"

/* What there is in an SVG picture, in a style sheet, that may not be there, to be shown: scripts, what leads
 * out of the file. ptr NULL: nothing. Borrowed from it, or a constant. */
struct odp_slice odp_theme_svg_fault(struct odp_slice svg);
struct odp_slice odp_theme_css_fault(struct odp_slice css);
