/* Client libraries for JavaScript, Python and PHP, as packages that npm, pip and Composer install from the
 * site itself.
 *
 * A package is the library's own source (templates/clients/<language>/package, compiled into this program)
 * and what is written for this catalogue: a type for each dataset's records, the address, the release, a
 * README. It depends on the published contract alone (schemas, names, the release), never on data: so it has
 * the API release as its version, and a package that was published once is never made again: its bytes are
 * carried over, build by build. Should what would be made now differ (a new odp-build, another wording),
 * ODP-C32 says that the next release number publishes it.
 *
 *   packages/<language>/<file>         the packages, all releases
 *   packages/index.json                what there is of them: names, versions, digests, what an index needs
 * to tell simple/, npm/, packages.json, p2/  the same as an index of pip (PEP 503, 658), npm and Composer
 * (STANDARDS 9) */
#pragma once

#include <jansson.h>

#include "site/versions/release.h"

/* Stages packages and indexes. Nothing where the catalogue has no release yet. BAD: reported. */
enum odp_status odp_client_packages(const struct odp_site_job *job) ODP_MUST_USE;

enum odp_client_language { ODP_CLIENT_JAVASCRIPT, ODP_CLIENT_PYTHON, ODP_CLIENT_PHP, ODP_CLIENT_LANGUAGES };

/* What packages and modules are called: portal.json `clients`, else the defaults. */
struct odp_client_names {
    const char *package[ODP_CLIENT_LANGUAGES]; /* "@odp/client", "odp-client", "odp/client" */
    const char *
        module[ODP_CLIENT_LANGUAGES]; /* what a program imports: "@odp/client", "odp_client", "Odp\\Client" */
};
/* In A. Those of portal.json were checked when it was read (catalog/clients.c, ODP-C31). */
struct odp_client_names odp_client_names(const struct odp_catalog *c, struct odp_arena *a);

/* What the portal says of the libraries: {"release", "languages": [{"language": "python", "label": "Python",
 * "package", "module", "requires", "file" (path of the newest package from the site's root), "install":
 * [lines of shell], "examples": [{"name": "list", "title": {id, en}, "file": "contoh.py", "code"}…],
 * "reference": …}], }. As the READMEs have it: one source. NULL with status OK: there are no packages. *OUT
 * is the caller's. */
enum odp_status odp_client_description(const struct odp_site_job *job, json_t **out) ODP_MUST_USE;
