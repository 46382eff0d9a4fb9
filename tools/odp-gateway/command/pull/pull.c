/* odp-gateway pull URL --to DIR: fetches a published site by its manifest. Every file is checked, and nothing
 * that the public sees changes until all of it is here.
 *
 *   DIR                         the link that is switched
 *   DIR.builds/<digest>/        builds, as odp-build makes them
 *   DIR.builds/.pull/<sha256>   files of a run that did not finish; the next one takes them from there */
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/remote/download.h"
#include "command/messages.h"
#include "command/pull/manifest.h"
#include "published/stage.h"
#include "words/gateway_command.h"

enum { MANIFEST_MAX = 512 << 20, ROUNDS = 3, TRIES = 3, PATH_LEN = 4096 };

struct pull {
    struct invocation *inv;
    const char *url; /* of the site */
    char out[PATH_LEN], pool[PATH_LEN];
    struct odp_downloader *downloader;
    struct odp_diags *diags;
    struct odp_stage *stage;
    size_t linked, resumed, fetched;
    uint64_t fetched_bytes;
    bool stale; /* a file did not fit the manifest, which may have changed meanwhile */
};

static const char *address_of(struct odp_arena *a, const char *base, const char *path)
{
    struct odp_buffer b = {0};
    odp_download_address(&b, base, path);
    return odp_buffer_keep(&b, a);
}

/* The store of files that came in an earlier, broken run. */
static void pool_path(const struct pull *p, const struct odp_site_file *f, char path[PATH_LEN])
{
    char hex[ODP_SHA256_HEX];
    odp_digest_hex(f->sha256, hex);
    (void)snprintf(path, PATH_LEN, "%.2000s/%s", p->pool, hex);
}

static bool is_refused(const struct odp_download *job)
{
    return job->result == ODP_DOWNLOAD_REFUSED || job->result == ODP_DOWNLOAD_ABSENT;
}

/* ---- the manifest ---- */

static struct odp_download fetch_manifest(struct pull *p, struct pull_manifest *m)
{
    struct odp_download job = {
        .url = address_of(&m->arena, p->url, "manifest.json"), .out = &m->text, .size = MANIFEST_MAX};
    (void)odp_downloader_run(p->downloader, &job, 1, "", NULL);
    return job;
}

static int get_manifest(struct pull *p, struct pull_manifest *m)
{
    char why[200];
    const struct odp_download job = fetch_manifest(p, m);
    if (job.result == ODP_DOWNLOAD_FAILED || job.result == ODP_DOWNLOAD_WAITING)
        return machine_failed(p->inv);
    if (job.result != ODP_DOWNLOAD_OK)
        return complain(job.result == ODP_DOWNLOAD_LOST ? EXIT_MACHINE : EXIT_REFUSED,
                        say(p->inv, W_gwc_cannot_fetched), job.url, job.why);
    enum odp_status parsed =
        pull_manifest_parse(m, (uint64_t)p->inv->max_file, (uint64_t)p->inv->max_site, why);
    if (parsed == ODP_FAIL)
        return machine_failed(p->inv);
    if (parsed == ODP_BAD)
        return complain(EXIT_REFUSED, say(p->inv, W_gwc_manifest_site_built_build_safe), job.url, why);
    return EXIT_CLEAN;
}

/* The source has another manifest than M by now. */
static bool has_changed(struct pull *p, const struct pull_manifest *m)
{
    struct pull_manifest now;
    pull_manifest_init(&now);
    const struct odp_download job = fetch_manifest(p, &now);
    bool changed = job.result == ODP_DOWNLOAD_OK &&
                   !odp_slice_eq(odp_buffer_slice(&now.text), odp_buffer_slice(&m->text));
    pull_manifest_release(&now);
    return changed;
}

/* DIR leads to the build of that manifest already. */
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

/* ---- files ---- */

static int open_stage(struct pull *p)
{
    enum odp_status status = odp_stage_open(&p->stage, p->out, p->diags);
    if (status == ODP_BAD)
        return complain(EXIT_REFUSED,
                        odp_diags_code_count(p->diags, ODP_V08) > 0
                            ? say(p->inv, W_gwc_another_process_writing_builds)
                            : say(p->inv, W_gwc_link_made_choose_another_name),
                        p->out);
    return status == ODP_OK && odp_dir_make(p->pool) == ODP_OK ? EXIT_CLEAN : machine_failed(p->inv);
}

