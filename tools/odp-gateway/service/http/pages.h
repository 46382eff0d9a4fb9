/* The templates of the service's own pages (templates/service). */
#ifndef ODP_SERVICE_HTTP_PAGES_H
#define ODP_SERVICE_HTTP_PAGES_H

#include "base/template/template.h"
#include "service/state/store.h"

/* Those of share/odp/service beside the program's bin/. BAD: they are not there or not whole; WHY. */
enum odp_status odp_pages_open(struct odp_templates **out, char why[ODP_WHY]) ODP_MUST_USE;

#endif
