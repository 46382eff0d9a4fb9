/* Personal identifiers in text: found so that they are not published, masked so that no report repeats them.
 * NIK: 16 digits, PPKKCC DDMMYY NNNN with a possible birth date (day + 40 for women); NPWP: only
 * as 99.999.999.9-999.999, for amounts of money look like plain ones; telephone: +62, 62 or 0 and 9 to 12
 * digits that begin with 8 (mobile), or a landline as +62 21 5551234, (021) 5551234, 0274-512345; e-mail (RFC
 * 5321 shape). */
#pragma once

#include "base/buffer.h"
#include "base/slice.h"

enum odp_privacy_kind {
    ODP_PRIVACY_NONE = 0,
    ODP_PRIVACY_NIK,
    ODP_PRIVACY_NPWP,
    ODP_PRIVACY_PHONE,
    ODP_PRIVACY_EMAIL,
    ODP_PRIVACY_KINDS
};

/* The first identifier in S at or after FROM; *START and *LEN give its place. Cheap on text without digits
 * and '@'. */
enum odp_privacy_kind odp_privacy_find(struct odp_slice s, size_t from, size_t *start, size_t *len);
/* S with every identifier replaced by as many '*' as it has characters, appended to OUT. */
void odp_privacy_mask(struct odp_slice s, struct odp_buffer *out);
