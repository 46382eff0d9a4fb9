/* A lost OUT made again from a published site.
 *
 *   1. manifest and signature are read; with keys given, the signature must be by one of them
 *   2. OUT.builds is locked; what is fetched goes to OUT.builds/.restore/, checked file by file, and stays
 * there if this run ends early
 *   3. what is public must all be there; what is keyed or internal may be out of reach (a CDN does not have
 * it, a gateway does not give it): the site is then sparse, and <build>.remote says where it came from
 *   4. stage and switch, as a build does
 *
 * Of what may be out of reach one file of each class is asked for first. What OUT and an earlier try have is
 * used where its digest fits. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "publish/publish_internal.h"
#include "publish/sign/keys.h"
#include "published/builds_history.h"

enum { SIGNATURE_MAX = 1 << 16 };

struct restore {
    const struct odp_restore_options *o;
    struct odp_restored *done;
    struct odp_arena *a;
    struct odp_diags *diags;
    struct odp_remote *remote;
    struct their_site theirs;
    struct odp_buffer signature;
    struct odp_stage *stage;
    const char *inbox;       /* OUT.builds/.restore */
    struct odp_site *before; /* what OUT leads to; NULL: nothing that can be read */
    const char **from;       /* by file: where its bytes are; NULL: not here */
    bool *absent;            /* by file: not to be had */
};

/* ---- what is there ---- */

static enum odp_status open_source(struct restore *r)
{
    enum odp_status status = odp_remote_open(&r->remote, r->o->from);
    if (r->remote != NULL)
        r->done->shown = odp_arena_str(r->a, odp_remote_shown(r->remote));
    if (status == ODP_BAD)
        return publish_failed(r->diags, r->remote);
    if (status == ODP_OK)
        status = their_site_read(&r->theirs, r->remote, r->a, r->diags);
    if (status == ODP_DONE)
        return publish_complain(r->diags, ODP_V49, r->done->shown, r->done->shown, NULL, NULL);
    if (status != ODP_OK)
        return status;
    status = odp_remote_read(r->remote, "manifest.json.minisig", SIGNATURE_MAX, &r->signature);
    if (status == ODP_BAD)
        return publish_failed(r->diags, r->remote);
    return status == ODP_DONE ? ODP_OK : status;
}

/* The keys that may sign, led from those that are trusted through the site's rotations; without such a
 * document, those themselves. */
static enum odp_status signing_keys(struct restore *r, struct odp_signers *s)
{
    struct odp_buffer text = {0};
    struct odp_site_keys ring = {0};
    struct odp_text why = {{"", ""}};
    enum odp_status status = odp_remote_read(r->remote, ODP_KEYS_SITE_PATH, ODP_KEYS_MAX, &text);
    if (status == ODP_BAD)
        status = publish_failed(r->diags, r->remote);
    else if (status == ODP_OK && (status = odp_site_keys_read(&ring, odp_buffer_slice(&text), s->keys,
                                                              s->nkeys, r->a, &why)) == ODP_BAD)
        status =
            publish_complain(r->diags, ODP_V52, r->done->shown, odp_text_get(&why, ODP_LANG_EN), NULL, NULL);
    else if (status == ODP_OK)
        *s = (struct odp_signers){.keys = ring.signing, .nkeys = ring.nsigning};
    odp_buffer_release(&text);
    return status == ODP_DONE ? ODP_OK : status;
}

static enum odp_status check_signature(struct restore *r)
{
    struct odp_signers s = {.keys = r->o->keys, .nkeys = r->o->nkeys};
    if (s.nkeys == 0)
        return ODP_OK;
    enum odp_status status = signing_keys(r, &s);
    if (status != ODP_OK)
        return status;
    bool is_signed = r->signature.len > 0;
    status = is_signed
                 ? odp_verify(odp_buffer_slice(&r->theirs.text), odp_buffer_slice(&r->signature), &s, r->a)
                 : ODP_BAD;
    if (status == ODP_BAD)
        return publish_complain(r->diags, ODP_V52, r->done->shown,
                                is_signed ? s.why.in[ODP_LANG_EN] : "manifest.json.minisig", NULL, NULL);
    if (status == ODP_OK)
        r->done->signed_by = odp_arena_str(r->a, odp_key_id(&s.keys[s.which]).text);
    return status;
}

/* ---- fetching ---- */

/* Finds the bytes of file I if they are already here: in the inbox of an earlier try, or in the present site.
 */
