/* Applying a delta: the old file is proved first, the new one before it gets its name. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/temporary.h"
#include "site/differences/delta_read.h"
#include "words/site.h"

enum { PIECE = 128 << 10 };

struct patch {
    struct delta_refusal refusal;
    struct delta_reader *delta;
    struct odp_delta_header *header;
    const char *old_path;
    int old; /* descriptor; -1: none */
    uint8_t *piece;
    struct odp_file *fresh;
};

/* Up to PIECE bytes of the old file from AT. DONE: it ends there. */
static enum odp_status read_old(struct patch *p, uint64_t at, uint64_t most, size_t *got)
{
    size_t want = most < PIECE ? (size_t)most : PIECE;
    for (*got = 0; *got < want;) {
        ssize_t n = pread(p->old, p->piece + *got, want - *got, (off_t)(at + *got));
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return odp_failure_set("read", p->old_path, errno);
        if (n == 0)
            break;
        *got += (size_t)n;
    }
    return *got > 0 ? ODP_OK : ODP_DONE;
}

static enum odp_status open_old(struct patch *p)
{
    struct stat st;
    do
        p->old = open(p->old_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    while (p->old < 0 && errno == EINTR);
    if (p->old < 0 && !odp_file_is_users_fault(errno))
        return odp_failure_set("open", p->old_path, errno);
    if (p->old >= 0 && fstat(p->old, &st) != 0)
        return odp_failure_set("stat", p->old_path, errno);
    if (p->old < 0 || !S_ISREG(st.st_mode))
        return delta_refuse(&p->refusal, W_site_delta_old_cannot_open, p->old_path,
                            p->old < 0            ? strerror(errno)
                            : S_ISDIR(st.st_mode) ? strerror(EISDIR)
                                                  : strerror(EINVAL));
    p->piece = malloc(PIECE);
    return p->piece != NULL ? ODP_OK : odp_failure_set("apply delta", p->old_path, ENOMEM);
}

static enum odp_status measure_old(struct patch *p, struct odp_file_info *info)
{
    struct odp_digest *digest;
    enum odp_status status = odp_digest_new(&digest);
    info->size = 0;
    while (status == ODP_OK) {
        size_t got;
        status = read_old(p, info->size, PIECE, &got);
        if (status == ODP_OK)
            status = odp_digest_add(digest, p->piece, got);
        info->size += got;
    }
    if (status == ODP_DONE)
        status = odp_digest_end(digest, info->sha256);
    odp_digest_free(digest);
    return status;
}

static bool same(const struct odp_file_info *a, const struct odp_file_info *b)
{
    return a->size == b->size && memcmp(a->sha256, b->sha256, ODP_SHA256_SIZE) == 0;
}

static enum odp_status prove_old(struct patch *p)
{
    struct odp_file_info found;
    char want_hex[ODP_SHA256_HEX], found_hex[ODP_SHA256_HEX];
    enum odp_status status = measure_old(p, &found);
    if (status != ODP_OK || same(&found, &p->header->from))
        return status;
    odp_digest_hex(p->header->from.sha256, want_hex);
    odp_digest_hex(found.sha256, found_hex);
    const char *version = p->header->from_version != NULL ? p->header->from_version : "";
    return delta_refuse(&p->refusal, W_site_delta_other_file, *version != '\0' ? " " : "", version,
                        (unsigned long long)p->header->from.size, want_hex, (unsigned long long)found.size,
                        found_hex);
}

static enum odp_status copy_old(struct patch *p, const struct delta_operation *op)
{
    if (op->offset > p->header->from.size || op->length > p->header->from.size - op->offset)
        return delta_refuse(&p->refusal, W_site_delta_copies_beyond, (unsigned long long)op->offset,
                            (unsigned long long)op->length, (unsigned long long)p->header->from.size);
    for (uint64_t done = 0; done < op->length;) {
        size_t got;
        enum odp_status status = read_old(p, op->offset + done, op->length - done, &got);
        if (status == ODP_DONE)
            return delta_refuse(&p->refusal, W_site_delta_old_changed);
        if (status == ODP_OK)
            status = odp_file_write(p->fresh, p->piece, got);
        if (status != ODP_OK)
            return status;
        done += got;
    }
    return ODP_OK;
}

static enum odp_status insert_bytes(struct patch *p, uint64_t length)
{
    while (length > 0) {
        const uint8_t *bytes;
        size_t got;
        enum odp_status status = delta_read_bytes(p->delta, length, &bytes, &got);
        if (status == ODP_OK)
            status = odp_file_write(p->fresh, bytes, got);
        if (status != ODP_OK)
            return status;
        length -= got;
    }
    return ODP_OK;
}

static enum odp_status run_operations(struct patch *p)
{
    for (;;) {
        struct delta_operation op;
        enum odp_status status = delta_read_operation(p->delta, &op);
        if (status == ODP_OK && op.kind == 'E')
            return delta_read_end(p->delta);
        if (status == ODP_OK && op.length > p->header->to.size - odp_file_size(p->fresh))
            status = delta_refuse(&p->refusal, W_site_delta_result_exceeds,
                                  (unsigned long long)p->header->to.size);
        if (status == ODP_OK)
            status = op.kind == 'C' ? copy_old(p, &op) : insert_bytes(p, op.length);
        if (status != ODP_OK)
            return status;
    }
}

/* Under a name of its own: FRESH is never there half. */
static enum odp_status write_fresh(struct patch *p, const char *fresh)
{
    struct odp_file_info info;
    const char *part = odp_temporary_of(p->refusal.arena, fresh, ".part");
    enum odp_status status = part != NULL ? odp_file_create(&p->fresh, part, 0644) : ODP_FAIL;
    if (status == ODP_OK)
        status = run_operations(p);
    if (status != ODP_OK)
        return status;
    struct odp_file *file = p->fresh;
    p->fresh = NULL;
    status = odp_file_close(file, &info);
    if (status == ODP_OK && !same(&info, &p->header->to))
        status = delta_refuse(&p->refusal, W_site_delta_result_differs);
    else if (status == ODP_OK && (status = odp_file_rename(part, fresh)) == ODP_OK)
        return ODP_OK;
    (void)unlink(part);
    return status;
}

static enum odp_status refuse_existing(const struct patch *p, const char *fresh)
{
    struct stat st;
    if (lstat(fresh, &st) != 0)
        return ODP_OK;
    return delta_refuse(&p->refusal, W_site_delta_exists, fresh);
}

enum odp_status odp_delta_apply_text(const char *delta, const char *old, const char *fresh,
                                     struct odp_delta_header *h, struct odp_arena *a, struct odp_text *why)
{
    struct patch p = {.refusal = {a, why}, .header = h, .old_path = old, .old = -1};
    *why = (struct odp_text){{"", ""}};
    *h = (struct odp_delta_header){0};
    enum odp_status status = refuse_existing(&p, fresh);
    if (status == ODP_OK)
        status = delta_reader_open(&p.delta, delta, &p.refusal);
    if (status == ODP_OK)
        status = delta_read_header(p.delta, h);
    if (status == ODP_OK)
        status = open_old(&p);
    if (status == ODP_OK)
        status = prove_old(&p);
    if (status == ODP_OK)
        status = write_fresh(&p, fresh);
    odp_file_discard(p.fresh);
    delta_reader_close(p.delta);
    free(p.piece);
    if (p.old >= 0)
        close(p.old);
    return status;
}

enum odp_status odp_delta_apply(const char *delta, const char *old, const char *fresh, struct odp_arena *a,
                                const char **why)
{
    struct odp_delta_header h;
    struct odp_text text;
    enum odp_status status = odp_delta_apply_text(delta, old, fresh, &h, a, &text);
    *why = text.in[ODP_LANG_EN];
    return status;
}

enum odp_status odp_delta_header_text(const char *delta, struct odp_delta_header *h, struct odp_arena *a,
                                      struct odp_text *why)
{
    const struct delta_refusal refusal = {a, why};
    struct delta_reader *d = NULL;
    *why = (struct odp_text){{"", ""}};
    enum odp_status status = delta_reader_open(&d, delta, &refusal);
    if (status == ODP_OK)
        status = delta_read_header(d, h);
    delta_reader_close(d);
    return status;
}

enum odp_status odp_delta_header(const char *delta, struct odp_delta_header *h, struct odp_arena *a,
                                 const char **why)
{
    struct odp_text text;
    enum odp_status status = odp_delta_header_text(delta, h, a, &text);
    *why = text.in[ODP_LANG_EN];
    return status;
}
