/* The site at the other end, as far as its manifest tells; and what is reported of both. */
#include "publish/publish_internal.h"

#include "base/json_load.h"

enum { MANIFEST_MAX = 1 << 29 };

enum odp_status publish_complain(struct odp_diags *diags, enum odp_code code, const char *file,
                                 const char *arg0, const char *arg1, const char *arg2)
{
    struct odp_diag d = {
        .code = code, .file = file, .args = {odp_slice_of(arg0), odp_slice_of(arg1), odp_slice_of(arg2)}};
    return odp_diags_refuse(diags, &d);
}

enum odp_status publish_failed(struct odp_diags *diags, const struct odp_remote *r)
{
    return publish_complain(diags, ODP_V41, odp_remote_shown(r), odp_remote_fault(r), NULL, NULL);
}

/* OK; BAD: not a manifest. */
static enum odp_status read_files(struct their_site *t, struct odp_arena *a)
{
    t->json = odp_json_load(t->text.ptr, t->text.len, JSON_REJECT_DUPLICATES, NULL);
    return odp_site_files_read(t->json, &t->files, &t->n, a);
}

enum odp_status their_site_read(struct their_site *t, struct odp_remote *r, struct odp_arena *a,
                                struct odp_diags *diags)
{
    *t = (struct their_site){.present = false};
    enum odp_status status = odp_remote_read(r, "manifest.json", MANIFEST_MAX, &t->text);
    if (status == ODP_BAD)
        return publish_failed(diags, r);
    if (status == ODP_OK)
        status = odp_digest_of(t->text.ptr, t->text.len, t->digest);
    if (status == ODP_OK && (status = read_files(t, a)) == ODP_BAD) {
        t->n = 0;
        return publish_complain(diags, ODP_V49, odp_remote_shown(r), odp_remote_shown(r), NULL, NULL);
    }
    t->present = status == ODP_OK;
    return status;
}

void their_site_release(struct their_site *t)
{
    odp_buffer_release(&t->text);
    json_decref(t->json);
    t->json = NULL;
}

const struct odp_site_file *their_site_find(const struct their_site *t, const char *path)
{
    return odp_site_files_find(t->files, t->n, path);
}

enum odp_status publish_still_theirs(struct publish *p, bool *same)
{
    struct their_site now;
    enum odp_status status = their_site_read(&now, p->remote, p->a, p->diags);
    *same = now.present == p->theirs.present &&
            (!now.present || memcmp(now.digest, p->theirs.digest, sizeof now.digest) == 0);
    their_site_release(&now);
    return status == ODP_DONE ? ODP_OK : status;
}
