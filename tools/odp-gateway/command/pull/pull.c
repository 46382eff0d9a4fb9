#include "command/pull/pull.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "command/messages.h"
#include "command/pull/fetch.h"
#include "command/pull/manifest.h"
#include "published/stage.h"
#include "words/gateway_command.h"

enum { MANIFEST_MAX = 512 << 20, ROUNDS = 3, PATH_LEN = 4096 };

struct pull {
    struct invocation *inv;
    const char *url; /* of the site */
    char out[PATH_LEN], pool[PATH_LEN];
    struct odp_diags *diags;
    struct odp_stage *stage;
    struct pull_count count;
    bool stale; /* what came did not fit the manifest: it may have changed meanwhile */
};

static int machine(void)
{
    const char *why = odp_failure_text();
    return complain(EXIT_MACHINE, "%s", why[0] != '\0' ? why : "out of memory");
}

static int get_manifest(struct pull *p, struct pull_manifest *m)
{
    char why[200];
    long status;
    char *url = fetch_url(&m->arena, p->url, "manifest.json");
    if (url == NULL)
        return machine();
    enum fetch_result r = fetch_text(url, MANIFEST_MAX, &m->text, &status, why);
    if (r == FETCH_FAILED)
        return machine();
    if (r != FETCH_OK)
        return complain(r == FETCH_REFUSED ? EXIT_REFUSED : EXIT_MACHINE, say(p->inv, W_gwc_cannot_fetched),
                        url, why);
    enum odp_status parsed =
        pull_manifest_parse(m, (uint64_t)p->inv->max_file, (uint64_t)p->inv->max_site, why);
    if (parsed == ODP_FAIL)
        return machine();
    if (parsed == ODP_BAD)
        return complain(EXIT_REFUSED, say(p->inv, W_gwc_manifest_site_built_build_safe), url, why);
    return EXIT_CLEAN;
}

/* True if DIR already leads to the build of that manifest. */
static bool is_present(const struct pull *p, const struct pull_manifest *m)
{
    char target[PATH_LEN], hex[ODP_SHA256_HEX];
    ssize_t n = readlink(p->out, target, sizeof target - 1);
    if (n <= 0)
        return false;
    target[n] = '\0';
    odp_digest_hex(m->sha256, hex);
    const char *slash = strrchr(target, '/');
    return slash != NULL && strcmp(slash + 1, hex) == 0 && access(p->out, R_OK) == 0;
}

static int open_stage(struct pull *p)
{
    enum odp_status status = odp_stage_open(&p->stage, p->out, p->diags);
    if (status == ODP_BAD)
        return complain(EXIT_REFUSED,
                        odp_diags_code_count(p->diags, ODP_V08) > 0
                            ? say(p->inv, W_gwc_another_process_writing_builds)
                            : say(p->inv, W_gwc_link_made_choose_another_name),
                        p->out);
    if (status != ODP_OK || odp_dir_make(p->pool) != ODP_OK)
        return machine();
    return EXIT_CLEAN;
}

/* Links F into the stage if the bytes are at PATH. DONE: they are not. */
static enum odp_status take_from(struct pull *p, const char *path, const struct odp_site_file *f)
{
    if (odp_file_kind_of(path) != ODP_FILE_REGULAR)
        return ODP_DONE;
    enum odp_status status = odp_site_verify(path, f);
    if (status == ODP_BAD)
        return ODP_DONE;
    return status == ODP_OK ? odp_stage_link(p->stage, path, f->path, f) : status;
}

