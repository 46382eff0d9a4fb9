/* The form of metadata (metadata/), as an answer to a request. */
#pragma once

#include <stdbool.h>

#include "base/buffer.h"
#include "base/text.h"

struct serve_form {
    const char *catalog, *slug, *token; /* slug "": the portal */
    enum odp_lang lang;
    bool saved; /* it comes back from being saved */
};
/* The page, or, where BODY is not NULL, what comes of it. OK: the page, or it is saved; DONE: nothing is
 * saved, and the page says why; BAD: there is no such dataset, or the catalogue cannot be read; FAIL. */
enum odp_status serve_form_answer(const struct serve_form *f, const struct odp_slice *body,
                                  struct odp_buffer *page) ODP_MUST_USE;
