#include "service/cluster/wire.h"

#include <stdio.h>

/* A word of tier, dataset and format names: what the catalogue's check lets through, and never what
 * separates. */
static bool word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
}

static bool word_ok(struct odp_slice s, size_t cap)
{
    bool ok = s.len > 0 && s.len < cap;
    for (size_t i = 0; i < s.len && ok; i++)
        ok = word_char(s.ptr[i]);
    return ok;
}

static bool take_word(char *out, size_t cap, struct odp_slice s)
{
    if (!word_ok(s, cap))
        return false;
    memcpy(out, s.ptr, s.len);
    out[s.len] = '\0';
    return true;
}

bool odp_wire_number(struct odp_slice s, uint64_t max, uint64_t *out)
{
    uint64_t v = 0;
    if (s.len == 0 || s.len > 20 || (s.len > 1 && s.ptr[0] == '0'))
        return false;
    for (size_t i = 0; i < s.len; i++) {
        unsigned digit = (unsigned)(s.ptr[i] - '0');
        if (digit > 9 || v > (UINT64_MAX - digit) / 10)
            return false;
        v = v * 10 + digit;
    }
    *out = v;
    return v <= max;
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool odp_wire_hex(struct odp_slice s, size_t digits)
{
    bool ok = s.len == digits;
    for (size_t i = 0; i < s.len && ok; i++)
        ok = hex_digit(s.ptr[i]) >= 0;
    return ok;
}

static bool take_hex(char *out, size_t digits, struct odp_slice s)
{
    if (!odp_wire_hex(s, digits))
        return false;
    memcpy(out, s.ptr, digits);
    out[digits] = '\0';
    return true;
}

/* Splits at single separators into exactly N words. */
static bool split(struct odp_slice s, char separator, struct odp_slice *words, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const char *end = s.len > 0 ? memchr(s.ptr, separator, s.len) : NULL;
        if ((end == NULL) != (i == n - 1))
            return false;
        words[i] = (struct odp_slice){s.ptr, end != NULL ? (size_t)(end - s.ptr) : s.len};
        if (end != NULL)
            s = (struct odp_slice){end + 1, s.len - words[i].len - 1};
    }
    return true;
}

void odp_wire_key_write(struct odp_buffer *out, uint64_t change, const struct odp_key_record *r,
                        const char *tier)
{
    char hex[ODP_SHA256_HEX];
    odp_digest_hex(r->digest, hex);
    odp_buffer_printf(out, "1 %llu %llu %llu %lld %u %s %s %s", (unsigned long long)change,
                      (unsigned long long)r->id, (unsigned long long)r->account, (long long)r->until,
                      (unsigned)r->state, tier, r->shown[0] != '\0' ? r->shown : "-", hex);
}

bool odp_wire_key_read(struct odp_slice s, struct odp_wire_key *out)
{
    struct odp_slice w[9];
    uint64_t until = 0, state = 0;
    *out = (struct odp_wire_key){0};
    if (s.len > 512 || !split(s, ' ', w, 9) || !odp_slice_is(w[0], "1"))
        return false;
    if (!odp_wire_number(w[1], INT64_MAX, &out->change) ||
        !odp_wire_number(w[2], INT64_MAX, &out->record.id) ||
        !odp_wire_number(w[3], INT64_MAX, &out->record.account) ||
        !odp_wire_number(w[4], INT64_MAX, &until) || !odp_wire_number(w[5], ODP_KEY_REVOKED, &state))
        return false;
    if (out->change == 0 || out->record.id == 0 || out->record.account == 0 || state < ODP_KEY_ACTIVE)
        return false;
    if (!take_word(out->tier, sizeof out->tier, w[6]) ||
        !take_word(out->record.shown, sizeof out->record.shown, w[7]))
        return false;
    if (odp_slice_is(w[7], "-"))
        out->record.shown[0] = '\0';
    if (!odp_wire_hex(w[8], 2 * ODP_SHA256_SIZE))
        return false;
    for (size_t i = 0; i < ODP_SHA256_SIZE; i++)
        out->record.digest[i] = (uint8_t)(hex_digit(w[8].ptr[2 * i]) * 16 + hex_digit(w[8].ptr[2 * i + 1]));
    out->record.until = (int64_t)until;
    out->record.state = (uint8_t)state;
    return true;
}

