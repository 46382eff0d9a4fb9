/* Any bytes as the manifest that `odp-gateway pull` has fetched. The first byte, if it is 1 or 2, chooses
 * smaller limits. What is taken names only places within the site, each once, no more than was allowed, and
 * the reader of a build's own sites takes the same files where it takes it at all. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/pull/manifest.h"
#include "fuzz.h"
#include "published/stage.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "fuzz: %s (%s)\n", what, odp_failure_text());
    abort();
}

/* PATH below /situs stays below it, however a file system reads it. */
static void check_path(const char *path)
{
    int depth = 0;
    must(*path != '/' && strlen(path) <= 1000 && strcmp(path, "manifest.json") != 0, path);
    for (const char *p = path; *p != '\0';) {
        size_t n = strcspn(p, "/");
        must(n > 0 && !(n == 1 && p[0] == '.') && !(n == 2 && p[0] == '.' && p[1] == '.'), path);
        depth++;
        p += n;
        must(*p == '\0' || p[1] != '\0', "ends in a slash");
        p += *p == '/';
    }
    must(depth >= 1, path);
}

static void check(const struct pull_manifest *m, uint64_t max_file, uint64_t max_site)
{
    uint64_t sum = 0;
    bool control = false, gateway = false;
    for (size_t i = 0; i < m->n; i++) {
        const struct odp_site_file *f = &m->files[i];
        check_path(f->path);
        must(f->media_type != NULL && f->cls <= ODP_CLASS_INTERNAL, "type and class");
        must(f->size <= max_file && sum + f->size >= sum, "larger than was allowed");
        must(i == 0 || strcmp(f[-1].path, f->path) < 0, "order");
        sum += f->size;
        control = control || strcmp(f->path, "control") == 0;
        gateway = gateway || strcmp(f->path, "gateway.json") == 0;
    }
    must(sum == m->bytes && sum <= max_site && control && gateway, "the whole");
}

/* The same manifest as a site of one's own. */
static void compare(const struct pull_manifest *m)
{
    struct odp_site *site = NULL;
    struct odp_diags *diags = NULL;
    size_t n;
    must(odp_diags_new(&diags, 5) == ODP_OK && odp_dir_make(fuzz_path("tarik")) == ODP_OK, "memory");
    fuzz_write(fuzz_path("tarik/manifest.json"), (const uint8_t *)m->text.ptr, m->text.len);
    enum odp_status status = odp_site_open(&site, fuzz_path("tarik"), diags);
    must(status != ODP_FAIL, "open");
    const struct odp_site_file *files = status == ODP_OK ? odp_site_files(site, &n) : NULL;
    must(files == NULL || n == m->n, "other files");
    for (size_t i = 0; files != NULL && i < n; i++) {
        const struct odp_site_file *a = &files[i], *b = &m->files[i];
        must(strcmp(a->path, b->path) == 0 && a->size == b->size && a->cls == b->cls &&
                 memcmp(a->sha256, b->sha256, sizeof a->sha256) == 0,
             "another file");
    }
    must(files == NULL || memcmp(odp_site_digest(site), m->sha256, ODP_SHA256_SIZE) == 0, "another digest");
    odp_site_close(site);
    odp_diags_free(diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct {
        uint64_t file, site;
    } limits[] = {{INT64_MAX, INT64_MAX}, {1000, 2000}, {0, 0}};
    size_t which = size > 0 && data[0] >= 1 && data[0] <= 2 ? data[0] : 0;
    struct pull_manifest m;
    char why[200] = "";
    pull_manifest_init(&m);
    odp_buffer_add(&m.text, data + (which > 0), size - (which > 0));
    enum odp_status status = pull_manifest_parse(&m, limits[which].file, limits[which].site, why);
    must(status == ODP_OK || (status == ODP_BAD && why[0] != '\0' && memchr(why, '\0', sizeof why) != NULL),
         "parse");
    if (status == ODP_OK) {
        check(&m, limits[which].file, limits[which].site);
        compare(&m);
    }
    pull_manifest_release(&m);
    odp_failure_clear();
    return 0;
}