static enum odp_status find_here(struct restore *r, size_t i)
{
    const struct odp_site_file *f = &r->theirs.files[i],
                               *old = r->before != NULL ? odp_site_find(r->before, f->path) : NULL;
    const char *places[2] = {odp_path_join(r->a, r->inbox, f->path), NULL};
    if (old != NULL && odp_site_has(r->before, old))
        places[1] = odp_path_join(r->a, odp_site_dir(r->before), f->path);
    for (size_t k = 0; k < 2 && r->from[i] == NULL; k++) {
        if (places[k] == NULL || odp_file_kind_of(places[k]) != ODP_FILE_REGULAR)
            continue;
        enum odp_status status = odp_site_verify(places[k], f);
        if (status == ODP_FAIL)
            return ODP_FAIL;
        if (status == ODP_OK)
            r->from[i] = places[k];
    }
    return ODP_OK;
}

/* Fetches the N files of LIST (indexes). BAD: one came wrong or not at all, for another reason than that it
 * is not there (reported). *MISSING counts those. */
static enum odp_status fetch(struct restore *r, const size_t *list, size_t n, size_t *missing)
{
    struct odp_remote_file *files = odp_arena_zero(r->a, n + 1, sizeof *files);
    *missing = 0;
    for (size_t k = 0; k < n; k++) {
        const struct odp_site_file *f = &r->theirs.files[list[k]];
        files[k] = (struct odp_remote_file){.path = f->path, .size = f->size, .sha256 = f->sha256};
    }
    enum odp_status status = odp_remote_fetch(r->remote, files, n, r->inbox, r->o->progress);
    if (status == ODP_FAIL)
        return status;
    size_t wrong = 0, lost = 0;
    for (size_t k = 0; k < n; k++) {
        const char *place = odp_path_join(r->a, r->inbox, files[k].path);
        bool here = !files[k].missing && !files[k].wrong && odp_file_kind_of(place) == ODP_FILE_REGULAR;
        r->from[list[k]] = here ? place : NULL;
        r->absent[list[k]] = files[k].missing;
        *missing += files[k].missing;
        wrong += files[k].wrong;
        lost += !here && !files[k].missing && !files[k].wrong;
    }
    if (wrong > 0)
        return publish_complain(r->diags, ODP_V51, r->done->shown, odp_remote_fault(r->remote), NULL, NULL);
    if (lost > 0 && *odp_remote_fault(r->remote) ==
                        '\0') /* it came, and cannot be looked at: that is no fault of the other side */
        return odp_failure_set("examine", r->inbox, EIO);
    return lost > 0 ? publish_failed(r->diags, r->remote) : ODP_OK;
}

/* Indexes of the files of class CLS that are not here. */
static size_t *wanted_of(struct restore *r, enum odp_class cls, size_t *n)
{
    size_t *list = odp_arena_array(r->a, r->theirs.n + 1, sizeof *list);
    *n = 0;
    for (size_t i = 0; i < r->theirs.n; i++)
        if (r->theirs.files[i].cls == cls && r->from[i] == NULL)
            list[(*n)++] = i;
    return list;
}

static enum odp_status fetch_public(struct restore *r)
{
    size_t n, missing = 0, *list = wanted_of(r, ODP_CLASS_PUBLIC, &n);
    enum odp_status status = fetch(r, list, n, &missing);
    for (size_t k = 0; k < n && status == ODP_OK && missing > 0; k++)
        if (r->absent[list[k]])
            return publish_complain(r->diags, ODP_V51, r->done->shown, odp_remote_fault(r->remote), NULL,
                                    NULL);
    return status;
}

/* One file first: where that is not given, none of its class will be. */
static enum odp_status fetch_class(struct restore *r, enum odp_class cls, uint64_t *absent)
{
    size_t n, missing = 0, *list = wanted_of(r, cls, &n);
    enum odp_status status = n > 0 ? fetch(r, list, 1, &missing) : ODP_OK;
    if (status == ODP_OK && n > 1 && missing == 0)
        status = fetch(r, list + 1, n - 1, &missing);
    else if (status == ODP_OK && missing > 0)
        for (size_t k = 0; k < n; k++)
            r->absent[list[k]] = true;
    for (size_t k = 0; k < n; k++)
        *absent += r->absent[list[k]];
    return status;
}

/* ---- the site ---- */

