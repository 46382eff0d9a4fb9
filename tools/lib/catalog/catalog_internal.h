/* Internal to tools/lib/catalog: the parts of a descriptor, a file each. All report into their node's
 * document. */
#pragma once

#include <stdlib.h>

#include "catalog/doc_internal.h"
#include "base/nearest.h"

/* A foreign key whose target is not known before every descriptor has been read. */
struct pending_key {
    struct node key; /* the entry of foreignKeys or odp:foreignKeys */
    bool across;     /* odp:foreignKeys */
    struct odp_resource *resource;
    struct odp_key local;
    const char *where;
    struct pending_key *next;
};

/* One descriptor on its way into the catalogue. */
struct entry {
    struct doc doc;
    struct odp_dataset dataset;
    struct pending_key *keys, *last;
    bool left_out; /* could not be understood (reported); set before keys are resolved */
};

/* Whether values are single words: ordered, and told apart. */
bool type_is_word(enum odp_type t);

/* Iterates over the fields of S and their places in the list FIELDS (AT.item, the context of reports), in
 * order; fields that were not understood are skipped. NULL: no more. */
struct field_iter {
    struct node_iter at;
    const struct odp_schema *schema;
    uint32_t next;
};
struct field_iter fields_iterate(struct node fields, const struct odp_schema *s);
struct odp_field *field_next(struct field_iter *it);

/* field_names.c. C07 at N: NAME is none of these, which are the first NODE_SEARCHED at most (a hostile schema
 * must not cost much). The first of them are told, and the nearest. */
enum { NODE_SEARCHED = 500 };
void node_unknown(struct node n, struct odp_slice name, const char *const *names, size_t count);
void schema_unknown_field(struct node n, const struct odp_schema *s, struct odp_slice name);
/* Field names (a string, or an array) to indices; C07 for unknown ones. False: reported. */
bool key_read(struct node n, const struct odp_schema *s, struct odp_key *key);
bool key_is_public(const struct odp_schema *s, const struct odp_key *key); /* all of it */
const char *key_names(struct doc *d, const struct odp_schema *s,
                      const struct odp_key *key); /* for messages */
/* N names a field that users see: its index. -1: absent or reported. */
int public_field_read(struct node n, const struct odp_schema *s);
/* C17 at N: F is none of TYPES. */
void field_misfit(struct node n, const struct odp_field *f, const char *types);

/* pattern.c. Translates what XSD writes otherwise: \i \c \I \C, class subtraction [a-z-[aeiou]]. ^ and $ stay
 * anchors: every data author means them so. BAD: a fault at *AT (message static), FAIL: no memory. */
enum odp_status pattern_translate(struct odp_slice xsd, struct odp_buffer *out, size_t *at,
                                  const char **message) ODP_MUST_USE;

/* Compiles N's string (reported as C10 when wrong) for whole values; NULL when wrong. The catalogue owns the
 * code. */
void *pattern_compile(struct node n);

void dialect_read(struct node n, struct odp_dialect *d);

/* A value of F's type as canonical text: constraints, enum, categories. False: reported as C04. */
bool value_canonical(struct node n, const struct odp_field *f, struct odp_slice *out);
void constraints_read(struct node n, struct odp_field *f);
/* C11 for each constraint at the field itself, where Table Schema gives it no meaning: it would not be
 * checked. */
void constraints_misplaced(struct node field);
void categories_read(struct node n, struct odp_field *f);

/* MISSING: the schema's missingValues, in force where the field has none. */
void field_read(struct node n, const struct odp_strings *missing, struct odp_field *f);
struct odp_strings missing_values_read(struct node n);

/* lifecycle.c: deprecation and earlier names of a field; the same of a resource and a dataset, with its
 * retention; then what takes the whole schema or catalogue to check. */
void field_lifecycle_read(struct node n, struct odp_field *f);
void schema_lifecycle_check(struct node fields, const struct odp_schema *s);
void resource_lifecycle_read(struct node n, struct odp_resource *r);
void resources_lifecycle_check(struct node list, const struct odp_dataset *d);
void dataset_lifecycle_read(struct node root, struct odp_dataset *d);
bool retention_read(struct node n, void *dataset);
bool notify_every_read(struct node n, void *dataset);
bool former_slugs_read(struct node n, void *dataset);
void former_slugs_check(struct entry *entries, size_t n);
/* slices.c: which fields make slices; FIRST: of the dataset. */
void slices_read(struct node resource, bool first, struct odp_resource *r);
/* labels.c: odp:labels of a code list; of R's fields, after the schema; whether these have names at all, once
 * E's keys are resolved. */
