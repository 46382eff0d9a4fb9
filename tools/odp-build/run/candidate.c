/* Candidates: new versions that wait for approval, where portal.json asks for it. OUT.candidates/<slug>/
 * holds the files as they would be published, and candidate.json:
 * {"dataset","version","date","digest","rows","changes":[…]}. Nobody is served from there. */
#include "run/build_internal.h"

#include "base/json_load.h"
#include "published/stage.h"
#include "site/versions/names.h"

static enum odp_status link_files(struct build *b, const struct odp_dataset *d, const char *folder)
{
    const struct part *part = &b->parts[odp_build_index(b, d)];
    struct odp_arena *a = b->run.arena;
    const char *prefix = odp_arena_printf(a, "data/%s/%s/", d->slug, part->version);
    size_t n;
    const struct odp_site_file *files = odp_stage_below(b->run.stage, prefix, a, &n);
    for (size_t i = 0; i < n; i++) {
        char *to = odp_path_join(a, folder, files[i].path + strlen(prefix));
        const char *from = odp_stage_place(b->run.stage, files[i].path, a);
        char *slash = strrchr(to, '/');
        if (slash == NULL || from == NULL)
            return ODP_FAIL;
        *slash = '\0';
        enum odp_status status = odp_dir_make(to);
        *slash = '/';
        if (status != ODP_OK || odp_file_link(from, to) != ODP_OK)
            return ODP_FAIL;
    }
    return ODP_OK;
}

static enum odp_status put_description(struct build *b, const struct odp_dataset *d, const char *folder,
                                       json_t *changes_take)
{
    const struct part *part = &b->parts[odp_build_index(b, d)];
    char digest[8 + ODP_SHA256_HEX] = "sha256:";
    const uint64_t rows = b->run.tasks[d->resources[0].index].rows;
    odp_digest_hex(part->digest, digest + 7);
    json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:I, s:o}", "dataset", d->slug, "version", part->version,
                          "date", part->date, "digest", digest, "rows", (json_int_t)rows, "changes",
                          changes_take != NULL ? changes_take : json_null());
    char *text = json_dumps(o, JSON_INDENT(2));
    const char *path = odp_path_join(b->run.arena, folder, "candidate.json");
    enum odp_status status = text != NULL ? odp_file_put(path, odp_slice_of(text), 0644, NULL) : ODP_FAIL;
    odp_json_free_text(text);
    json_decref(o);
    return status;
}

enum odp_status odp_build_candidate(struct build *b, const struct odp_dataset *d)
{
    struct part *part = &b->parts[odp_build_index(b, d)];
    struct odp_arena *a = b->run.arena;
    struct odp_published_resource *resources = odp_arena_zero(a, d->nresources + 1, sizeof *resources);
    const char *folder = odp_arena_printf(a, "%s.candidates/%s", b->run.options->out, d->slug);
    json_t *changes = NULL;
    for (size_t k = 0; k < d->nresources; k++)
        resources[k] = b->run.tasks[d->resources[k].index].published;
    const struct odp_published p = {
        .dataset = d, .version = part->version, .date = part->date, .resources = resources};
    enum odp_status status = odp_release_schemas(b->run.stage, &p);
    if (status == ODP_OK)
        status = odp_build_changes(b, d, &changes);
    if (status == ODP_OK)
        status = odp_dir_remove(folder);
    if (status == ODP_OK)
        status = odp_dir_make(folder);
    if (status == ODP_OK)
        status = link_files(b, d, folder);
    if (status == ODP_OK)
        status = put_description(b, d, folder, changes);
    else
        json_decref(changes);
    if (status == ODP_OK)
        status = odp_stage_sync(b->run.stage);
    if (status == ODP_OK && odp_build_complain(b, ODP_V15, d, part->version, folder, d->slug) == ODP_FAIL)
        status = ODP_FAIL;
    return status == ODP_OK ? odp_build_hold(b, d, NULL) : status;
}
