/* Inside of site/clients: the model that packages are written from, and how files are put into one.
 *
 *   staged schemas + portal.json -> model.c -> struct client_model -> javascript.c | python.c | php.c, readme.c
 *     -> struct client_tree -> pack_*.c -> bytes, index_*.c -> what installers read */
#ifndef ODP_SITE_CLIENTS_CLIENTS_INTERNAL_H
#define ODP_SITE_CLIENTS_CLIENTS_INTERNAL_H

#include "base/arena.h"
#include "base/buffer.h"
#include "catalog/catalog.h"
#include "site/clients/client.h"

/* ---- model.c: the published contract, as all three languages see it; everything lies in the model's arena ------------------------------------------ */

struct client_field {
    const char *name;              /* any text, as it stands in JSON */
    enum odp_type type, item;      /* ITEM: of a list */
    struct odp_text title, description, unit; /* may be empty */
    bool required;                 /* never null */
    const char **values;           /* a closed list: every value is one of these canonical texts (enum, else categories); NULL: open */
    size_t nvalues;
    bool deprecated;
};

struct client_resource {
    const char *name;              /* "timeline"; of the first resource the dataset's slug */
    const char *path;              /* below v1/: "proyek", "proyek/timeline" */
    struct odp_text title;
    struct client_field *fields;   /* in the schema's order; without the geometry */
    size_t nfields;
    const char **key;              /* primary key: field names; n may be 0 */
    size_t nkey;
    bool geometry;                 /* records have a member "geometry" (GeoJSON geometry or null) */
    bool is_timeline;              /* odp:timeline: the target of the dataset's timeline() */
    const char **queryables;       /* names beside the fields that can be asked for in `where` and filters */
    size_t nqueryables;
    const char **formats;          /* names of downloads: "csv", "excel.csv", "geojson", "json", "xlsx", "pdf" */
    size_t nformats;
};

struct client_dataset {
    const char *slug;
    struct odp_text title, description;
    struct client_resource *resources; /* the first is the dataset's own */
    size_t nresources;
};

/* What examples are written with: chosen by the schema alone, so that a package does not depend on data. */
struct client_sample {
    const struct client_dataset *dataset;   /* one with a key, a number and a closed list; geometry and CSV preferred */
    const char *number, *text, *value;      /* a number field; a field of a closed list and one of its values; TEXT NULL: there is none */
    const char *format;                     /* "csv" */
    const struct client_dataset *timeline;  /* one with a timeline, or NULL */
};

struct client_model {
    struct odp_arena *arena;
    const struct odp_client_names *names;
    const char *base_url;                   /* ends in '/' */
    const char *release, *release_date;     /* "2.5.0", "2024-03-15" */
    struct odp_text title, publisher;       /* of the portal */
    const char *license_name;               /* of the DATA: the packages themselves are under the project's own licence */
    struct client_dataset *datasets;        /* in the index's order; those that are withdrawn are not there */
    size_t ndatasets;
    struct client_sample sample;
};

/* ---- tree.c: the files of a package ----------------------------------------------------------------------------------------------------------------- */

struct client_file { const char *path; struct odp_slice bytes; };
struct client_tree {
    struct odp_arena *arena;
    struct client_file *files;
    size_t n, cap;
};
/* PATH and BYTES are copied. FAIL: no memory, or the path is there already. */
enum odp_status client_tree_add(struct client_tree *t, const char *path, struct odp_slice bytes) ODP_MUST_USE;
/* The file at PATH, or NULL. */
const struct client_file *client_tree_find(const struct client_tree *t, const char *path);
/* Adds every file of templates/clients/<language>/package below INTO ("package/src/"; may be ""), names replaced (client_rename). */
enum odp_status client_tree_add_sources(struct client_tree *t, const struct client_model *m, enum odp_client_language l, const char *into) ODP_MUST_USE;
/* Sources are written with the default names; those of the catalogue take their place: "@odp/client" · "odp_client", "odp-client" · "Odp\Client" (also with doubled backslash), "odp/client".
 * Appends the text. */
enum odp_status client_rename(struct odp_buffer *out, const struct client_model *m, enum odp_client_language l, struct odp_slice text) ODP_MUST_USE;

/* ---- one of each language: javascript.c, python.c, php.c --------------------------------------------------------------------------------------------- */

