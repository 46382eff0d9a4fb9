/* Inside of site/clients, the Python generator: python.c (the wheel), python_names.c, python_text.c, python_datasets.c (datasets.py). */
#ifndef ODP_SITE_CLIENTS_PYTHON_INTERNAL_H
#define ODP_SITE_CLIENTS_PYTHON_INTERNAL_H

#include "site/clients/clients_internal.h"

enum { PYTHON_COLUMNS = 100 }; /* of a line */

/* ---- python_names.c: every name that datasets.py has, decided before a line is written; they lie in the model's arena ---------------------------- */

struct python_field {
    const char *attribute;  /* of the record: "luas_ha", "class_" */
    const char *choice;     /* "KumuhTingkat": the type of a closed list; NULL: it has none */
};

struct python_resource {
    const struct client_resource *resource;
    const char *record, *where, *format; /* "Kumuh", "KumuhWhere", "KumuhFormat" */
    struct python_field *fields;
    const char *geometry;                /* attribute; NULL: none, or a field has the name "geometry" */
};

struct python_dataset {
    const struct client_dataset *dataset;
    const char *property;                /* of the client: "air_bersih" */
    const char *type;                    /* "ProyekDataset": its own class, where it has further resources; else NULL */
    struct python_resource *resources;
};

enum odp_status python_names_make(struct python_dataset **out, const struct client_model *m) ODP_MUST_USE;
/* Appends the client's property of SLUG, as it is unless two slugs have one. */
void python_property(struct odp_buffer *out, const char *slug);
/* True where NAME may stand in a TypedDict that is written as a class. */
bool python_is_plain(const char *name);
/* True where F's values can be literal types. */
bool python_has_choice(const struct client_field *f);

/* ---- python_text.c ----------------------------------------------------------------------------------------------------------------------------------- */

/* Appends TEXT as a literal within double quotes. */
void python_string(struct odp_buffer *out, const char *text);
/* Appends a docstring: PARAGRAPHS of prose (empty ones are left out), folded, behind INDENT spaces. Nothing where all are empty. */
void python_docstring(struct odp_buffer *out, size_t indent, const char *const *paragraphs, size_t n);
/* Appends HEAD, the items with commas between, TAIL and a line end; an item a line where one line is too short. Items with the brackets that stand in HEAD and TAIL. */
void python_items(struct odp_buffer *out, size_t indent, const char *head, const char *const *items, size_t n, const char *tail);

/* ---- python_datasets.c -------------------------------------------------------------------------------------------------------------------------------- */

enum odp_status python_datasets(struct odp_buffer *out, const struct client_model *m) ODP_MUST_USE;

#endif