void odp_wire_head_write(struct odp_buffer *out, const struct odp_wire_head *h)
{
    odp_buffer_printf(out, "1 %s %s %llu", h->generation, h->fill, (unsigned long long)h->change);
}

bool odp_wire_head_read(struct odp_slice s, struct odp_wire_head *out)
{
    struct odp_slice w[4];
    *out = (struct odp_wire_head){0};
    return s.len <= 128 && split(s, ' ', w, 4) && odp_slice_is(w[0], "1") &&
           take_hex(out->generation, ODP_WIRE_GENERATION, w[1]) && take_hex(out->fill, ODP_WIRE_ID, w[2]) &&
           odp_wire_number(w[3], INT64_MAX, &out->change);
}

void odp_wire_mark_write(struct odp_buffer *out, const struct odp_wire_mark *m)
{
    odp_buffer_printf(out, "%s %llu", m->epoch, (unsigned long long)m->seq);
}

bool odp_wire_mark_read(struct odp_slice s, struct odp_wire_mark *out)
{
    struct odp_slice w[2];
    *out = (struct odp_wire_mark){0};
    return s.len <= 64 && split(s, ' ', w, 2) && take_hex(out->epoch, ODP_WIRE_ID, w[0]) &&
           odp_wire_number(w[1], INT64_MAX, &out->seq);
}

enum odp_status odp_wire_count_next(struct odp_slice *rest, uint64_t *account, uint64_t *count)
{
    uint64_t *out[2] = {account, count};
    if (rest->len == 0)
        return ODP_DONE;
    for (size_t i = 0; i < 2; i++) {
        const char *end = rest->len > 0 ? memchr(rest->ptr, ' ', rest->len) : NULL;
        struct odp_slice word = {rest->ptr, end != NULL ? (size_t)(end - rest->ptr) : rest->len};
        if ((i == 0 && end == NULL) || !odp_wire_number(word, i == 0 ? INT64_MAX : ODP_COUNT_MAX, out[i]))
            return ODP_BAD;
        *rest =
            end != NULL ? (struct odp_slice){end + 1, rest->len - word.len - 1} : (struct odp_slice){NULL, 0};
        if (i == 1 && end != NULL && rest->len == 0)
            return ODP_BAD; /* a space at the end */
    }
    return *account != 0 ? ODP_OK : ODP_BAD;
}

void odp_wire_usage_write(struct odp_buffer *out, const struct odp_meter_usage *u)
{
    odp_buffer_printf(out, "%s/%s/%s", u->tier, u->dataset, u->format);
}

bool odp_wire_usage_read(struct odp_slice name, struct odp_slice value, struct odp_meter_usage *out)
{
    struct odp_slice w[3];
    *out = (struct odp_meter_usage){0};
    return split(name, '/', w, 3) && take_word(out->tier, sizeof out->tier, w[0]) &&
           take_word(out->dataset, sizeof out->dataset, w[1]) &&
           take_word(out->format, sizeof out->format, w[2]) &&
           odp_wire_number(value, ODP_COUNT_MAX, &out->count);
}

void odp_wire_machine(char out[ODP_WIRE_MACHINE], const char *name, const char *id)
{
    (void)snprintf(out, ODP_WIRE_MACHINE, "%.56s~%.16s", name[0] != '\0' ? name : "machine", id);
    for (char *p = out; *p != '\0'; p++)
        if (!word_char(*p) && *p != '~')
            *p = '-';
}

bool odp_wire_machine_ok(struct odp_slice s)
{
    bool ok = s.len > 0 && s.len < ODP_WIRE_MACHINE;
    for (size_t i = 0; i < s.len && ok; i++)
        ok = word_char(s.ptr[i]) || s.ptr[i] == '~';
    return ok;
}
