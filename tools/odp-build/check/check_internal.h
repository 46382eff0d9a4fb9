/* Inside of check: what a rule is, and what it is given.
 *
 * A rule is one file with one const struct odp_rule_kind, named in rules.def, which is the registry and the
 * order of checking. A cell rule looks at one column of a batch at a time (a plain loop over texts and
 * states), a row rule at whole records. What must be known across batches is prepared by the row hook (any
 * thread) and settled by merge (one thread, in order).
 *
 * How faults work: odp_check_fault notes a fault and makes the cell ODP_VALUE_BAD, after which no other rule
 * looks at it: one cause, one diagnostic. Where the catalogue has lowered the code below an error, the cell
 * keeps its value and checking goes on. Faults of a batch are put in order of records and handed to b->diags
 * at its end, when it is known which rows hold personal identifiers and must not be quoted. Running out of
 * memory is kept in the check and returned once, at the end. */
#pragma once

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "check/codebook.h"
#include "check/traits.h"
#include "check/validator.h"

enum {
#define ODP_RULE(name) ODP_RULE_##name,
#include "check/rules.def"
#undef ODP_RULE
    ODP_RULES
};

struct odp_check;

struct odp_rule_kind {
    const char *name;
    /* State for one resource, or NULL. Faults of the catalogue go to DIAGS. OK or FAIL. */
    enum odp_status (*open)(struct odp_validator *v, void **state, struct odp_diags *diags);
    void (*close)(void *state);
    /* Whether a field needs it; asked once. */
    bool (*applies)(const struct odp_validator *v, uint32_t field);
    void (*column)(struct odp_check *c, uint32_t field);
    /* After all columns. *PART is this rule's own until merge has seen the batch; it lives in the batch's
     * arena. */
    void (*rows)(struct odp_check *c, void *state, void **part);
    /* When the batch's faults have been handed on: only now all records that are none (totals, notes:
     * one_cause.c) are ODP_RECORD_SKIP. */
    void (*kept)(struct odp_check *c, void *state, void *part);
    enum odp_status (*merge)(struct odp_validator *v, void *state, void *part, struct odp_batch *b);
    enum odp_status (*finish)(struct odp_validator *v, void *state, struct odp_diags *diags);
};
extern const struct odp_rule_kind *const odp_rules[ODP_RULES];

struct odp_fault {
    uint32_t record, seq;
    int32_t field; /* -1: the record as a whole */
    enum odp_code code;
    enum odp_severity severity;
    struct odp_slice args[ODP_DIAG_ARGS];
    struct odp_slice proposal;
    const char *where, *rule;
    const struct odp_text *message;
    bool secret;
    bool silent; /* nothing is proposed: the cell is but a part of what is wrong */
};

/* One thread's own tools. */
struct odp_worker {
    struct odp_arena scratch;
    struct odp_buffer buffer;
    struct odp_fault *faults;
    size_t nfaults, faults_cap;
    struct odp_fault sink;          /* where a fault goes when memory is out */
    struct odp_trials *trials;      /* proposals/trial.h */
    struct odp_trait_window window; /* of the text that is being loaded */
    pcre2_match_data *match_data;
    pcre2_match_context *match_context;
};

/* A column as it was loaded. */
struct odp_check_column {
    uint8_t *traits; /* by record: ODP_TRAIT_*, of its bytes in the source */
    uint8_t any;     /* all traits of the column together */
    bool odd;        /* a cell has an oddity (enum odp_cell_oddity) */
    bool native;     /* a cell is ODP_CELL_NATIVE */
    uint32_t holes;  /* cells that are not ODP_VALUE_OK */
};

#define ODP_CHECK_LONG ODP_NUMBER_LONG /* odp_check.scale: no short number */

/* A batch while it is checked. text and state are those of the column in hand, and so is what follows them
 * (column rules only). */
struct odp_check {
    struct odp_validator *v;
    struct odp_worker *w;
    struct odp_batch *b;
    uint32_t n; /* records */
    struct odp_slice *text;
    uint8_t *state;
    uint8_t *traits;
    uint8_t any;      /* all traits of the column together */
    bool odd, native; /* as in odp_check_column */
    uint32_t holes;
    /* Behind the type rule, of numbers, dates and years that are ODP_VALUE_OK: as in odp_batch_numbers; scale
     * ODP_CHECK_LONG: too long for that. NULL: other types, and on trial. */
    int64_t *number;
    uint8_t *scale;
    uint32_t *longest, *shortest; /* by field: bytes of its longest and shortest cell in the batch (none has
                                     0); NULL on trial */
    uint8_t *secret;              /* by record: it holds a personal identifier */
    unsigned listings;            /* folders that may still be listed in this batch, for proposals */
    bool trial;   /* a proposal is on trial (proposals/trial.h): faults are not noted, nothing is proposed */
    bool refused; /* … and it would be one */
    bool failed;  /* out of memory */
    char *room;   /* of the batch's arena, for canonical texts (odp_check_bytes) */
    size_t room_left;
    struct odp_check_column *columns; /* by field */
};

/* What a batch carries from batch to merge (odp_batch.validated). */
struct odp_validated {
    uint8_t *secret;
    const struct odp_check_column *columns;
    void *part[ODP_RULES];
};

