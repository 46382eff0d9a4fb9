/* Inside of site/clients: the model that packages are written from, and how files are put into one.
 *
 *   staged schemas + portal.json -> model.c -> struct client_model -> dress.c -> generate.c
 *     -> struct client_tree -> pack.c -> bytes, index_*.c -> what installers read */
#ifndef ODP_SITE_CLIENTS_CLIENTS_INTERNAL_H
#define ODP_SITE_CLIENTS_CLIENTS_INTERNAL_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/template/template.h"
#include "catalog/catalog.h"
#include "site/clients/client.h"

/* ---- model.c: the published contract, as all three languages see it ---- */

#define NO_DATASET SIZE_MAX

/* What examples are written with: chosen by the schema alone, so that a package does not depend on data. */
struct client_sample {
    size_t dataset; /* one with a key, a number and a closed list; geometry and CSV preferred */
    /* A number field; a field of a closed list and one of its values. TEXT NULL: there is none. */
    const char *number, *text, *value;
    const char *format; /* "csv" */
    size_t timeline;    /* one with a timeline, or NO_DATASET */
};

struct client_model {
    struct odp_arena *arena;
    struct odp_client_names names;
    const char *base_url;               /* ends in '/' */
    const char *release, *release_date; /* "2.5.0", "2024-03-15" */
    /* {title, publisher, license (of the DATA), datasets: [{slug, title, description, resources: [{name, path
     * ("proyek/timeline"), title, fields, key: [names], geometry: records have one, timeline: it is one,
     * queryables: [names beside the fields], formats: ["csv", "excel.csv"…]}]}]}; the first resource is the
     * dataset's own. A field: {name, type, item (of a list), title, description, unit, required: never null,
     * values: the texts of a closed list, deprecated}. Titles are {id, en}. Datasets in the index's order,
     * without those that are withdrawn. */
    json_t *json;
    json_t *reserved[ODP_CLIENT_LANGUAGES]; /* names.json of each language */
    json_t *dressed[ODP_CLIENT_LANGUAGES];  /* dress.c */
    struct client_sample sample;
    struct odp_templates *templates; /* generate.c */
};

/* The model, in A as far as it is no JSON, with its templates. DONE: no release, or no dataset with a staged
 * schema. BAD: a template's fault, reported. */
enum odp_status client_model_make(struct client_model *m, const struct odp_client_job *job,
                                  struct odp_arena *a) ODP_MUST_USE;
/* What follows from m->json: samples, names, templates. */
enum odp_status client_model_finish(struct client_model *m, struct odp_diags *diags) ODP_MUST_USE;
void client_model_release(struct client_model *m);

/* words.c */
const char *client_text(const json_t *o, const char *key);     /* "" where there is none */
struct odp_text client_both(const json_t *o, const char *key); /* a string or {"id", "en"}; borrowed */
bool client_has(const json_t *list, const char *text);         /* an item, or the name of one, is TEXT */
static inline bool client_flag(const json_t *o, const char *key)
{
    return json_is_true(json_object_get(o, key));
}
static inline enum odp_type client_type(const json_t *field, const char *key)
{
    return (enum odp_type)json_integer_value(json_object_get(field, key));
}

/* ---- dress.c: the model under the names of a language: what templates/clients/model.json promises ---- */

enum odp_status client_dress(json_t **out, const struct client_model *m,
                             enum odp_client_language l) ODP_MUST_USE;

/* ---- names.c: no name twice, none that the language has itself ---- */

struct client_scope {
    const struct client_model *m;
    enum odp_client_language l;
    const char *which; /* "types", "properties" (of the client), "members" (of a record): what names.json has
                          words for */
    json_t *taken;
};
enum odp_status client_read_reserved(struct client_model *m) ODP_MUST_USE;
struct client_scope client_scope_of(const struct client_model *m, enum odp_client_language l,
                                    const char *which);
void client_scope_release(struct client_scope *s);
/* PREFIX and TEXT as this scope writes names: AirBersih, airBersih, air_bersih. */
const char *client_wanted(const struct client_scope *s, const char *prefix, const char *text);
/* WANTED, or what is next to it where it is reserved or taken. */
const char *client_claim(struct client_scope *s, const char *wanted);
bool client_keeps(const struct client_scope *s, const char *name); /* NAME may be a name of S as it is */
bool client_is_free(const struct client_model *m,
                    const char *name); /* records have NAME under this name in every language */

