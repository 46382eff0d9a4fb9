/* What cells can be: ways to write a number or a day, words for no value and for yes and no. Shared with
 * repair/intake. */
#pragma once

#include "base/datetime.h"
#include "base/decimal.h"
#include "catalog/field_type.h"

enum {
    FORMS = 12,    /* ways to write a number: integers first, then those that may have decimals */
    DECIMALS = 5,  /* the first of these */
    PATTERNS = 37, /* ways to write a day or time */
    TOKENS = 24,   /* words for "no value" */
    SURE = 19      /* the first of them, which mean nothing else: those before "tidak ada" */
};
extern const struct odp_decimal_form draft_forms[FORMS];
struct pattern {
    enum odp_type type;
    const char *pattern; /* NULL: the default form */
    bool month_first, two_digits, zone;
};
extern const struct pattern draft_patterns[PATTERNS];
extern const char *const draft_tokens[TOKENS];
int draft_token(struct odp_slice s);
bool draft_number(struct odp_slice s, const struct odp_decimal_form *form, char out[ODP_DECIMAL_SIZE],
                  size_t *len);
bool draft_date(struct odp_slice s, const struct pattern *p, struct odp_datetime *out);
/* Yes and no by word; -1: none. */
int draft_boolean_pair(struct odp_slice a, struct odp_slice b, struct odp_slice *yes, struct odp_slice *no);
/* "ha", "Rp juta", "jiwa/km2". */
bool draft_is_unit(struct odp_slice s);
/* S without the brackets around it. */
struct odp_slice draft_unbracketed(struct odp_slice s);
/* A row that numbers its columns: (1) (2) (3); or, with PLAIN_FROM cells at least, 1 2 3, which may be a
 * record. */
bool draft_numbers_columns(const struct odp_slice *cell, uint32_t n, uint32_t plain_from);
/* True: AFFIX, the text around numbers, is a currency or a unit ("Rp |", "| ha"), not part of a code like
 * SNS-0012. */
bool affix_is_unit(struct odp_slice affix);
