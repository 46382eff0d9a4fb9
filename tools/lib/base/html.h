/* The one place where text becomes part of a page: everything that comes from a catalogue or a request goes
 * through here. */
#pragma once

#include "base/buffer.h"
#include "base/datetime.h"
#include "base/diag.h"

/* S (valid UTF-8, NULL is "") as text or attribute value in double quotes, of HTML as well as of XML 1.0.
 * What XML has no character for (controls, U+FFFE, U+FFFF) becomes U+FFFD. */
void odp_html_text(struct odp_buffer *out, const char *s);
/* The same for HTML that is itself the text of an XML element. */
void odp_html_twice(struct odp_buffer *out, struct odp_slice html);
/* The licence at address URL (NULL or "": none) as <metadata> of an SVG picture, in Creative Commons' words
 * of RDF. */
void odp_svg_license(struct odp_buffer *out, const char *url);
/* <time datetime="2024-03-15">15 Maret 2024</time>; the text as it is where it does not begin with a date. */
void odp_html_date(struct odp_buffer *out, const char *date, enum odp_lang lang);
/* "15 Maret 2024": plain text, not escaped; the text as it is where it does not begin with a date. */
void odp_html_plain_date(struct odp_buffer *out, const char *date, enum odp_lang lang);
