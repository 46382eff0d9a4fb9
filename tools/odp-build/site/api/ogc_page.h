/* Inside of site/api: a page for people. */
#ifndef ODP_SITE_API_OGC_PAGE_H
#define ODP_SITE_API_OGC_PAGE_H

#include "site/api/api_internal.h"

struct api_page {
    struct api *api;
    struct odp_buffer *out;
    enum odp_lang lang;
    const char *up;   /* from here to v1/ogc/: "", "../", "../../" */
    const char *stem; /* of its file, within v1/ogc/: "index", "collections/kumuh" */
};

/* ---- ogc_page.c: the frame, and small pieces ---- */

void api_page_raw(struct api_page *p, const char *html);
void api_page_text(struct api_page *p, const char *s);               /* escaped */
void api_page_say(struct api_page *p, const char *id, const char *en); /* words of our own: markup in them is meant */
void api_page_both(struct api_page *p, const struct odp_text *t);    /* the one of the page's language, escaped */
void api_page_count(struct api_page *p, uint64_t n);                 /* 1.204 or 1,204 */
/* <a href="…">: PATH is within v1/ogc/, and gets the page's language: "collections/kumuh" leads to its page. */
void api_page_link(struct api_page *p, const char *stem);
/* To a file within v1/ogc/ as it is. */
void api_page_file(struct api_page *p, const char *path);
/* Head, header, trail and heading. TRAIL: the page above, its stem and its name, or NULL. */
void api_page_begin(struct api_page *p, const struct odp_text *title, const struct odp_text *trail, const char *trail_stem);
void api_page_end(struct api_page *p, const char *json); /* JSON: the file that says the same */
void api_page_geometry(struct api_page *p, const struct odp_search_info *info); /* "poligon, multipoligon" */
void api_page_type(struct api_page *p, enum odp_type type);
void api_page_copy(struct api_page *p, const char *id); /* the command that copies a collection into a file */
void api_page_extent(struct api_page *p, const struct odp_search_info *info);
void api_page_interval(struct api_page *p, const struct odp_search_info *info);

/* ---- ogc_pages_collection.c ---- */

void api_page_collections(struct api_page *p);
void api_page_collection(struct api_page *p, const struct api_resource *r);
void api_page_queryables(struct api_page *p, const struct api_resource *r);

#endif
