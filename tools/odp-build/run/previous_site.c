/* The published site that a run is compared with, and whether the release number fits what has changed since.
 */
#include "run/run_internal.h"
#include "site/versions/release_gate/gate.h"

enum odp_status odp_run_previous(struct run *r)
{
    const struct odp_options *o = r->options;
    if (o->preview && o->previous == NULL)
        return ODP_OK;
    enum odp_status status =
        odp_site_open(&r->previous, o->previous != NULL ? o->previous : o->out, r->result->diags);
    return status == ODP_DONE ? ODP_OK : status;
}

enum odp_status odp_run_gate(struct run *r)
{
    struct odp_gate gate = {0};
    if (r->options->preview)
        return ODP_OK;
    const char *today = odp_run_today(r);
    bool *only = odp_arena_zero(r->arena, r->catalog->ndatasets + 1, sizeof *only);
    if (today == NULL)
        return ODP_FAIL;
    for (size_t i = 0; i < r->catalog->ndatasets; i++) {
        const struct odp_dataset *d = &r->catalog->datasets[i];
        bool same = d->nresources > 0 && r->skip[d->resources[0].index]; /* what it was published from */
        only[i] = odp_run_selected(r, d) && !same;
    }
    const struct odp_gate_job job = {r->previous, r->catalog, only, today};
    return odp_gate_check(&gate, &job, r->arena, r->result->diags);
}
