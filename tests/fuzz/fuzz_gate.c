/* Any bytes as the index and the schema of a published site, divided by a NUL byte, before the release gate:
 * it never fails, its findings are whole and in order, and it refuses exactly when it says an error. With a
 * first byte 1 the day is late, and all windows are over. */
#include <stdio.h>

#include "fuzz.h"
#include "site/versions/release_gate/gate.h"

static void check_findings(const struct odp_gate *g)
{
    enum odp_level highest = ODP_LEVEL_NONE;
    for (size_t i = 0; i < g->n; i++) {
        const struct odp_gate_finding *f = &g->findings[i];
        NEED(f->dataset != NULL && f->kind != NULL && f->text.in[ODP_LANG_ID] != NULL &&
             f->text.in[ODP_LANG_EN] != NULL);
        NEED(i == 0 || g->findings[i - 1].level >= f->level);
        highest = f->level > highest ? f->level : highest;
    }
    NEED(highest == g->needed);
}

void fuzz_one(struct odp_slice in)
{
    struct odp_diags *diags = fuzz_diags();
    struct odp_site *site = NULL;
    struct odp_arena arena;
    struct odp_gate gate;
    const char *day = fuzz_choice(&in, 1) == 1 ? "2999-12-31" : "2024-05-01";
    struct odp_slice index = fuzz_cut(&in, ODP_LIT("\0"));
    const struct fuzz_site_file files[] = {{"data/texts/latest/schema.json", "public", in},
                                           {"v1/index.json", "public", index}};
    odp_arena_init(&arena);
    fuzz_site_write(files, 2);
    enum odp_status status = odp_site_open(&site, fuzz_path("site"), diags);
    NEED(status != ODP_FAIL);
    if (status == ODP_OK) {
        uint64_t before = odp_diags_count(diags, ODP_SEVERITY_ERROR);
        const struct odp_gate_job job = {.previous = site, .catalog = fuzz_catalog(), .today = day};
        status = odp_gate_check(&gate, &job, &arena, diags);
        NEED(status == ODP_OK || status == ODP_BAD);
        NEED((status == ODP_BAD) == (odp_diags_count(diags, ODP_SEVERITY_ERROR) > before));
        if (gate.least != NULL)
            check_findings(&gate);
    }
    fuzz_reports(diags);
    odp_site_close(site);
    odp_diags_free(diags);
    odp_arena_release(&arena);
}
