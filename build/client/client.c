/* In work: see client.h. */
#include "client/parts.h"

enum odp_status odp_client_packages(const struct odp_client_job *job)
{
    (void)job;
    return ODP_OK;
}

enum odp_status odp_client_description(const struct odp_client_job *job, json_t **out)
{
    (void)job;
    *out = NULL;
    return ODP_OK;
}
