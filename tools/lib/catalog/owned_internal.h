/* Internal to tools/lib/catalog: what a catalogue owns beside its arena. */
#ifndef ODP_CATALOG_OWNED_INTERNAL_H
#define ODP_CATALOG_OWNED_INTERNAL_H

#include "catalog/catalog.h"

struct own_item {
    void *p;
    struct own_item *next;
};

struct catalog_own {
    struct odp_catalog c; /* first: odp_catalog_close gets this address */
    struct own_item *json, *patterns;
};

/* The catalogue takes J (also when memory is out: then it is freed and false returned). */
bool own_json(struct catalog_own *own, json_t *j);
bool own_pattern(struct catalog_own *own, void *code); /* the same for a pcre2_code */
void own_patterns_free(struct catalog_own *own);

#endif
