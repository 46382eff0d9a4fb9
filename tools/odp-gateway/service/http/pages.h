/* The templates of the service's own pages (templates/service). */
#ifndef ODP_SERVICE_HTTP_PAGES_H
#define ODP_SERVICE_HTTP_PAGES_H

#include "base/template/template.h"

enum odp_status odp_pages_open(struct odp_templates **out) ODP_MUST_USE;

#endif
