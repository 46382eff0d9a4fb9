/* Inside of site/clients, the PHP generator: php.c (the package), php_names.c. */
#ifndef ODP_SITE_CLIENTS_PHP_INTERNAL_H
#define ODP_SITE_CLIENTS_PHP_INTERNAL_H

#include "site/clients/clients_internal.h"

struct php_field {
    const struct client_field *field; /* NULL: the geometry */
    const char *name, *property;
};

struct php_class {
    const struct client_resource *resource;
    const char *name;
};

struct php {
    const struct client_model *m;
    struct client_tree *tree;
    struct odp_arena *a;
    struct php_class *classes; /* one a resource, in the model's order */
    size_t n;
};

enum odp_status php_name_classes(struct php *p) ODP_MUST_USE;
const char *php_class_of(const struct php *p, const struct client_resource *r);
/* The client's properties, one a dataset; NULL: no memory. */
const struct php_field *php_name_datasets(const struct php *p);
/* Columns that are identifiers are properties of their own name; the others take what is left. */
enum odp_status php_name_fields(struct php *p, const struct client_resource *r, struct php_field **out,
                                size_t *n) ODP_MUST_USE;

#endif
