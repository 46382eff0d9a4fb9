/* A cursor: where a page begins, signed, and pinned to the index and the query it was made for. In base64url
 * without padding (RFC 4648, section 5), little-endian:
 *
 *   byte 0        version
 *   byte 1        1: the records before it; 0: after it
 *   4 bytes       which secret signed it: the first of the secret's SHA-256, so that secrets can be replaced
 *   8 bytes       index: its ODP_SEARCH_ID hex digits
 *   8 bytes the       first of SHA-256 over what matches, the order and the view; limit, properties and form
 *                     may change on the way
 *   value its kind, then 8 bytes (INT, REAL), or 4 bytes of length and the bytes (TEXT, BLOB)
 *   16 bytes the      first of HMAC-SHA256 over all of that
 *
 * The value is the record's number, or the key of a project. The index never changes, so a record's sort
 * values are looked up when the query runs, and a cursor is short however long they are. */
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/ascii.h"
#include "base/digest.h"
#include "service/queries/engine/engine_internal.h"
#include "words/queries.h"

enum {
    VERSION = 3,
    SECRET_AT = 2,
    SECRET_ID = 4,
    INDEX_AT = SECRET_AT + SECRET_ID,
    INDEX = ODP_SEARCH_ID / 2,
    QUERY_AT = INDEX_AT + INDEX,
    QUERY = 8,
    HEAD = QUERY_AT + QUERY,
    MAC = 16,
    TEXT_MAX = 8192
};

/* OUT: a third more than LEN, and 4 bytes. */
static size_t encode(const uint8_t *bytes, size_t len, char *out)
{
    int n = EVP_EncodeBlock((unsigned char *)out, bytes, (int)len);
    while (n > 0 && out[n - 1] == '=')
        n--;
    out[n] = '\0';
    for (char *c = out; *c != '\0'; c++)
        *c = (char)(*c == '+' ? '-' : *c == '/' ? '_' : *c);
    return (size_t)n;
}

/* OUT: TEXT_MAX bytes. Only the one spelling of the bytes is taken. */
static bool decode(struct odp_slice text, uint8_t *out, size_t *len)
{
    char padded[TEXT_MAX + 4], again[TEXT_MAX + 4];
    size_t n = (text.len + 3) / 4 * 4;
    memset(padded, '=', n);
    for (size_t i = 0; i < text.len; i++)
        padded[i] = (char)(text.ptr[i] == '-' ? '+' : text.ptr[i] == '_' ? '/' : text.ptr[i]);
    *len = text.len * 3 / 4;
    return EVP_DecodeBlock(out, (unsigned char *)padded, (int)n) >= 0 &&
           odp_slice_eq(text, (struct odp_slice){again, encode(out, *len, again)});
}

static bool sign(const uint8_t secret[32], const void *bytes, size_t len, uint8_t mac[MAC])
{
    uint8_t full[EVP_MAX_MD_SIZE];
    unsigned n = 0;
    if (HMAC(EVP_sha256(), secret, 32, bytes, len, full, &n) == NULL || n < MAC)
        return false;
    memcpy(mac, full, MAC);
    return true;
}

static bool digest_of(const void *bytes, size_t len, uint8_t *out, size_t n)
{
    uint8_t full[ODP_SHA256_SIZE];
    if (odp_digest_of(bytes, len, full) != ODP_OK)
        return false;
    memcpy(out, full, n);
    return true;
}

/* *LEN: without the signature. */
static bool open_cursor(struct odp_slice text, const uint8_t secret[32], uint8_t *bytes, size_t *len)
{
    uint8_t mac[MAC], id[SECRET_ID];
    if (secret == NULL || text.ptr == NULL || text.len > TEXT_MAX || !decode(text, bytes, len) ||
        *len < HEAD + MAC || !digest_of(secret, 32, id, SECRET_ID) ||
        memcmp(bytes + SECRET_AT, id, SECRET_ID) != 0)
        return false;
    *len -= MAC;
    return sign(secret, bytes, *len, mac) && CRYPTO_memcmp(mac, bytes + *len, MAC) == 0 &&
           bytes[0] == VERSION && bytes[1] <= 1;
}

bool odp_query_cursor_index(struct odp_slice cursor, const uint8_t secret[32], char id[ODP_SEARCH_ID + 1])
{
    uint8_t bytes[TEXT_MAX];
    size_t len = 0;
    if (!open_cursor(cursor, secret, bytes, &len))
        return false;
    for (size_t i = 0; i < INDEX; i++)
        (void)snprintf(id + 2 * i, 3, "%02x", bytes[INDEX_AT + i]);
    return true;
}

