/* What a build does with one resource whose turn it is: it is checked and emitted in one pass, or gives its
 * keys. */
#include "check/across/cross.h"
#include "run/build_internal.h"

static enum odp_status emit_resource(struct build *b, const struct turn *turn)
{
    const struct odp_resource *r = turn->resource;
    const struct odp_dataset *d = r->dataset;
    struct part *part = &b->parts[odp_build_index(b, d)];
    /* A code list is read for its codes, too, where it has not changed or nobody asked for it. */
    bool plain = part->same || d->state == ODP_STATE_DRAFT || d->state == ODP_STATE_WITHDRAWN ||
                 !odp_run_selected(&b->run, d) || odp_run_rejected(&b->run, d);
    /* Nothing will be published, so files are wasted work. Others are read at the same time, so chance may
     * decide; R's diagnostics do not depend on it. */
    bool hopeless = !b->run.options->keep_good && atomic_load_explicit(&b->wrong, memory_order_relaxed);
    /* Every page contains the version, so one that is the newest value of a field must be known before the
     * first byte. */
    bool first = plain || hopeless || (d->last_update == NULL && r->primary);
    enum odp_status status = first ? odp_run_turn(&b->run, turn, false, NULL) : ODP_OK;
    if (status != ODP_OK || plain)
        return status;
    status = odp_build_expect(b, d, turn->diags);
    if (status != ODP_OK || hopeless)
        return status;
    part->built = true;
    struct odp_emit_job job = odp_build_job(b, r);
    return job.source_dir != NULL ? odp_run_turn(&b->run, turn, first, &job) : ODP_FAIL;
}

/* A target that is not built now gives its published keys; where nothing is published, those of its source.
 */
static enum odp_status take_keys(struct build *b, const struct turn *turn)
{
    /* Rules across datasets look at sources: those of all tables as they are now, whichever of them is being
     * built. */
    bool in_rules = odp_cross_needs(b->run.cross, turn->resource);
    enum odp_status status = in_rules ? odp_run_turn(&b->run, turn, true, NULL) : ODP_OK;
    if (status != ODP_FAIL)
        status = odp_build_published_keys(b, turn->resource);
    if (status == ODP_DONE)
        status = odp_run_turn(&b->run, turn, true, NULL) == ODP_FAIL ? ODP_FAIL : ODP_OK;
    return status;
}

enum odp_status odp_build_take(void *ctx, const struct turn *turn)
{
    struct build *b = ctx;
    enum odp_status status = turn->role == ROLE_SELECTED ? emit_resource(b, turn) : take_keys(b, turn);
    if (status == ODP_BAD && turn->role == ROLE_SELECTED)
        atomic_store_explicit(&b->wrong, true, memory_order_relaxed);
    return status;
}
