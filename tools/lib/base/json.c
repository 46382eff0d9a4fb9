/* Writing strings: runs without anything to escape are found eight bytes at a time and copied whole. */
#include "base/json.h"

#include "base/bytes.h"

#define EVERY(byte) (0x0101010101010101u * (uint64_t)(byte))

/* Nought when no byte of W is below 0x20, '"', '\', DEL or 0xE2 (which begins U+2028). May be wrong only the
 * other way. */
static uint64_t needs_look(uint64_t w)
{
    uint64_t quote = w ^ EVERY('"'), slash = w ^ EVERY('\\'), del = w ^ EVERY(0x7F), e2 = w ^ EVERY(0xE2);
    uint64_t found = ((w - EVERY(0x20)) & ~w) | ((quote - EVERY(1)) & ~quote) |
                     ((slash - EVERY(1)) & ~slash) | ((del - EVERY(1)) & ~del) | ((e2 - EVERY(1)) & ~e2);
    return found & EVERY(0x80);
}

/* Bytes of the character at P that must be escaped; 0 when it needs no escape. */
static size_t escaped_here(const char *p, size_t n)
{
    unsigned char c = (unsigned char)*p;
    if (c < 0x20 || c == '"' || c == '\\' || c == 0x7F)
        return 1;
    /* line and paragraph separator: legal in JSON, an error in older JavaScript */
    return c == 0xE2 && n >= 3 && (unsigned char)p[1] == 0x80 && ((unsigned char)p[2] | 1) == 0xA9 ? 3 : 0;
}

/* Length of the run at P that needs no escape. */
static size_t clean_run(const char *p, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t end = n - i < 8 ? n : i + 8;
        uint64_t behind = end - i < 8 ? EVERY(' ') << (8 * (end - i)) : 0;
        if (needs_look(odp_bytes_load(p + i, end - i) | behind) == 0)
            i = end;
        for (; i < end; i++)
            if (escaped_here(p + i, n - i) != 0)
                return i;
    }
    return n;
}

static void add_escape(struct odp_buffer *b, const char *p, size_t n)
{
    static const char hex[] = "0123456789abcdef", names[] = "\"\"\\\\\bb\ff\nn\rr\tt";
    if (n == 3) {
        odp_buffer_add_str(b, (unsigned char)p[2] == 0xA8 ? "\\u2028" : "\\u2029");
        return;
    }
    for (const char *q = names; *q != '\0'; q += 2) {
        if (*q == *p) {
            char two[2] = {'\\', q[1]};
            odp_buffer_add(b, two, 2);
            return;
        }
    }
    char six[6] = {'\\', 'u', '0', '0', hex[(unsigned char)*p >> 4], hex[*p & 15]};
    odp_buffer_add(b, six, 6);
}

void odp_json_add_inside(struct odp_buffer *b, struct odp_slice s)
{
    for (size_t i = 0; i < s.len;) {
        size_t run = clean_run(s.ptr + i, s.len - i);
        odp_buffer_add(b, s.ptr + i, run);
        i += run;
        if (i == s.len)
            break;
        size_t n = escaped_here(s.ptr + i, s.len - i);
        add_escape(b, s.ptr + i, n);
        i += n;
    }
}

void odp_json_add_string(struct odp_buffer *b, struct odp_slice s)
{
    if (clean_run(s.ptr, s.len) < s.len) {
        odp_buffer_add_char(b, '"');
        odp_json_add_inside(b, s);
        odp_buffer_add_char(b, '"');
        return;
    }
    char *p = odp_buffer_reserve(b, s.len + 2);
    if (p == NULL)
        return;
    p[0] = '"';
    if (s.len != 0)
        memcpy(p + 1, s.ptr, s.len);
    p[s.len + 1] = '"';
    b->len += s.len + 2;
}

void odp_json_add_slice(struct odp_buffer *b, const char *before, struct odp_slice s)
{
    odp_buffer_add_str(b, before);
    odp_json_add_string(b, s);
}

void odp_json_add_str(struct odp_buffer *b, const char *before, const char *s)
{
    if (s != NULL)
        odp_json_add_slice(b, before, odp_slice_of(s));
}

void odp_json_add_u64(struct odp_buffer *b, const char *before, uint64_t n)
{
    odp_buffer_add_str(b, before);
    odp_buffer_add_u64(b, n);
}

void odp_json_add_text(struct odp_buffer *b, const char *before, const struct odp_text *t)
{
    odp_buffer_add_str(b, before);
    odp_json_add_str(b, "{\"id\":", odp_text_get(t, ODP_LANG_ID));
    odp_json_add_str(b, ",\"en\":", odp_text_get(t, ODP_LANG_EN));
    odp_buffer_add_char(b, '}');
}

void odp_json_add_key_part(struct odp_buffer *b, struct odp_slice s)
{
    for (size_t from = 0, i = 0; i <= s.len; i++) {
        if (i < s.len && s.ptr[i] != ',' && s.ptr[i] != '%')
            continue;
        odp_json_add_inside(b, (struct odp_slice){s.ptr + from, i - from});
        if (i < s.len)
            odp_buffer_add_str(b, s.ptr[i] == ',' ? "%2C" : "%25");
        from = i + 1;
    }
}
