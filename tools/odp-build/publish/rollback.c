/* Back to an earlier build, and the list of those that are kept.
 *
 *   1. the lock of a build is taken
 *   2. the target is looked at: its manifest fits its name, every file is there with its size, nothing in it
 * was withdrawn since
 *   3. its digest goes to the end of the log, so that it is among the last ones when a build clears up
 *   4. the link is renamed
 *   5. a line in the history says who did it
 *
 * A run that is killed before 4 leaves the site as it was; after it the target is the site.
 *
 * Sizes are looked at and digests are not: readers of a broken site should not wait for gigabytes. */
#include "publish/publish_internal.h"

#include <sys/stat.h>

#include "base/json_load.h"
#include "publish/tombstones.h"
#include "published/builds_history.h"
#include "published/stage.h"

/* ---- the list ---- */

static const char *index_member(const struct odp_site *site, const char *key, struct odp_arena *a)
{
    const char *s = odp_json_text(json_object_get(odp_site_index(site), "meta"), key);
    return odp_arena_str(a, s != NULL ? s : "");
}

static enum odp_status describe(struct odp_build_entry *e, const struct odp_builds *b, struct odp_arena *a)
{
    struct odp_site *site = NULL;
    e->release = e->last_update = e->switched = e->by = "";
    enum odp_status status = odp_site_open_quietly(&site, odp_path_join(a, b->dir, e->digest));
    if (site != NULL) {
        const struct odp_site_file *files = odp_site_files(site, &e->files);
        for (size_t i = 0; i < e->files; i++)
            e->bytes += files[i].size;
        e->release = index_member(site, "release", a);
        e->last_update = index_member(site, "last_update", a);
    }
    e->damaged = status == ODP_OK && site == NULL;
    odp_site_close(site);
    return status;
}

static void enter_events(struct odp_build_entry *list, size_t n, const struct odp_builds_event *events,
                         size_t nevents)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < nevents; k++)
            if (strcmp(events[k].to, list[i].digest) == 0) {
                list[i].switched = events[k].time;
                list[i].by = events[k].by != NULL ? events[k].by : "";
            }
}

static bool contains(const char *const *list, size_t n, const char *s)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i], s) == 0)
            return true;
    return false;
}

enum odp_status odp_builds_list(const char *out, struct odp_build_entry **list, size_t *n,
                                struct odp_arena *a)
{
    struct odp_builds b;
    struct odp_builds_event *events = NULL;
    const char **present = NULL, **log = NULL, *current = NULL;
    size_t npresent = 0, nlog = 0, nevents = 0;
    *n = 0;
    odp_builds_open(&b, out, a);
    enum odp_status status = odp_builds_present(&b, &present, &npresent);
    if (status == ODP_OK)
        status = odp_builds_log(&b, &log, &nlog);
    if (status == ODP_OK)
        status = odp_builds_current(&b, &current);
    if (status == ODP_OK)
        status = odp_builds_events(b.dir, &events, &nevents, a);
    *list = odp_arena_zero(a, npresent + 1, sizeof **list);
    if (status != ODP_OK)
        return ODP_FAIL;
    for (size_t i = nlog; i > 0; i--)
        if (contains(present, npresent, log[i - 1]) && !contains(log + i, nlog - i, log[i - 1]))
            (*list)[(*n)++].digest = log[i - 1];
    for (size_t i = 0; i < npresent; i++)
        if (!contains(log, nlog, present[i]))
            (*list)[(*n)++].digest = present[i];
    for (size_t i = 0; i < *n && status == ODP_OK; i++) {
        (*list)[i].current = current != NULL && strcmp((*list)[i].digest, current) == 0;
        status = describe(&(*list)[i], &b, a);
    }
    enter_events(*list, *n, events, nevents);
    return status;
}

/* ---- which one ---- */

static enum odp_status by_prefix(const struct odp_builds *b, const char *to, const char **digest,
                                 struct odp_diags *diags)
{
    const char **present;
    size_t n, found = 0;
    enum odp_status status = odp_builds_present(b, &present, &n);
    *digest = NULL;
    for (size_t i = 0; i < n && status == ODP_OK; i++)
        if (strncmp(present[i], to, strlen(to)) == 0) {
            *digest = present[i];
            found++;
        }
    if (status == ODP_OK && found != 1)
        status = publish_complain(diags, found == 0 ? ODP_V80 : ODP_V82, b->out, to, NULL, NULL);
    return status;
}

/* The build that CURRENT took the place of when it was made; where the history does not know, the one before
 * it in the log. So going back twice goes back by two. */
