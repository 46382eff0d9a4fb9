/* releases.log: every line names the one before. */
#include "publish/verify/verify_internal.h"

#include <stdio.h>

#include "published/release_log.h"

enum odp_status verify_log(struct verify *v)
{
    struct odp_buffer text;
    uint64_t line = 0;
    char number[24];
    const struct verify_file *f = verify_good(v, "releases.log");
    if (f == NULL)
        return ODP_OK;
    odp_buffer_init(&text);
    enum odp_status status = verify_read(v, f, &text);
    if (status == ODP_OK)
        status = odp_log_check(odp_buffer_slice(&text), &line);
    odp_buffer_release(&text);
    snprintf(number, sizeof number, "%llu", (unsigned long long)line);
    return status == ODP_BAD ? verify_fault(v, ODP_V72, f->f.path, number, NULL, NULL) : status;
}