/* How a language's package calls the catalogue's things, in the model's order. */
struct client_called {
    const char **properties;        /* of the client: one a dataset */
    const char **records;           /* types of records: one a resource, those of all datasets in a row */
};

struct client_language {
    const char *name, *label;       /* "javascript", "JavaScript": folder of templates/clients and of packages/ */
    const char *requires;           /* "Node.js 18+", "Python 3.9+", "PHP 8.1+" */
    const char *extension;          /* of examples: ".mjs", ".py", ".php" */
    /* Appends how a program says the client's property of SLUG ("airBersih", "air_bersih", "airBersih"): for examples and README. */
    enum odp_status (*accessor)(struct odp_buffer *out, const char *slug);
    /* Names as the package has them, in the model's arena. */
    enum odp_status (*called)(struct client_called *out, const struct client_model *m);
    const char *readme;             /* folder of README.md and README.id.md inside of the archive: "package/", "" (its root); NULL: the package has it in METADATA */
};
extern const struct client_language client_javascript, client_python, client_php; /* javascript_names.c … */
extern const struct client_language *const client_languages[ODP_CLIENT_LANGUAGES]; /* languages.c */

/* Every file of the package but the README, by the path it has inside of the archive. */
enum odp_status client_write_javascript(struct client_tree *t, const struct client_model *m) ODP_MUST_USE;
enum odp_status client_write_python(struct client_tree *t, const struct client_model *m) ODP_MUST_USE;
enum odp_status client_write_php(struct client_tree *t, const struct client_model *m) ODP_MUST_USE;

/* ---- words.c: what generators share ------------------------------------------------------------------------------------------------------------------ */

/* Appends TEXT as an identifier: "demografi-kumuh" -> demografi_kumuh, demografiKumuh, DemografiKumuh. What is no letter or digit (ASCII) ends a word; before a digit at the start stands "_";
 * nothing at all is "_". Reserved words are the language's own affair; so are two texts with one identifier (slugs have none: a-z 0-9 -). */
void client_snake(struct odp_buffer *out, const char *text);
void client_camel(struct odp_buffer *out, const char *text);
void client_studly(struct odp_buffer *out, const char *text);
/* names.c: NAME in small letters, runs of - _ . as one sign WITH: PEP 503 ('-'), wheels and modules ('_'). */
void client_normal(struct odp_buffer *out, const char *name, char with);
/* package_file.c: "packages/python/odp_client-2.5.0-py3-none-any.whl": the release's package, named as that ecosystem's own tools do. In A; NULL: no memory. */
const char *client_package_file(const struct client_model *m, enum odp_client_language l, struct odp_arena *a);
const char *client_package_type(enum odp_client_language l); /* package_file.c: "application/zip" */
/* One line of prose for a comment: control characters and line ends become spaces, "*" + "/" is pulled apart. */
void client_prose(struct odp_buffer *out, const char *text);

/* ---- examples.c, readme.c ------------------------------------------------------------------------------------------------------------------------------ */

/* Appends the example NAME of L (templates/clients/<language>/examples/<name>.<ext>) with names and marks filled in: @SLUG@ @DATASET@ (accessor) @NUMBER@ @FIELD@ @VALUE@ @FORMAT@
 * @TIMELINE@ (accessor of the dataset with a timeline). DONE: there is no such example, or the catalogue has nothing to show it with. */
enum odp_status client_example(struct odp_buffer *out, const struct client_model *m, enum odp_client_language l, const char *name) ODP_MUST_USE;
/* The README of L's package, in Markdown. */
enum odp_status client_readme(struct odp_buffer *out, const struct client_model *m, enum odp_client_language l, enum odp_lang lang) ODP_MUST_USE;

/* ---- compiled in (CMake): every file of templates/clients, path from there -------------------------------------------------------------------------------- */

struct client_source { const char *path; const unsigned char *text; };
extern const struct client_source odp_client_sources[]; /* sorted by path; ended by NULL */
extern const unsigned char odp_client_license[]; /* the project's LICENSE: in every package */
const struct client_source *client_source_find(const char *path); /* tree.c; NULL: there is none */

/* ---- model.c -------------------------------------------------------------------------------------------------------------------------------------------- */
/* The model in A. DONE: no release, or no dataset with a staged schema. */
enum odp_status client_model_make(struct client_model *m, const struct odp_client_job *job, struct odp_arena *a) ODP_MUST_USE;

#endif
