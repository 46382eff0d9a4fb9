#include "service/cluster/wire.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/line.h"

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
    return (s.len < 2 || *s.ptr != '0') && odp_number_read(s, out) && *out <= max;
}

bool odp_wire_hex(struct odp_slice s, size_t digits)
{
    bool ok = s.len == digits;
    for (size_t i = 0; i < s.len && ok; i++)
        ok = (s.ptr[i] >= '0' && s.ptr[i] <= '9') || (s.ptr[i] >= 'a' && s.ptr[i] <= 'f');
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

/* Reads words that SEPARATOR divides, one for each letter of FORM, and nothing else: 1 that digit; n a
 * number, uint64_t *; w a word, char * and size_t; h hex digits, char * and size_t. */
static bool read_words(struct odp_slice s, char separator, const char *form, ...)
{
    bool ok = true;
    va_list args;
    va_start(args, form);
    for (; *form != '\0' && ok; form++) {
        size_t before = s.len;
        struct odp_slice word = odp_slice_cut(&s, separator);
        ok = (word.len == before) == (form[1] == '\0');
        if (ok && *form == '1') {
            ok = odp_slice_is(word, "1");
        } else if (ok && *form == 'n') {
            ok = odp_wire_number(word, INT64_MAX, va_arg(args, uint64_t *));
        } else if (ok) {
            char *out = va_arg(args, char *);
            size_t size = va_arg(args, size_t);
            ok = *form == 'w' ? take_word(out, size, word) : take_hex(out, size - 1, word);
        }
    }
    va_end(args);
    return ok;
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
    char hex[ODP_SHA256_HEX];
    uint64_t until = 0, state = 0;
    struct odp_key_record *r = &out->record;
    *out = (struct odp_wire_key){0};
    if (s.len > 512 ||
        !read_words(s, ' ', "1nnnnnwwh", &out->change, &r->id, &r->account, &until, &state, out->tier,
                    sizeof out->tier, r->shown, sizeof r->shown, hex, sizeof hex) ||
        out->change == 0 || r->id == 0 || r->account == 0 || state < ODP_KEY_ACTIVE ||
        state > ODP_KEY_REVOKED || !odp_digest_parse(hex, r->digest))
        return false;
    if (strcmp(r->shown, "-") == 0)
        r->shown[0] = '\0';
    r->until = (int64_t)until;
    r->state = (uint8_t)state;
    return true;
}

void odp_wire_mark_write(struct odp_buffer *out, const struct odp_wire_mark *m)
{
    odp_buffer_printf(out, "%s %llu", m->epoch, (unsigned long long)m->seq);
    if (m->generation[0] != '\0')
        odp_buffer_printf(out, " %s %llu %d", m->generation, (unsigned long long)m->change, (int)m->whole);
}

bool odp_wire_mark_read(struct odp_slice s, struct odp_wire_mark *out)
{
    uint64_t whole = 0;
    *out = (struct odp_wire_mark){0};
    if (read_words(s, ' ', "hn", out->epoch, sizeof out->epoch, &out->seq))
        return true;
    *out = (struct odp_wire_mark){0};
    bool ok = read_words(s, ' ', "hnhnn", out->epoch, sizeof out->epoch, &out->seq, out->generation,
                         sizeof out->generation, &out->change, &whole) &&
              whole <= 1;
    out->whole = whole == 1;
    return ok;
}

bool odp_wire_identity_read(struct odp_slice s, char id[ODP_WIRE_ID + 1], struct odp_wire_mark *applied)
{
    static const char magic[] = "odp-sync-1 ";
    size_t n = sizeof magic - 1;
    char generation[ODP_WIRE_GENERATION + 1];
    *applied = (struct odp_wire_mark){0};
    if (s.len < n || memcmp(s.ptr, magic, n) != 0 ||
        !read_words((struct odp_slice){s.ptr + n, s.len - n}, ' ', "hwn", id, (size_t)ODP_WIRE_ID + 1,
                    generation, sizeof generation, &applied->change))
        return false;
    if (odp_wire_hex(odp_slice_of(generation), ODP_WIRE_GENERATION))
        memcpy(applied->generation, generation, sizeof generation);
    else
        applied->change = 0;
    return true;
}

void odp_wire_usage_write(struct odp_buffer *out, const struct odp_meter_usage *u)
{
    odp_buffer_printf(out, "%s/%s/%s", u->tier, u->dataset, u->format);
}

bool odp_wire_usage_read(struct odp_slice name, struct odp_slice value, struct odp_meter_usage *out)
{
    *out = (struct odp_meter_usage){0};
    return read_words(name, '/', "www", out->tier, sizeof out->tier, out->dataset, sizeof out->dataset,
                      out->format, sizeof out->format) &&
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
