/* Inside of site/clients:
 *
 *   staged schemas + portal.json -> model.c -> struct client_model -> dress.c -> generate.c
 *     -> struct client_tree -> pack.c -> bytes, index.c -> what installers read */
#pragma once

#include "base/arena.h"
#include "base/buffer.h"
#include "base/template/template.h"
#include "catalog/catalog.h"
#include "site/clients/client.h"

struct client_language {
    const char *name, *label; /* "javascript", "JavaScript": folder of templates/clients and of packages/ */
    const char *requires;     /* "Node.js 18+", "Python 3.9+", "PHP 8.1+" */
    const char *extension;    /* of examples: ".mjs", ".py", ".php" */
    const char *client;       /* the client in examples: "client.", "$client->" */
    const char *root;         /* folder of the files inside of the archive: "package/", "" */
    const char *package;      /* the default name */
    const char *type;         /* media type of its archive: "application/zip" */
};
extern const struct client_language client_languages[ODP_CLIENT_LANGUAGES]; /* names.c */

/* ---- model.c: the published contract, as all three languages see it ---- */

#define NO_DATASET SIZE_MAX

/* What examples are written with. The schema alone decides, so that a package does not depend on data. */
struct client_sample {
    size_t dataset; /* one with a key, a number and a closed list; geometry and CSV preferred */
    /* A number field; a field of a closed list and one of its values. TEXT NULL: none. */
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
     * without withdrawn ones. */
    json_t *json;
    json_t *reserved[ODP_CLIENT_LANGUAGES]; /* names.json of each language */
    json_t *dressed[ODP_CLIENT_LANGUAGES];  /* dress.c */
    struct client_sample sample;
    struct odp_templates *templates; /* generate.c */
};

/* Makes the model and its templates; strings in A. DONE: no release, or no dataset with a staged schema.
 * BAD: a template's fault (reported). */
enum odp_status client_model_make(struct client_model *m, const struct odp_site_job *job,
                                  struct odp_arena *a) ODP_MUST_USE;
/* Completes M from m->json: samples, names, templates. */
enum odp_status client_model_finish(struct client_model *m, struct odp_diags *diags) ODP_MUST_USE;
void client_model_release(struct client_model *m);

/* A string or {"id", "en"}; borrowed. */
struct odp_text client_both(const json_t *o, const char *key);
bool client_has(const json_t *list, const char *text); /* TEXT is an item of LIST, or the name of one */
static inline bool client_flag(const json_t *o, const char *key)
{
    return json_is_true(json_object_get(o, key));
}
static inline enum odp_type client_type(const json_t *field, const char *key)
{
    return (enum odp_type)json_integer_value(json_object_get(field, key));
}

/* ---- dress.c: the model under the names of a language: what templates/clients/model.json promises ---- */

json_t *client_dress(const struct client_model *m, enum odp_client_language l);

/* ---- names.c: no name twice, none that the language has itself ---- */

struct client_scope {
    const struct client_model *m;
    enum odp_client_language l;
    const char
        *which; /* "types", "properties" (of the client), "members" (of a record): keys of names.json */
    json_t *taken;
};
void client_read_reserved(struct client_model *m);
struct client_scope client_scope_of(const struct client_model *m, enum odp_client_language l,
                                    const char *which);
void client_scope_release(struct client_scope *s);
/* PREFIX and TEXT in this scope's form: AirBersih, airBersih, air_bersih. */
const char *client_wanted(const struct client_scope *s, const char *prefix, const char *text);
/* WANTED, or a similar name if it is reserved or taken. */
const char *client_claim(struct client_scope *s, const char *wanted);
bool client_keeps(const struct client_scope *s, const char *name); /* NAME may stay as it is in S */
bool client_is_free(const struct client_model *m,
                    const char *name); /* NAME stays as it is in records of every language */

/* Appends TEXT as an identifier: "demografi-kumuh" -> demografi_kumuh, demografiKumuh, DemografiKumuh. What
 * is no letter or digit (ASCII) ends a word; "_" goes before a digit at the start; an empty identifier is
 * "_". It knows no reserved words, and two texts may have one identifier (slugs do not: a-z 0-9 -). */