static enum odp_status one_before(const struct odp_builds *b, const char *current, const char **digest,
                                  struct odp_diags *diags)
{
    struct odp_builds_event *events = NULL;
    const char **log = NULL, **present = NULL;
    size_t nevents = 0, nlog = 0, npresent = 0;
    *digest = NULL;
    enum odp_status status = odp_builds_events(b->dir, &events, &nevents, b->arena);
    if (status == ODP_OK)
        status = odp_builds_log(b, &log, &nlog);
    if (status == ODP_OK)
        status = odp_builds_present(b, &present, &npresent);
    if (status != ODP_OK)
        return status;
    bool known = false;
    for (size_t i = nevents; i > 0 && current != NULL && !known; i--) {
        const struct odp_builds_event *e = &events[i - 1];
        known = strcmp(e->to, current) == 0 && strcmp(e->action, "rollback") != 0 &&
                (e->from == NULL || strcmp(e->from, e->to) != 0);
        if (known)
            *digest = e->from;
    }
    for (size_t i = nlog; i > 0 && !known && *digest == NULL; i--)
        if ((current == NULL || strcmp(log[i - 1], current) != 0) && contains(present, npresent, log[i - 1]))
            *digest = log[i - 1];
    if (*digest != NULL && contains(present, npresent, *digest))
        return ODP_OK;
    return publish_complain(diags, ODP_V81, b->out, NULL, NULL, NULL);
}

/* ---- whether it can be trusted ---- */

/* Sizes only: the digests of gigabytes would keep the readers of a broken site waiting. `verify` reads
 * everything. */
static enum odp_status check_files(const struct odp_site *site, struct odp_diags *diags)
{
    struct odp_arena arena = {0};
    size_t n;
    const struct odp_site_file *files = odp_site_files(site, &n);
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < n && status == ODP_OK; i++) {
        struct stat st;
        if (!odp_site_has(site, &files[i]))
            continue;
        const char *path = odp_path_join(&arena, odp_site_dir(site), files[i].path);
        const char *expected = odp_arena_printf(&arena, "%llu byte", (unsigned long long)files[i].size);
        if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode) || (uint64_t)st.st_size != files[i].size)
            status = odp_site_complain(diags, odp_site_shown(site), files[i].path, expected);
        odp_arena_reset(&arena);
    }
    odp_arena_release(&arena);
    return status;
}

static enum odp_status check_withdrawn(const struct odp_builds *b, const struct odp_site *site,
                                       struct odp_diags *diags)
{
    struct tombstones all = {.arena = b->arena};
    const struct tombstone *held = NULL;
    enum odp_status status = tombstones_add_builds(&all, b);
    if (status == ODP_OK)
        status = tombstones_held(&all, site, &held, diags);
    if (status == ODP_OK && held != NULL)
        status = publish_complain(diags, ODP_V83, b->out, held->slug, held->version, held->reason);
    return status;
}

static enum odp_status check_target(const struct odp_builds *b, const char *path, struct odp_diags *diags)
{
    struct odp_site *site = NULL;
    enum odp_status status = odp_site_open(&site, path, diags);
    if (status == ODP_DONE)
        status = odp_site_complain(diags, path, "manifest.json", "");
    if (status == ODP_OK)
        status = check_files(site, diags);
    if (status == ODP_OK)
        status = check_withdrawn(b, site, diags);
    odp_site_close(site);
    return status;
}

/* ---- the switch ---- */

static enum odp_status go_back(struct odp_builds *b, const char *to, const char *who, const char **build,
                               struct odp_diags *diags)
{
    const char *current = NULL, *target = NULL;
    enum odp_status status = odp_builds_current(b, &current);
    if (status == ODP_OK)
        status = to != NULL ? by_prefix(b, to, &target, diags) : one_before(b, current, &target, diags);
    *build = status == ODP_OK ? odp_path_join(b->arena, b->dir, target) : NULL;
    if (status != ODP_OK)
        return status;
    if (current != NULL && strcmp(current, target) == 0) {
        /* A run that was killed before its rename may have left another one at the log's end. */
        if (publish_complain(diags, ODP_V88, b->out, target, NULL, NULL) == ODP_FAIL ||
            odp_builds_log_move(b, target) != ODP_OK)
            return ODP_FAIL;
        return ODP_DONE;
    }
    status = check_target(b, *build, diags);
    if (status == ODP_OK)
        status = odp_builds_log_move(b, target);
    if (status == ODP_OK)
        status = odp_builds_point(b, target);
    if (status == ODP_OK)
        status = odp_builds_note(b->dir, "rollback", current, target, who);
    return status;
}

enum odp_status odp_rollback(const char *out, const char *to, const char *who, struct odp_arena *a,
                             const char **build, struct odp_diags *diags)
{
    struct odp_builds b;
    *build = NULL;
    odp_builds_open(&b, out, a);
    if (odp_file_kind_of(b.dir) != ODP_FILE_FOLDER)
        return publish_complain(diags, ODP_V89, b.out, b.out, NULL, NULL);
    enum odp_status status = odp_builds_lock(&b, diags);
    if (status == ODP_OK)
        status = odp_withdraw_recover(b.out, diags);
    if (status == ODP_OK)
        status = go_back(&b, to, who, build, diags);
    odp_builds_close(&b);
    return status;
}
