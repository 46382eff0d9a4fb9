/* --keep-good: a dataset is held back when it has errors; when its keys do not resolve in what a held one has
 * published; and when a published dataset that stays would lose a key to it. */
#include "run/build_internal.h"

enum odp_status odp_build_hold(struct build *b, const struct odp_dataset *d, const char *because)
{
    struct part *part = &b->parts[odp_build_index(b, d)];
    part->held = true;
    part->built = false;
    if (odp_stage_drop(b->run.stage, d->slug) == ODP_FAIL)
        return ODP_FAIL;
    for (size_t k = 0; k < d->nresources; k++) {
        enum odp_status status = odp_build_published_keys(b, &d->resources[k]);
        if (status == ODP_FAIL)
            return ODP_FAIL;
        if (status != ODP_OK) /* nothing of it will be there */
            odp_keyring_set(b->run.keys, &d->resources[k], ODP_KEYS_READY);
    }
    return because != NULL && odp_build_complain(b, ODP_V02, d, because, NULL, NULL) == ODP_FAIL ? ODP_FAIL
                                                                                                 : ODP_OK;
}

/* The held dataset that R's keys point into, or NULL. */
static const struct odp_dataset *held_target(const struct build *b, const struct odp_resource *r)
{
    for (size_t k = 0; k < r->nforeign; k++) {
        const struct odp_dataset *t = r->foreign[k].target->dataset;
        if (t != r->dataset && b->parts[odp_build_index(b, t)].held)
            return t;
    }
    return NULL;
}

/* A good dataset whose keys point into one that keeps its published version is read again, against that
 * version. Of a code list its files have names, too: they wait for the list. */
static enum odp_status hold_if_unresolved(struct build *b, const struct odp_dataset *d, bool *changed)
{
    for (size_t i = 0; i < d->nresources; i++) {
        const struct odp_dataset *cause = held_target(b, &d->resources[i]);
        if (cause == NULL)
            continue;
        struct task *task = &b->run.tasks[d->resources[i].index];
        struct task before = *task;
        enum odp_status status = odp_run_resource(&b->run, &d->resources[i], true, NULL);
        bool unresolved = task->errors > 0 || cause->reference;
        *task = before;
        if (status == ODP_FAIL)
            return ODP_FAIL;
        if (unresolved) {
            *changed = true;
            return odp_build_hold(b, d, cause->slug);
        }
    }
    return ODP_OK;
}

/* What stays as published must find its keys in what is new. With --keep-good the new one is held back, else
 * it is an error. */
static enum odp_status protect_published(struct build *b, const struct odp_dataset *old, bool *changed)
{
    enum odp_status worst = ODP_OK;
    for (size_t i = 0; i < old->nresources; i++) {
        const struct odp_resource *r = &old->resources[i];
        for (size_t k = 0; k < r->nforeign; k++) {
            const struct odp_dataset *target = r->foreign[k].target->dataset;
            bool dangles = false;
            /* Code lists keep old editions: which one is meant is the published schema's to say. */
            if (target->reference || target == old || !b->parts[odp_build_index(b, target)].built)
                continue;
            if (odp_build_published_key_dangles(b, r, &r->foreign[k], &dangles) == ODP_FAIL)
                return ODP_FAIL;
            if (!dangles)
                continue;
            *changed = true;
            worst = odp_worst(worst, b->run.options->keep_good
                                         ? odp_build_hold(b, target, old->slug)
                                         : odp_build_complain(b, ODP_V07, target, old->slug, NULL, NULL));
            if (worst == ODP_FAIL)
                return worst;
        }
    }
    return worst;
}

/* Its places are those of records that another dataset keeps as published, not of those that were read. */
static bool has_held_places(const struct build *b, const struct odp_dataset *d)
{
    bool any = false;
    for (size_t i = 0; i < d->nresources; i++) {
        const struct odp_foreign_key *key = odp_place_through(&d->resources[i]);
        any = any || (key != NULL && b->parts[odp_build_index(b, key->target->dataset)].held);
    }
    return any;
}

enum odp_status odp_build_settle(struct build *b)
{
    const struct odp_catalog *c = b->run.catalog;
    enum odp_status status = ODP_OK;
    bool changed = true;
    for (size_t i = 0; i < c->ndatasets && status != ODP_FAIL; i++)
        if (odp_run_selected(&b->run, &c->datasets[i]) && odp_run_rejected(&b->run, &c->datasets[i]))
            status = odp_worst(status, odp_build_hold(b, &c->datasets[i], NULL));
    while (changed && status != ODP_FAIL) {
        changed = false;
        for (size_t i = 0; i < c->ndatasets && status != ODP_FAIL; i++) {
            if (b->parts[i].built)
                status = odp_worst(status, hold_if_unresolved(b, &c->datasets[i], &changed));
            else if (b->parts[i].published)
                status = odp_worst(status, protect_published(b, &c->datasets[i], &changed));
        }
        if (!b->run.options->keep_good)
            break;
    }
    for (size_t i = 0; i < c->ndatasets && status == ODP_OK; i++)
        if (b->parts[i].built && !b->parts[i].held && has_held_places(b, &c->datasets[i]))
            status = odp_build_emit(b, &c->datasets[i]);
    return status;
}
