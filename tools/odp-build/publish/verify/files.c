/* Every file by size and digest, twins by what they decompress to, and what is there that the manifest does
 * not name.
 *
 * Files are read once for each inode (latest/ and the versions share theirs), the largest first, on the pool.
 * Results are reported in the order of the paths.
 *
 * A twin is compared by the digest of what comes out of it with the plain file's in the manifest, which is
 * proved by itself: a damaged plain file does not accuse its twins. Memory: two pieces a thread, and some
 * 200 bytes a file. */
#include "publish/verify/verify_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { PIECE = 128 << 10, DEPTH_MAX = 40 };

/* One inode, read once. */
struct probe {
    size_t file; /* the name that it is read by */
    dev_t dev;
    ino_t ino;
    mode_t mode; /* 0: not there */
    uint64_t size;
    bool denied;
    uint8_t sha256[ODP_SHA256_SIZE];
    bool unpacked; /* a twin, and its stream was whole: PLAIN is what it holds */
    struct odp_file_info plain;
};

struct probes {
    struct verify *v;
    struct probe *probes; /* one a name at first; sorted, equal ones merged */
    size_t n;
    struct probe **of; /* by file: its probe, or NULL */
};

/* ---- reading one file ---- */

/* The file that F is a twin of; NULL: none. */
static const struct verify_file *find_plain(const struct verify *v, const struct odp_site_file *f,
                                            struct odp_arena *a)
{
    const char *ending = f->encoding == NULL ? NULL : strcmp(f->encoding, "gzip") == 0 ? ".gz" : ".br";
    size_t len = strlen(f->path);
    bool twin = ending != NULL && len >= 4 && strcmp(f->path + len - 3, ending) == 0;
    return twin ? verify_find(v, odp_arena_copy(a, (struct odp_slice){f->path, len - 3}).ptr) : NULL;
}

static enum odp_status read_pieces(struct probe *p, struct odp_reader *r, struct odp_digest *digest,
                                   struct verify_unpack *u, char *piece)
{
    size_t got;
    enum odp_status status;
    while ((status = odp_reader_read(r, piece, PIECE, &got)) == ODP_OK) {
        p->size += got;
        if (odp_digest_add(digest, piece, got) != ODP_OK ||
            (u != NULL && verify_unpack_add(u, piece, got) == ODP_FAIL))
            return ODP_FAIL;
    }
    if (status != ODP_DONE)
        return ODP_FAIL;
    status = u != NULL ? verify_unpack_end(u, &p->plain) : ODP_BAD;
    p->unpacked = status == ODP_OK;
    return status == ODP_FAIL ? ODP_FAIL : odp_digest_end(digest, p->sha256);
}

static enum odp_status read_file(struct verify *v, struct probe *p, struct odp_arena *a)
{
    const struct odp_site_file *f = &v->files[p->file].f;
    const struct verify_file *plain = find_plain(v, f, a);
    struct odp_reader *r = NULL;
    struct odp_digest *digest = NULL;
    struct verify_unpack *u = NULL;
    char *piece = NULL;
    const char *path = verify_place(v, f->path, a);
    enum odp_status status = odp_reader_open(&r, path, NULL);
    p->size = 0;
    if (status == ODP_BAD) {
        p->denied = true;
        return ODP_OK;
    }
    if (status == ODP_OK && (piece = malloc(PIECE)) == NULL)
        status = odp_failure_set("verify", path, ENOMEM);
    if (status == ODP_OK)
        status = odp_digest_new(&digest);
    if (status == ODP_OK && plain != NULL)
        status = verify_unpack_new(&u, strcmp(f->encoding, "gzip") == 0 ? VERIFY_GZIP : VERIFY_BROTLI,
                                   plain->f.size);
    if (status == ODP_OK)
        status = read_pieces(p, r, digest, u, piece);
    verify_unpack_free(u);
    odp_digest_free(digest);
    free(piece);
    odp_reader_close(r);
    return status;
}

/* ---- all of them on the pool ---- */

/* The same inode under one name as a twin and under another as a plain file would be read for the first
 * alone. */
