/* Inside of site/clients, the JavaScript generator: javascript.c (the package), javascript_names.c. */
#ifndef ODP_SITE_CLIENTS_JAVASCRIPT_INTERNAL_H
#define ODP_SITE_CLIENTS_JAVASCRIPT_INTERNAL_H

#include "site/clients/clients_internal.h"

/* How the catalogue's things are called, in the model's order. */
struct javascript_names {
    const char **properties; /* of the client: one a dataset */
    const char **records;    /* types: one a resource, of all datasets in a row */
};
/* NAME is in LIST, which NULL ends. */
bool javascript_is_one_of(const char *name, const char *const *list);
/* The names in A. */
enum odp_status javascript_names_make(struct javascript_names *names, const struct client_model *m,
                                      struct odp_arena *a) ODP_MUST_USE;

#endif