struct odp_validator {
    struct odp_arena arena;
    const struct odp_resource *resource;
    const struct odp_schema *schema;
    const struct odp_source_info *info;
    struct odp_keyring *keys;
    struct odp_worker *workers;
    unsigned nworkers;
    struct odp_geometry_checker *geometry;
    void *state[ODP_RULES];
    uint8_t *applies;            /* ODP_RULES entries a field */
    bool waived[ODP_CODE_COUNT]; /* by the catalogue, no error: the value stays */
    bool off[ODP_CODE_COUNT];
    uint64_t rows, *holes; /* holes: by field, cells that are not filled */
    bool keys_lost;        /* a record's keys could not be read: nobody can be told that a key is missing */
    struct odp_buffer last_update;
};

static inline const struct odp_field *odp_check_field(const struct odp_check *c, uint32_t field)
{
    return &c->v->schema->fields[field];
}

/* The raw cell of record I, or NULL. */
static inline const struct odp_cell *odp_check_cell(const struct odp_check *c, uint32_t i, uint32_t field)
{
    int column = c->v->info->column_of_field[field];
    const struct odp_record *r = &c->b->records[i];
    return column >= 0 && (uint32_t)column < r->count ? &c->b->cells[r->first + (uint32_t)column] : NULL;
}

/* Room for N bytes of canonical text in the batch's arena; NULL: out of memory, and the check has failed.
 * odp_check_keep fixes the text's length and keeps it. */
char *odp_check_more_bytes(struct odp_check *c, size_t n);
static inline char *odp_check_bytes(struct odp_check *c, size_t n)
{
    return n <= c->room_left ? c->room : odp_check_more_bytes(c, n);
}
static inline struct odp_slice odp_check_keep(struct odp_check *c, size_t len)
{
    struct odp_slice s = {c->room, len};
    c->room += len;
    c->room_left -= len;
    return s;
}

/* Notes a fault; never NULL; valid until the next one. FIELD -1: the record. `where` is set to the field's.
 */
struct odp_fault *odp_check_fault(struct odp_check *c, uint32_t i, int field, enum odp_code code);
/* The same for a cell that has no value of its type: its severity cannot be lowered, for there is nothing to
 * publish. */
struct odp_fault *odp_check_untyped(struct odp_check *c, uint32_t i, int field, enum odp_code code);
/* A remark: the cell keeps its value. */
struct odp_fault *odp_check_note(struct odp_check *c, uint32_t i, int field, enum odp_code code);

/* Text for args and proposals, in the batch's arena; on failure empty and the check has failed. */
struct odp_slice odp_check_copy(struct odp_check *c, struct odp_slice s);
struct odp_slice odp_check_printf(struct odp_check *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* The items joined by ", ", shortened after some 200 bytes. */
struct odp_slice odp_check_join(struct odp_check *c, const struct odp_slice *item, size_t n);
/* Does S match F's pattern? 1 yes, 0 no, -1 beyond the limits (or memory: then c->failed). */
int odp_check_pattern(struct odp_check *c, const struct odp_field *f, struct odp_slice s);
/* Is S in the lists that FIELD alone refers to? 1 yes, 0 no, -1: no such list. */
int odp_check_listed(const struct odp_check *c, uint32_t field, struct odp_slice s);
/* Spreadsheets drop zeros. If S of FIELD (which failed) becomes right by adding zeros in front, or one behind
 * a point, notes ODP-S04 with the proposal and returns true. */
bool odp_check_lost_zero(struct odp_check *c, uint32_t i, uint32_t field);

/* The tuples of all records of the batch: hash, and WHAT they are. Line 0: it is no key; 1: its line is yet
 * to be set. */
enum {
    ODP_TUPLE_SKIP /* a part is null */,
    ODP_TUPLE_LOST /* a part has no value */,
    ODP_TUPLE_TAKE,
    ODP_TUPLE_QUIET /* a key, but its cells were reported */
};
void odp_tuple_keys(const struct odp_check *c, const struct odp_key *key, struct odp_key_entry *out,
                    uint8_t *what);
/* Whether the KEYS of a batch ascend by their texts, shorter ones first, so that numbers in codes may grow
 * longer. False of types of which one value has several texts. */
struct odp_key_order {
    bool ascends;
    struct odp_slice first, last; /* NULL: there are no keys */
};
struct odp_key_order odp_tuple_order(const struct odp_check *c, const struct odp_key *key,
                                     const struct odp_key_entry *keys);
static inline bool odp_tuple_is_before(struct odp_slice a, struct odp_slice b)
{
    return a.len != b.len ? a.len < b.len : a.len > 0 && memcmp(a.ptr, b.ptr, a.len) < 0;
}
/* Records of B's resource, guessed from those up to B where nobody knows; 0: it is too early for that. */
uint64_t odp_records_expected(const struct odp_validator *v, const struct odp_batch *b);
/* "a, b": how a tuple is shown; appended to OUT. */
void odp_tuple_text(const struct odp_column *columns, uint32_t i, const struct odp_key *key,
                    struct odp_buffer *out);

/* For merge: a diagnostic of record I, its place filled in; and adding it. */
void odp_merge_diag(const struct odp_validator *v, const struct odp_batch *b, uint32_t i, int field,
                    enum odp_code code, struct odp_diag *d);
enum odp_status odp_merge_add(struct odp_batch *b, uint32_t i, struct odp_diag *d) ODP_MUST_USE;
