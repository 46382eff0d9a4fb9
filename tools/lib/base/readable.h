/* Numbers and sizes as people read them, and texts as parts of an address. */
#ifndef ODP_BASE_READABLE_H
#define ODP_BASE_READABLE_H

#include "base/buffer.h"
#include "base/diag.h"

/* "1.204,5" or "1,204.5" of "1204.5"; TEXT as it is where it is no plain decimal. */
void odp_readable_number(struct odp_buffer *out, struct odp_slice text, enum odp_lang lang);
/* "984,5 KB", "984.5 kB" of so many bytes. */
void odp_readable_size(struct odp_buffer *out, uint64_t n, enum odp_lang lang);
/* Everything but letters, digits and -._~ as %XX. */
void odp_percent(struct odp_buffer *out, struct odp_slice s);

#endif
