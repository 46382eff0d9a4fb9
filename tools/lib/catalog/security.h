/* portal.json "security": {"contact": "mailto:…" | ["https://…", …], "expires": "2027-01-31" |
 * "2027-01-31T00:00:00+07:00", "policy"?: "https://…", "languages"?: ["id", "en"]}, what
 * .well-known/security.txt (RFC 9116) says. Without it there is no such file. */
#pragma once

#include "catalog/model.h"

/* When it expires, as RFC 3339 wants it; a date is its 00:00 where the portal is. In A; NULL: not declared,
 * or no memory. */
const char *odp_security_expires(const struct odp_catalog *c, struct odp_arena *a);
/* ODP-C28 if it has expired by TODAY (YYYY-MM-DD): nobody may rely on an expired file. */
enum odp_status odp_security_check(const struct odp_catalog *c, const char *today,
                                   struct odp_diags *diags) ODP_MUST_USE;
