/* Inside of places*.c of pages: the files of a place, which are frames around what each table tells. */
#pragma once

#include "site/model/places.h"
#include "site/pages/pages_internal.h"

enum place_file { PLACE_PAGE_ID, PLACE_PAGE_EN, PLACE_CSV, PLACE_JSON, PLACE_FILES };

struct place_files {
    struct portal *p;
    const struct odp_place *place;
    const char *path[PLACE_FILES];
    json_t *frame[ODP_LANGS]; /* what is around each table: "root", "parent"? */
    struct odp_buffer
        text[PLACE_FILES]; /* what tables tell, one after the other; the whole of CSV and JSON */
    struct odp_buffer before[PLACE_FILES]; /* the files of the site before */
    struct odp_buffer made; /* where in the files what each table tells is: the text of their part */
    struct odp_slice known; /* the same of the site before; empty: nothing is */
    size_t next;            /* of those: the one after that which was found last */
};

/* PATH is set; the part of the place is open. Makes the texts, but takes from the files of the site before
 * what is of tables that have not changed since. */
void portal_place_sections(struct place_files *f);
/* The page of LANG has come out as PAGE. */
void portal_place_sections_at(struct place_files *f, enum odp_lang lang, struct odp_slice page);
void portal_place_sections_release(struct place_files *f);
