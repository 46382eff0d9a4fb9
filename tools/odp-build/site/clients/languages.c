/* The languages, in the order of enum odp_client_language. */
#include "site/clients/clients_internal.h"

const struct client_language *const client_languages[ODP_CLIENT_LANGUAGES] = {
    [ODP_CLIENT_JAVASCRIPT] = &client_javascript, [ODP_CLIENT_PYTHON] = &client_python, [ODP_CLIENT_PHP] = &client_php};
