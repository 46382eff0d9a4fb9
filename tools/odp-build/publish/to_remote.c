/* To a store of objects, or any server that rclone reaches: plain objects, written in the order of the plan.
 *
 *   1. every file that will go is checked against its digest, before anything is written
 *   2. .odp-publish.json says who publishes
 *   3. what is immutable: no reader sees it yet
 *   4. manifest and .odp-publish.json are read again: somebody else has published meanwhile? Then this is the
 * end, nothing is lost
 *   5. what lies under names that stay; then index and control, signature, manifest
 *   6. what only the old manifest named is removed, then .odp-publish.json
 *
 * Cut off anywhere, the same command goes on: what arrived is skipped. Until 5 readers see the whole old
 * site.
 *
 * On a store without digests an equal size proves nothing: new names that were taken before (`doubtful`) are
 * written in any case. Twins get no Content-Encoding: some stores would unpack them on the way, and restore
 * and verify would get other bytes. */
#include <stdlib.h>

#include "publish/publish_internal.h"

/* ---- our own files ---- */

static enum odp_status check_local(struct publish *p)
{
    enum odp_status worst = ODP_OK;
    uint64_t done = 0;
    for (size_t i = 0; i < p->nitems && worst != ODP_FAIL; i++) {
        const struct odp_site_file *f = p->items[i].file;
        if (f == NULL)
            continue;
        const char *path = odp_path_join(p->a, odp_site_dir(p->site), f->path);
        enum odp_status status = odp_site_verify(path, f);
        if (status == ODP_BAD)
            status = odp_site_file_damaged(p->diags, odp_site_shown(p->site), f);
        worst = status == ODP_OK ? worst : status;
        done += f->size;
        odp_progress_update(p->o->progress, ODP_PHASE_CHECK, f->path, done, p->plan->bytes, 0);
    }
    return worst;
}

/* ---- the lock ---- */

/* Whether the run that left LOCK wanted what we want, from the same beginning. */
static bool goes_on(const struct publish *p, const struct their_lock *ours)
{
    return p->lock != NULL && strcmp(p->lock->target, ours->target) == 0 &&
           strcmp(p->lock->base, ours->base) == 0;
}

/* New names that already exist at the destination, with unknown content. A run that goes on knows them from
 * the one before, which has written whatever else is there now. */
static enum odp_status find_doubtful(struct publish *p, struct their_lock *ours)
{
    struct odp_remote_file *files = odp_arena_zero(p->a, p->nitems + 1, sizeof *files);
    size_t n = 0;
    ours->doubtful = odp_arena_array(p->a, p->nitems + 1, sizeof *ours->doubtful);
    for (size_t i = 0; i < p->nitems; i++)
        if (p->items[i].phase == PUBLISH_IMMUTABLE)
            files[n++].path = p->items[i].path;
    enum odp_status status = odp_remote_look(p->remote, files, n);
    for (size_t i = 0; i < n && status == ODP_OK; i++)
        if (!files[i].missing)
            ours->doubtful[ours->ndoubtful++] = files[i].path;
    return status == ODP_BAD ? publish_failed(p->diags, p->remote) : status;
}

static void mark_doubtful(struct publish *p, struct their_lock *ours)
{
    if (ours->ndoubtful > 1)
        qsort(ours->doubtful, ours->ndoubtful, sizeof *ours->doubtful, odp_by_string);
    for (size_t i = 0; i < p->nitems && ours->ndoubtful > 0; i++)
        if (bsearch(&p->items[i].path, ours->doubtful, ours->ndoubtful, sizeof *ours->doubtful,
                    odp_by_string) != NULL)
            p->items[i].replace = true;
}