bool dataset_labels_read(struct node n, void *dataset);
void labels_read(struct node resource, struct odp_resource *r);
void labels_check(struct entry *e);
extern const char *const severity_words[]; /* by enum odp_severity; ended by NULL */
/* Reads odp:severity of N, a resource or a package, over its package's. -1: as diagnostics.def has it. */
const signed char *severity_read(struct node n, const signed char *inherited);

/* table_schema.c: everything of the schema but foreign keys. */
void schema_read(struct node n, struct odp_schema *s);

/* charts.c, print.c, search.c: of the resource, or (for the first) of the dataset. E's dataset has the
 * resources before R. */
void charts_read(struct node resource, const struct entry *e, struct odp_resource *r);
/* Charts of E's tables that declare none; once its keys are resolved. */
void charts_derive(struct entry *e);
void print_read(struct node resource, struct odp_resource *r);
/* measures.c: the figures of R's summary, after its keys' own side and odp:datetime are read; odp:places and
 * odp:boundaries of E, once its keys are resolved. */
void measures_read(struct node resource, const struct entry *e, struct odp_resource *r);
void places_check(struct entry *e);
/* documents.c: odp:document of the fields; after keys have been read. */
void documents_read(struct node fields, struct odp_schema *s);
/* search.c: odp:index, odp:datetime with the resource; odp:queryables, odp:timeline of all resources of E
 * once its keys are resolved. */
void search_read(struct node resource, struct odp_resource *r);
void search_resolve(struct entry *e);
/* addresses.c: an address that a browser would run is C05. That of N; those of homepage, licenses, sources
 * and contributors of a package or a resource. */
void address_check(struct node n);
/* C05 where N is no e-mail address. */
void mailbox_check(struct node n);
void addresses_check(struct node package);

void geometry_read(struct node resource, const char *path, struct odp_geometry_spec *g);
/* Which fields of a table without shapes hold its geometry, after the schema. Without a word in odp:geometry
 * the only geopoint or geojson field does, where the package lists GeoJSON. */
void geometry_fields_read(struct node resource, const struct entry *e, struct odp_resource *r);
/* C03 at FORMAT, which cannot be made without a geometry, where no resource of D has one. */
void geometry_needed(struct node format, const struct odp_dataset *d);
/* drift.c: odp:drift; a resource's with those of its fields, after the schema. */
extern const struct odp_drift odp_drift_usual;
bool dataset_drift_read(struct node n, void *dataset);
void resource_drift_read(struct node n, const struct odp_dataset *d, struct odp_resource *r);
void resource_read(struct node n, struct entry *e, struct odp_resource *r);
void dataset_read(struct entry *e, const char *folder);

void portal_read(struct doc *d, struct odp_portal *p);
/* changes.c */
void changes_read(struct doc *d, struct odp_catalog *c);
/* cross.c: rules.json, after the catalogue's arrays are filled. ENTRIES: every descriptor, also those left
 * out. */
void cross_read(struct doc *d, struct odp_catalog *c, const struct entry *entries, size_t n);
/* subjects.c: "subjects" of portal.json; odp:subjects of a dataset. */
extern const struct list subject_list;
bool dataset_subjects_read(struct node n, void *dataset);
/* security.c: "security" of portal.json. activity.c: sdi:kegiatan, sdi:indikator; after the resources of D.
 */
bool security_read(struct node n, void *portal);
bool activity_read(struct node n, void *dataset);
bool indicators_read(struct node n, void *dataset);
/* clients.c: "clients" of portal.json. */
bool clients_read(struct node n, void *portal);
/* theme.c: theme.json and the files it names in FOLDER. */
void theme_read(struct doc *d, const char *folder, struct odp_theme *t);

/* foreign_keys.c. The resource that dataset.json calls NAME, that JSON describes; the edition of a code list
 * that is called, or alone begins with, PREFIX (NULL: the newest); or NULL. */
struct odp_resource *resource_find(const struct odp_dataset *d, const char *name);
struct odp_resource *resource_of(const struct odp_dataset *d, const json_t *json);
struct odp_resource *edition_find(const struct odp_dataset *list, const char *prefix);
/* C07 at N, with the names of D's resources. */
void resource_unknown(struct node n, const struct odp_dataset *d, const char *name);
bool types_fit(enum odp_type a, enum odp_type b);
/* Resolves the pending keys of all N entries, bad ones too (their faults are wanted in the same run). */
void foreign_keys_resolve(struct entry *entries, size_t n);
/* Fills C->order: targets of keys first, cycles by index. */
void order_resources(struct odp_catalog *c);
