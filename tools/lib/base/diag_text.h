/* The texts of diagnostics: how they are copied (masked, bounded, valid UTF-8: for the collector, diag.c),
 * and the line that is shown. */
#pragma once

#include "base/arena.h"
#include "base/buffer.h"
#include "base/diagnostic.h"

#define ODP_DIAG_VALUE_MAX 200u /* bytes kept of a value */
#define ODP_DIAG_ARG_MAX   300u /* bytes kept of an argument: what is allowed is a list at times */
#define ODP_DIAG_PROPOSAL_MAX                                                                                \
    4096u /* bytes of a proposal; a longer one is dropped, for a part of it would be a lie */
#define ODP_DIAG_SOURCE_MAX 160u /* bytes kept of a source line, around the mark */

/* FROM's value, source with mark, args and proposal into TO, copied to A. SCRATCH is any buffer. OK or FAIL.
 */
enum odp_status odp_diag_copy_text(struct odp_arena *a, struct odp_buffer *scratch,
                                   const struct odp_diag *from, struct odp_diag *to) ODP_MUST_USE;

/* Sets source and mark of D: the line of TEXT around its bytes from AT to END, long parts of it cut at whole
 * characters. */
void odp_diag_show_line(struct odp_diag *d, struct odp_slice text, size_t at, size_t end);
