/* What the release log says of a build: its datasets' own changes (version.c, stage_datasets.c), and what of
 * the previous site has left the catalogue.
 *
 * The line is staged before the pages that tell of it (feed.xml), whenever something has happened to a
 * dataset: then the site is another one for certain. Else the log stays as it was until it is known whether
 * anything differs (whole_site.c, finish). */
#include "run/build_internal.h"

#include "base/json_load.h"
#include "published/stage.h"

static void note(struct build *b, struct part *part, struct odp_log_change change)
{
    if (part->log == NULL) /* each version once, the new one, and two events of the dataset itself */
        part->log = odp_arena_zero(b->run.arena, part->history.n + 4, sizeof *part->log);
    part->log[part->nlog++] = change;
}

void odp_build_note(struct build *b, struct part *part, const struct odp_version *v, const char *slug,
                    const char *what)
{
    note(b, part,
         (struct odp_log_change){.dataset = slug, .version = v->name, .digest = v->digest, .what = what});
}

void odp_build_note_state(struct build *b, const struct odp_dataset *d)
{
    struct part *part = &b->parts[odp_build_index(b, d)];
    const json_t *before =
        b->run.previous != NULL
            ? odp_site_entry(b->run.previous, part->former != NULL ? part->former : d->slug)
            : NULL;
    const char *state = odp_json_text(before, "state");
    if (d->state == ODP_STATE_WITHDRAWN)
        note(b, part, (struct odp_log_change){.dataset = d->slug, .what = "withdrawn"});
    else if (d->state == ODP_STATE_DEPRECATED && before != NULL &&
             (state == NULL || strcmp(state, "deprecated") != 0))
        note(b, part,
             (struct odp_log_change){.dataset = d->slug, .version = part->version, .what = "deprecated"});
}

/* Whether a dataset of the new site, or one that was withdrawn, is what SLUG was. */
static bool goes_on(const struct build *b, const struct odp_published *published, size_t n, const char *slug)
{
    const struct odp_catalog *c = b->run.catalog;
    for (size_t i = 0; i < c->ndatasets; i++) {
        const struct odp_dataset *d = &c->datasets[i];
        const char *former = b->parts[i].former;
        if (strcmp(d->slug, slug) != 0 && (former == NULL || strcmp(former, slug) != 0))
            continue;
        bool there = d->state == ODP_STATE_WITHDRAWN;
        for (size_t k = 0; k < n && !there; k++)
            there = published[k].dataset == d;
        if (there)
            return true;
    }
    return false;
}

/* Appends to LIST every dataset that the previous site has an entry of and the new one has nothing of. */
static void add_removed(const struct build *b, const struct odp_published *published, size_t n,
                        struct odp_log_change *list, size_t *count)
{
    const json_t *before =
        b->run.previous != NULL ? json_object_get(odp_site_index(b->run.previous), "data") : NULL;
    for (size_t i = 0; i < json_array_size(before); i++) {
        const char *slug = odp_json_text(json_array_get(before, i), "slug");
        if (slug != NULL && !goes_on(b, published, n, slug))
            list[(*count)++] = (struct odp_log_change){.dataset = slug, .what = "removed"};
    }
}

static const char *newest_date(const struct build *b)
{
    const char *newest = b->run.catalog->nreleases > 0 ? b->run.catalog->releases[0].date : "";
    for (size_t i = 0; i < b->run.catalog->ndatasets; i++) {
        const struct odp_version *v = odp_history_current(&b->parts[i].history);
        if (v != NULL && strncmp(v->name, newest, 10) > 0)
            newest = v->name;
    }
    return odp_arena_printf(b->run.arena, "%.10s", newest);
}

enum odp_status odp_build_log_append(struct build *b)
{
    const struct odp_catalog *c = b->run.catalog;
    const struct odp_log_line line = {.date = newest_date(b),
                                      .release = c->nreleases > 0 ? c->releases[0].version : "",
                                      .changes = b->changes,
                                      .n = b->nchanges};
    return odp_log_append(b->run.stage, b->run.previous, &line, b->run.result->diags);
}

enum odp_status odp_build_log(struct build *b, const struct odp_published *published, size_t n)
{
    const struct odp_catalog *c = b->run.catalog;
    size_t most = b->run.previous != NULL
                      ? json_array_size(json_object_get(odp_site_index(b->run.previous), "data"))
                      : 0;
    for (size_t i = 0; i < c->ndatasets; i++)
        most += b->parts[i].nlog;
    b->changes = odp_arena_zero(b->run.arena, most + 1, sizeof *b->changes);
    for (size_t i = 0; i < c->ndatasets; i++)
        for (size_t k = 0; k < b->parts[i].nlog; k++)
            b->changes[b->nchanges++] = b->parts[i].log[k];
    add_removed(b, published, n, b->changes, &b->nchanges);
    if (b->run.previous == NULL || b->nchanges > 0)
        return odp_build_log_append(b);
    return odp_log_keep(b->run.stage, b->run.previous, b->run.result->diags);
}