/* Links F into the stage if the bytes are at PATH, and counts it. DONE: they are not. */
static enum odp_status take_from(struct pull *p, const char *path, const struct odp_site_file *f,
                                 size_t *count)
{
    enum odp_status status = odp_file_kind_of(path) == ODP_FILE_REGULAR ? odp_site_verify(path, f) : ODP_BAD;
    if (status == ODP_OK)
        status = odp_stage_link(p->stage, path, f->path, f);
    *count += status == ODP_OK;
    return status == ODP_BAD ? ODP_DONE : status;
}

/* Links the files that are here already; the others are WANTED. */
static enum odp_status take_known(struct pull *p, const struct pull_manifest *m,
                                  const struct odp_site_file **wanted, size_t *nwanted)
{
    char path[PATH_LEN];
    for (size_t i = 0; i < m->n; i++) {
        const struct odp_site_file *f = &m->files[i];
        (void)snprintf(path, sizeof path, "%.2000s/%.1000s", p->out, f->path);
        enum odp_status status = take_from(p, path, f, &p->linked);
        if (status == ODP_DONE) {
            pool_path(p, f, path);
            status = take_from(p, path, f, &p->resumed);
        }
        if (status == ODP_FAIL)
            return ODP_FAIL;
        if (status == ODP_DONE)
            wanted[(*nwanted)++] = f;
    }
    return ODP_OK;
}

/* Internal files first (without them the rest is useless); equal bytes next to each other. */
static int by_class_and_digest(const void *a, const void *b)
{
    const struct odp_site_file *x = *(const struct odp_site_file *const *)a,
                               *y = *(const struct odp_site_file *const *)b;
    int order = (y->cls == ODP_CLASS_INTERNAL) - (x->cls == ODP_CLASS_INTERNAL);
    return order != 0 ? order : memcmp(x->sha256, y->sha256, sizeof x->sha256);
}

static int complain_job(struct pull *p, const struct odp_download *j, bool internal)
{
    if (j->result == ODP_DOWNLOAD_FAILED)
        return machine_failed(p->inv);
    p->stale = j->result != ODP_DOWNLOAD_LOST;
    if (j->result == ODP_DOWNLOAD_WRONG || j->result == ODP_DOWNLOAD_LARGER)
        return complain(EXIT_REFUSED, say(p->inv, W_gwc_bytes_those_manifest_json), j->url);
    if (is_refused(j) && internal)
        return complain(EXIT_REFUSED, say(p->inv, W_gwc_internal_files_served_there), j->url, j->why);
    if (j->status == 401 || j->status == 403) {
        p->stale = false;
        return complain(EXIT_REFUSED, say(p->inv, W_gwc_wants_key_pull_where_files), j->url, j->why);
    }
    return complain(is_refused(j) ? EXIT_REFUSED : EXIT_MACHINE, say(p->inv, W_gwc_cannot_fetched), j->url,
                    j->why);
}

/* Each of the N files WANTED into the pool; files of equal bytes once. */
static int fetch(struct pull *p, const struct odp_site_file **wanted, size_t n, struct odp_arena *a)
{
    char path[PATH_LEN];
    size_t njobs = 0;
    struct odp_download *jobs = odp_arena_zero(a, n + 1, sizeof *jobs);
    if (n > 1)
        qsort(wanted, n, sizeof *wanted, by_class_and_digest);
    for (size_t i = 0; i < n; i++) {
        const struct odp_site_file *f = wanted[i];
        bool internal = f->cls == ODP_CLASS_INTERNAL && p->inv->internal_url != NULL;
        if (njobs > 0 && memcmp(jobs[njobs - 1].sha256, f->sha256, sizeof f->sha256) == 0)
            continue;
        pool_path(p, f, path);
        jobs[njobs++] =
            (struct odp_download){.url = address_of(a, internal ? p->inv->internal_url : p->url, f->path),
                                  .target = odp_arena_str(a, path),
                                  .size = f->size,
                                  .sha256 = f->sha256};
    }
    if (odp_arena_status(a) != ODP_OK)
        return machine_failed(p->inv);
    bool ok = odp_downloader_run(p->downloader, jobs, njobs, "", NULL);
    for (size_t i = 0; i < njobs; i++) {
        p->fetched += jobs[i].result == ODP_DOWNLOAD_OK;
        p->fetched_bytes += jobs[i].result == ODP_DOWNLOAD_OK ? jobs[i].size : 0;
    }
    for (size_t i = 0, k = 0; i < njobs && !ok; i++) {
        while (wanted[k]->sha256 != jobs[i].sha256)
            k++;
        if (jobs[i].result != ODP_DOWNLOAD_OK && jobs[i].result != ODP_DOWNLOAD_WAITING)
            return complain_job(p, &jobs[i], wanted[k]->cls == ODP_CLASS_INTERNAL);
    }
    return ok ? EXIT_CLEAN : machine_failed(p->inv);
}