enum client_form { CLIENT_SNAKE, CLIENT_CAMEL, CLIENT_STUDLY };
void client_identifier(struct odp_buffer *out, const char *text, enum client_form form);
/* NAME in small letters, each run of - _ . as one WITH: PEP 503 ('-'), wheels and modules ('_'). */
void client_normal(struct odp_buffer *out, const char *name, char with);
/* One line of prose for a comment: control characters and line ends become spaces, "*" + "/" is separated. */
void client_prose(struct odp_buffer *out, const char *text);
/* "packages/python/odp_client-2.5.0-py3-none-any.whl": the release's package, named as the tools of its
 * ecosystem name it. In the model's arena. Two names of one release that make one file name (pu-a/b, pu/a-b)
 * are ODP-C31. */
const char *client_package_file(const struct client_model *m, enum odp_client_language l);
const char *client_info_folder(const struct client_model *m); /* "odp_client-2.5.0.dist-info/" */

/* ---- tree.c: the files of a package ---- */

struct client_file {
    const char *path;
    struct odp_slice bytes;
};
struct client_tree {
    struct odp_arena *arena;
    struct client_file *files;
    size_t n;
};
/* Copies PATH and BYTES. FAIL: the path is taken. */
enum odp_status client_tree_add(struct client_tree *t, const char *path, struct odp_slice bytes) ODP_MUST_USE;
/* The file at PATH, or NULL. */
const struct client_file *client_tree_find(const struct client_tree *t, const char *path);
/* TEXT with the catalogue's names for the default ones of the sources: "@odp/client" · "odp_client",
 * "odp-client" · "Odp\Client" (also with doubled backslash), "odp/client". In the model's arena. */
const char *client_rename(const struct client_model *m, enum odp_client_language l, struct odp_slice text);

/* Compiled in (CMake): every file of templates/clients, by its path there. */
extern const struct odp_template_text odp_client_sources[]; /* sorted by path; ended by NULL */
extern const unsigned char odp_client_license[];            /* the project's LICENSE: in every package */
const struct odp_template_text *client_source_find(const char *path); /* or NULL */
json_t *client_source_json(const char *path);

/* ---- generate.c ---- */

/* Opens the templates of all languages; M NULL: under the default names. BAD: reported. */
enum odp_status client_templates_open(struct odp_templates **out, const struct client_model *m,
                                      struct odp_arena *a, struct odp_diags *diags) ODP_MUST_USE;
/* Every file of the package, by its path in the archive. */
enum odp_status client_write(struct client_tree *t, const struct client_model *m,
                             enum odp_client_language l) ODP_MUST_USE;
/* The README of L's package, in Markdown. */
enum odp_status client_readme(struct odp_buffer *out, const struct client_model *m,
                              enum odp_client_language l, enum odp_lang lang) ODP_MUST_USE;

/* ---- describe.c: what there is to call, as people read of it ----
 *
 * One source (templates/clients/reference.json, written by hand in both languages) for the READMEs in the
 * packages and for the portal (odp_client_description):
 *   guide      chapters {id, title, body: [block…]}: what a user does with the library, with whole programs
 *   reference  sections {id, title, text?, entries: [{id, title, text, signature, options, returns, errors,
 *              example, symbols}…]}: every public member
 *   brief      {dataset, resource}: the shortest program that reads one, for the page of each dataset
 *   kinds      the errors, by kind: {id, name, parent, text, status?}
 * A text is {id, en} in Markdown: paragraphs, "- " lists, `code`, [labels](addresses). A block is one of
 * {text}, {shell} (lines for a terminal), {example} (of templates/clients/<language>/examples) and {code}; it
 * may say `only`: a language or several, and `needs`: a mark without which it is left out. What is said by
 * language is {"javascript": …, "python": …, "php": …}. Marks (@PACKAGE@ …) are filled in; in a text their
 * values are escaped. */

