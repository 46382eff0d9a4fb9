/* A cursor: where a page begins, signed, so that nobody else makes one, and pinned to the index and the query
 * it was made for.
 *
 *   byte 0        version (3)
 *   byte 1        1: the records before it, 0: after it
 *   4 bytes       id of the secret: the first of its SHA-256, so that one can take the place of another while
 * cursors are under way 8 bytes       index (ODP_SEARCH_ID hex digits) 8 bytes       first of SHA-256 over
 * what matches, the order and the view; limit, properties and form may change on the way values        each:
 * its kind, then 8 bytes (INT, REAL), or 4 bytes of length and the bytes (TEXT, BLOB); little-endian 16 bytes
 * first of HMAC-SHA256 over all of that
 *
 * in base64url without padding (RFC 4648, section 5). A page of records needs one value, the record's number:
 * the index never changes, so its sort values are looked up when the query runs, and a cursor is short
 * however long they are. */
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/digest.h"
#include "service/queries/engine/engine_internal.h"
#include "words/queries.h"

enum {
    VERSION = 3,
    SECRET_AT = 2,
    SECRET_ID = 4,
    ID_AT = SECRET_AT + SECRET_ID,
    HEAD = 22,
    ID = 8,
    DIGEST = 8,
    MAC = 16,
    TEXT_MAX = 8192,
    VALUES_MAX = 64
};

static int digit(char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '-' ? 62 : c == '_' ? 63 : -1;
}

/* OUT has room for TEXT.len bytes. Only the one spelling of the bytes is taken: unused bits are zero. */
static bool decode(struct odp_slice text, uint8_t *out, size_t *len)
{
    uint32_t bits = 0;
    unsigned n = 0;
    *len = 0;
    for (size_t i = 0; i < text.len; i++) {
        int d = digit(text.ptr[i]);
        if (d < 0)
            return false;
        bits = bits << 6 | (uint32_t)d;
        n += 6;
        if (n >= 8) {
            n -= 8;
            out[(*len)++] = (uint8_t)(bits >> n);
            bits &= (1u << n) - 1;
        }
    }
    return n < 6 && bits == 0;
}

static void encode(const uint8_t *bytes, size_t len, char *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    uint32_t bits = 0;
    unsigned n = 0;
    for (size_t i = 0; i < len; i++) {
        bits = bits << 8 | bytes[i];
        for (n += 8; n >= 6;) {
            n -= 6;
            *out++ = digits[bits >> n & 63];
        }
        bits &= (1u << n) - 1;
    }
    if (n > 0)
        *out++ = digits[bits << (6 - n) & 63];
    *out = '\0';
}

static bool sign(const uint8_t secret[32], const uint8_t *bytes, size_t len, uint8_t mac[MAC])
{
    uint8_t full[EVP_MAX_MD_SIZE];
    unsigned n = 0;
    if (HMAC(EVP_sha256(), secret, 32, bytes, len, full, &n) == NULL || n < MAC)
        return false;
    memcpy(mac, full, MAC);
    return true;
}

static bool secret_id(const uint8_t secret[32], uint8_t out[SECRET_ID])
{
    uint8_t full[ODP_SHA256_SIZE];
    if (odp_digest_of(secret, 32, full) != ODP_OK)
        return false;
    memcpy(out, full, SECRET_ID);
    return true;
}

/* *LEN: without the signature. */
static bool open_cursor(struct odp_slice text, const uint8_t secret[32], uint8_t *bytes, size_t *len)
{
    uint8_t mac[MAC], id[SECRET_ID];
    if (secret == NULL || text.ptr == NULL || text.len > TEXT_MAX || !decode(text, bytes, len) ||
        *len < HEAD + MAC || !secret_id(secret, id) || memcmp(bytes + SECRET_AT, id, SECRET_ID) != 0)
        return false;
    *len -= MAC;
    return sign(secret, bytes, *len, mac) && CRYPTO_memcmp(mac, bytes + *len, MAC) == 0 &&
           bytes[0] == VERSION && bytes[1] <= 1;
}

static bool id_bytes(const char *hex, uint8_t out[ID])
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < 2 * ID; i++) {
        const char *at = hex[i] != '\0' ? strchr(digits, hex[i]) : NULL;
        if (at == NULL)
            return false;
        out[i / 2] = (uint8_t)(i % 2 == 0 ? (at - digits) << 4 : out[i / 2] | (at - digits));
    }
    return true;
}

bool odp_query_cursor_index(struct odp_slice cursor, const uint8_t secret[32], char id[ODP_SEARCH_ID + 1])
{
    static const char digits[] = "0123456789abcdef";
    uint8_t bytes[TEXT_MAX];
    size_t len = 0;
    if (!open_cursor(cursor, secret, bytes, &len))
        return false;
    for (size_t i = 0; i < ID; i++) {
        id[2 * i] = digits[bytes[ID_AT + i] >> 4];
        id[2 * i + 1] = digits[bytes[ID_AT + i] & 15];
    }
    id[ODP_SEARCH_ID] = '\0';
    return true;
}

