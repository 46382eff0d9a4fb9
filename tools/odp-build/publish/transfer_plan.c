/* What is to be written, removed and purged, and in which order. Nothing is written here.
 *
 * What is immutable comes first: names that nobody knows yet. Then what lies under names that stay. At the
 * very end the index, control, signature and manifest, one by one: whoever reads the manifest finds all it
 * names. Removal comes after that: what only the old manifest named. */
#include <stdlib.h>

#include "publish/publish_internal.h"
#include "publish/tombstones.h"
#include "published/stage.h"

static bool starts(const char *path, const char *with)
{
    return strncmp(path, with, strlen(with)) == 0;
}

/* A name that always means the same bytes: assets/, data/<slug>/<version>/, v1/…/v/<version>/, search/. */
static bool is_immutable(const char *path)
{
    if (starts(path, "assets/") || starts(path, "search/") || odp_site_path_is_package(path))
        return true;
    if (starts(path, "v1/"))
        return strstr(path, "/v/") != NULL;
    const char *version = starts(path, "data/") ? strchr(path + 5, '/') : NULL;
    return version != NULL && strchr(version + 1, '/') != NULL && !starts(version, "/latest/");
}

static bool is_pointer(const char *path)
{
    static const char *const index = "v1/index.json";
    return strcmp(path, "control") == 0 ||
           (starts(path, index) && (path[strlen(index)] == '\0' || path[strlen(index)] == '.'));
}

bool publish_wants(const struct publish *p, const struct odp_site_file *f)
{
    return p->o->audience == ODP_AUDIENCE_ORIGIN || f->cls == ODP_CLASS_PUBLIC;
}

/* ---- items ---- */

static int line_by_path(const void *va, const void *vb)
{
    return odp_slice_cmp(((const struct header_line *)va)->path, ((const struct header_line *)vb)->path);
}

/* control's Cache-Control of PATH, in the arena; NULL: it says nothing. */
static const char *cache_of(struct publish *p, const char *path)
{
    const struct header_line key = {.path = odp_slice_of(path)};
    const struct header_line *l =
        p->nlines > 0 ? bsearch(&key, p->lines, p->nlines, sizeof key, line_by_path) : NULL;
    if (strcmp(path, "control") == 0)
        return "no-store";
    return l != NULL && l->cache.len > 0 ? odp_arena_copy(p->a, l->cache).ptr : NULL;
}

/* control, for what stores keep with each object, and for other forms of it. */
static enum odp_status read_control(struct publish *p)
{
    const struct odp_site_file *f = odp_site_find(p->site, "control");
    if (f == NULL || !odp_site_has(p->site, f)) /* a sparse site: what it can publish goes without */
        return ODP_OK;
    enum odp_status status = odp_site_read(p->site, f, &p->control, p->diags);
    if (status == ODP_OK &&
        (status = header_lines(odp_buffer_slice(&p->control), &p->lines, &p->nlines, p->a)) == ODP_BAD)
        status = odp_site_complain(p->diags, odp_site_shown(p->site), "control", "");
    return status;
}

static enum odp_status add_file(struct publish *p, const struct odp_site_file *f,
                                const struct odp_site_file *old)
{
    struct publish_item *item = &p->items[p->nitems++];
    bool fresh = is_immutable(f->path) && (old == NULL || odp_site_file_same(old, f));
    *item = (struct publish_item){.phase = fresh ? PUBLISH_IMMUTABLE : PUBLISH_CURRENT,
                                  .file = f,
                                  .path = f->path,
                                  .changed = old != NULL && !odp_site_file_same(old, f)};
    if (is_pointer(f->path))
        item->phase = PUBLISH_POINTER;
    if (f->encoding == NULL) /* a twin is served as a compressed file */
        item->type = f->media_type;
    item->replace = item->phase != PUBLISH_IMMUTABLE;
    item->cache_control = cache_of(p, f->path);
    p->plan->bytes += f->size;
    if (odp_site_has(p->site, f))
        return ODP_OK;
    return publish_complain(p->diags, ODP_V47, odp_site_shown(p->site), f->path, p->plan->shown, NULL);
}

static enum odp_status add_files(struct publish *p)
{
    size_t n;
    const struct odp_site_file *files = odp_site_files(p->site, &n);
    enum odp_status worst = ODP_OK;
    for (size_t i = 0; i < n && worst != ODP_FAIL; i++) {
        const struct odp_site_file *old = their_site_find(&p->theirs, files[i].path);
        bool there = old != NULL && (old->cls == ODP_CLASS_PUBLIC || !p->theirs.public_only);
        if (!publish_wants(p, &files[i]))
            continue;
        if (there && odp_site_file_same(old, &files[i])) {
            p->plan->same++;
            continue;
        }
        enum odp_status status = add_file(p, &files[i], there ? old : NULL);
        worst = status == ODP_OK ? worst : status;
    }
    return worst;
}

