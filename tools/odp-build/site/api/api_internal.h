/* Inside of site/api: what its documents share. */
#pragma once

#include "base/template/template.h"
#include "published/doc.h"
#include "site/api/api.h"

/* One resource that can be queried. */
struct api_resource {
    const struct odp_search_info *info;
    const json_t *entry, *resource; /* of v1/index.json: the dataset, and its item of "resources" */
    json_t *schema;                 /* the Table Schema as published; owned */
    const char *id;                 /* "kumuh", "proyek-timeline" */
    const char *path;               /* "kumuh", "proyek/timeline" */
    const char *camel;              /* "Kumuh", "ProyekTimeline": in names of operations */
    struct odp_text title, description;
    json_t *model; /* what its templates are filled with; owned */
};

struct api {
    const struct odp_site_job *job;
    const struct odp_portal *portal;
    struct api_resource *resources; /* with geometry first, else by the order of the index */
    size_t n;
    const char *base, *release; /* absolute, ends in '/'; "2.5.0" */
    enum odp_status status;     /* the first failure stays */
    struct odp_arena arena;
    struct odp_templates *templates;
    json_t *model; /* what every template is filled with */
};

#define api_printf(a, ...) odp_arena_printf(&(a)->arena, __VA_ARGS__)

/* ---- document.c: texts, and the way into the stage ---- */

/* Member KEY, {"id", "en"} or a string; borrowed from O. */
struct odp_text api_both(const json_t *o, const char *key);
/* "Peta permukiman kumuh / Slum map" with SEPARATOR between; one text if both are equal. In the arena. */
const char *api_joined(struct api *a, const struct odp_text *t, const char *separator);
#define API_LINE(a, t)       api_joined(a, t, " / ")
#define API_PARAGRAPHS(a, t) api_joined(a, t, "\n\n")
/* "proyek-timeline": "ProyekTimeline". */
const char *api_camel(struct api *a, const char *id);
/* Stages VALUE, which is taken. */
void api_put_take(struct api *a, const char *path, const char *type, json_t *value);
/* PAGE filled with ABOUT, as JSON; NULL after a failure. */
json_t *api_document(struct api *a, const char *page, const json_t *about);
/* The document PATH of LIST. */
json_t *api_template(const struct odp_template_text *list, const char *path);
/* Merges MORE (taken) into ROOT; objects that both have are merged, too. */
void api_merge_take(json_t *root, json_t *more);
/* {"title", "license"…} for both descriptions of the API, with the description of WORDS. */
json_t *api_info(struct api *a, const json_t *words);

/* ---- fields.c ---- */

enum api_dialect {
    API_RECORD, /* OpenAPI 3.1: null where the field may be null; titles, units, bounds */
    API_VALUE,  /* of a parameter or a queryable: the type alone */
    API_FEATURE /* draft-07, in a form that GDAL reads (fields.c) */
};
/* The JSON Schema of a column. */
json_t *api_field(struct api *a, const struct api_resource *r, uint32_t column, enum api_dialect dialect);
/* Whether a column can be compared with a literal; some types have only IS NULL. */
bool api_is_queryable(const struct odp_search_column *c);
/* Whether a column can be a parameter, too: its name is free. */
bool api_is_parameter(const struct odp_search_column *c);
/* "Luas kawasan (hektare) / Area size (hectares)". In the arena. */
const char *api_column_title(struct api *a, const struct odp_search_column *c);
struct odp_text api_column_description(const struct api_resource *r, uint32_t column); /* may be empty */
/* "geometry-polygon-multi"… for a set of types: OGC 19-079, table of formats. */
const char *api_geometry_format(unsigned types);

/* ---- model.c ---- */

/* What templates are filled with for R. */
json_t *api_resource_model(struct api *a, const struct api_resource *r);
/* The names of the types in BITS; 0: of all. */
json_t *api_geometry_types(unsigned bits);

/* ---- compiled in, by their path below templates/openapi and templates/ogc; ended by NULL ---- */

extern const struct odp_template_text odp_openapi_templates[], odp_ogc_templates[];

/* ---- the documents ---- */

void api_openapi(struct api *a);                        /* openapi.c */
void api_openapi_webhooks(struct api *a, json_t *root); /* events.c */
void api_events(struct api *a);
void api_ogc(struct api *a); /* ogc.c */
