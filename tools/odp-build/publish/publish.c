/* Publishing: a finished site goes to a folder or to any store that rclone reaches.
 *
 * Both sides are known by their manifests. Refused is what would lose something there: a destination that
 * ours was not made from, that holds versions ours lacks, or on which somebody else is at work. Nothing is
 * removed that no manifest of the destination named. */
#include "publish/publish_internal.h"

enum { MANIFEST_MAX = 1 << 29, SIGNATURE_MAX = 1 << 16 };

/* ---- our side ---- */

static enum odp_status read_beside(struct publish *p, const char *name, size_t max, struct odp_buffer *out,
                                   bool needed)
{
    const char *path = odp_path_join(p->a, odp_site_dir(p->site), name);
    if (!needed && odp_file_kind_of(path) == ODP_FILE_NONE)
        return ODP_OK;
    enum odp_status status = odp_file_read(path, max, out, NULL);
    return status == ODP_BAD ? odp_site_complain(p->diags, odp_site_shown(p->site), name, "") : status;
}

static enum odp_status open_ours(struct publish *p)
{
    uint8_t digest[ODP_SHA256_SIZE];
    enum odp_status status = ODP_DONE;
    if (odp_remote_kind_of(p->o->site) == ODP_REMOTE_FOLDER)
        status = odp_site_open(&p->site, p->o->site, p->diags);
    if (status == ODP_DONE)
        return publish_complain(p->diags, ODP_V48, p->o->site, p->o->site, NULL, NULL);
    if (status == ODP_OK)
        status = read_beside(p, "manifest.json", MANIFEST_MAX, &p->manifest, true);
    if (status == ODP_OK)
        status = read_beside(p, "manifest.json.minisig", SIGNATURE_MAX, &p->signature, false);
    if (status == ODP_OK)
        status = odp_digest_of(p->manifest.ptr, p->manifest.len, digest);
    if (status == ODP_OK && memcmp(digest, odp_site_digest(p->site), sizeof digest) != 0)
        status = odp_site_complain(p->diags, p->o->site, "manifest.json", "");
    return status;
}

/* ---- their side ---- */

static enum odp_status open_theirs(struct publish *p)
{
    enum odp_status status = odp_remote_open(&p->remote, p->o->destination);
    if (p->remote != NULL)
        p->plan->shown = odp_arena_str(p->a, odp_remote_shown(p->remote));
    if (status == ODP_BAD)
        return publish_failed(p->diags, p->remote);
    if (status == ODP_OK && odp_remote_kind(p->remote) == ODP_REMOTE_URL)
        return publish_complain(p->diags, ODP_V46, p->plan->shown, p->plan->shown, NULL, NULL);
    if (status == ODP_OK)
        status = their_site_read(&p->theirs, p->remote, p->a, p->diags);
    return status == ODP_DONE ? ODP_OK : status;
}

/* What no manifest tells. control goes last of what is internal: where it is missing, the destination has
 * only what is public.
 */
static enum odp_status look_around(struct publish *p)
{
    struct odp_remote_file files[] = {
        {.path = "control"}, {.path = "manifest.json.minisig"}, {.path = PUBLISH_LOCK}};
    enum odp_status status = odp_remote_look(p->remote, files, ODP_COUNT(files));
    p->theirs.public_only = p->theirs.present && files[0].missing;
    p->theirs.is_signed = p->theirs.present && !files[1].missing;
    p->theirs.is_locked = !files[2].missing;
    return status == ODP_BAD ? publish_failed(p->diags, p->remote) : status;
}

/* Somebody is publishing there, or was cut off. Another run of the same site may go on, and one that had come
 * to its manifest has only something left to remove; the work of others must not be disturbed. */
static enum odp_status check_lock(struct publish *p)
{
    char ours[ODP_SHA256_HEX], theirs[ODP_SHA256_HEX] = "";
    if (odp_remote_kind(p->remote) != ODP_REMOTE_RCLONE || !p->theirs.is_locked)
        return ODP_OK;
    enum odp_status status = publish_lock_read(p->remote, &p->lock, p->a, p->diags);
    if (status != ODP_OK || p->lock == NULL)
        return status;
    odp_digest_hex(odp_site_digest(p->site), ours);
    if (p->theirs.present)
        odp_digest_hex(p->theirs.digest, theirs);
    if (strcmp(p->lock->target, ours) == 0 || (theirs[0] != '\0' && strcmp(p->lock->target, theirs) == 0))
        return ODP_OK;
    const char *shown = p->plan->shown;
    bool bare = shown[0] != '\0' && (shown[strlen(shown) - 1] == ':' || shown[strlen(shown) - 1] == '/');
    const char *place = odp_arena_printf(p->a, "%s%s%s", shown, bare ? "" : "/", PUBLISH_LOCK);
    return publish_complain(p->diags, ODP_V44, shown, shown, place, NULL);
}

/* ---- together ---- */

/* Nothing to do but what a run that had switched was about to do: to take away its note, and what was
 * withdrawn. */
static enum odp_status tidy(struct publish *p)
{
    if (p->o->dry_run)
        return ODP_OK;
    if (odp_remote_kind(p->remote) == ODP_REMOTE_FOLDER)
        return publish_folder_tidy(p);
    return p->lock != NULL ? publish_drop_lock(p) : ODP_OK;
}

static enum odp_status run(struct publish *p)
{
    enum odp_status status = publish_may(p);
    if (status == ODP_OK)
        status = look_around(p);
    if (status == ODP_OK)
        status = check_lock(p);
    if (status == ODP_OK)
        status = publish_make_plan(p);
    if (status != ODP_OK)
        return status;
    if (p->plan->up_to_date)
        return tidy(p);
    if (p->o->dry_run)
        return ODP_OK;
    return odp_remote_kind(p->remote) == ODP_REMOTE_FOLDER ? publish_to_folder(p) : publish_to_remote(p);
}

enum odp_status odp_publish(struct odp_publish_plan *plan, const struct odp_publish_options *o,
                            struct odp_arena *a, struct odp_diags *diags)
{
    struct publish p = {.o = o, .plan = plan, .a = a, .diags = diags};
    *plan = (struct odp_publish_plan){.shown = ""};
    enum odp_status status = open_ours(&p);
    if (status == ODP_OK)
        status = open_theirs(&p);
    if (status == ODP_OK)
        status = run(&p);
    their_site_release(&p.theirs);
    odp_remote_close(p.remote);
    odp_site_close(p.site);
    odp_buffer_release(&p.manifest);
    odp_buffer_release(&p.signature);
    odp_buffer_release(&p.control);
    return status;
}
