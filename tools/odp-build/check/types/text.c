/* string formats (ODP-T01), boolean (T06) and duration (T13). */
#include "base/ascii.h"
#include "base/datetime.h"
#include "check/types/types_internal.h"

static bool is_domain(struct odp_slice s)
{
    bool dot = false;
    if (s.len == 0 || s.len > 255)
        return false;
    for (size_t k = 0; k < s.len; k++) {
        char ch = s.ptr[k];
        bool edge = k == 0 || k + 1 == s.len || s.ptr[k - 1] == '.' || s.ptr[k + 1] == '.';
        if (ch == '.' ? edge : !(odp_is_alnum(ch) || (unsigned char)ch >= 0x80 || (ch == '-' && !edge)))
            return false;
        dot = dot || ch == '.';
    }
    return dot;
}

/* RFC 5321, 4.1.2: local part (dot-string) and domain. */
static bool is_email(struct odp_slice s)
{
    const char *at = memrchr(s.ptr, '@', s.len);
    if (at == NULL || at == s.ptr || at - s.ptr > 64)
        return false;
    size_t local = (size_t)(at - s.ptr);
    for (size_t k = 0; k < local; k++) {
        char ch = s.ptr[k];
        bool edge = k == 0 || k + 1 == local || s.ptr[k - 1] == '.';
        if (ch == '.'
                ? edge
                : !odp_is_alnum(ch) && (unsigned char)ch < 0x80 && strchr("!#$%&'*+-/=?^_`{|}~", ch) == NULL)
            return false;
    }
    return is_domain((struct odp_slice){at + 1, s.len - local - 1});
}

#define BIT(ch) ((uint64_t)1 << ((ch)&63))

/* Beyond control characters, the space and what is not ASCII: "<>\^`{|} may not. */
static bool may_stand_in_uri(unsigned char b)
{
    const uint64_t low = BIT('"') | BIT('<') | BIT('>'),
                   high = BIT('\\') | BIT('^') | BIT('`') | BIT('{') | BIT('|') | BIT('}');
    return b > 0x20 && b < 0x7f && ((b < 64 ? low : high) >> (b & 63) & 1) == 0;
}

/* No byte of S is one of those, or a percent sign: 32 at a time. */
static ODP_WIDE bool is_plain_uri(struct odp_slice s)
{
    odp_bytes32 odd = {0}, v = odd + 'a'; /* what is behind the end */
    for (size_t k = 0; k < s.len; k += sizeof v) {
        if (s.len < sizeof v)
            memcpy(&v, s.ptr, s.len);
        else /* the last ones whole, of which some were looked at */
            memcpy(&v, s.ptr + (k < s.len - sizeof v ? k : s.len - sizeof v), sizeof v);
        odd |= (odp_bytes32)((v <= 0x20) | ((v >= '{') & (v != '~')) | (v == '"') | (v == '%') | (v == '<'));
        odd |= (odp_bytes32)((v == '>') | (v == '\\') | (v == '^') | (v == '`'));
    }
    return odp_bytes32_bits(&odd) == 0;
}

/* RFC 3986: length of the scheme before a colon and something more; 0: no scheme. */
static size_t scheme_of(struct odp_slice s)
{
    size_t k = 0;
    while (k < s.len &&
           (odp_is_alnum(s.ptr[k]) || (k > 0 && (s.ptr[k] == '+' || s.ptr[k] == '-' || s.ptr[k] == '.'))))
        k++;
    return k == 0 || k + 1 >= s.len || s.ptr[k] != ':' || (s.ptr[0] >= '0' && s.ptr[0] <= '9') ? 0 : k;
}

/* A scheme, then characters that a URI may hold, percent signs with two hex digits. */
static bool is_uri(struct odp_slice s)
{
    size_t k = scheme_of(s);
    if (k == 0)
        return false;
    if (is_plain_uri((struct odp_slice){s.ptr + k, s.len - k}))
        return true;
    for (k++; k < s.len; k++) {
        char ch = s.ptr[k];
        if (ch == '%' &&
            (k + 2 >= s.len || odp_hex_value(s.ptr[k + 1]) < 0 || odp_hex_value(s.ptr[k + 2]) < 0))
            return false;
        if (!may_stand_in_uri((unsigned char)ch))
            return false;
    }
    return true;
}

static bool is_base64(struct odp_slice s)
{
    size_t n = s.len;
    if (n % 4 != 0)
        return false;
    while (n > 0 && s.len - n < 2 && s.ptr[n - 1] == '=')
        n--;
    for (size_t k = 0; k < n; k++)
        if (!odp_is_alnum(s.ptr[k]) && s.ptr[k] != '+' && s.ptr[k] != '/')
            return false;
    return true;
}

static bool is_uuid(struct odp_slice s)
{
    if (s.len != 36)
        return false;
    for (size_t k = 0; k < 36; k++) {
        bool dash = k == 8 || k == 13 || k == 18 || k == 23;
        if (dash ? s.ptr[k] != '-' : odp_hex_value(s.ptr[k]) < 0)
            return false;
    }
    return true;
}

void odp_type_string(struct odp_check *c, uint32_t field)
{
    static const struct {
        struct odp_slice name;
        bool (*test)(struct odp_slice s);
    } formats[] = {
        [ODP_STRING_EMAIL] = {{"email", 5}, is_email},
        [ODP_STRING_URI] = {{"uri", 3}, is_uri},
        [ODP_STRING_BINARY] = {{"binary", 6}, is_base64},
        [ODP_STRING_UUID] = {{"uuid", 4}, is_uuid},
    };
    enum odp_string_format format = odp_check_field(c, field)->string_format;
    if (format == ODP_STRING_DEFAULT)
        return;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->state[i] == ODP_VALUE_OK && !formats[format].test(c->text[i]))
            odp_check_fault(c, i, (int)field, ODP_T01)->args[0] = formats[format].name;
}

static bool is_among(struct odp_slice s, const struct odp_strings *list)
{
    for (size_t k = 0; k < list->n; k++)
        if (odp_slice_eq(s, list->item[k]))
            return true;
    return false;
}

static struct odp_slice name_booleans(struct odp_check *c, const struct odp_field *f)
{
    struct odp_slice all[16];
    size_t n = 0;
    for (size_t k = 0; k < f->true_values.n && n < 8; k++)
        all[n++] = f->true_values.item[k];
    for (size_t k = 0; k < f->false_values.n && n < 16; k++)
        all[n++] = f->false_values.item[k];
    return odp_check_join(c, all, n);
}

void odp_type_boolean(struct odp_check *c, uint32_t field)
{
    const struct odp_field *f = odp_check_field(c, field);
    for (uint32_t i = 0; i < c->n; i++) {
        if (c->state[i] != ODP_VALUE_OK)
            continue;
        struct odp_slice s = c->text[i];
        bool native = c->native && odp_check_native(c, i, field);
        if (is_among(s, &f->true_values) || (native && odp_slice_is(s, "true"))) {
            c->text[i] = ODP_LIT("true");
        } else if (is_among(s, &f->false_values) || (native && odp_slice_is(s, "false"))) {
            c->text[i] = ODP_LIT("false");
        } else {
            struct odp_slice names = name_booleans(c, f);
            odp_check_untyped(c, i, (int)field, ODP_T06)->args[0] = names;
        }
    }
}

void odp_type_duration(struct odp_check *c, uint32_t field)
{
    for (uint32_t i = 0; i < c->n; i++)
        if (c->state[i] == ODP_VALUE_OK && !odp_duration_ok(c->text[i]))
            (void)odp_check_untyped(c, i, (int)field, ODP_T13);
}
