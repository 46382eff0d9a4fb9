/* What a build says about a dataset as a whole. */
#include "run/build_internal.h"

enum odp_status odp_build_complain(struct build *b, enum odp_code code, const struct odp_dataset *d,
                                   const char *arg0, const char *arg1, const char *arg2)
{
    const char *args[] = {arg0, arg1, arg2};
    return odp_build_complain_to(b, b->run.result->diags, code, d, args);
}

enum odp_status odp_build_complain_to(struct build *b, struct odp_diags *diags, enum odp_code code,
                                      const struct odp_dataset *d, const char *const args[3])
{
    struct odp_diag diag = {.code = code, .dataset = d->slug, .file = d->file};
    for (size_t i = 0; i < 3; i++)
        if (args[i] != NULL)
            diag.args[i] = odp_slice_of(args[i]);
    enum odp_status status = odp_diags_add(diags, &diag);
    if (status == ODP_BAD)
        b->run.tasks[d->resources[0].index].errors++;
    return status;
}
