/* Inside of check/drift: what one comparison has found, and the words for it. */
#pragma once

#include "check/drift/drift.h"

struct finding {
    enum odp_code code;
    enum odp_drift_kind kind; /* the bound that was passed */
    const char *field;        /* NULL: of the table */
    double size; /* what passed it, in the bound's measure: who finds many fields tells of the largest */
    double bound;
    const char *where; /* of the bound */
    struct odp_text message;
    const struct odp_diag *place; /* where it begins in the source; NULL: it has no place */
};

struct findings {
    const struct odp_resource *resource;
    const struct odp_drift_before *before;
    const struct odp_profile *now;
    const char *file;
    struct odp_arena arena;
    struct finding *items; /* two a field, and three */
    size_t n, room;
    bool rows; /* Q01 was found */
    bool failed;
};

/* ---- finding.c: one field ---- */

enum { DRIFT_FEW = 30, DRIFT_LITTLE = 10 };

struct pair {
    struct findings *f;
    const struct odp_field *field;
    const struct odp_drift *d;
    const struct odp_profile_field *a, *b; /* before, now; NULL: not known */
    double rows_a, rows_b;
    bool in_key; /* its values identify records: they are no measure */
};

/* Notes what was found; without a field: about the resource. */
void drift_add(const struct pair *p, enum odp_code code, enum odp_drift_kind kind, double size,
               struct odp_text message);
/* More than the bound, and (of defaults) more than chance in a small table: MOVED records are concerned. */
bool drift_is_beyond(const struct pair *p, enum odp_drift_kind kind, double size, double moved);

/* ---- words.c: figures as people write them, in each language ---- */

/* Appends TEXT, a canonical number, grouped and with the language's decimal sign; of anything else, TEXT. */
void drift_add_figure(struct odp_buffer *out, const char *text, enum odp_lang lang);
/* V as per cent with at most one decimal: "12,5 %". SIGNED: with "+" or "−". */
void drift_add_percent(struct odp_buffer *out, double v, bool is_signed, enum odp_lang lang);
/* A text made in both languages by MAKE. */
struct odp_text drift_text(struct findings *f,
                           void (*make)(struct odp_buffer *out, enum odp_lang lang, const void *ctx),
                           const void *ctx);
/* All findings as diagnostics. */
enum odp_status drift_report(struct findings *f, struct odp_diags *diags) ODP_MUST_USE;