static int fill_stage(struct pull *p, const struct pull_manifest *m)
{
    struct odp_arena a = {0};
    char path[PATH_LEN];
    size_t n = 0;
    const struct odp_site_file **wanted = odp_arena_array(&a, m->n + 1, sizeof *wanted);
    int code = take_known(p, m, wanted, &n) == ODP_OK ? EXIT_CLEAN : machine_failed(p->inv);
    if (code == EXIT_CLEAN)
        code = fetch(p, wanted, n, &a);
    for (size_t i = 0; i < n && code == EXIT_CLEAN; i++) {
        pool_path(p, wanted[i], path);
        if (odp_stage_link(p->stage, path, wanted[i]->path, wanted[i]) != ODP_OK)
            code = machine_failed(p->inv);
    }
    if (code == EXIT_CLEAN && odp_stage_put(p->stage, "manifest.json", "application/json", ODP_CLASS_PUBLIC,
                                            odp_buffer_slice(&m->text)) != ODP_OK)
        code = machine_failed(p->inv);
    odp_arena_release(&a);
    return code;
}

static int switch_in(struct pull *p, const struct pull_manifest *m)
{
    struct odp_arena a = {0};
    const char *build;
    bool ok = odp_stage_switch(p->stage, (unsigned)p->inv->keep, &a, &build) == ODP_OK &&
              odp_dir_remove(p->pool) == ODP_OK;
    if (ok)
        printf(say(p->inv, W_gwc_files_before_broken_pull), build, m->n, p->linked, p->resumed, p->fetched,
               (double)p->fetched_bytes / 1048576);
    odp_arena_release(&a);
    return ok ? EXIT_CLEAN : machine_failed(p->inv);
}

/* ---- the command ---- */

static int pull_once(struct pull *p)
{
    struct pull_manifest m;
    pull_manifest_init(&m);
    p->stale = false;
    p->linked = p->resumed = p->fetched = 0;
    p->fetched_bytes = 0;
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
    if (code != EXIT_CLEAN && p->stale)
        p->stale = has_changed(p, &m);
    odp_stage_close(p->stage);
    p->stage = NULL;
    pull_manifest_release(&m);
    return code;
}

static int pull(struct invocation *inv, const char *url)
{
    const struct odp_download_rules rules = {.protocols = "http,https,file",
                                             .redirects = "http,https",
                                             .agent = "odp-gateway/" ODP_VERSION,
                                             .parallel = (unsigned)inv->jobs,
                                             .tries = TRIES,
                                             .stops = true};
    struct pull p = {.inv = inv, .url = url, .downloader = odp_downloader_new(&rules)};
    if (p.downloader == NULL)
        return complain(EXIT_MACHINE, "%s", curl_words(inv));
    (void)snprintf(p.out, sizeof p.out, "%.2000s", inv->to);
    for (size_t n = strlen(p.out); n > 1 && p.out[n - 1] == '/'; n--)
        p.out[n - 1] = '\0';
    (void)snprintf(p.pool, sizeof p.pool, "%.2000s.builds/.pull", p.out);
    int code = odp_diags_new(&p.diags, 4) == ODP_OK ? pull_once(&p) : machine_failed(inv);
    for (int round = 1; code != EXIT_CLEAN && p.stale && round < ROUNDS; round++) {
        complain(0, "%s", say(inv, W_gwc_source_just_switched_another));
        odp_failure_clear();
        odp_diags_clear(p.diags);
        code = pull_once(&p);
    }
    odp_diags_free(p.diags);
    odp_downloader_free(p.downloader);
    return code;
}

static int run_pull(struct invocation *inv)
{
    const char *url = inv->line.words[0];
    if (inv->to == NULL)
        return complain(EXIT_USAGE, "%s", say(inv, W_gwc_pull_needs_dir));
    if (strncmp(url, "https://", 8) != 0 && strncmp(url, "http://", 7) != 0 &&
        strncmp(url, "file:///", 8) != 0)
        return complain(EXIT_USAGE, say(inv, W_gwc_write_https_http_file), url);
    if (inv->jobs < 1 || inv->keep < 1)
        return complain(EXIT_USAGE, "%s", say(inv, W_gwc_jobs_keep_least_1));
    return pull(inv, url);
}

const struct command command_pull = {"pull", "URL --to DIR", {{W_gwc_fetch_published_site_check}}, run_pull};
