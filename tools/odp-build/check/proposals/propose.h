/* Proposals: what a cell that is wrong was probably meant to be. Never a repair; a person accepts it or not.
 *
 * A proposal is made for every fault of a cell whose intent can be computed, where its value may be shown.
 * Candidates are made from the cell's text by kinds of damage, from the surest to the least sure; each is put
 * on trial: all rules of the column, and the code lists it refers to, must accept it without a word. The
 * first kind with one candidate that passes gives the proposal; where two different ones pass, nobody can
 * tell, and nothing is proposed.
 *
 * A proposal depends on the cell, the schema, the code lists, and on the other cells of its column in the
 * batch: for dates, which of day and month is written first; for numbers, how they are written and how large
 * they are (evidence.c). Never on the thread. Each distinct value is looked at once (the cache is a worker's
 * own); the search for the nearest of a list is bounded by PROPOSE_WORK comparisons a batch, counted so that
 * the cache makes no difference. */
#pragma once

#include "check/check_internal.h"

/* The proposal for the cell of record I and FIELD, in which CODE was found: in the batch's arena, or ptr
 * NULL. */
struct odp_slice odp_propose(struct odp_check *c, uint32_t i, uint32_t field, enum odp_code code);
/* The same for CODE that the rule of oddities notes (rules/oddity.c). */
struct odp_slice odp_propose_oddity(struct odp_check *c, uint32_t i, uint32_t field, enum odp_code code);
/* A number that was refused, in record I: did a spreadsheet change it so that nobody can tell what it was?
 * *CODE says how. */
bool odp_number_lost(const struct odp_check *c, uint32_t i, uint32_t field, enum odp_code *code);