/* What a cursor is good for: what matches, in which order, seen how. */
static bool query_digest(const struct odp_query *q, uint8_t out[DIGEST])
{
    uint8_t full[ODP_SHA256_SIZE];
    char *text = odp_arena_printf(q->arena, "%d\n%s\n%s", q->view, q->conditions, q->order);
    if (odp_digest_of(text, strlen(text), full) != ODP_OK)
        return false;
    memcpy(out, full, DIGEST);
    return true;
}

static void add_number(struct odp_buffer *b, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++)
        odp_buffer_add_char(b, (char)(v >> (8 * i) & 255));
}

static void add_value(struct odp_buffer *b, const struct odp_sql_value *v)
{
    uint64_t bits = (uint64_t)v->i;
    odp_buffer_add_char(b, (char)v->kind);
    if (v->kind == ODP_SQL_REAL)
        memcpy(&bits, &v->r, sizeof bits);
    if (v->kind == ODP_SQL_INT || v->kind == ODP_SQL_REAL)
        add_number(b, bits, 8);
    if (v->kind == ODP_SQL_TEXT || v->kind == ODP_SQL_BLOB) {
        add_number(b, v->text.len, 4);
        odp_buffer_add_slice(b, v->text);
    }
}

const char *query_cursor_link(struct odp_query *q, const struct odp_sql_value *at, bool backward)
{
    struct odp_buffer b;
    uint8_t head[HEAD] = {VERSION, backward}, mac[MAC] = {0};
    const uint8_t *secret = q->call->secret;
    char *text = "";
    odp_buffer_init(&b);
    bool ok = secret != NULL && secret_id(secret, head + SECRET_AT) && id_bytes(q->info->id, head + ID_AT) &&
              query_digest(q, head + ID_AT + ID);
    odp_buffer_add(&b, head, HEAD);
    add_value(&b, at);
    ok = ok && odp_buffer_status(&b) == ODP_OK && sign(secret, (const uint8_t *)b.ptr, b.len, mac);
    odp_buffer_add(&b, mac, MAC);
    ok = ok && odp_buffer_status(&b) == ODP_OK;
    if (ok) {
        text = odp_arena_array(q->arena, b.len + 3, 2);
        encode((const uint8_t *)b.ptr, b.len, text);
    }
    q->failed = q->failed || !ok;
    odp_buffer_release(&b);
    return query_link(q, text);
}

static uint64_t get_number(const uint8_t *p, unsigned bytes)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < bytes; i++)
        v |= (uint64_t)p[i] << (8 * i);
    return v;
}

/* One value at P; the bytes it takes, 0: none. */
static size_t get_value(const uint8_t *p, size_t rest, struct odp_sql_value *v)
{
    *v = (struct odp_sql_value){.kind = (enum odp_sql_kind)p[0]};
    if (v->kind == ODP_SQL_NULL)
        return 1;
    if ((v->kind == ODP_SQL_INT || v->kind == ODP_SQL_REAL) && rest >= 9) {
        uint64_t bits = get_number(p + 1, 8);
        v->i = (int64_t)bits;
        if (v->kind == ODP_SQL_REAL)
            memcpy(&v->r, &bits, sizeof bits);
        return 9;
    }
    if ((v->kind == ODP_SQL_TEXT || v->kind == ODP_SQL_BLOB) && rest >= 5) {
        size_t len = (size_t)get_number(p + 1, 4);
        v->text = (struct odp_slice){(const char *)p + 5, len};
        return len <= rest - 5 ? 5 + len : 0;
    }
    return 0;
}

static enum odp_status fault_cursor(struct odp_query *q, const char *id, const char *en)
{
    return query_fault(q, ODP_QUERY_CURSOR_INVALID, "cursor", id, en, QUERY_NOTHING, QUERY_NOTHING);
}

enum odp_status query_cursor_read(struct odp_query *q, struct odp_slice text)
{
    uint8_t *bytes = odp_arena_array(q->arena, TEXT_MAX, 1), id[ID], digest[DIGEST];
    struct odp_sql_value *values = odp_arena_zero(q->arena, VALUES_MAX, sizeof *values);
    size_t len = 0, at = HEAD, used = 1;
    uint32_t n = 0;
    if (!id_bytes(q->info->id, id) || !query_digest(q, digest))
        return ODP_FAIL;
    if (!open_cursor(text, q->call->opens != NULL ? q->call->opens : q->call->secret, bytes, &len))
        return fault_cursor(q, W_queries_cursor_not_made_by_service);
    if (memcmp(bytes + ID_AT, id, ID) != 0)
        return fault_cursor(q, W_queries_cursor_belongs_another_version);
    if (memcmp(bytes + ID_AT + ID, digest, DIGEST) != 0)
        return fault_cursor(q, W_queries_cursor_belongs_another_query_with);
    for (; at < len && used > 0 && n < VALUES_MAX; at += used)
        if ((used = get_value(bytes + at, len - at, &values[n])) > 0)
            n++;
    if (at != len || n == 0)
        return fault_cursor(q, W_queries_cursor_not_made_by_service);
    q->after = values;
    q->nafter = n;
    q->backward = bytes[1] == 1;
    return ODP_OK;
}
