/* Inside of site/model: one document in the making. */
#pragma once

#include "base/text.h"
#include "site/model/model.h"

struct model {
    const struct odp_site_job *job;
    const struct odp_catalog *catalog;
    const json_t *entry;
    const char *slug,
        *version;           /* version "": the newest one was withdrawn, and no other has taken its place */
    json_t *root;           /* the document */
    json_t *search;         /* search/index.json: what can be queried; read when it is asked for */
    json_int_t nfields;     /* so far, of all tables */
    bool shown;             /* with what only a page shows */
    enum odp_status status; /* of reading: the first failure stays */
    struct odp_arena arena;
};

/* One table: its entry in the index, and the document's object. */
struct table {
    const json_t *entry;
    const char *name, *suffix; /* "" of the first, "-timeline" of a further one: of ids and files */
    size_t index;
    json_t *schema, *preview; /* staged; or NULL */
    json_t *o;
};

/* In the arena. */
#define model_printf(m, ...) odp_arena_printf(&(m)->arena, __VA_ARGS__)
/* The staged document at PATH, or NULL. */
json_t *model_read(struct model *m, const char *path);
/* A scalar as canonical text: 12, 0.5, true, text; "" of anything else. */
const char *model_scalar(struct model *m, const json_t *value);
/* TEXT, a value of FIELD (of schema.json; may be NULL), as people read it: numbers by language, truth in
 * words, a category's label. */
json_t *model_shown(struct model *m, const json_t *field, const char *text);
/* A number in both languages. */
json_t *model_decimal(const char *text);
const json_t *model_field(const json_t *schema, const char *name);
bool model_is_number(const json_t *field);
/* FIELD's title, or its NAME. */
json_t *model_heading(const json_t *field, const char *name);
/* {"title", "slug"} of another dataset; slug "": it has no page. */
json_t *model_other(struct model *m, const char *slug);
/* {"path", "bytes"} … of an object of "files". */
json_t *model_file(const json_t *file);
/* The twin of PATH that browsers ask for first, or NULL. */
const struct odp_site_file *model_twin(struct model *m, const char *path);
/* {"west", "south", "east", "north"} of BBOX, ROUNDED to 4 decimals; NULL: it is no box. */
json_t *model_box(const json_t *bbox, bool rounded);

/* labels.c: the code list that the values of NAME come from, {"dataset", "resource"} of SCHEMA; or NULL. */
const json_t *model_list_of(const json_t *schema, const char *name);
/* {"id", "en"} of CODE, a value of NAME; NULL: it has no name. The caller's. */
json_t *model_label(struct model *m, const json_t *schema, const char *name, const char *code);

/* {"id", "en"} of member KEY as it is inside of a sentence (measures.c). */
json_t *model_both_inside(const json_t *of, const char *key);
/* facts.c: {"id", "en"}, the pages of the place CODE of LIST; {}: it has none. */
json_t *model_place_page(const struct odp_site_job *job, const char *list, const char *code,
                         struct odp_arena *a);

/* ---- each sets its members of the document, or of one table ---- */
void model_about(struct model *m);                   /* about.c */
void model_fields(struct model *m, struct table *t); /* fields.c */
void model_files(struct model *m, struct table *t);  /* files.c */
void model_documents(struct model *m, struct table *t);
void model_slices(struct model *m, struct table *t);
void model_machines(struct model *m);
void model_profile(struct model *m, struct table *t); /* profile.c; of the page alone */
void model_preview(struct model *m, struct table *t); /* preview.c; of the page alone */
void model_explore(struct model *m, struct table *t); /* explore.c; of the page alone */
void model_charts(struct model *m, struct table *t);  /* pictures.c; of the page alone */
void model_map(struct model *m, struct table *t);
void model_api(struct model *m, struct table *t); /* use.c */
void model_cite(struct model *m);
void model_versions(struct model *m); /* versions.c */
void model_score(struct model *m);