static int by_inode(const void *a, const void *b)
{
    const struct probe *x = a, *y = b;
    if (x->dev != y->dev)
        return x->dev < y->dev ? -1 : 1;
    if (x->ino != y->ino)
        return x->ino < y->ino ? -1 : 1;
    return (x->file > y->file) - (x->file < y->file);
}

static void look(struct probes *all, size_t i)
{
    struct probe *p = &all->probes[all->n++];
    struct stat st;
    struct odp_arena arena = {0};
    *p = (struct probe){.file = i};
    if (lstat(verify_place(all->v, all->v->files[i].f.path, &arena), &st) == 0) {
        p->dev = st.st_dev;
        p->ino = st.st_ino;
        p->mode = st.st_mode;
        p->size = (uint64_t)st.st_size;
    }
    odp_arena_release(&arena);
}

static bool is_twin(const struct verify *v, const struct probe *p)
{
    return v->files[p->file].f.encoding != NULL;
}

/* Names of one inode to one probe. Those that are not there stay as they are. */
static void merge(struct probes *all)
{
    size_t kept = 0;
    qsort(all->probes, all->n, sizeof *all->probes, by_inode);
    for (size_t i = 0; i < all->n; i++) {
        const struct probe p = all->probes[i], *last = kept > 0 ? &all->probes[kept - 1] : NULL;
        bool same = last != NULL && p.mode != 0 && last->mode != 0 && last->dev == p.dev &&
                    last->ino == p.ino && is_twin(all->v, last) == is_twin(all->v, &p);
        if (!same)
            all->probes[kept++] = p;
        all->of[p.file] = &all->probes[kept - 1];
    }
    all->n = kept;
}

static void collect(struct probes *all)
{
    struct verify *v = all->v;
    all->probes = odp_arena_array(v->arena, v->n + 1, sizeof *all->probes);
    all->of = odp_arena_zero(v->arena, v->n + 1, sizeof *all->of);
    for (size_t i = 0; i < v->n; i++) {
        bool skip = v->o->audience == ODP_AUDIENCE_PUBLIC && v->files[i].f.cls != ODP_CLASS_PUBLIC;
        if (!skip && v->files[i].state != VERIFY_WRONG)
            look(all, i);
    }
    merge(all);
}

static uint64_t probe_size(const void *ctx, size_t i)
{
    return ((const struct probes *)ctx)->probes[i].size;
}

static enum odp_status probe_read(void *ctx, size_t i)
{
    struct probes *all = ctx;
    struct odp_arena arena = {0};
    if (!S_ISREG(all->probes[i].mode))
        return ODP_OK;
    enum odp_status status = read_file(all->v, &all->probes[i], &arena);
    odp_arena_release(&arena);
    return status;
}

/* ---- what it means ---- */

/* A sparse build leaves the bytes of datasets it only carried over at the site they came from; what it wrote
 * itself is here. */
static bool may_be_absent(const struct verify *v, const char *path)
{
    return v->sparse && (strncmp(path, "data/", 5) == 0 ||
                         (strncmp(path, "v1/", 3) == 0 && strncmp(path, "v1/index.", 9) != 0));
}

static const char *kind_of(const struct probe *p)
{
    if (S_ISLNK(p->mode))
        return "symlink";
    if (S_ISDIR(p->mode))
        return "folder";
    return p->denied ? "EACCES" : "special file";
}

static void judge_bytes(struct verify *v, struct verify_file *f, const struct probe *p)
{
    char want[ODP_DIGEST_TEXT], have[ODP_DIGEST_TEXT], expected[128], found[128];
    bool readable = S_ISREG(p->mode) && !p->denied;
    if (readable && p->size == f->f.size && memcmp(p->sha256, f->f.sha256, sizeof p->sha256) == 0) {
        f->state = VERIFY_GOOD;
        v->result->files++;
        v->result->bytes += f->f.size;
        return;
    }
    f->state = VERIFY_WRONG;
    odp_digest_text(f->f.sha256, want);
    odp_digest_text(p->sha256, have);
    snprintf(expected, sizeof expected, "%s, %llu B", want, (unsigned long long)f->f.size);
    snprintf(found, sizeof found, "%s, %llu B", have, (unsigned long long)p->size);
    verify_fault(v, ODP_V60, f->f.path, NULL, expected, readable ? found : kind_of(p));
}

