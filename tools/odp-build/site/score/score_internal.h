/* Inside of site/score: one principle in the making. Words are templates/words/score.json. */
#pragma once

#include "catalog/catalog.h"
#include "site/score/scorecard.h"
#include "words/score.h"

struct scoring {
    const struct odp_catalog *catalog;
    const struct odp_dataset *dataset;
    struct odp_arena *arena;
    struct odp_score_principle *principle; /* the one being made */
    struct odp_score_item *items;          /* its items; `room` of them */
    size_t room;
    const char **missing; /* names of what the item being made lacks; room for those of all fields */
    size_t nmissing;
};

#define SCORE_TEXT(word)                                                                                     \
    (struct odp_text)                                                                                        \
    {                                                                                                        \
        {                                                                                                    \
            word                                                                                             \
        }                                                                                                    \
    }

/* Begins PRINCIPLE, with room for MOST items. */
void score_begin(struct scoring *s, struct odp_score *score, enum odp_principle principle,
                 struct odp_text title, size_t most);
/* Ends it: counts what its items have and need. */
void score_end(struct scoring *s);
/* One item; NOTE may be empty. An item that needs nothing is left out. */
void score_item(struct scoring *s, const char *id, struct odp_text label, const uint64_t have_need[2],
                struct odp_text note);
/* One that is there or not, MISSING being its note where it is not. */
void score_check(struct scoring *s, const char *id, struct odp_text label, bool there,
                 struct odp_text missing);
/* TEXT in the arena; {1} in either language is NAMES. */
struct odp_text score_text(struct scoring *s, struct odp_text text, struct odp_text names);

/* TEXT, which ends in "dataset.json", with F's line there: "dataset.json:58". */
struct odp_text score_at(struct scoring *s, struct odp_text text, const struct odp_field *f);

/* The names of what an item lacks, with their lines ("luas_ha:58"): add one (of R's field F), "before a,
 * b, c behind" of the first and how many more. */
const char *score_name(struct scoring *s, const struct odp_resource *r, const struct odp_field *f);
void score_miss(struct scoring *s, const struct odp_resource *r, const struct odp_field *f);
struct odp_text score_list(struct scoring *s, struct odp_text before, struct odp_text behind);

/* Member KEY of O is a text, or {"id", "en"} with one of them. */
bool score_has_text(const json_t *o, const char *key);
bool score_has_geometry(const struct odp_dataset *d);
/* The foreign key of R that FIELD is part of: into a code list (LIST), or into a dataset. NULL: none. */
const struct odp_foreign_key *score_foreign(const struct odp_resource *r, uint32_t field, bool list);

void score_standard(struct scoring *s, struct odp_score *score); /* metadata.c */
void score_metadata(struct scoring *s, struct odp_score *score);
void score_interoperability(struct scoring *s, struct odp_score *score); /* interoperability.c */
void score_codes(struct scoring *s, struct odp_score *score);            /* codes.c */
