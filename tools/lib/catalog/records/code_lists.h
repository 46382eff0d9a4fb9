/* What codes mean: for every edition of every code list its codes in the list's order with their names, and
 * for every field its categories. A list names its codes by odp:labels: its field "nama" (else its first
 * public text besides the code), and "nama_en" in English; its codes are those of the field that keys lead to
 * (else of its primary key). Filled while the lists are read, which is before what uses them; read-only then,
 * for any thread. */
#pragma once

#include "catalog/records/batch.h"
#include "catalog/records/place_shapes.h"

enum { ODP_CODES_MAX = 100000 }; /* kept of one edition */

struct odp_code_label {
    struct odp_slice code;
    struct odp_slice parent; /* of a list of places: the place above (odp_place_key); ptr NULL: none */
    struct odp_text text;
};
struct odp_code_list {
    const struct odp_resource *resource; /* the edition */
    struct odp_code_label *labels;
    size_t n;
    bool whole; /* false: it has more codes than are kept here */
};

struct odp_code_lists;
/* In A; free it before A. */
enum odp_status odp_code_lists_new(struct odp_code_lists **out, const struct odp_catalog *c,
                                   struct odp_arena *a) ODP_MUST_USE;
void odp_code_lists_free(struct odp_code_lists *l); /* NULL is allowed */
/* The resource is read from its start. */
void odp_code_lists_begin(struct odp_code_lists *l, const struct odp_resource *r);
/* The records of a batch, in order. Others than those of lists are passed over. */
enum odp_status odp_code_lists_take(struct odp_code_lists *l, const struct odp_batch *b) ODP_MUST_USE;

/* The edition R itself; NULL: it is none, or names nothing. */
const struct odp_code_list *odp_code_lists_edition(const struct odp_code_lists *l,
                                                   const struct odp_resource *r);
/* The label of CODE in EDITION; NULL: it has none. L may be NULL. */
const struct odp_code_label *odp_code_lists_label(const struct odp_code_lists *l,
                                                  const struct odp_resource *edition, struct odp_slice code);
/* The list that FIELD of R points into; NULL: into none. L may be NULL. */
const struct odp_code_list *odp_code_lists_of(const struct odp_code_lists *l, const struct odp_resource *r,
                                              uint32_t field);
/* The key that leads from Q, a queryable of R, into a code list; NULL: none. A prefix of a code is a code
 * where the list has a field of Q's name with a key into another list: kode_provinsi, of kode_kabkota. */
const struct odp_foreign_key *odp_queryable_key(const struct odp_resource *r, const struct odp_queryable *q);
/* The codes of LIST, and then those that only its other editions have, newest first, with the name they had
 * there; N of them, in A. */
const struct odp_code_label *odp_code_lists_all(const struct odp_code_lists *l,
                                                const struct odp_code_list *list, struct odp_arena *a,
                                                size_t *n);
/* Of VALUE of field FIELD of R: its category's label, its name in the list, else in the list's other
 * editions, newest first; empty: not known. L may be NULL. */
struct odp_text odp_code_lists_find(const struct odp_code_lists *l, const struct odp_resource *r,
                                    uint32_t field, struct odp_slice value);
/* What the record is called that VALUE of FIELD of R leads to, in a table that a gantt of R is about;
 * empty: not known. L may be NULL. */
struct odp_text odp_code_lists_row(const struct odp_code_lists *l, const struct odp_resource *r,
                                   uint32_t field, struct odp_slice value);
/* By language, whether FIELD of R has names that say something: one that is not its code; an English one that
 * is not the Indonesian. */
void odp_code_lists_say(const struct odp_code_lists *l, const struct odp_resource *r, uint32_t field,
                        bool says[ODP_LANGS]);
/* The shapes of R, the first table of a list with odp:boundaries (odp_boundaries_for); NULL: it is none,
 * or was not read. L and R may be NULL. */
const struct odp_place_shapes *odp_code_lists_shapes(const struct odp_code_lists *l,
                                                     const struct odp_resource *r);