static void judge(struct verify *v, struct verify_file *f, const struct probe *p)
{
    if (p->mode != 0) {
        judge_bytes(v, f, p);
    } else if (may_be_absent(v, f->f.path)) {
        f->state = VERIFY_ABSENT;
        v->result->absent++;
    } else {
        f->state = VERIFY_WRONG;
        verify_fault(v, ODP_V61, f->f.path, NULL, NULL, NULL);
    }
}

static void judge_twin(struct verify *v, const struct verify_file *f, const struct probe *p)
{
    const struct verify_file *plain = find_plain(v, &f->f, v->arena);
    char expected[ODP_DIGEST_TEXT] = "", found[ODP_DIGEST_TEXT];
    if (plain != NULL) {
        bool alike = plain->f.encoding == NULL && plain->f.cls == f->f.cls &&
                     strcmp(plain->f.media_type, f->f.media_type) == 0;
        bool equal = p->unpacked && p->plain.size == plain->f.size &&
                     memcmp(p->plain.sha256, plain->f.sha256, sizeof plain->f.sha256) == 0;
        v->result->twins += alike && equal;
        if (alike && equal)
            return;
        odp_digest_text(plain->f.sha256, expected);
    }
    odp_digest_text(p->plain.sha256, found);
    verify_fault(v, ODP_V64, f->f.path, plain != NULL ? plain->f.path : "-", expected,
                 p->unpacked ? found : NULL);
}

/* An unpacked bundle has no twins at all; of one that has some, none may be missing. */
static bool without_twins(const struct probes *all)
{
    const struct verify *v = all->v;
    if (v->o->audience != ODP_AUDIENCE_PUBLIC)
        return false;
    for (size_t i = 0; i < v->n; i++)
        if (v->files[i].f.encoding != NULL && all->of[i] != NULL && all->of[i]->mode != 0)
            return false;
    return true;
}

static void judge_all(struct probes *all)
{
    struct verify *v = all->v;
    bool bare = without_twins(all);
    for (size_t i = 0; i < v->n && v->status == ODP_OK; i++)
        if (all->of[i] != NULL && !(bare && v->files[i].f.encoding != NULL))
            judge(v, &v->files[i], all->of[i]);
    for (size_t i = 0; i < v->n && v->status == ODP_OK; i++)
        if (v->files[i].state == VERIFY_GOOD && v->files[i].f.encoding != NULL)
            judge_twin(v, &v->files[i], all->of[i]);
}

/* ---- what the manifest does not name ---- */

static enum odp_status walk(struct verify *v, const char *dir, const char *inside, unsigned depth)
{
    struct odp_arena arena = {0};
    const char **names;
    size_t n = 0;
    enum odp_status status = odp_dir_list(dir, &arena, &names, &n);
    if (status == ODP_BAD)
        status = odp_failure_set("read folder", dir, EACCES);
    for (size_t i = 0; i < n && status == ODP_OK && v->status == ODP_OK; i++) {
        struct stat st;
        const char *path = odp_path_join(&arena, dir, names[i]),
                   *below = odp_path_join(&arena, inside, names[i]);
        if (lstat(path, &st) != 0)
            status = odp_failure_set("examine", path, errno);
        else if (S_ISDIR(st.st_mode) && depth < DEPTH_MAX)
            status = walk(v, path, below, depth + 1);
        else if (verify_find(v, below) == NULL && strcmp(below, "manifest.json") != 0 &&
                 strcmp(below, "manifest.json.minisig") != 0)
            verify_fault(v, ODP_V62, below, NULL, NULL, NULL);
    }
    odp_arena_release(&arena);
    return status;
}

void verify_files(struct verify *v)
{
    struct probes all = {.v = v};
    collect(&all);
    verify_largest_first(&(struct verify_run){v, &all, all.n, probe_size, probe_read, ODP_PHASE_CHECK});
    judge_all(&all);
    if (v->status == ODP_OK && v->remote == NULL)
        v->status = walk(v, v->dir, "", 0);
}
