/* Any bytes as a source that `odp-build fix` mends: the first byte chooses the resource, the next one which
 * rules are accepted (255: all). Round by round as the command does it. A proposal differs from the present
 * text; the trial of a round does what its rewrite does; a round that applies something changes the file and
 * keeps its original, else nothing changes; and after all rounds there is nothing left to apply, or the
 * command says so. */
#include <stdio.h>
#include <unistd.h>

#include "fuzz.h"
#include "repair/fix.h"

enum { ROUNDS = 8 };

static char dir[96], path[128];

/* What a fault proposes is something else than what it found, and can be written in a report. */
static void check_proposals(struct odp_faults *faults, const struct odp_resource *r)
{
    const struct odp_fault_list *list;
    NEED(odp_faults_of(faults, r, &list) == ODP_OK);
    for (uint64_t i = 0; i < odp_fault_list_count(list); i++) {
        struct odp_diag d;
        odp_fault_list_get(list, i, &d);
        NEED(d.code < ODP_CODE_COUNT);
        if (d.proposal.ptr == NULL || d.action != ODP_ACTION_REPLACE || d.value.ptr == NULL)
            continue;
        if (odp_slice_eq(d.value, d.proposal))
            fprintf(stderr, "fuzz: %s %s: %.*s\n", odp_code_info(d.code)->code,
                    d.field != NULL ? d.field : "", (int)d.value.len, d.value.ptr);
        NEED(!odp_slice_eq(d.value, d.proposal));
    }
}

static size_t accept(struct odp_fix *x, unsigned wanted)
{
    size_t n, accepted = 0;
    struct odp_fix_group *const *groups = odp_fix_groups(x, &n);
    for (size_t i = 0; i < n; i++) {
        NEED(groups[i]->proposals > 0 && groups[i]->proposals + groups[i]->unfit <= groups[i]->faults);
        uint64_t proposals = 0;
        for (size_t k = 0; k < groups[i]->nvalues; k++) {
            struct odp_fix_value *v = groups[i]->values[k];
            v->accepted = wanted == 255 || (wanted >> ((unsigned)groups[i]->code + k) % 8 & 1) != 0;
            accepted += v->accepted && v->proposals > 0;
            proposals += v->proposals;
        }
        NEED(proposals == groups[i]->proposals);
        NEED(odp_fix_show(x, groups[i], 3, NULL, NULL) == ODP_OK);
    }
    return accepted;
}

static uint64_t sum(const struct odp_rewritten *r)
{
    return r->cells + r->deleted + r->appended + r->labels + r->lines;
}

/* True: something was written. */
static bool apply(struct odp_fix *x, struct odp_diags *diags)
{
    struct odp_rewritten dry, done;
    struct odp_arena a;
    uint64_t deferred, again;
    struct odp_buffer before = fuzz_read(path);
    odp_arena_init(&a);
    enum odp_status tried = odp_fix_apply(x, true, &a, &dry, &deferred, diags);
    NEED(tried != ODP_FAIL && fuzz_files_in(dir) == 1);
    enum odp_status status = odp_fix_apply(x, false, &a, &done, &again, diags);
    NEED(status != ODP_FAIL && deferred == again);
    bool proved = odp_diags_code_count(diags, ODP_A07) == 0; /* title rows that go may make another table */
    NEED(status == tried || (!proved && status == ODP_BAD));
    struct odp_buffer now = fuzz_read(path);
    bool same = odp_slice_eq(odp_buffer_slice(&before), odp_buffer_slice(&now)),
         any = status == ODP_OK && sum(&done) > 0;
    NEED(status != ODP_OK || sum(&dry) == sum(&done));
    NEED(any != same);
    NEED(fuzz_files_in(dir) == 1 + (size_t)any && any == (status == ODP_OK && done.original != NULL));
    if (any) {
        struct odp_buffer kept = fuzz_read(done.original);
        NEED(odp_slice_eq(odp_buffer_slice(&before), odp_buffer_slice(&kept)) && unlink(done.original) == 0);
        odp_buffer_release(&kept);
    }
    odp_buffer_release(&before);
    odp_buffer_release(&now);
    odp_arena_release(&a);
    return any;
}

/* True: another one must follow. */
static bool one_round(const char *slug, unsigned wanted, bool last)
{
    struct odp_diags *diags = fuzz_diags(), *own = fuzz_diags();
    struct odp_faults *faults = NULL;
    struct odp_fix *x = NULL;
    struct odp_file_state began = odp_file_state_source(path);
    const struct odp_resource *r = fuzz_resource_of(slug);
    bool again = false;
    NEED(odp_faults_new(&faults) == ODP_OK);
    odp_diags_set_sink(diags, odp_faults_sink(faults));
    fuzz_check(slug, path, diags);
    odp_diags_set_sink(diags, NULL);
    check_proposals(faults, r);
    enum odp_status status = odp_fix_new(&x, faults, r, path, &began, own);
    NEED(status != ODP_FAIL);
    if (status == ODP_OK && accept(x, wanted) > 0 && !last)
        again = apply(x, own);
    fuzz_reports(own);
    odp_fix_free(x);
    odp_faults_free(faults);
    odp_diags_free(own);
    odp_diags_free(diags);
    return again;
}

void fuzz_one(struct odp_slice in)
{
    static const char *const slugs[] = {"csv", "types", "dialect", "texts"};
    if (in.len < 2)
        return;
    snprintf(dir, sizeof dir, "%s", fuzz_folder("betul"));
    snprintf(path, sizeof path, "%s/in.csv", dir);
    fuzz_write(path, (struct odp_slice){in.ptr + 2, in.len - 2});
    for (int i = 0; i < ROUNDS; i++)
        if (!one_round(slugs[(unsigned char)in.ptr[0] % 4], (unsigned char)in.ptr[1], i == ROUNDS - 1))
            break;
    NEED(odp_dir_remove(dir) == ODP_OK);
}