static enum odp_status stage_one(struct restore *r, size_t i)
{
    const struct odp_site_file *f = &r->theirs.files[i];
    if (r->from[i] != NULL) {
        r->done->files++;
        r->done->bytes += f->size;
        return odp_stage_link(r->stage, r->from[i], f->path, f);
    }
    odp_stage_add_absent(r->stage, f);
    return ODP_OK;
}

/* The address for <build>.remote: as it was given; a folder by its full name. */
static void note_origin(struct restore *r)
{
    char *real = odp_remote_kind(r->remote) == ODP_REMOTE_FOLDER ? realpath(r->o->from, NULL) : NULL;
    odp_stage_set_origin(r->stage, real != NULL ? real : r->o->from);
    free(real);
}

static enum odp_status stage_all(struct restore *r)
{
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < r->theirs.n && status == ODP_OK; i++)
        status = stage_one(r, i);
    if (r->done->keyed + r->done->internal > 0)
        note_origin(r);
    if (status == ODP_OK)
        status = odp_stage_put(r->stage, "manifest.json", "application/json", ODP_CLASS_PUBLIC,
                               odp_buffer_slice(&r->theirs.text));
    return status == ODP_OK ? publish_stage_signature(r->stage, &r->signature, r->a) : status;
}

static enum odp_status switch_over(struct restore *r)
{
    char from[ODP_SHA256_HEX], to[ODP_SHA256_HEX];
    if (r->before != NULL)
        odp_digest_hex(odp_site_digest(r->before), from);
    odp_digest_hex(r->theirs.digest, to);
    enum odp_status status = odp_stage_switch(r->stage, ODP_KEEP_BUILDS, r->a, &r->done->build);
    if (status == ODP_OK)
        status =
            odp_builds_note(odp_stage_builds(r->stage), "restore", r->before != NULL ? from : NULL, to, NULL);
    return status == ODP_OK ? odp_dir_remove(r->inbox) : status;
}

static enum odp_status warn_absent(struct restore *r)
{
    char keyed[24], internal[24];
    if (r->done->keyed + r->done->internal == 0)
        return ODP_OK;
    (void)snprintf(keyed, sizeof keyed, "%llu", (unsigned long long)r->done->keyed);
    (void)snprintf(internal, sizeof internal, "%llu", (unsigned long long)r->done->internal);
    return publish_complain(r->diags, ODP_V50, r->done->shown, keyed, internal, NULL) == ODP_FAIL ? ODP_FAIL
                                                                                                  : ODP_OK;
}

static enum odp_status run(struct restore *r)
{
    enum odp_status status = open_source(r);
    if (status == ODP_OK)
        status = check_signature(r);
    if (status == ODP_OK)
        status = odp_stage_open(&r->stage, r->o->out, r->diags);
    if (status == ODP_OK)
        status = odp_site_open_quietly(&r->before,
                                       odp_stage_out(r->stage)); /* it spares traffic; damaged, it does not */
    if (status != ODP_OK)
        return status;
    r->inbox = odp_path_join(r->a, odp_stage_builds(r->stage), ".restore");
    r->from = odp_arena_zero(r->a, r->theirs.n + 1, sizeof *r->from);
    r->absent = odp_arena_zero(r->a, r->theirs.n + 1, sizeof *r->absent);
    for (size_t i = 0; i < r->theirs.n && status == ODP_OK; i++)
        status = find_here(r, i);
    if (status == ODP_OK)
        status = fetch_public(r);
    if (status == ODP_OK)
        status = fetch_class(r, ODP_CLASS_KEYED, &r->done->keyed);
    if (status == ODP_OK)
        status = fetch_class(r, ODP_CLASS_INTERNAL, &r->done->internal);
    if (status == ODP_OK)
        status = stage_all(r);
    if (status == ODP_OK)
        status = switch_over(r);
    return status == ODP_OK ? warn_absent(r) : status;
}

enum odp_status odp_restore(struct odp_restored *done, const struct odp_restore_options *o,
                            struct odp_arena *a, struct odp_diags *diags)
{
    struct restore r = {.o = o, .done = done, .a = a, .diags = diags};
    *done = (struct odp_restored){.shown = ""};
    enum odp_status status = run(&r);
    odp_site_close(r.before);
    odp_stage_close(r.stage);
    their_site_release(&r.theirs);
    odp_remote_close(r.remote);
    odp_buffer_release(&r.signature);
    return status;
}
