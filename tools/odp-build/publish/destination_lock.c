/* .odp-publish.json: who is publishing to a store of objects, and what still has to be done there.
 *
 *   {"token":"<random>","base":"<digest of the manifest that was there>"|null,"target":"<digest of the
 * manifest to come>", "doubtful":[paths],"remove":[paths]}
 *
 * Such stores have no lock; this object is advice. Two who begin in the same instant may both believe that
 * they hold it; therefore it is read again before anything is written that readers see, and the manifest too.
 * What is in it serves a run that was cut off: the next one of the same target goes on where it stopped, and
 * whoever comes after its manifest was written can remove what it did not. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/json.h"
#include "base/json_load.h"
#include "publish/publish_internal.h"

enum { LOCK_MAX = 64 << 20 };

enum odp_status publish_lock_token(char token[33])
{
    unsigned char bytes[16];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return odp_failure_set("random", NULL, errno);
    for (size_t i = 0; i < sizeof bytes; i++)
        (void)snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return ODP_OK;
}

enum odp_status publish_drop_lock(struct publish *p)
{
    static const char *const path[] = {PUBLISH_LOCK};
    enum odp_status status = odp_remote_delete(p->remote, path, 1);
    return status == ODP_BAD ? publish_failed(p->diags, p->remote) : status;
}

static void add_paths(struct odp_buffer *out, const char *name, const char *const *paths, size_t n)
{
    odp_buffer_printf(out, ",\n\"%s\":[", name);
    for (size_t i = 0; i < n; i++)
        odp_json_add_str(out, i > 0 ? ",\n" : "\n", paths[i]);
    odp_buffer_add_char(out, ']');
}

enum odp_status publish_lock_write(struct odp_remote *r, const struct their_lock *lock)
{
    struct odp_buffer out = {0};
    const char *quote = lock->base[0] != '\0' ? "\"" : "";
    odp_buffer_printf(&out, "{\"token\":\"%s\",\n\"base\":%s%s%s,\n\"target\":\"%s\"", lock->token, quote,
                      lock->base[0] != '\0' ? lock->base : "null", quote, lock->target);
    add_paths(&out, "doubtful", lock->doubtful, lock->ndoubtful);
    add_paths(&out, "remove", lock->remove, lock->nremove);
    odp_buffer_add_str(&out, "}\n");
    enum odp_status status = odp_buffer_status(&out);
    if (status == ODP_OK)
        status = odp_remote_write(r, PUBLISH_LOCK, odp_buffer_slice(&out), "application/json", "no-store");
    odp_buffer_release(&out);
    return status;
}

static void take_text(char *to, size_t size, const json_t *value)
{
    const char *s = json_string_value(value);
    if (s != NULL && strlen(s) == size - 1)
        memcpy(to, s, size);
}

/* Those of LIST that are paths of a site, in A. */
static void take_paths(const char ***paths, size_t *n, const json_t *list, struct odp_arena *a)
{
    *paths = odp_arena_array(a, json_array_size(list) + 1, sizeof **paths);
    *n = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *s = json_string_value(json_array_get(list, i));
        if (odp_site_path_ok(s))
            (*paths)[(*n)++] = odp_arena_str(a, s);
    }
}

enum odp_status publish_lock_read(struct odp_remote *r, struct their_lock **lock, struct odp_arena *a,
                                  struct odp_diags *diags)
{
    struct odp_buffer text = {0};
    *lock = NULL;
    enum odp_status status = odp_remote_read(r, PUBLISH_LOCK, LOCK_MAX, &text);
    if (status == ODP_OK) {
        json_t *json = odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, NULL);
        struct their_lock *l = odp_arena_zero(a, 1, sizeof *l);
        take_text(l->token, sizeof l->token, json_object_get(json, "token"));
        take_text(l->base, sizeof l->base, json_object_get(json, "base"));
        take_text(l->target, sizeof l->target, json_object_get(json, "target"));
        take_paths(&l->remove, &l->nremove, json_object_get(json, "remove"), a);
        take_paths(&l->doubtful, &l->ndoubtful, json_object_get(json, "doubtful"), a);
        json_decref(json);
        *lock = l;
    }
    odp_buffer_release(&text);
    if (status == ODP_BAD)
        return publish_failed(diags, r);
    return status == ODP_DONE ? ODP_OK : status;
}
