/* Any bytes as the manifest that `odp-gateway pull` has fetched. The first byte, if it is 1 or 2, chooses
 * smaller limits. What is taken names only places within the site, each once, no more than was allowed, and
 * the reader of a build's own sites takes the same files where it takes it at all. */
#include <stdio.h>

#include "command/pull/manifest.h"
#include "fuzz.h"
#include "published/stage.h"

/* PATH below /situs stays below it, however a file system reads it. */
static void check_path(const char *path)
{
    int depth = 0;
    NEED(*path != '/' && strlen(path) <= 1000 && strcmp(path, "manifest.json") != 0);
    for (const char *p = path; *p != '\0';) {
        size_t n = strcspn(p, "/");
        NEED(n > 0 && !(n == 1 && p[0] == '.') && !(n == 2 && p[0] == '.' && p[1] == '.'));
        depth++;
        p += n;
        NEED(*p == '\0' || p[1] != '\0');
        p += *p == '/';
    }
    NEED(depth >= 1);
}

static void check(const struct pull_manifest *m, uint64_t max_file, uint64_t max_site)
{
    uint64_t sum = 0;
    bool control = false, gateway = false;
    for (size_t i = 0; i < m->n; i++) {
        const struct odp_site_file *f = &m->files[i];
        check_path(f->path);
        NEED(f->media_type != NULL && f->cls <= ODP_CLASS_INTERNAL);
        NEED(f->size <= max_file && sum + f->size >= sum);
        NEED(i == 0 || strcmp(f[-1].path, f->path) < 0);
        sum += f->size;
        control = control || strcmp(f->path, "control") == 0;
        gateway = gateway || strcmp(f->path, "gateway.json") == 0;
    }
    NEED(sum == m->bytes && sum <= max_site && control && gateway);
}

/* The same manifest as a site of one's own. */
static void compare(const struct pull_manifest *m)
{
    struct odp_site *site = NULL;
    struct odp_diags *diags = fuzz_diags();
    size_t n;
    (void)fuzz_folder("tarik");
    fuzz_write(fuzz_path("tarik/manifest.json"), odp_buffer_slice(&m->text));
    enum odp_status status = odp_site_open(&site, fuzz_path("tarik"), diags);
    NEED(status != ODP_FAIL);
    const struct odp_site_file *files = status == ODP_OK ? odp_site_files(site, &n) : NULL;
    NEED(files == NULL || n == m->n);
    for (size_t i = 0; files != NULL && i < n; i++) {
        const struct odp_site_file *a = &files[i], *b = &m->files[i];
        NEED(strcmp(a->path, b->path) == 0 && a->size == b->size && a->cls == b->cls &&
             memcmp(a->sha256, b->sha256, sizeof a->sha256) == 0);
    }
    NEED(files == NULL || memcmp(odp_site_digest(site), m->sha256, ODP_SHA256_SIZE) == 0);
    odp_site_close(site);
    odp_diags_free(diags);
}

void fuzz_one(struct odp_slice in)
{
    static const struct {
        uint64_t file, site;
    } limits[] = {{INT64_MAX, INT64_MAX}, {1000, 2000}, {0, 0}};
    unsigned which = fuzz_choice(&in, 2);
    struct pull_manifest m;
    char why[200] = "";
    pull_manifest_init(&m);
    odp_buffer_add_slice(&m.text, in);
    enum odp_status status = pull_manifest_parse(&m, limits[which].file, limits[which].site, why);
    NEED(status == ODP_OK || (status == ODP_BAD && why[0] != '\0' && memchr(why, '\0', sizeof why) != NULL));
    if (status == ODP_OK) {
        check(&m, limits[which].file, limits[which].site);
        compare(&m);
    }
    pull_manifest_release(&m);
}
