/* What pages are made of beside the site, as one digest: has any of it changed since the last build?
 *
 * Our own templates and assets are looked at by name, inode, size and times, like the program itself: they
 * come with it, and the digest never leaves this machine. What lies in the catalogue is read: it is small, it
 * is under version control, and a checkout changes times without changing anything. What is no such thing, a
 * link out of the catalogue, a pipe, a device, a file larger than any that is used, is not opened here: who
 * uses it refuses it. */
#include "site/pages/pages_internal.h"

#include <sys/stat.h>

#include "base/path.h"

enum { DEEP = 8, THEIRS_DEEP = 2 }; /* folders in folders; a catalogue's templates lie in templates/KIND/ */
enum { READ_MAX = 1 << 20 }; /* bytes of a file of the catalogue; the largest that is used is a template */

static enum odp_status add_text(struct odp_digest *into, const char *text)
{
    return odp_digest_add(into, text, strlen(text) + 1);
}

static enum odp_status add_stamp(struct odp_digest *into, const struct stat *st)
{
    const long long stamp[] = {(long long)st->st_dev,          (long long)st->st_ino,
                               (long long)st->st_size,         (long long)st->st_mtim.tv_sec,
                               (long long)st->st_mtim.tv_nsec, (long long)st->st_ctim.tv_sec,
                               (long long)st->st_ctim.tv_nsec};
    return odp_digest_add(into, stamp, sizeof stamp);
}

static enum odp_status add_bytes(struct odp_digest *into, const char *path)
{
    struct odp_file_info info;
    enum odp_status status = odp_file_digest(path, &info);
    if (status == ODP_BAD) /* who uses it says so */
        return add_text(into, "unreadable");
    return status == ODP_OK ? odp_digest_add(into, info.sha256, sizeof info.sha256) : status;
}

/* One file of the catalogue ROOT. */
static enum odp_status add_theirs(struct odp_digest *into, const char *root, const char *path,
                                  const struct stat *st)
{
    if (!odp_path_is_inside(root, path))
        return add_text(into, "outside");
    if (!S_ISREG(st->st_mode))
        return add_text(into, "special");
    return st->st_size > READ_MAX ? add_stamp(into, st) : add_bytes(into, path);
}

/* PATH and everything below it: by stamps, or by bytes where it is of the catalogue ROOT. Links are followed:
 * ours are links into the source. */
static enum odp_status add_tree(struct odp_digest *into, const char *root, const char *path, int depth,
                                struct odp_arena *a)
{
    struct stat st;
    const char **names;
    size_t n;
    if (stat(path, &st) != 0)
        return add_text(into, "-"); /* its being there would be a change */
    if (!S_ISDIR(st.st_mode))
        return root != NULL ? add_theirs(into, root, path, &st) : add_stamp(into, &st);
    enum odp_status status = depth >= 0 ? odp_dir_list(path, a, &names, &n) : ODP_BAD;
    if (status != ODP_OK)
        return status == ODP_BAD ? add_text(into, "closed") : ODP_FAIL;
    status = add_text(into, "(");
    for (size_t i = 0; i < n && status == ODP_OK; i++) {
        const char *below = odp_path_join(a, path, names[i]);
        status = add_text(into, names[i]);
        if (status == ODP_OK)
            status = add_tree(into, root, below, depth - 1, a);
    }
    return status == ODP_OK ? add_text(into, ")") : status;
}

static enum odp_status add_all(struct odp_digest *into, const struct odp_catalog *c, struct odp_arena *a)
{
    static const char *const ours[] = {"pages", "parts", "words", "assets"};
    const char *const theirs[] = {odp_path_join(a, c->dir, "templates"), c->theme.file, c->theme.logo_file,
                                  c->theme.css_file};
    enum odp_status status = ODP_OK;
    for (size_t i = 0; c->share != NULL && i < ODP_COUNT(ours) && status == ODP_OK; i++) {
        const char *path = odp_path_join(a, c->share, ours[i]);
        status = add_tree(into, NULL, path, DEEP, a);
    }
    if (status == ODP_OK)
        status = add_text(into, c->share != NULL ? "portal" : "no portal");
    for (size_t i = 0; i < ODP_COUNT(theirs) && status == ODP_OK; i++) {
        status =
            theirs[i] != NULL ? add_tree(into, c->dir, theirs[i], THEIRS_DEEP, a) : add_text(into, "none");
    }
    return theirs[0] != NULL ? status : ODP_FAIL;
}

enum odp_status odp_portal_inputs(const struct odp_catalog *c, uint8_t out[ODP_SHA256_SIZE])
{
    struct odp_digest *digest = NULL;
    struct odp_arena arena;
    odp_arena_init(&arena);
    enum odp_status status = odp_digest_new(&digest);
    if (status == ODP_OK)
        status = add_all(digest, c, &arena);
    if (status == ODP_OK)
        status = odp_digest_end(digest, out);
    odp_digest_free(digest);
    odp_arena_release(&arena);
    return status;
}