/* Takes what is here already; the others become jobs. */
static enum odp_status plan(struct pull *p, const struct pull_manifest *m, struct odp_arena *a,
                            struct fetch_job *jobs, size_t *njobs, size_t *wanted)
{
    char path[PATH_LEN], hex[ODP_SHA256_HEX];
    for (size_t i = 0; i < m->n; i++) {
        const struct odp_site_file *f = &m->files[i];
        (void)snprintf(path, sizeof path, "%.2000s/%.1000s", p->out, f->path);
        enum odp_status status = take_from(p, path, f);
        p->count.linked += status == ODP_OK;
        if (status == ODP_DONE) {
            odp_digest_hex(f->sha256, hex);
            (void)snprintf(path, sizeof path, "%.2000s/%s", p->pool, hex);
            status = take_from(p, path, f);
            p->count.resumed += status == ODP_OK;
        }
        if (status == ODP_OK)
            continue;
        if (status == ODP_FAIL)
            return ODP_FAIL;
        bool internal = f->cls == ODP_CLASS_INTERNAL;
        const char *base = internal && p->inv->internal_url != NULL ? p->inv->internal_url : p->url;
        struct fetch_job *j = &jobs[*njobs];
        *j = (struct fetch_job){.url = fetch_url(a, base, f->path),
                                .target = odp_arena_str(a, path),
                                .size = f->size,
                                .hurry = internal};
        if (j->url == NULL || j->target == NULL)
            return ODP_FAIL;
        memcpy(j->sha256, f->sha256, sizeof j->sha256);
        wanted[(*njobs)++] = i;
    }
    return ODP_OK;
}

/* Internal files first (where they cannot be had, all else is in vain); equal bytes beside each other. */
static int by_hurry_and_digest(const void *a, const void *b)
{
    const struct fetch_job *x = a, *y = b;
    return x->hurry != y->hurry ? (x->hurry ? -1 : 1) : memcmp(x->sha256, y->sha256, sizeof x->sha256);
}

static size_t without_doubles(struct fetch_job *jobs, size_t n)
{
    size_t kept = 0;
    if (n > 1)
        qsort(jobs, n, sizeof *jobs, by_hurry_and_digest);
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || memcmp(jobs[kept - 1].sha256, jobs[i].sha256, sizeof jobs[i].sha256) != 0)
            jobs[kept++] = jobs[i];
    return kept;
}

static int complain_job(struct pull *p, const struct fetch_job *j)
{
    if (j->result == FETCH_FAILED)
        return machine();
    if (j->result == FETCH_WRONG) {
        p->stale = true;
        return complain(EXIT_REFUSED, say(p->inv, W_gwc_bytes_those_manifest_json), j->url);
    }
    if (j->result == FETCH_REFUSED && j->hurry) {
        p->stale = true;
        return complain(EXIT_REFUSED, say(p->inv, W_gwc_internal_files_served_there), j->url, j->why);
    }
    if (j->result == FETCH_REFUSED && (j->status == 401 || j->status == 403))
        return complain(EXIT_REFUSED, say(p->inv, W_gwc_wants_key_pull_where_files), j->url, j->why);
    p->stale = j->result == FETCH_REFUSED;
    return complain(j->result == FETCH_REFUSED ? EXIT_REFUSED : EXIT_MACHINE,
                    say(p->inv, W_gwc_cannot_fetched), j->url, j->why);
}

static int fetch_jobs(struct pull *p, struct fetch_job *jobs, size_t n)
{
    bool ok = fetch_all(jobs, n, (unsigned)p->inv->jobs);
    for (size_t i = 0; i < n; i++) {
        p->count.fetched += jobs[i].result == FETCH_OK;
        p->count.fetched_bytes += jobs[i].result == FETCH_OK ? jobs[i].size : 0;
    }
    for (size_t i = 0; i < n && !ok; i++)
        if (jobs[i].result != FETCH_OK && jobs[i].result != FETCH_WAITING)
            return complain_job(p, &jobs[i]);
    return ok ? EXIT_CLEAN : machine();
}

