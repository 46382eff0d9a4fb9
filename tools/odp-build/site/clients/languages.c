/* The languages, in the order of enum odp_client_language. */
#include "site/clients/clients_internal.h"

const struct client_language client_languages[ODP_CLIENT_LANGUAGES] = {
    [ODP_CLIENT_JAVASCRIPT] = {.name = "javascript",
                               .label = "JavaScript",
                               .requires = "Node.js 18+",
                               .extension = ".mjs",
                               .client = "client.",
                               .root = "package/"},
    [ODP_CLIENT_PYTHON] = {.name = "python",
                           .label = "Python",
                           .requires = "Python 3.9+",
                           .extension = ".py",
                           .client = "client.",
                           .root = ""},
    [ODP_CLIENT_PHP] = {.name = "php",
                        .label = "PHP",
                        .requires = "PHP 8.1+",
                        .extension = ".php",
                        .client = "$client->",
                        .root = ""}};
