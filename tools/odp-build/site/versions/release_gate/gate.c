/* The release gate: compare, then the numbers. compare.c finds what changed, findings.c says it. */
#include "site/versions/release_gate/gate_internal.h"

#include "base/json_load.h"
#include "published/doc.h"

/* ---- numbers ---- */

/* Nothing published under a number counts as 0.0.0. */
static void read_numbers(const char *version, uint64_t out[3])
{
    if (!odp_release_numbers(version, out))
        out[0] = out[1] = out[2] = 0;
}

/* The first number that differs decides; *LOWER: it is smaller than before. */
static enum odp_level level_between(const uint64_t before[3], const uint64_t now[3], bool *lower)
{
    static const enum odp_level levels[] = {ODP_LEVEL_MAJOR, ODP_LEVEL_MINOR, ODP_LEVEL_PATCH};
    *lower = false;
    for (int i = 0; i < 3; i++)
        if (now[i] != before[i]) {
            *lower = now[i] < before[i];
            return *lower ? ODP_LEVEL_NONE : levels[i];
        }
    return ODP_LEVEL_NONE;
}

static const char *least_of(struct odp_arena *a, const uint64_t before[3], enum odp_level needed)
{
    uint64_t n[3] = {before[0], before[1], before[2]};
    if (needed == ODP_LEVEL_MAJOR) {
        n[0]++;
        n[1] = n[2] = 0;
    } else if (needed == ODP_LEVEL_MINOR) {
        n[1]++;
        n[2] = 0;
    } else if (needed == ODP_LEVEL_PATCH) {
        n[2]++;
    }
    return odp_arena_printf(a, "%llu.%llu.%llu", (unsigned long long)n[0], (unsigned long long)n[1],
                            (unsigned long long)n[2]);
}

/* ---- the check ---- */

/* Highest level first; within one as found. */
static void sort_findings(struct gate *g)
{
    struct odp_gate *out = g->out;
    struct odp_gate_finding *sorted = odp_arena_array(g->arena, out->n + 1, sizeof *sorted);
    size_t n = 0;
    for (int level = ODP_LEVEL_MAJOR; level >= ODP_LEVEL_NONE; level--)
        for (size_t i = 0; i < out->n; i++)
            if ((int)out->findings[i].level == level)
                sorted[n++] = out->findings[i];
    out->findings = sorted;
}

static void judge(struct gate *g)
{
    struct odp_gate *out = g->out;
    const struct gate_subject history = {.file =
                                             odp_path_join(g->arena, g->job->catalog->dir, "changes.json")};
    uint64_t before[3], now[3];
    bool lower;
    read_numbers(out->before, before);
    read_numbers(out->now, now);
    out->given = level_between(before, now, &lower);
    out->least = least_of(g->arena, before, out->needed);
    if (lower)
        gate_say(g, ODP_V21, &history, NULL, NULL,
                 (const char *const[]){*out->now != '\0' ? out->now : "—", out->before});
    /* A portal that has never had a release has promised nothing yet. */
    if (lower || (*out->before == '\0' && *out->now == '\0'))
        return;
    for (size_t i = 0; i < out->n; i++) {
        const struct odp_gate_finding *f = &out->findings[i];
        const struct gate_subject s = {f->dataset, f->resource, f->field,
                                       f->file != NULL ? f->file : history.file, f->where};
        if (f->level > out->given)
            gate_say(g, ODP_V20, &s, f->kind, &f->text,
                     (const char *const[]){out->least, odp_level_name(f->level)});
    }
}

enum odp_status odp_gate_check(struct odp_gate *out, const struct odp_gate_job *job, struct odp_arena *a,
                               struct odp_diags *diags)
{
    const struct odp_catalog *c = job->catalog;
    struct gate g = {.out = out, .job = job, .arena = a, .diags = diags};
    *out = (struct odp_gate){.now = c->nreleases > 0 ? c->releases[0].version : ""};
    if (job->previous != NULL) {
        const json_t *meta = json_object_get(odp_site_index(job->previous), "meta");
        out->before = odp_arena_str(a, odp_text_of(meta, "release"));
        gate_compare(&g);
    }
    if (job->previous != NULL && g.status == ODP_OK) {
        sort_findings(&g);
        judge(&g);
    }
    if (g.status == ODP_OK)
        gate_window_closed(&g);
    return g.status == ODP_OK && g.refused ? ODP_BAD : g.status;
}
