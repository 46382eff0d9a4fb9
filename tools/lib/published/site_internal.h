/* Inside of published: what a stage takes from the site before. */
#pragma once

#include "published/seals.h"
#include "published/site.h"

/* The folder of a local site, open for as long as it is; -1: it is elsewhere. */
int odp_site_folder(const struct odp_site *s);
const struct odp_seals *odp_site_seals(const struct odp_site *s);
