/* The templates of the service's own pages (templates/service). */
#pragma once

#include "base/template/template.h"

enum odp_status odp_pages_open(struct odp_templates **out) ODP_MUST_USE;