/* A file that no manifest names, unless the destination has the same. THERE: it has one. */
static enum odp_status add_bytes(struct publish *p, enum publish_phase phase, const char *path,
                                 struct odp_slice bytes, const char *type, bool there)
{
    struct odp_buffer old = {0};
    enum odp_status status = there ? odp_remote_read(p->remote, path, (size_t)1 << 28, &old) : ODP_DONE;
    bool same = status == ODP_OK && odp_slice_eq(odp_buffer_slice(&old), bytes);
    if (status == ODP_BAD)
        status = publish_failed(p->diags, p->remote);
    else if (status != ODP_FAIL && !same) {
        p->items[p->nitems++] = (struct publish_item){.phase = phase,
                                                      .path = path,
                                                      .bytes = bytes,
                                                      .type = type,
                                                      .cache_control = "public, max-age=300",
                                                      .changed = status == ODP_OK,
                                                      .replace = true};
        p->plan->bytes += bytes.len;
    }
    odp_buffer_release(&old);
    return status == ODP_DONE ? ODP_OK : status;
}

enum odp_status publish_next_headers(struct publish *p, const char **names, const char **path,
                                     struct odp_slice *bytes)
{
    struct odp_buffer out = {0};
    if (*names == NULL || **names == '\0' || p->nlines == 0)
        return ODP_DONE;
    size_t len = strcspn(*names, ",");
    const char *form = odp_arena_printf(p->a, "%.*s", (int)len, *names);
    *names += len + ((*names)[len] == ',');
    enum odp_status status = odp_headers(&out, form, odp_buffer_slice(&p->control));
    if (status == ODP_BAD)
        status = odp_site_complain(p->diags, odp_site_shown(p->site), "control", "");
    if (status == ODP_OK) {
        *path = odp_headers_file(form);
        *bytes = odp_arena_copy(p->a, odp_buffer_slice(&out));
    }
    odp_buffer_release(&out);
    return status;
}

static enum odp_status add_headers(struct publish *p)
{
    const char *names = p->o->header_files, *path;
    struct odp_slice bytes;
    enum odp_status status;
    while ((status = publish_next_headers(p, &names, &path, &bytes)) == ODP_OK)
        if ((status = add_bytes(p, PUBLISH_CURRENT, path, bytes, "text/plain; charset=utf-8", true)) !=
            ODP_OK)
            return status;
    return status == ODP_DONE ? ODP_OK : status;
}

/* Signature and manifest; a signature that was taken away here goes there too. */
static enum odp_status add_manifest(struct publish *p)
{
    enum odp_status status = ODP_OK;
    bool same = p->theirs.present && memcmp(p->theirs.digest, odp_site_digest(p->site), ODP_SHA256_SIZE) == 0;
    if (p->signature.len > 0)
        status = add_bytes(p, PUBLISH_POINTER, "manifest.json.minisig", odp_buffer_slice(&p->signature),
                           "text/plain; charset=utf-8", p->theirs.is_signed);
    if (status == ODP_OK && !same) {
        p->items[p->nitems++] = (struct publish_item){.phase = PUBLISH_POINTER,
                                                      .path = "manifest.json",
                                                      .bytes = odp_buffer_slice(&p->manifest),
                                                      .type = "application/json",
                                                      .cache_control = "public, max-age=300",
                                                      .changed = p->theirs.present,
                                                      .replace = true};
        p->plan->bytes += p->manifest.len;
    }
    return status;
}

/* By phase; within one as they were added: by path, and the pointers in the order of readers' needs. */
static int pointer_rank(const struct publish_item *i)
{
    static const char *const last[] = {"v1/index.json", "control", "manifest.json.minisig", "manifest.json"};
    for (int k = 0; k < 4; k++)
        if (strcmp(i->path, last[k]) == 0)
            return k + 1;
    return 0;
}

static int by_order(const void *va, const void *vb)
{
    const struct publish_item *a = va, *b = vb;
    if (a->phase != b->phase)
        return a->phase < b->phase ? -1 : 1;
    int ra = pointer_rank(a), rb = pointer_rank(b);
    return ra != rb ? (ra < rb ? -1 : 1) : strcmp(a->path, b->path);
}

/* ---- what goes ---- */

struct paths {
    struct odp_arena *a;
    const char **list;
    size_t n;
};

static void add_path(struct paths *l, const char *path)
{
    l->list = odp_arena_more(l->a, l->list, l->n, sizeof *l->list);
    l->list[l->n++] = path;
}

static bool is_ours(const struct publish *p, const char *path)
{
    const struct odp_site_file *f = odp_site_find(p->site, path);
    return (f != NULL && publish_wants(p, f)) || strcmp(path, "manifest.json") == 0;
}

/* What their manifest names and ours does not, or not for this audience. */
static void add_forgotten(struct publish *p, struct paths *l)
{
    for (size_t i = 0; i < p->theirs.n; i++) {
        const struct odp_site_file *f = &p->theirs.files[i];
        bool there = f->cls == ODP_CLASS_PUBLIC || !p->theirs.public_only;
        if (there && !is_ours(p, f->path))
            add_path(l, f->path);
    }
}

/* Files of versions that law has forced out are in folders of known names: they go, however they came there.
 */