/* ---- tree.c: the files of a package ---- */

struct client_file {
    const char *path;
    struct odp_slice bytes;
};
struct client_tree {
    struct odp_arena *arena;
    struct client_file *files;
    size_t n, cap;
};
/* PATH and BYTES are copied. FAIL: no memory, or the path is there already. */
enum odp_status client_tree_add(struct client_tree *t, const char *path, struct odp_slice bytes) ODP_MUST_USE;
/* The file at PATH, or NULL. */
const struct client_file *client_tree_find(const struct client_tree *t, const char *path);
/* Sources are written with the default names; those of the catalogue take their place: "@odp/client" ·
 * "odp_client", "odp-client" · "Odp\Client" (also with doubled backslash), "odp/client". Appends the text. */
enum odp_status client_rename(struct odp_buffer *out, const struct client_model *m,
                              enum odp_client_language l, struct odp_slice text) ODP_MUST_USE;

/* ---- languages.c, generate.c ---- */

struct client_language {
    const char *name, *label; /* "javascript", "JavaScript": folder of templates/clients and of packages/ */
    const char *requires;     /* "Node.js 18+", "Python 3.9+", "PHP 8.1+" */
    const char *extension;    /* of examples: ".mjs", ".py", ".php" */
    const char *client;       /* how an example calls the client: "client.", "$client->" */
    const char *root;         /* of the package's files inside of the archive: "package/", "" */
};
extern const struct client_language client_languages[ODP_CLIENT_LANGUAGES];

/* Opens the templates of all languages; M NULL: under the default names. BAD: reported. */
enum odp_status client_templates_open(struct odp_templates **out, const struct client_model *m,
                                      struct odp_arena *a, struct odp_diags *diags) ODP_MUST_USE;
/* Every file of the package, by the path it has inside of the archive. */
enum odp_status client_write(struct client_tree *t, const struct client_model *m,
                             enum odp_client_language l) ODP_MUST_USE;
const char *client_info_folder(const struct client_model *m); /* "odp_client-2.5.0.dist-info/" */

/* ---- words.c: what generators share ---- */

/* Appends TEXT as an identifier: "demografi-kumuh" -> demografi_kumuh, demografiKumuh, DemografiKumuh. What
 * is no letter or digit (ASCII) ends a word; before a digit at the start stands "_"; nothing at all is "_".
 * Reserved words are the language's own affair; so are two texts with one identifier (slugs have none: a-z
 * 0-9 -). */
void client_snake(struct odp_buffer *out, const char *text);
void client_camel(struct odp_buffer *out, const char *text);
void client_studly(struct odp_buffer *out, const char *text);
/* names.c: NAME in small letters, runs of - _ . as one sign WITH: PEP 503 ('-'), wheels and modules ('_'). */
void client_normal(struct odp_buffer *out, const char *name, char with);
/* package_file.c: "packages/python/odp_client-2.5.0-py3-none-any.whl": the release's package, named as that
 * ecosystem's own tools do. In A. */
const char *client_package_file(const struct client_model *m, enum odp_client_language l,
                                struct odp_arena *a);
const char *client_package_type(enum odp_client_language l); /* package_file.c: "application/zip" */
/* One line of prose for a comment: control characters and line ends become spaces, "*" + "/" is pulled apart.
 */
void client_prose(struct odp_buffer *out, const char *text);

/* ---- generate.c ---- */

/* The README of L's package, in Markdown. */
enum odp_status client_readme(struct odp_buffer *out, const struct client_model *m,
                              enum odp_client_language l, enum odp_lang lang) ODP_MUST_USE;

/* ---- compiled in (CMake): every file of templates/clients, path from there ---- */

extern const struct odp_template_text odp_client_sources[]; /* sorted by path; ended by NULL */
extern const unsigned char odp_client_license[];            /* the project's LICENSE: in every package */
const struct odp_template_text *client_source_find(const char *path); /* tree.c; NULL: there is none */

#endif
