/* Diagnostics are data. A stage fills struct odp_diag and adds it to a collector; how it looks is the business of
 * tools/odp-build/report. Codes, names, severities and texts are in diagnostics.def.
 *
 * A collector counts every fault, by group (dataset, resource, code, field, rule), and keeps the first `limit` examples of
 * each group. Collectors of batches are merged in the source's order, so the result is the same on any number of threads.
 * odp_diags_add copies all text it is given; text that could hold personal identifiers is masked as it is copied. */
#ifndef ODP_BASE_DIAG_H
#define ODP_BASE_DIAG_H

#include <stdint.h>

#include "base/arena.h"
#include "base/slice.h"
#include "base/status.h"

enum odp_lang { ODP_LANG_ID, ODP_LANG_EN, ODP_LANGS };
/* Text in both languages, indexed by enum odp_lang: text.in[lang]. An empty one falls back on the other. */
struct odp_text {
    const char *in[ODP_LANGS];
};
const char *odp_text_get(const struct odp_text *t, enum odp_lang lang); /* never NULL */
bool odp_text_is_empty(const struct odp_text *t);

/* Ordered: the worst seen decides the exit code. OFF: switched off in the catalogue (odp:severity). */
enum odp_severity { ODP_SEVERITY_OFF, ODP_SEVERITY_NOTE, ODP_SEVERITY_WARNING, ODP_SEVERITY_ERROR };

enum odp_code {
#define ODP_CODE(symbol, ...) ODP_##symbol,
#include "contract/diagnostics.def"
#undef ODP_CODE
    ODP_CODE_COUNT
};

struct odp_code_info {
    const char *code;            /* "ODP-T03" */
    const char *name;            /* "type-number": the stable name in words, used in odp:severity */
    enum odp_severity severity;  /* unless the catalogue says otherwise */
    struct odp_text title;       /* "bukan bilangan desimal" */
    struct odp_text expected;    /* template: "bilangan, tanda desimal {0}"; may be "" */
    struct odp_text help;        /* template: what to do; may be "" */
};
const struct odp_code_info *odp_code_info(enum odp_code code);
/* By code (ODP-T03 or T03) or by name, any case; -1 when unknown. */
int odp_code_find(const char *code_or_name);

#define ODP_DIAG_ARGS 4

/* What a proposal is to do. Nothing is ever done by itself: `odp-build fix` and the correction workbook offer it. */
enum odp_action {
    ODP_ACTION_REPLACE,       /* `proposal`, where it is set, takes the place of the field's cell: text as it is to stand in the source */
    ODP_ACTION_DELETE_RECORD, /* the record goes (a total row, a repeated header, a duplicate) */
    ODP_ACTION_DELETE_LINES,  /* `lines` physical lines from `line` on go (title rows before the header) */
    ODP_ACTION_RENAME_LABEL   /* `proposal` takes the place of the column's label at `line`, `column` */
};

struct odp_diag {
    enum odp_code code;
    enum odp_severity severity;  /* set by odp_diags_add from the code and the overrides when left ODP_SEVERITY_OFF (0) */
    const char *dataset;         /* slug, "references/kabkota", or NULL */
    const char *resource;        /* name or NULL */
    const char *file;            /* as the user gave it, or NULL */
    uint64_t line, column;       /* from 1 in the source file, column in characters; 0 = none */
    const char *sheet;           /* of a workbook: line and column are its row and its column's number then; NULL: no workbook */
    uint64_t row;                /* data record from 1; 0 = none */
    uint64_t offset;             /* byte in the file, from 0 */
    const char *field;           /* name or NULL */
    struct odp_slice value;      /* what was found, as it stands in the source; ptr NULL: nothing to show */
    struct odp_slice source;     /* the source line (or its part) to show; ptr NULL: none */
    uint32_t mark_start, mark_len; /* bytes of `source` to underline */
    struct odp_slice args[ODP_DIAG_ARGS]; /* {0} .. {3} of the templates; language-neutral */
    struct odp_slice proposal;   /* a likely right value, whole and unmasked, or ptr NULL */
    enum odp_action action;      /* what is proposed; other than REPLACE it says so without a value, too */
    uint32_t lines;              /* of DELETE_LINES */
    const char *where;           /* where the expectation is written: "dataset.json:58", or NULL */
    const char *rule;            /* code of an odp:rules entry, or NULL */
    const struct odp_text *message; /* replaces the code's title (row rules, expressions); NULL else. Copied. */
    bool secret;                 /* the value, and every cell of `source`, must not be shown: masked whole */
};

/* A group of equal faults. `examples` is a list in order of arrival. */
struct odp_diag_node {
    struct odp_diag diag;
    struct odp_diag_node *next;
};
struct odp_diag_group {
    enum odp_code code;
    enum odp_severity severity;
    const char *dataset, *resource, *field, *rule; /* any may be NULL */
    uint64_t count;
    struct odp_diag_node *examples, *last;
    size_t kept;
};

/* Something is proposed: a value, or an action that needs none. */
static inline bool odp_diag_proposes(const struct odp_diag *d)
{
    return d->proposal.ptr != NULL || d->action == ODP_ACTION_DELETE_RECORD || d->action == ODP_ACTION_DELETE_LINES;
}

/* "B17": the cell of a workbook that D stands at; "" where it is none or stands at no cell. */
const char *odp_diag_cell(const struct odp_diag *d, char out[32]);

struct odp_diags; /* a collector; belongs to one thread at a time */

/* Who wants every fault, not only the examples. TAKE borrows the diagnostic (masked, bounded) for the call; FAIL is handed on. */
struct odp_diag_sink {
    enum odp_status (*take)(void *ctx, const struct odp_diag *d);
    void *ctx;
};

/* LIMIT: examples kept a group (0 = none, only counts). */
enum odp_status odp_diags_new(struct odp_diags **out, size_t limit) ODP_MUST_USE;
void odp_diags_free(struct odp_diags *d);
void odp_diags_clear(struct odp_diags *d);
/* Returns BAD when it counted as an error, OK when not (warning, note, off), FAIL without memory. */
enum odp_status odp_diags_add(struct odp_diags *d, const struct odp_diag *diag);
/* All of SRC after all of D; SRC is left empty. Severities stay as SRC decided them: give overrides and strict to the
 * collectors of batches, too. */
enum odp_status odp_diags_merge(struct odp_diags *d, struct odp_diags *src) ODP_MUST_USE;
uint64_t odp_diags_count(const struct odp_diags *d, enum odp_severity severity);
uint64_t odp_diags_code_count(const struct odp_diags *d, enum odp_code code);
/* Groups in order of first arrival; *N their number. Borrowed until the collector changes. */
const struct odp_diag_group *const *odp_diags_groups(const struct odp_diags *d, size_t *n);

/* Severity by the catalogue: overrides[code] where it is not -1. Borrowed table of ODP_CODE_COUNT entries, or NULL. */
void odp_diags_set_overrides(struct odp_diags *d, const signed char *overrides);
/* --strict: warnings count as errors. */
void odp_diags_set_strict(struct odp_diags *d, bool strict);
/* SINK (borrowed, or NULL) is told of every fault that is added to D or merged into it. What is merged must hold all its examples: LIMIT of the
 * collectors of batches is SIZE_MAX then. */
void odp_diags_set_sink(struct odp_diags *d, const struct odp_diag_sink *sink);

#endif