/* What a cursor is made for: index and query, in their places. */
static bool fill_head(struct odp_query *q, uint8_t head[HEAD])
{
    const char *hex = q->info->id,
               *text = odp_arena_printf(q->arena, "%d\n%s\n%s", q->view, q->conditions, q->order);
    for (size_t i = 0; i < INDEX; i++) {
        int high = odp_hex_value(hex[2 * i]), low = high >= 0 ? odp_hex_value(hex[2 * i + 1]) : -1;
        if (low < 0)
            return false;
        head[INDEX_AT + i] = (uint8_t)(high << 4 | low);
    }
    return digest_of(text, strlen(text), head + QUERY_AT, QUERY);
}

/* ---- the value ---- */

static bool is_number(const struct odp_sql_value *v)
{
    return v->kind == ODP_SQL_INT || v->kind == ODP_SQL_REAL;
}

static bool is_bytes(const struct odp_sql_value *v)
{
    return v->kind == ODP_SQL_TEXT || v->kind == ODP_SQL_BLOB;
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
    if (is_number(v))
        add_number(b, bits, 8);
    if (is_bytes(v)) {
        add_number(b, v->text.len, 4);
        odp_buffer_add_slice(b, v->text);
    }
}

static uint64_t get_number(const uint8_t *p, unsigned bytes)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < bytes; i++)
        v |= (uint64_t)p[i] << (8 * i);
    return v;
}

/* False: the N bytes at P are no value. */
static bool get_value(const uint8_t *p, size_t n, struct odp_sql_value *v)
{
    if (n == 0)
        return false;
    *v = (struct odp_sql_value){.kind = (enum odp_sql_kind)p[0]};
    if (is_number(v) && n == 9) {
        uint64_t bits = get_number(p + 1, 8);
        v->i = (int64_t)bits;
        memcpy(&v->r, &bits, sizeof bits);
        return true;
    }
    v->text = (struct odp_slice){(const char *)p + 5, n - 5};
    return is_bytes(v) && n >= 5 && get_number(p + 1, 4) == n - 5;
}

/* ---- cursors of a query ---- */

const char *query_cursor_link(struct odp_query *q, const struct odp_sql_value *at, bool backward)
{
    struct odp_buffer b = {0};
    uint8_t head[HEAD] = {VERSION, backward}, mac[MAC] = {0};
    const uint8_t *secret = q->call->secret;
    char *text = "";
    bool ok = secret != NULL && digest_of(secret, 32, head + SECRET_AT, SECRET_ID) && fill_head(q, head);
    odp_buffer_add(&b, head, HEAD);
    add_value(&b, at);
    ok = ok && odp_buffer_status(&b) == ODP_OK && sign(secret, b.ptr, b.len, mac);
    odp_buffer_add(&b, mac, MAC);
    ok = ok && odp_buffer_status(&b) == ODP_OK;
    if (ok) {
        text = odp_arena_array(q->arena, b.len + 3, 2);
        (void)encode((const uint8_t *)b.ptr, b.len, text);
    }
    q->failed = q->failed || !ok;
    odp_buffer_release(&b);
    return query_link(q, text);
}

static enum odp_status fault_cursor(struct odp_query *q, const char *id, const char *en)
{
    return query_fault(q, ODP_QUERY_CURSOR_INVALID, "cursor", id, en, QUERY_SHOWN(QUERY_NOTHING));
}

enum odp_status query_cursor_read(struct odp_query *q, struct odp_slice text)
{
    uint8_t *bytes = odp_arena_array(q->arena, TEXT_MAX, 1), head[HEAD];
    struct odp_sql_value *value = odp_arena_zero(q->arena, 1, sizeof *value);
    size_t len = 0;
    if (!fill_head(q, head))
        return ODP_FAIL;
    if (!open_cursor(text, q->call->opens != NULL ? q->call->opens : q->call->secret, bytes, &len))
        return fault_cursor(q, W_queries_cursor_not_made_by_service);
    if (memcmp(bytes + INDEX_AT, head + INDEX_AT, INDEX) != 0)
        return fault_cursor(q, W_queries_cursor_belongs_another_version);
    if (memcmp(bytes + QUERY_AT, head + QUERY_AT, QUERY) != 0)
        return fault_cursor(q, W_queries_cursor_belongs_another_query_with);
    if (!get_value(bytes + HEAD, len - HEAD, value) ||
        (q->view == QUERY_RECORDS && value->kind != ODP_SQL_INT))
        return fault_cursor(q, W_queries_cursor_not_made_by_service);
    q->after = value;
    q->backward = bytes[1] == 1;
    return ODP_OK;
}
