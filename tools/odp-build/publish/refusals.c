/* Whether our site may take the place of theirs: it must have been made from it, and lack none of its
 * versions. */

#include "publish/publish_internal.h"
#include "base/json_load.h"
#include "base/line.h"
#include "published/release_log.h"

/* ---- descent ---- */

/* Our release log, checked; empty where the site has none. */
static enum odp_status read_log(struct publish *p, struct odp_buffer *out)
{
    const struct odp_site_file *f = odp_site_find(p->site, "releases.log");
    uint64_t line = 0;
    enum odp_status status = f != NULL ? odp_site_read(p->site, f, out, p->diags) : ODP_OK;
    if (status != ODP_OK)
        return status;
    status = odp_log_check(odp_buffer_slice(out), &line);
    return status == ODP_BAD ? odp_site_complain(p->diags, odp_site_shown(p->site), "releases.log", "")
                             : status;
}

static enum odp_status check_descent(struct publish *p, struct odp_slice log)
{
    if (odp_log_descends(log, p->theirs.digest))
        return ODP_OK;
    return publish_complain(p->diags, ODP_V42, odp_site_shown(p->site), p->plan->shown, NULL, NULL);
}

/* ---- versions ---- */

/* Of "data/<slug>/<version>/…" both parts; false for other paths and for latest/. */
static bool version_of(const char *path, struct odp_slice *slug, struct odp_slice *version)
{
    if (strncmp(path, "data/", 5) != 0)
        return false;
    const char *first = strchr(path + 5, '/'), *second = first != NULL ? strchr(first + 1, '/') : NULL;
    if (second == NULL)
        return false;
    *slug = (struct odp_slice){path + 5, (size_t)(first - path) - 5};
    *version = (struct odp_slice){first + 1, (size_t)(second - first) - 1};
    return !odp_slice_is(*version, "latest");
}

/* Whether one of our files is below PREFIX. */
static bool has_files(const struct odp_site *site, const char *prefix)
{
    size_t n, low = 0, len = strlen(prefix);
    const struct odp_site_file *files = odp_site_files(site, &n);
    for (size_t high = n; low < high;) {
        size_t mid = low + (high - low) / 2;
        if (strcmp(files[mid].path, prefix) < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return low < n && strncmp(files[low].path, prefix, len) == 0;
}

/* Whether our log says that the version (or its dataset) has gone. */
static bool log_tells(struct odp_slice log, const char *slug, const char *version)
{
    bool told = false;
    while (log.len > 0 && !told) {
        struct odp_slice text = odp_line_next(&log);
        json_t *line = odp_json_load(text.ptr, text.len, 0, NULL);
        const json_t *changes = json_object_get(line, "changes");
        for (size_t i = 0; i < json_array_size(changes) && !told; i++) {
            const json_t *c = json_array_get(changes, i);
            const char *d = odp_json_text(c, "dataset"), *v = odp_json_text(c, "version");
            const char *what = odp_json_text(c, "what");
            if (d == NULL || what == NULL || strcmp(d, slug) != 0)
                continue;
            told = strcmp(what, "removed") == 0 ||
                   ((strcmp(what, "withdrawn") == 0 || strcmp(what, "thinned") == 0) &&
                    (v == NULL || strcmp(v, version) == 0));
        }
        json_decref(line);
    }
    return told;
}

struct lacking {
    struct publish *p;
    struct odp_slice log;
    const char *slug; /* whose history is open */
    struct odp_history history;
    bool open;
};

static void close_history(struct lacking *l)
{
    if (l->open)
        odp_history_release(&l->history);
    l->open = false;
}

/* One of their versions: ours too, or known to have gone. BAD: neither (reported). */
static enum odp_status check_version(struct lacking *l, const char *slug, const char *version)
{
    struct publish *p = l->p;
    const char *folder = odp_arena_printf(p->a, "data/%s/%s/", slug, version);
    if (has_files(p->site, folder))
        return ODP_OK;
    if (!l->open || strcmp(l->slug, slug) != 0) {
        close_history(l);
        l->slug = slug;
        enum odp_status status = odp_history_read(&l->history, p->site, slug, p->a, p->diags);
        l->open = true;
        if (status == ODP_BAD || status == ODP_FAIL)
            return status;
    }
    const struct odp_version *v = odp_history_find(&l->history, version);
    if ((v != NULL && v->state != ODP_VERSION_PUBLISHED) || log_tells(l->log, slug, version))
        return ODP_OK;
    return publish_complain(p->diags, ODP_V43, odp_site_shown(p->site), p->plan->shown, slug, version);
}

static enum odp_status check_versions(struct publish *p, struct odp_slice log)
{
    struct lacking l = {.p = p, .log = log};
    struct odp_slice slug = {NULL, 0}, version = {NULL, 0}, s, v;
    enum odp_status worst = ODP_OK;
    for (size_t i = 0; i < p->theirs.n && worst != ODP_FAIL; i++) {
        if (!version_of(p->theirs.files[i].path, &s, &v) ||
            (odp_slice_eq(s, slug) && odp_slice_eq(v, version)))
            continue;
        slug = s;
        version = v;
        enum odp_status status = check_version(&l, odp_arena_copy(p->a, s).ptr, odp_arena_copy(p->a, v).ptr);
        worst = status == ODP_OK ? worst : status; /* goes on: every version is named */
    }
    close_history(&l);
    return worst;
}

enum odp_status publish_may(struct publish *p)
{
    struct odp_buffer log = {0};
    if (!p->theirs.present)
        return p->o->first ? ODP_OK
                           : publish_complain(p->diags, ODP_V40, p->plan->shown, p->plan->shown, NULL, NULL);
    if (memcmp(p->theirs.digest, odp_site_digest(p->site), ODP_SHA256_SIZE) == 0)
        return ODP_OK;
    enum odp_status status = read_log(p, &log);
    if (status == ODP_OK) {
        status = check_descent(p, odp_buffer_slice(&log));
        enum odp_status versions = status != ODP_FAIL ? check_versions(p, odp_buffer_slice(&log)) : ODP_FAIL;
        status = versions == ODP_OK ? status : versions;
    }
    odp_buffer_release(&log);
    return status;
}
