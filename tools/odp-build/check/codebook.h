/* Codes that single fields refer to, for proposals: each with its labels and, if the list has one, its
 * successor. One thread fills it while the resource is read; then all read it. The index by folded forms is
 * built on first use, so a run without faults does not pay for it. Longer lists than ODP_CODEBOOK_MAX are
 * not kept and give no proposals. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/slice.h"
#include "base/status.h"

#define ODP_CODEBOOK_MAX 65536

struct odp_codebook;
enum odp_status odp_codebook_new(struct odp_codebook **out) ODP_MUST_USE;
void odp_codebook_free(struct odp_codebook *b);
/* Empties; not while anybody reads. */
void odp_codebook_clear(struct odp_codebook *b);
struct odp_code_facts {
    struct odp_slice code, label, other_label, successor; /* all but the code may have ptr NULL */
};
enum odp_status odp_codebook_add(struct odp_codebook *b, const struct odp_code_facts *facts) ODP_MUST_USE;
/* It had too many codes: none is kept, none is taken any more. */
bool odp_codebook_is_full(const struct odp_codebook *b);
size_t odp_codebook_size(const struct odp_codebook *b);

/* Each gives 1 and *OUT (borrowed until clear) when exactly one code fits, 2 when several do, 0 when none
 * does or memory is out. */
enum odp_code_form {
    ODP_CODE_FORM_CODE, /* letters and digits of the code, whatever their case and what stands between them:
                           3171 is 31.71 */
    ODP_CODE_FORM_LABEL /* the label: "Kab. Bogor" is KABUPATEN BOGOR; "Bogor" alone only if no other code has
                           that name */
};
int odp_codebook_find(struct odp_codebook *b, struct odp_slice text, enum odp_code_form form,
                      struct odp_slice *out);
/* The code that took the place of TEXT. */
int odp_codebook_successor(struct odp_codebook *b, struct odp_slice text, struct odp_slice *out);
/* The one code whose own form or label is nearest to TEXT, with the same digits in the same order: another
 * digit is another code, not a slip. */
int odp_codebook_nearest(struct odp_codebook *b, struct odp_slice text, enum odp_code_form form,
                         struct odp_slice *out);

/* ---- forms, shared with categories ---- */

#define ODP_FOLD_SIZE 200
/* Letters (small) and digits of S alone; bytes beyond ASCII stay. 0 when it has none or does not fit. */
size_t odp_fold_code(struct odp_slice s, char out[ODP_FOLD_SIZE]);
/* Which of TEXTS is nearest to S: 1 and *AT, 2 when several are equally near, 0 when none is near enough. */
int odp_nearest_one(struct odp_slice s, const struct odp_slice *texts, size_t n, size_t *at);