static enum odp_status sweep(struct publish *p, const struct tombstone *t, struct paths *l)
{
    const char *folders[] = {odp_arena_printf(p->a, "data/%s/%s", t->slug, t->version),
                             odp_arena_printf(p->a, "v1/%s", t->slug)};
    for (size_t i = 0; i < 2; i++) {
        const char **found;
        size_t n;
        enum odp_status status = odp_remote_list(p->remote, folders[i], p->a, &found, &n);
        if (status != ODP_OK)
            return status == ODP_BAD ? publish_failed(p->diags, p->remote) : status;
        for (size_t k = 0; k < n; k++)
            if (odp_site_path_ok(found[k]) && odp_version_owns(found[k], t->slug, t->version) &&
                !is_ours(p, found[k]))
                add_path(l, found[k]);
    }
    return ODP_OK;
}

static enum odp_status add_withdrawn(struct publish *p, struct paths *l)
{
    struct tombstones all = {.arena = p->a};
    enum odp_status status = tombstones_add_site(&all, p->site, p->diags);
    /* A folder's builds are looked at one by one, when it has been switched. */
    for (size_t i = 0; i < all.n && status == ODP_OK && odp_remote_kind(p->remote) != ODP_REMOTE_FOLDER; i++)
        status = sweep(p, &all.list[i], l);
    return status;
}

/* What a run that was cut off after its manifest had still to remove. */
static void add_left_over(struct publish *p, struct paths *l)
{
    char theirs[ODP_SHA256_HEX];
    odp_digest_hex(p->theirs.digest, theirs);
    if (p->lock == NULL || !p->theirs.present || strcmp(p->lock->target, theirs) != 0)
        return;
    for (size_t i = 0; i < p->lock->nremove; i++)
        if (!is_ours(p, p->lock->remove[i]))
            add_path(l, p->lock->remove[i]);
}

/* LIST sorted, each once; the paths too in the arena, since a manifest's end with it. */
static const char **settle(struct paths *l, size_t *n)
{
    const char **out = odp_arena_array(l->a, l->n + 1, sizeof *out);
    *n = 0;
    if (l->n > 1)
        qsort(l->list, l->n, sizeof *l->list, odp_by_string);
    for (size_t i = 0; i < l->n; i++)
        if (*n == 0 || strcmp(out[*n - 1], l->list[i]) != 0)
            out[(*n)++] = odp_arena_str(l->a, l->list[i]);
    return out;
}

static enum odp_status plan_removal(struct publish *p)
{
    struct paths l = {.a = p->a};
    add_forgotten(p, &l);
    enum odp_status status = add_withdrawn(p, &l);
    add_left_over(p, &l);
    if (p->signature.len == 0 && p->theirs.is_signed)
        add_path(&l, "manifest.json.minisig");
    p->plan->remove = settle(&l, &p->plan->nremove);
    return status;
}

/* Public names whose bytes change or go; a page's folder is another name of it. What is keyed is private and
 * in no CDN. */
static void plan_purge(struct publish *p)
{
    struct paths l = {.a = p->a};
    for (size_t i = 0; i < p->nitems; i++)
        if (p->items[i].changed && (p->items[i].file == NULL || p->items[i].file->cls == ODP_CLASS_PUBLIC))
            add_path(&l, p->items[i].path);
    for (size_t i = 0; i < p->plan->nremove; i++) {
        const struct odp_site_file *f = their_site_find(&p->theirs, p->plan->remove[i]);
        if (f == NULL || f->cls == ODP_CLASS_PUBLIC)
            add_path(&l, p->plan->remove[i]);
    }
    for (size_t i = 0, n = l.n; i < n; i++) {
        size_t len = strlen(l.list[i]), page = sizeof "index.html" - 1;
        if (len >= page && strcmp(l.list[i] + len - page, "index.html") == 0 &&
            (len == page || l.list[i][len - page - 1] == '/'))
            add_path(&l, odp_arena_printf(p->a, "%.*s", (int)(len - page), l.list[i]));
    }
    p->plan->purge = settle(&l, &p->plan->npurge);
}

enum odp_status publish_make_plan(struct publish *p)
{
    size_t n, others = 4; /* manifest, signature, header files */
    for (const char *c = p->o->header_files; c != NULL && *c != '\0'; c++)
        others += *c == ',';
    (void)odp_site_files(p->site, &n);
    p->items = odp_arena_zero(p->a, n + others, sizeof *p->items);
    enum odp_status status = read_control(p);
    if (status == ODP_OK)
        status = add_files(p);
    if (status == ODP_OK)
        status = add_headers(p);
    if (status == ODP_OK)
        status = add_manifest(p);
    if (status == ODP_OK)
        status = plan_removal(p);
    if (status != ODP_OK)
        return status;
    qsort(p->items, p->nitems, sizeof *p->items, by_order);
    p->plan->put = odp_arena_array(p->a, p->nitems + 1, sizeof *p->plan->put);
    for (size_t i = 0; i < p->nitems; i++)
        p->plan->put[p->plan->nput++] = odp_arena_str(p->a, p->items[i].path);
    p->plan->up_to_date = p->nitems == 0 && p->plan->nremove == 0;
    plan_purge(p);
    return ODP_OK;
}
