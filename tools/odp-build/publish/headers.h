/* control in the forms that other servers read. */
#pragma once

#include "base/buffer.h"

/* control's cache headers in another form: "nginx", "netlify" (also Cloudflare Pages' _headers), "s3"
 * (metadata of objects, one JSON object a line). BAD: unknown form, or not a control file. */
enum odp_status odp_headers(struct odp_buffer *out, const char *form, struct odp_slice control) ODP_MUST_USE;
/* The name that publish gives the file: "_headers"; NULL: unknown form. */
const char *odp_headers_file(const char *form);
