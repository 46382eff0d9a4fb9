/* Answers for browsers: pages for missing addresses, the way from a problem's `type` to its explanation,
 * headers of HTML. Pure functions of addresses and headers; whether a page exists is the site's to say. */
#pragma once

#include "base/buffer.h"
#include "base/diag.h" /* enum odp_lang */
#include "base/slice.h"

struct odp_page_header {
    const char *name, *value;
};
#define ODP_PAGE_HEADERS 4
extern const struct odp_page_header odp_page_headers[ODP_PAGE_HEADERS];
/* The value of the Ith header for a page at PATH of the site: other sites may frame some (base/framed.h). */
const char *odp_page_header_value(size_t i, struct odp_slice path);
/* Of an HTML document: "text/html; charset=utf-8". */
bool odp_page_is(struct odp_slice media_type);

/* Access-Control-Allow-Headers: what scripts of other sites may send (Fetch standard, section 4.8). No cookie
 * of ours opens anything, so everything may be sent; the star does not mean Authorization, and older browsers
 * do not know it. What needs no word as long as its value is plain (Accept, Range) has one for when it is
 * not. */
#define ODP_CORS_HEADERS                                                                                     \
    "Authorization, Content-Type, Accept, Accept-Language, Baggage, Cache-Control, Content-Language, "       \
    "If-Match, "                                                                                             \
    "If-Modified-Since, If-None-Match, If-Range, If-Unmodified-Since, Pragma, Prefer, Range, Traceparent, "  \
    "Tracestate, "                                                                                           \
    "X-Request-Id, X-Requested-With, *"

/* A page is wanted rather than a problem document: text/html is named in ACCEPT, and liked no less than JSON;
 * a browser does that, programs say nothing or star/star. URI is a path or a whole request target; the API,
 * its alias and the service (/v1, /api, /auth) answer in JSON to everybody. */
bool odp_page_wanted(struct odp_slice uri, struct odp_slice accept);
/* English below /en/ and wherever Accept-Language prefers it. */
enum odp_lang odp_page_lang(struct odp_slice uri, struct odp_slice accept_language);
/* "404.html", from the site's root. */
const char *odp_page_not_found(enum odp_lang lang);

/* The page that explains problems, from the site's root: what <baseUrl>galat/<code> leads to. */
const char *odp_page_errors(enum odp_lang lang);
/* URI is "/galat/<code>" of a code that there is, or "/galat/" (CODE is empty then). */
bool odp_page_explains(struct odp_slice uri, struct odp_slice *code);
/* Appends the address to go to, relative to URI: "../dokumentasi/galat.html#key-missing". So it holds under
 * any base path. */
void odp_page_explained(struct odp_buffer *out, enum odp_lang lang, struct odp_slice code);