/* reference.json for L and this catalogue: {language, label, package, module, requires, guide: [{id, title,
 * body: [{text} | {shell} | {code, name, file}]}], reference: [{id, title, text?, entries: [{id, title,
 * text, signature, options: [{name, type, default?, text}], options_of?, returns?: {type, text?}, errors:
 * [names], example?}]}], errors: [{name, parent?, status?, text}], datasets: [{slug, accessor, type, title,
 * page, brief, resources: [{name, type, title, brief}]}]}. Chapters and blocks that need what this catalogue
 * has not are left out. FAIL: reference.json is wrong (failure set). *OUT is the caller's. */
enum odp_status client_describe(json_t **out, const struct client_model *m,
                                enum odp_client_language l) ODP_MUST_USE;

/* ---- pack.c: archives ----
 *
 * The same tree gives the same bytes anywhere: files by the order of their paths, one date, mode 0644, no
 * owner, no folder entries, and nothing of the host, the clock or the time zone. SECONDS: since 1970, UTC,
 * the date of every file. Appended to OUT; FAIL: a path or file that the form cannot hold, or the library's
 * own (failure set). */

enum odp_status client_pack_tgz(struct odp_buffer *out, const struct client_tree *t,
                                int64_t seconds) ODP_MUST_USE; /* ustar in gzip */
enum odp_status client_pack_zip(struct odp_buffer *out, const struct client_tree *t,
                                int64_t seconds) ODP_MUST_USE;
/* A zip whose last file is RECORD (of the binary distribution format) in FOLDER ("….dist-info/"); adds it to
 * T. */
enum odp_status client_pack_wheel(struct odp_buffer *out, struct client_tree *t, const char *folder,
                                  int64_t seconds) ODP_MUST_USE;
/* The digest of T's content, in any archive: SHA-256 over path, NUL, size, NUL, bytes of each file in order.
 */
enum odp_status client_tree_digest(const struct client_tree *t, uint8_t out[ODP_SHA256_SIZE]) ODP_MUST_USE;
/* Digests in the form of indexes: hexadecimal, Base64 (URL: the other alphabet, no padding). NAME as
 * OpenSSL's: "SHA256". In A. */
char *client_digest_hex(const char *name, struct odp_slice bytes, struct odp_arena *a);
char *client_digest_base64(const char *name, struct odp_slice bytes, bool url, struct odp_arena *a);

/* ---- index_read.c, index.c: what there is of packages, and how installers are told ----
 *
 * packages/index.json:
 *   {"current": {"javascript": "@odp/client", …},       names of today
 *    "packages": [{"language", "name", "version", "date",
 *                  "file": "packages/python/odp_client-2.5.0-py3-none-any.whl", "bytes", "sha256": hex,
 *                  "content": hex of client_tree_digest,
 *      JavaScript, PHP: "sha1": hex, "manifest": the whole package.json or composer.json;
 *      JavaScript: "integrity": "sha512-…"
 *      Python: "requires_python", "metadata": hex of the SHA-256 of <file>.metadata}, …]}
 *   by language, name, newest version first
 *
 * Every index is written from it alone, so that no package is ever opened again. Members and languages that
 * this program does not know are kept as they are. */

#define CLIENT_INDEX "packages/index.json"

/* Reads the previous site's list into *PACKAGES (a new reference; an empty array if it has none) and carries
 * its files over. BAD: the list is damaged, or does not name what is there (reported). */
enum odp_status client_index_read(json_t **packages, const struct odp_site_job *job) ODP_MUST_USE;
/* L's package NAME (compared as that index compares names) in VERSION, or NULL. Borrowed. */
const json_t *client_index_find(const json_t *packages, enum odp_client_language l, const char *name,
                                const char *version);
/* The same from builds that were rolled back and kept beside the previous site: stages its files; *PACKAGE
 * (the caller's) is its entry. DONE: none has it. */
enum odp_status client_index_recall(json_t **package, const struct odp_site_job *job,
                                    enum odp_client_language l, const char *name,
                                    const char *version) ODP_MUST_USE;
/* Sorts PACKAGES, and stages packages/index.json and the three indexes. */
enum odp_status client_index_write(json_t *packages, const struct odp_site_job *job) ODP_MUST_USE;
