/* Client libraries for JavaScript, Python and PHP, as packages that npm, pip and Composer install from the
 * site itself.
 *
 * A package is the library's own source (templates/clients/<language>/package, compiled into this program)
 * and what is made for this catalogue: a type for each dataset's records, the address, the release, a README.
 * It depends on the published contract alone (schemas, names, the release), never on data. So its version is
 * the API release, and a published package is never made again: its bytes are carried over, build by build.
 * If it would differ now (a new odp-build, another wording), ODP-C32 says that the next release number
 * publishes it.
 *
 *   packages/<language>/<file>         the packages, all releases
 *   packages/index.json                the list of them, from which all indexes are made
 *   simple/, npm/, packages.json, p2/  indexes for pip (PEP 503, 658), npm and Composer (STANDARDS 9) */
#pragma once

#include <jansson.h>

#include "site/versions/release.h"

/* Stages packages and indexes; nothing if the catalogue has no release yet. BAD: reported. */
enum odp_status odp_client_packages(const struct odp_site_job *job) ODP_MUST_USE;

enum odp_client_language { ODP_CLIENT_JAVASCRIPT, ODP_CLIENT_PYTHON, ODP_CLIENT_PHP, ODP_CLIENT_LANGUAGES };

/* Names of packages and modules: portal.json `clients`, else the defaults. */
struct odp_client_names {
    const char *package[ODP_CLIENT_LANGUAGES]; /* "@odp/client", "odp-client", "odp/client" */
    const char *module[ODP_CLIENT_LANGUAGES]; /* the name that a program imports: "@odp/client", "odp_client",
                                                 "Odp\\Client" */
};
/* In A. Those of portal.json were checked when it was read (catalog/clients.c, ODP-C31). */
struct odp_client_names odp_client_names(const struct odp_catalog *c, struct odp_arena *a);

/* The libraries as the portal describes them: {"release", "languages": [{"language": "python", "label":
 * "Python", "package", "module", "requires", "file" (path of the newest package), …}]}; the members are
 * those of client_describe, so READMEs and portal have one source. NULL with status OK: there are no
 * packages. *OUT is the caller's. */
enum odp_status odp_client_description(const struct odp_site_job *job, json_t **out) ODP_MUST_USE;
