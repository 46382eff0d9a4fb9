/* The paper that parts of a document are set on, page by page. Points, origin at the top left.
 *
 * A document is set more than once: first without drawing (p->drawing is false), to learn the page of
 * everything, until the page numbers no longer change; then it is drawn. Setting must therefore not depend on
 * p->drawing; parts that are costly to measure (rows of a table) keep their measures. */
#pragma once

#include <cairo-pdf.h>
#include <pango/pangocairo.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "write/typesetting/fonts.h"
#include "write/typesetting/finish.h"

/* Level of an entry directly in its chapter: set like level 3, but an H2, because heading levels may not be
 * skipped (PDF/UA, 7.4.2). */
#define ODP_HEADING_LONE 4

struct odp_heading {
    const char *text; /* in the document's arena */
    const char *dest; /* name of its destination, unique, [a-z0-9-] */
    int level; /* 1 chapter, 2 section, 3 entry (bookmark, and in the contents only where they are few), or
                  ODP_HEADING_LONE */
    unsigned page; /* from 1 */
};

enum odp_ink {
    ODP_INK_TEXT,
    ODP_INK_SOFT /* grey text that still has contrast 7:1 */,
    ODP_INK_ACCENT,
    ODP_INK_RULE /* lines */,
    ODP_INK_BAND /* fills under text */
};

struct odp_paper_open {     /* a tag */
    const char *type;       /* a literal */
    const char *attributes; /* or NULL */
    bool written;           /* cairo knows of it */
    bool parent;            /* a tag was opened inside */
};
enum { ODP_PAPER_OPEN_MAX = 32 };

struct odp_paper {
    cairo_t *cr; /* also when not drawing: for measuring; nothing may be drawn then */
    struct odp_fonts *fonts;
    struct odp_arena *arena; /* of the document */
    bool drawing, failed;
    double width, height;            /* of this page */
    double left, top, right, bottom; /* the area for content: x from left to right, y from top to bottom */
    double y;                        /* where the next thing goes */
    unsigned page, pages;            /* this one, from 1; how many the last setting had (0: not known yet) */
    bool landscape;
    const char *running; /* text of the running head: "Regulasi dan kebijakan · versi 2024-03-09"; NULL on the
                            cover: no head, no foot */
    const struct odp_heading *known; /* headings of the last setting, with their pages */
    size_t nknown;
    struct odp_heading *headings; /* of this setting, in the arena */
    size_t nheadings;
    struct odp_figure *figures; /* for finish.h: what the drawn tags of type Figure show, in order */
    size_t nfigures;
    struct odp_buffer *out; /* where the drawn file goes */
    cairo_surface_t *surface;
    struct odp_paper_open open[ODP_PAPER_OPEN_MAX]; /* for paper.c, tags.c and text.c: tags that are open, ink
                                                       in use, bookmarks above the next one */
    size_t nopen;
    enum odp_ink ink;
    int outline[3];
};

void odp_paper_ink(struct odp_paper *p, enum odp_ink ink);
/* A rectangle of that ink; the ink in use stays. */
void odp_paper_fill(struct odp_paper *p, enum odp_ink ink, double x, double y, double width, double height);

/* Type of the document's parts: body 9.5, small 7.5, table 7.5, head of a table 7.5 bold, title 24 bold, h1
 * 15 bold, h2 11.5 bold, h3 10 bold. */
extern const struct odp_face odp_type_body, odp_type_small, odp_type_table, odp_type_table_head,
    odp_type_title, odp_type_h1, odp_type_h2, odp_type_h3;

/* One setting, from the first page on (odp_paper_page makes it). P is zeroed before the first setting;
 * between settings the caller moves what was learnt to known, nknown and pages, which are kept, as is
 * running. Draws into OUT (NULL: measures). */
void odp_paper_begin(struct odp_paper *p, struct odp_fonts *f, struct odp_arena *a, struct odp_buffer *out);
/* Finishes the last page and the file. FAIL: something failed since begin. */
enum odp_status odp_paper_end(struct odp_paper *p) ODP_MUST_USE;
void odp_paper_release(struct odp_paper *p);

/* Width and height of the area for content. */
void odp_paper_area(bool landscape, double *width, double *height);
/* A new page, A4. Draws the running head and "halaman x dari y" (untagged: no content). The first page begins
 * so, too. */
void odp_paper_page(struct odp_paper *p, bool landscape);
/* Begins a page of the same kind unless HEIGHT points are left, or this one is still empty (what is higher
 * than a page fits on no page). True: it is new. */
bool odp_paper_need(struct odp_paper *p, double height);

/* Structure: PDF's standard types, "Document", "Sect", "H1", "P", "Table", "TR", "TH", "TD", "L", "LI",
 * "LBody", "Figure", "TOC", "TOCI". Nothing when not drawing. ATTRIBUTES: cairo's, or NULL. Balanced, also
 * over pages: a tag may be open while a page ends. */
void odp_paper_tag(struct odp_paper *p, const char *type, const char *attributes);
void odp_paper_untag(struct odp_paper *p, const char *type);
/* A link: URI (checked: http, https, mailto only; else no link) or a destination of this document; ends with
 * odp_paper_untag(p, "Link"). */
void odp_paper_link(struct odp_paper *p, const char *uri);
bool odp_paper_is_address(struct odp_slice uri);
void odp_paper_link_to(struct odp_paper *p, const char *dest);
/* A picture comes, drawn by the caller between this and odp_paper_untag(p, "Figure"). ALTERNATIVE: what it
 * shows; kept in the arena. */
void odp_paper_figure(struct odp_paper *p, const char *alternative);

/* Where text is put: its top left corner and how wide it may be, in points. */
struct odp_box {
    double x, y, width;
    PangoAlignment align;
};
/* Of text that is set left. */
static inline struct odp_box odp_box(double x, double y, double width)
{
    return (struct odp_box){x, y, width, PANGO_ALIGN_LEFT};
}
/* TEXT wrapped into AT (not at p->y). Returns its height. It must fit the page: the caller has seen to it. */
double odp_paper_text(struct odp_paper *p, struct odp_box at, struct odp_face face, struct odp_slice text);
double odp_paper_text_height(struct odp_paper *p, double width, struct odp_face face, struct odp_slice text);
/* Running text at p->y over as many pages as it takes, one paragraph tagged TAG ("P"), x from left + INDENT
 * to right; never a single line alone on a page where the paragraph has more than three. Moves p->y past it
 * and AFTER points of space. */
void odp_paper_flow(struct odp_paper *p, const char *tag, double indent, struct odp_face face,
                    struct odp_slice text, double after);
/* A paragraph of INK; nothing where TEXT is empty. */
void odp_paper_paragraph(struct odp_paper *p, const char *tag, struct odp_face face, enum odp_ink ink,
                         struct odp_slice text, double after);
/* A heading at p->y with its tag (H1…H3), bookmark, destination and entry in the contents. It keeps KEEP
 * points of what follows on its page. */
void odp_paper_heading(struct odp_paper *p, int level, const char *text, const char *dest, double keep);

#define ODP_PAPER_SLACK 0.01 /* points that sums of heights may be off */
/* Is the page still empty? */
static inline bool odp_paper_is_fresh(const struct odp_paper *p)
{
    return p->y <= p->top + ODP_PAPER_SLACK;
}
/* A line over the width of the content, its upper edge at Y; the ink stays. */
void odp_paper_rule(struct odp_paper *p, double y);
/* A place that links lead to, at p->y. */
void odp_paper_dest(struct odp_paper *p, const char *name);
