/* Structure, links and destinations: cairo's tags, kept on a stack of our own, because cairo finds faults of
 * tags only on pages on which something is drawn. What cairo 1.16 makes of tags (tried):
 *
 *   - Grouping tags (Document, Sect, Table, TR, L, LI, TOC) may stay open while pages end.
 *   - Content is marked only in the innermost tag. Text drawn directly in a TD that also holds a Link or a P
 * is lost from the structure: put it into a Span of its own. A TD may be empty.
 *   - A content tag (P, H1-H3, TH, TD, Lbl, LBody, TOCI, Link, Span, Caption) left open over a page goes on
 * in the next page, and takes the first thing drawn there with it: the running head. So odp_paper_page closes
 * such a tag, if nothing was tagged within it, and opens it again: two elements. For one element,
 * put the content into children: TD > P on one page, P on the next.
 *   - Order in the structure is order of beginning: draw the content of an element before the element is
 * closed.
 *   - There is no Artifact (1.18 has one that leaves a broken file): running heads and feet are not tagged,
 * and finish.c takes out what 1.18 makes of them. A Figure must not be open when a page ends.
 *   - A link to a missing destination is no error. An attribute is cairo's own little language:
 * addresses are percent-encoded before they become one, destinations are [a-z0-9-], nothing else gets in.
 * Only http, https and mailto become links; else the text has no link, and odp_paper_untag(p, "Link") works
 * all the same. */
#include <string.h>
#include <strings.h>

#include "base/nearest.h"
#include "write/typesetting/typesetting_internal.h"

enum { ADDRESS_MOST = 8192 /* bytes */ };

/* Tags that hold text or a picture. The others group, and may stay open while pages end. */
static bool holds_content(const char *type)
{
    static const char *const types[] = {"P",   "H1",    "H2",   "H3",   "TH",   "TD",
                                        "Lbl", "LBody", "TOCI", "Link", "Span", "Caption"};
    return odp_word_index(odp_slice_of(type), types, ODP_COUNT(types)) >= 0;
}

static void push(struct odp_paper *p, const char *type, const char *attributes, bool written)
{
    if (p->nopen == ODP_PAPER_OPEN_MAX) {
        odp_paper_fail(p, "print: tags are nested too deep:", type);
        return;
    }
    if (p->nopen > 0 && written)
        odp_paper_top(p)->parent = true;
    p->open[p->nopen++] = (struct odp_paper_open){type, attributes, written, false};
    if (written && p->drawing)
        cairo_tag_begin(p->cr, type, attributes);
}

void odp_paper_tag(struct odp_paper *p, const char *type, const char *attributes)
{
    push(p, type, attributes, true);
}

void odp_paper_untag(struct odp_paper *p, const char *type)
{
    if (p->nopen == 0 || strcmp(odp_paper_top(p)->type, type) != 0) {
        odp_paper_fail(p, "print: a tag is closed that is not the last one opened:", type);
        return;
    }
    if (odp_paper_top(p)->written && p->drawing)
        cairo_tag_end(p->cr, type);
    p->nopen--;
}

struct odp_paper_cut odp_paper_cut_tags(struct odp_paper *p)
{
    struct odp_paper_cut cut = {0};
    while (p->nopen > 0 && cut.n < ODP_COUNT(cut.tag) && !odp_paper_top(p)->parent &&
           holds_content(odp_paper_top(p)->type)) {
        cut.tag[cut.n] = *odp_paper_top(p);
        odp_paper_untag(p, cut.tag[cut.n++].type);
    }
    return cut;
}

void odp_paper_mend_tags(struct odp_paper *p, const struct odp_paper_cut *cut)
{
    for (size_t i = cut->n; i > 0; i--)
        push(p, cut->tag[i - 1].type, cut->tag[i - 1].attributes, cut->tag[i - 1].written);
}

/* ---- links ---- */

bool odp_paper_is_address(struct odp_slice uri)
{
    static const char *const schemes[] = {"http://", "https://", "mailto:"};
    for (size_t i = 0; i < ODP_COUNT(schemes); i++) {
        size_t n = strlen(schemes[i]);
        if (uri.len > n && uri.len < ADDRESS_MOST && strncasecmp(uri.ptr, schemes[i], n) == 0)
            return true;
    }
    return false;
}

/* As cairo's attribute: uri='…'. What RFC 3986 does not allow in an address (quotes, backslashes, spaces,
 * anything but ASCII) is percent-encoded, so that nothing in it ends the attribute. NULL: no address that is
 * linked to. */
static const char *uri_attribute(struct odp_paper *p, const char *uri)
{
    static const char hex[] = "0123456789ABCDEF";
    size_t n = uri != NULL ? strlen(uri) : 0;
    if (!odp_paper_is_address((struct odp_slice){uri, n}))
        return NULL;
    char *s = odp_arena_alloc(p->arena, 3 * n + sizeof "uri=''"), *at = s;
    memcpy(at, "uri='", 5);
    at += 5;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)uri[i];
        if (c < 0x20 || c == 0x7F)
            return NULL;
        if (c > 0x20 && c < 0x7F && strchr("\"'\\<>^`{|}", c) == NULL) {
            *at++ = (char)c;
            continue;
        }
        *at++ = '%';
        *at++ = hex[c >> 4];
        *at++ = hex[c & 15];
    }
    memcpy(at, "'", 2);
    return s;
}

bool odp_paper_dest_is_name(const char *name)
{
    return name != NULL && name[0] != '\0' &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(name);
}

void odp_paper_link(struct odp_paper *p, const char *uri)
{
    const char *attribute = p->drawing ? uri_attribute(p, uri) : NULL;
    push(p, "Link", attribute, attribute != NULL);
}

void odp_paper_link_to(struct odp_paper *p, const char *dest)
{
    bool written = p->drawing && odp_paper_dest_is_name(dest);
    push(p, "Link", written ? odp_arena_printf(p->arena, "dest='%s'", dest) : NULL, written);
}

void odp_paper_dest(struct odp_paper *p, const char *name)
{
    if (!p->drawing)
        return;
    if (!odp_paper_dest_is_name(name)) {
        odp_paper_fail(p, "print: no name of a destination:", name);
        return;
    }
    /* In its own coordinates, on the current page. x 0: readers keep the left edge. */
    const char *attribute =
        odp_arena_printf(p->arena, "name='%s' x=0 y=%d", name, p->y > 10 ? (int)(p->y - 10) : 0);
    cairo_tag_begin(p->cr, CAIRO_TAG_DEST, attribute);
    cairo_tag_end(p->cr, CAIRO_TAG_DEST);
}

void odp_paper_figure(struct odp_paper *p, const char *alternative)
{
    if (p->drawing) {
        p->figures = odp_paper_grow(p, p->figures, p->nfigures, sizeof *p->figures);
        p->figures[p->nfigures++].alternative =
            odp_arena_str(p->arena, alternative != NULL ? alternative : "");
    }
    push(p, "Figure", NULL, true);
}
