/* What an endpoint is made of: a call, its body or form, an answer, a page; and the endpoints that
 * endpoints.def names. */
#pragma once

#include "service/http/body.h"
#include "service/http/form.h"
#include "service/http/http.h"
#include "service/http/page.h"
#include "service/http/text.h"
#include "service/http/web.h"

#define ODP_ENDPOINT(method, path, doors, writer, body, run)                                                 \
    enum odp_status run(struct odp_answer *a) ODP_MUST_USE;
#include "service/endpoints.def"
#undef ODP_ENDPOINT
