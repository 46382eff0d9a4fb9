/* Inside of site/api: what its documents share. */
#pragma once

#include "base/template/template.h"
#include "published/doc.h"
#include "site/api/api.h"

/* What documents of the whole catalogue have of one dataset (API_TAG, API_OWN_PATHS) and of one resource (the
 * others), as it stands in them: JSON by document.c, a page's rows by their templates; in the order in
 * which a document has them. They are the text of the dataset's part (published/parts.h), so a document of
 * the whole is put together of what was made before. */
enum api_text {
    API_TAG,       /* of v1/openapi.json: an item of "tags" */
    API_OWN_PATHS, /* members of "paths" */
    API_OF_DATASET,
    API_PATHS = API_OF_DATASET, /* members of "paths" and of "components" */
    API_PARAMETERS,
    API_RESPONSES,
    API_SCHEMAS,
    API_COLLECTION, /* an item of v1/ogc/collections.json */
    API_OGC_PATHS,  /* members of "paths" in v1/ogc/api.json */
    API_ROW,        /* of v1/ogc/index.html and collections.html, by language */
    API_SECTION = API_ROW + ODP_LANGS,
    API_TEXTS = API_SECTION + ODP_LANGS
};

/* One resource that can be queried. Its schema and model are there while its part is made. */
struct api_resource {
    const struct odp_search_info *info;
    const json_t *entry, *resource; /* of v1/index.json: the dataset, and its item of "resources" */
    json_t *schema;                 /* the Table Schema as published; owned */
    const char *id;                 /* "kumuh", "proyek-timeline" */
    const char *path;               /* "kumuh", "proyek/timeline" */
    const char *camel;              /* "Kumuh", "ProyekTimeline": in names of operations */
    struct odp_text title, description;
    json_t *model; /* what its templates are filled with; owned */
    const char *texts[API_TEXTS];
};

/* Documents of the whole catalogue that are made of what it has of datasets. */
enum api_whole { API_OPENAPI, API_EVENTS, API_OGC, API_COLLECTIONS, API_WHOLES };

struct api_dataset {
    const json_t *entry;
    struct api_resource *resources; /* n of them */
    size_t n;
    const char *texts[API_OF_DATASET];
    uint8_t digests[API_WHOLES][ODP_SHA256_SIZE]; /* of its texts in each document */
};

struct odp_api {
    const struct odp_site_job *job;
    const struct odp_portal *portal;
    struct api_dataset *datasets; /* by the order of the index, as their resources */
    size_t ndatasets;
    struct api_resource *resources, **shown; /* shown: the same, with geometry first */
    size_t n;
    json_t *frame;       /* templates/openapi/api.json, once somebody has asked for it */
    const char *openapi; /* v1/openapi.json without the datasets' texts, and its digest */
    uint8_t digest[ODP_SHA256_SIZE];
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
const char *api_joined(struct odp_api *a, const struct odp_text *t, const char *separator);
#define API_LINE(a, t)       api_joined(a, t, " / ")
#define API_PARAGRAPHS(a, t) api_joined(a, t, "\n\n")
/* "proyek-timeline": "ProyekTimeline". */
const char *api_camel(struct odp_api *a, const char *id);
/* Stages VALUE, which is taken. */
void api_put_take(struct odp_api *a, const char *path, const char *type, json_t *value);
/* PAGE filled with ABOUT, as JSON; NULL after a failure. */
json_t *api_document(struct odp_api *a, const char *page, const json_t *about);
/* The document PATH of LIST. */
json_t *api_template(const struct odp_template_text *list, const char *path);
/* Appends VALUE (borrowed; NULL: nothing) to OUT, a part's text, as the document has it. */
void api_add_text(struct odp_api *a, struct odp_buffer *out, enum api_text text, const json_t *value);
/* The text TEXT of the I-th that can have one, "" if it has none; NULL: there are no more. */
const char *api_text_at(const struct odp_api *a, enum api_text text, size_t i);
/* The texts TEXT of all that have one: [text…]. */
json_t *api_texts(const struct odp_api *a, enum api_text text);
/* Adds to CONTAINER, an object or array, the place of the texts TEXT, if there are any. */
void api_leave_place(struct odp_api *a, json_t *container, enum api_text text);
/* api_put_take, with the texts in their places. The same of a printed one, FRAME. */
void api_put_filled_take(struct odp_api *a, const char *path, const char *type, json_t *value);
void api_put_filled(struct odp_api *a, const char *path, const char *type, const char *frame);
/* {"title", "license"…} for both descriptions of the API, with the description of WORDS. */
json_t *api_info(struct odp_api *a, const json_t *words);

/* ---- fields.c ---- */

enum api_dialect {
    API_RECORD, /* OpenAPI 3.1: null where the field may be null; titles, units, bounds */
    API_VALUE,  /* of a parameter or a queryable: the type alone */
    API_FEATURE /* draft-07, in a form that GDAL reads (fields.c) */
};
/* The JSON Schema of a column. */
json_t *api_field(struct odp_api *a, const struct api_resource *r, uint32_t column, enum api_dialect dialect);
/* Whether a column can be compared with a literal; some types have only IS NULL. */
bool api_is_queryable(const struct odp_search_column *c);
/* Whether a column can be a parameter, too: its name is free. */
bool api_is_parameter(const struct odp_search_column *c);
/* "Luas kawasan (hektare) / Area size (hectares)". In the arena. */
const char *api_column_title(struct odp_api *a, const struct odp_search_column *c);
struct odp_text api_column_description(const struct api_resource *r, uint32_t column); /* may be empty */
/* "geometry-polygon-multi"… for a set of types: OGC 19-079, table of formats. */
const char *api_geometry_format(unsigned types);

/* ---- model.c ---- */

/* What templates are filled with for R. */
json_t *api_resource_model(struct odp_api *a, const struct api_resource *r);
/* The names of the types in BITS; 0: of all. */
json_t *api_geometry_types(unsigned bits);

/* ---- compiled in, by their path below templates/openapi and templates/ogc; ended by NULL ---- */

extern const struct odp_template_text odp_openapi_templates[], odp_ogc_templates[];

/* ---- the documents ---- */

/* openapi.c: the texts of a dataset and of a resource, in the order of enum api_text; the document. */
void api_openapi_of_dataset(struct odp_api *a, const json_t *entry, struct odp_buffer *texts);
void api_openapi_of_resource(struct odp_api *a, const struct api_resource *r, struct odp_buffer *texts);
void api_openapi(struct odp_api *a);
/* Keeps the document without datasets' texts, in which their places are members that nobody knows. */
void api_openapi_keep(struct odp_api *a, struct odp_slice frame);
/* Appends what the document has of D alone to OUT. */
void api_openapi_alone(const struct api_dataset *d, struct odp_buffer *out);
void api_openapi_webhooks(struct odp_api *a, json_t *root); /* events.c */
void api_events(struct odp_api *a);
/* ogc.c: the documents and pages of a collection, and its texts; those of all. */
void api_ogc_of_resource(struct odp_api *a, const struct api_resource *r, struct odp_buffer *texts);
void api_ogc(struct odp_api *a);
void api_ogc_collections(struct odp_api *a);