static enum odp_status take_lock(struct publish *p, struct their_lock *ours)
{
    odp_digest_hex(odp_site_digest(p->site), ours->target);
    if (p->theirs.present)
        odp_digest_hex(p->theirs.digest, ours->base);
    ours->remove = p->plan->remove;
    ours->nremove = p->plan->nremove;
    enum odp_status status = publish_lock_token(ours->token);
    if (status == ODP_OK && goes_on(p, ours)) {
        ours->doubtful = p->lock->doubtful;
        ours->ndoubtful = p->lock->ndoubtful;
    } else if (status == ODP_OK) {
        status = find_doubtful(p, ours);
    }
    if (status != ODP_OK)
        return status;
    mark_doubtful(p, ours);
    status = publish_lock_write(p->remote, ours);
    return status == ODP_BAD ? publish_failed(p->diags, p->remote) : status;
}

/* The destination is as it was when we began. BAD: somebody else has published, or has begun to. */
static enum odp_status still_ours(struct publish *p, const struct their_lock *ours)
{
    struct their_lock *lock = NULL;
    bool same;
    enum odp_status status = publish_still_theirs(p, &same);
    if (status == ODP_OK)
        status = publish_lock_read(p->remote, &lock, p->a, p->diags);
    if (status != ODP_OK)
        return status;
    bool held = lock != NULL && strcmp(lock->token, ours->token) == 0;
    if (same && held)
        return ODP_OK;
    if (held && (status = publish_drop_lock(p)) != ODP_OK)
        return status;
    return publish_complain(p->diags, ODP_V45, p->plan->shown, p->plan->shown, NULL, NULL);
}

/* ---- writing ---- */

static enum odp_status put_files(struct publish *p, const struct publish_item *items, size_t n)
{
    struct odp_remote_put *puts = odp_arena_zero(p->a, n + 1, sizeof *puts);
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        const struct publish_item *item = &items[i];
        if (item->file == NULL)
            continue;
        puts[count++] =
            (struct odp_remote_put){.from = odp_path_join(p->a, odp_site_dir(p->site), item->path),
                                    .path = item->path,
                                    .size = item->file->size,
                                    .type = item->type,
                                    .cache_control = item->cache_control,
                                    .replace = item->replace};
    }
    enum odp_status status = odp_remote_put(p->remote, puts, count, p->o->progress);
    for (size_t i = 0; i < n && status == ODP_OK; i++)
        if (items[i].file == NULL)
            status = odp_remote_write(p->remote, items[i].path, items[i].bytes, items[i].type,
                                      items[i].cache_control);
    return status == ODP_BAD ? publish_failed(p->diags, p->remote) : status;
}

static enum odp_status put_all(struct publish *p, const struct their_lock *ours)
{
    size_t fresh = 0, current = 0;
    while (fresh < p->nitems && p->items[fresh].phase == PUBLISH_IMMUTABLE)
        fresh++;
    for (current = fresh; current < p->nitems && p->items[current].phase == PUBLISH_CURRENT;)
        current++;
    enum odp_status status = put_files(p, p->items, fresh);
    if (status == ODP_OK)
        status = still_ours(p, ours);
    if (status == ODP_OK)
        status = put_files(p, p->items + fresh, current - fresh);
    if (status == ODP_OK && current > fresh)
        status = still_ours(p, ours);
    /* Index and control are files; then signature and manifest, which are not in the manifest, one after the
     * other. */
    if (status == ODP_OK)
        status = put_files(p, p->items + current, p->nitems - current);
    return status;
}

enum odp_status publish_to_remote(struct publish *p)
{
    struct their_lock ours = {.base = ""};
    enum odp_status status = check_local(p);
    if (status == ODP_OK)
        status = take_lock(p, &ours);
    if (status == ODP_OK)
        status = put_all(p, &ours);
    if (status == ODP_OK && p->plan->nremove > 0) {
        status = odp_remote_delete(p->remote, p->plan->remove, p->plan->nremove);
        if (status == ODP_BAD)
            status = publish_failed(p->diags, p->remote);
    }
    return status == ODP_OK ? publish_drop_lock(p) : status;
}
