/* Inside of service/state; keys and commands need it, too. */
#pragma once

#include "service/state/state.h"

#define ODP_PATH_MAX 4096

/* Writes the sentence, a word, in the operator's language (odp_state_speak); always BAD. */
enum odp_status odp_state_bad(char why[ODP_WHY], const char *id, const char *en, ...)
    __attribute__((format(printf, 2, 4), format(printf, 3, 4)));
/* Why the system refused, as part of such a sentence. */
const char *odp_state_reason(int errnum);
/* DIR/NAME; false: too long. */
bool odp_state_path(char out[ODP_PATH_MAX], const char *dir, const char *name);
/* The same of a state folder, whose path leaves room for its files (odp_state_folder). Returns OUT. */
const char *odp_state_file(char out[ODP_PATH_MAX], const char *dir, const char *name);
/* Makes the folder (0700) or looks at it: ours, and closed to others. BAD: WHY. */
enum odp_status odp_state_folder(const char *dir, char why[ODP_WHY]) ODP_MUST_USE;
/* The lock of the folder; *FD must be closed by the caller. BAD: somebody has it, WHY says who. */
enum odp_status odp_state_lock(const char *dir, int *fd, char why[ODP_WHY]) ODP_MUST_USE;
/* "writer", "replica", or "" into ROLE. BAD: something else is there. */
enum odp_status odp_state_role(const char *dir, char role[16], char why[ODP_WHY]) ODP_MUST_USE;
/* A small file of the folder, replaced as a whole (0600). */
enum odp_status odp_state_put_file(const char *dir, const char *name, struct odp_slice bytes) ODP_MUST_USE;

/* ---- tiers and other settings ---- */
/* s->settings out of the store, or of STATE/gateway.json, for a table that is to be made. */
enum odp_status odp_state_settings_load(struct odp_state *s) ODP_MUST_USE;
/* As odp_state_read_site, without taking the mutex; s->table may be NULL. */
enum odp_status odp_state_settings_read(struct odp_state *s, const char *site,
                                        char why[ODP_WHY]) ODP_MUST_USE;
/* Index of the tier in s->settings, or -1. The mutex is held. */
int odp_state_tier(const struct odp_state *s, const char *name);
/* The same, and the site offers it to new keys. */
bool odp_state_tier_offered(const struct odp_state *s, const char *name);
/* The index of a tier that a key of the store has: one that no settings know gets the limits of the first
 * tier. */
enum odp_status odp_state_tier_need(struct odp_state *s, const char *name, uint8_t *tier) ODP_MUST_USE;

/* ---- the table ---- */
/* Opens s->table if it can be trusted (else it stays NULL); *WHY says what is wrong with it, NULL: it is not
 * there. */
enum odp_status odp_state_table_open(struct odp_state *s, const char **why) ODP_MUST_USE;
/* Makes table and store agree; see odp_state_open. */
enum odp_status odp_state_table_mend(struct odp_state *s) ODP_MUST_USE;
/* A new empty one, for a replica. */
enum odp_status odp_state_table_new(struct odp_state *s) ODP_MUST_USE;
#define ODP_KEY_COLUMNS "digest, id, account, until, state, tier, shown"
/* Those changed after a number, by id. +id: SQLite sorts the few that changed, and does not walk through all
 * in the order of their ids. */
#define ODP_KEYS_CHANGED "SELECT " ODP_KEY_COLUMNS " FROM key WHERE changed > ? ORDER BY +id"
/* The record of a row whose first columns are ODP_KEY_COLUMNS. */
enum odp_status odp_state_record(struct odp_state *s, sqlite3_stmt *row,
                                 struct odp_key_record *r) ODP_MUST_USE;
bool odp_state_same_record(const struct odp_key_record *a, const struct odp_key_record *b);
/* Puts records changed after number AFTER, by id. The mutex is held. */
enum odp_status odp_state_put_changed(struct odp_state *s, int64_t after) ODP_MUST_USE;

/* ---- counts (flush.c) ---- */
enum odp_status odp_flush_new(struct odp_state *s) ODP_MUST_USE;
void odp_flush_free(struct odp_flush *f);
enum odp_status odp_flush_locked(struct odp_state *s, int64_t now) ODP_MUST_USE; /* the mutex is held */
/* This machine's name in the store, and the id of a name there (a new one, if it has none). */
void odp_machine_name(const struct odp_service_options *o, char out[80]);
int64_t odp_machine_id(struct odp_sql *q, const char *name);
#define ODP_MACHINES_ELSEWHERE "*" /* all others together, in usage_key */
