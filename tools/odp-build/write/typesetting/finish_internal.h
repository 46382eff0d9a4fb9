/* Inside of write/typesetting: what finish.c and finish_xmp.c share: text as PDF and XMP want it. */
#pragma once

#include "write/typesetting/finish.h"

#define ODP_FINISH_PRODUCER "odp"

/* S as a PDF text string (ISO 32000-1, 7.9.2.2), its bytes, not escaped: ASCII as it is, else UTF-16BE after
 * a byte order mark. */
void odp_finish_pdf_text(struct odp_buffer *out, const char *s);
/* "D:20240315000000Z" of F's date; nothing where it does not begin like a date. */
void odp_finish_pdf_date(struct odp_buffer *out, const char *date);
/* The whole XMP packet (ISO 16684-1). */
enum odp_status odp_finish_xmp(struct odp_buffer *out, const struct odp_finish *f) ODP_MUST_USE;
