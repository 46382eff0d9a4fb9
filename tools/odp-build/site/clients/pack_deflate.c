/* What the archives share: order, little-endian numbers, deflate, digests.
 *
 * Archives have our own writers: some 200 lines, and no byte of theirs is a library's choice (libarchive's
 * zip takes the time zone; its gzip header varies). Deflate is zlib's, level 9. */
#include "site/clients/pack_internal.h"

#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <zlib.h>

static int by_path(const void *a, const void *b)
{
    return strcmp((*(const struct client_file *const *)a)->path, (*(const struct client_file *const *)b)->path);
}

const struct client_file **client_pack_order(const struct client_tree *t)
{
    const struct client_file **list = odp_arena_array(t->arena, t->n + 1, sizeof *list);
    for (size_t i = 0; list != NULL && i < t->n; i++)
        list[i] = &t->files[i];
    if (list != NULL && t->n > 1)
        qsort(list, t->n, sizeof *list, by_path);
    return list;
}

void client_pack_u16(struct odp_buffer *out, uint32_t v)
{
    odp_buffer_add_char(out, (char)(v & 0xff));
    odp_buffer_add_char(out, (char)((v >> 8) & 0xff));
}

void client_pack_u32(struct odp_buffer *out, uint32_t v)
{
    client_pack_u16(out, v & 0xffff);
    client_pack_u16(out, v >> 16);
}

enum odp_status client_pack_deflate(struct odp_buffer *out, struct odp_slice bytes)
{
    z_stream z = {0};
    if (bytes.len > UINT32_MAX / 2)
        return odp_failure_set("pack", NULL, EFBIG);
    if (deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return odp_failure_set("pack", NULL, ENOMEM);
    uLong bound = deflateBound(&z, (uLong)bytes.len);
    char *room = odp_buffer_reserve(out, bound);
    if (room != NULL) {
        z.next_in = (Bytef *)(uintptr_t)bytes.ptr; /* reads only */
        z.avail_in = (uInt)bytes.len;
        z.next_out = (Bytef *)room;
        z.avail_out = (uInt)bound;
    }
    bool whole = room != NULL && deflate(&z, Z_FINISH) == Z_STREAM_END;
    out->len += whole ? bound - z.avail_out : 0;
    (void)deflateEnd(&z);
    return whole ? ODP_OK : room == NULL ? ODP_FAIL : odp_failure_set("pack", NULL, 0);
}

/* ---- digests ---------------------------------------------------------------------------------------------------------------------- */

enum odp_status client_tree_digest(const struct client_tree *t, uint8_t out[ODP_SHA256_SIZE])
{
    const struct client_file **list = client_pack_order(t);
    struct odp_digest *d = NULL;
    enum odp_status status = list != NULL ? odp_digest_new(&d) : ODP_FAIL;
    for (size_t i = 0; i < t->n && status == ODP_OK; i++) {
        char size[24];
        int n = snprintf(size, sizeof size, "%zu", list[i]->bytes.len);
        status = odp_digest_add(d, list[i]->path, strlen(list[i]->path) + 1);
        if (status == ODP_OK)
            status = odp_digest_add(d, size, (size_t)n + 1);
        if (status == ODP_OK)
            status = odp_digest_add(d, list[i]->bytes.ptr, list[i]->bytes.len);
    }
    if (status == ODP_OK)
        status = odp_digest_end(d, out);
    odp_digest_free(d);
    return status;
}

static char *hex(const unsigned char *bytes, unsigned n, struct odp_arena *a)
{
    char *text = odp_arena_array(a, 2 * (size_t)n + 1, 1);
    for (unsigned i = 0; text != NULL && i < n; i++)
        (void)snprintf(text + 2 * (size_t)i, 3, "%02x", bytes[i]);
    return text;
}

char *client_sha1_hex(struct odp_slice bytes, struct odp_arena *a)
{
    unsigned char d[EVP_MAX_MD_SIZE];
    unsigned n = 0;
    if (EVP_Digest(bytes.ptr, bytes.len, d, &n, EVP_sha1(), NULL) == 1)
        return hex(d, n, a);
    (void)odp_failure_set("compute SHA-1", NULL, 0);
    return NULL;
}

char *client_sha256_hex(struct odp_slice bytes, struct odp_arena *a)
{
    uint8_t d[ODP_SHA256_SIZE];
    return odp_digest_of(bytes.ptr, bytes.len, d) == ODP_OK ? hex(d, sizeof d, a) : NULL;
}

char *client_sha512_base64(struct odp_slice bytes, struct odp_arena *a)
{
    unsigned char d[EVP_MAX_MD_SIZE];
    unsigned n = 0;
    if (EVP_Digest(bytes.ptr, bytes.len, d, &n, EVP_sha512(), NULL) != 1) {
        (void)odp_failure_set("compute SHA-512", NULL, 0);
        return NULL;
    }
    char *text = odp_arena_array(a, 4 * ((size_t)n + 2) / 3 + 4, 1);
    if (text != NULL)
        (void)EVP_EncodeBlock((unsigned char *)text, d, (int)n);
    return text;
}
