/* npm's form: ustar (POSIX.1-1988) in gzip (RFC 1952). */
#include "site/clients/pack_internal.h"

#include <errno.h>
#include <stdio.h>
#include <zlib.h>

enum { BLOCK = 512, NAME = 100, PREFIX = 155 };

/* Fields of a header, by offset. */
enum { AT_MODE = 100, AT_UID = 108, AT_GID = 116, AT_SIZE = 124, AT_MTIME = 136, AT_SUM = 148, AT_TYPE = 156, AT_MAGIC = 257, AT_PREFIX = 345 };

/* DIGITS octal digits and a NUL. */
static void octal(char *at, int digits, uint64_t v)
{
    for (int i = digits - 1; i >= 0; i--, v >>= 3)
        at[i] = (char)('0' + (v & 7));
}

/* A long path goes into two fields, parted at a slash. False: it does not fit. */
static bool put_path(char *header, const char *path)
{
    size_t len = strlen(path);
    if (len <= NAME) {
        memcpy(header, path, len);
        return len > 0;
    }
    for (const char *slash = strchr(path, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        size_t before = (size_t)(slash - path), after = len - before - 1;
        if (before > PREFIX)
            return false;
        if (after <= NAME && after > 0) {
            memcpy(header, slash + 1, after);
            memcpy(header + AT_PREFIX, path, before);
            return true;
        }
    }
    return false;
}

static enum odp_status add_file(struct odp_buffer *out, const struct client_file *f, int64_t seconds)
{
    static const char zeros[BLOCK];
    char header[BLOCK] = {0};
    unsigned sum = 0;
    if (!put_path(header, f->path) || f->bytes.len >= (uint64_t)1 << 33)
        return odp_failure_set("pack", f->path, ENAMETOOLONG);
    octal(header + AT_MODE, 7, 0644);
    octal(header + AT_UID, 7, 0);
    octal(header + AT_GID, 7, 0);
    octal(header + AT_SIZE, 11, f->bytes.len);
    octal(header + AT_MTIME, 11, seconds > 0 ? (uint64_t)seconds : 0);
    header[AT_TYPE] = '0';
    memcpy(header + AT_MAGIC, "ustar\0" "00", 8);
    memset(header + AT_SUM, ' ', 8);
    for (size_t i = 0; i < BLOCK; i++)
        sum += (unsigned char)header[i];
    octal(header + AT_SUM, 6, sum);
    header[AT_SUM + 6] = '\0';
    odp_buffer_add(out, header, BLOCK);
    odp_buffer_add_slice(out, f->bytes);
    odp_buffer_add(out, zeros, (BLOCK - f->bytes.len % BLOCK) % BLOCK);
    return odp_buffer_status(out);
}

static enum odp_status make_tar(struct odp_buffer *out, const struct client_tree *t, int64_t seconds)
{
    static const char end[2 * BLOCK];
    const struct client_file **list = client_pack_order(t);
    enum odp_status status = list != NULL ? ODP_OK : ODP_FAIL;
    for (size_t i = 0; i < t->n && status == ODP_OK; i++)
        status = add_file(out, list[i], seconds);
    odp_buffer_add(out, end, sizeof end);
    return status == ODP_OK ? odp_buffer_status(out) : status;
}

enum odp_status client_pack_tgz(struct odp_buffer *out, const struct client_tree *t, int64_t seconds)
{
    static const char header[] = "\x1f\x8b\x08\0\0\0\0\0\x02\xff"; /* no name, no time, no system; pressed hard */
    struct odp_buffer tar;
    odp_buffer_init(&tar);
    enum odp_status status = make_tar(&tar, t, seconds);
    odp_buffer_add(out, header, sizeof header - 1);
    if (status == ODP_OK)
        status = client_pack_deflate(out, odp_buffer_slice(&tar));
    if (status == ODP_OK) {
        client_pack_u32(out, (uint32_t)crc32(0, (const Bytef *)tar.ptr, (uInt)tar.len)); /* deflate has refused what is larger */
        client_pack_u32(out, (uint32_t)tar.len);
        status = odp_buffer_status(out);
    }
    odp_buffer_release(&tar);
    return status;
}