static int fill_stage(struct pull *p, const struct pull_manifest *m)
{
    struct odp_arena a;
    char path[PATH_LEN], hex[ODP_SHA256_HEX];
    size_t njobs = 0;
    odp_arena_init(&a);
    struct fetch_job *jobs = odp_arena_zero(&a, m->n + 1, sizeof *jobs);
    size_t *wanted = odp_arena_zero(&a, m->n + 1, sizeof *wanted);
    int code = EXIT_CLEAN;
    if (plan(p, m, &a, jobs, &njobs, wanted) != ODP_OK)
        code = machine();
    if (code == EXIT_CLEAN)
        code = fetch_jobs(p, jobs, without_doubles(jobs, njobs));
    for (size_t i = 0; i < njobs && code == EXIT_CLEAN; i++) {
        const struct odp_site_file *f = &m->files[wanted[i]];
        odp_digest_hex(f->sha256, hex);
        (void)snprintf(path, sizeof path, "%.2000s/%s", p->pool, hex);
        if (odp_stage_link(p->stage, path, f->path, f) != ODP_OK)
            code = machine();
    }
    if (code == EXIT_CLEAN && odp_stage_put(p->stage, "manifest.json", "application/json", ODP_CLASS_PUBLIC,
                                            odp_buffer_slice(&m->text)) != ODP_OK)
        code = machine();
    odp_arena_release(&a);
    return code;
}

static int switch_in(struct pull *p, const struct pull_manifest *m)
{
    struct odp_arena a;
    const char *build;
    odp_arena_init(&a);
    int code = odp_stage_switch(p->stage, (unsigned)p->inv->keep, &a, &build) == ODP_OK &&
                       odp_dir_remove(p->pool) == ODP_OK
                   ? EXIT_CLEAN
                   : machine();
    if (code == EXIT_CLEAN)
        printf(say(p->inv, W_gwc_files_before_broken_pull), build, m->n, p->count.linked, p->count.resumed,
               p->count.fetched, (double)p->count.fetched_bytes / 1048576);
    odp_arena_release(&a);
    return code;
}

static int pull_once(struct pull *p)
{
    struct pull_manifest m;
    pull_manifest_init(&m);
    p->stale = false;
    p->count = (struct pull_count){0};
    int code = get_manifest(p, &m);
    if (code == EXIT_CLEAN && is_present(p, &m)) {
        printf("%s: %s\n", p->out, say(p->inv, W_gwc_newest_already));
        pull_manifest_release(&m);
        return EXIT_CLEAN;
    }
    if (code == EXIT_CLEAN)
        code = open_stage(p);
    if (code == EXIT_CLEAN)
        code = fill_stage(p, &m);
    if (code == EXIT_CLEAN)
        code = switch_in(p, &m);
    if (code != EXIT_CLEAN && p->stale) {
        struct pull_manifest now;
        long status;
        char why[200];
        pull_manifest_init(&now);
        char *url = fetch_url(&now.arena, p->url, "manifest.json");
        p->stale = url != NULL && fetch_text(url, MANIFEST_MAX, &now.text, &status, why) == FETCH_OK &&
                   !odp_slice_eq(odp_buffer_slice(&now.text), odp_buffer_slice(&m.text));
        pull_manifest_release(&now);
    }
    odp_stage_close(p->stage);
    p->stage = NULL;
    pull_manifest_release(&m);
    return code;
}

int pull_run(struct invocation *inv, const char *url)
{
    struct pull p = {.inv = inv, .url = url};
    (void)snprintf(p.out, sizeof p.out, "%.2000s", inv->to);
    for (size_t n = strlen(p.out); n > 1 && p.out[n - 1] == '/'; n--)
        p.out[n - 1] = '\0';
    (void)snprintf(p.pool, sizeof p.pool, "%.2000s.builds/.pull", p.out);
    if (odp_diags_new(&p.diags, 4) != ODP_OK)
        return machine();
    int code = pull_once(&p);
    for (int round = 1; code != EXIT_CLEAN && p.stale && round < ROUNDS; round++) {
        complain(0, "%s", say(inv, W_gwc_source_just_switched_another));
        odp_failure_clear();
        odp_diags_clear(p.diags);
        code = pull_once(&p);
    }
    odp_diags_free(p.diags);
    return code;
}
