/* Values, escaped for their place. */
#include "base/template/template_internal.h"

#include <errno.h>

#include "base/html.h"

static void escape(struct odp_buffer *out, struct odp_slice s)
{
    odp_html_twice(out, s);
}

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Percent-encodes what an address may not hold (WHATWG URL, path and query sets together); an encoded byte
 * stays. */
static void escape_url(struct odp_buffer *out, struct odp_slice s)
{
    static const char hex[] = "0123456789ABCDEF";
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        bool encoded = c == '%' && s.len - i > 2 && is_hex(s.ptr[i + 1]) && is_hex(s.ptr[i + 2]);
        if (c <= 0x20 || c == 0x7f || strchr("\"'<>`{}|\\^", c) != NULL || (c == '%' && !encoded)) {
            const char three[3] = {'%', hex[c >> 4], hex[c & 15]};
            odp_buffer_add(out, three, 3);
        } else if (c == '&') {
            odp_buffer_add_str(out, "&amp;");
        } else {
            odp_buffer_add_char(out, (char)c);
        }
    }
}

static bool is_scheme(struct odp_slice s, const char *name)
{
    size_t n = strlen(name);
    for (size_t i = 0; i < n && s.len == n; i++)
        if ((s.ptr[i] >= 'A' && s.ptr[i] <= 'Z' ? s.ptr[i] | 0x20 : s.ptr[i]) != name[i])
            return false;
    return s.len == n;
}

/* Judges the whole address as it came out, whatever it is made of: a scheme is the text before the first
 * colon, if nothing else comes before it. ('&' of a value is "&amp;" by now, which is no part of a scheme
 * either.) */
void template_check_url(struct odp_buffer *out, size_t begin, bool image)
{
    static const char *const schemes[] = {"http", "https", "mailto", "tel"};
    static const char picture[] = "image/";
    struct odp_slice s = {out->ptr + begin, out->len - begin};
    if (out->failed || s.len == 0)
        return;
    while (s.len > 0 && (unsigned char)*s.ptr <= ' ')
        s.ptr++, s.len--;
    size_t n = 0;
    while (n < s.len && strchr(":/?#&", s.ptr[n]) == NULL)
        n++;
    if (n == s.len || s.ptr[n] != ':')
        return;
    struct odp_slice scheme = {s.ptr, n};
    for (size_t i = 0; i < ODP_COUNT(schemes); i++)
        if (is_scheme(scheme, schemes[i]))
            return;
    if (image && is_scheme(scheme, "data") && s.len - n > sizeof picture - 1 &&
        is_scheme((struct odp_slice){s.ptr + n + 1, sizeof picture - 1}, picture))
        return;
    out->len = begin;
    odp_buffer_add_char(out, '#');
}

static int add_dumped(const char *bytes, size_t n, void *out)
{
    odp_buffer_add(out, bytes, n);
    return ((struct odp_buffer *)out)->failed ? -1 : 0;
}

/* Nothing in it can end the element or begin a comment in it. These bytes occur in strings only. */
enum odp_status template_escape_json(struct odp_buffer *out, const json_t *value)
{
    struct odp_buffer text = {0};
    /* jansson says nothing where memory ends in a member's name: the buffer remembers */
    if (json_dump_callback(value, add_dumped, &text,
                           JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15)) != 0 ||
        text.failed) {
        odp_buffer_release(&text);
        return odp_failure_set("write JSON", NULL, ENOMEM);
    }
    size_t run = 0;
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        bool separator = c == 0xe2 && text.len - i > 2 && (unsigned char)text.ptr[i + 1] == 0x80 &&
                         ((unsigned char)text.ptr[i + 2] | 1) == 0xa9;
        if (c != '<' && c != '>' && c != '&' && !separator)
            continue;
        odp_buffer_add(out, text.ptr + run, i - run);
        odp_buffer_printf(out, "\\u%04x", separator ? 0x2000U | ((unsigned char)text.ptr[i + 2] & 0x3fU) : c);
        i += separator ? 2 : 0;
        run = i + 1;
    }
    odp_buffer_add(out, text.ptr + run, text.len - run);
    odp_buffer_release(&text);
    return odp_buffer_status(out);
}

/* ---- programs ---- */

/* Characters that end a line or turn the direction of text where people read it: U+007F-009F, U+200E/F,
 * U+2028-202E, U+2066-2069, U+FEFF. Their number of bytes in UTF-8, or 0; *CODE is the character. */
static size_t hidden_at(struct odp_slice s, size_t at, unsigned *code)
{
    const unsigned char *p = (const unsigned char *)s.ptr + at;
    size_t left = s.len - at;
    *code = *p;
    if (*p < ' ' || *p == 0x7f)
        return 1;
    if (left > 1 && p[0] == 0xc2 && p[1] <= 0x9f) {
        *code = p[1];
        return 2;
    }
    if (left < 3 || (p[0] != 0xe2 && p[0] != 0xef))
        return 0;
    *code = ((p[0] & 0xfU) << 12) | ((p[1] & 0x3fU) << 6) | (p[2] & 0x3fU);
    bool found = *code == 0x200e || *code == 0x200f || (*code >= 0x2028 && *code <= 0x202e) ||
                 (*code >= 0x2066 && *code <= 0x2069) || *code == 0xfeff;
    return found ? 3 : 0;
}

/* As the inside of a literal in double quotes: JSON's escapes, which Python, JavaScript and TOML have too. */
static void escape_literal(struct odp_buffer *out, struct odp_slice s)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned code;
        size_t n = hidden_at(s, i, &code);
        if (s.ptr[i] == '"' || s.ptr[i] == '\\')
            odp_buffer_add_char(out, '\\');
        if (n == 0)
            odp_buffer_add_char(out, s.ptr[i]);
        else
            odp_buffer_printf(out, "\\u%04x", code);
        i += n > 0 ? n - 1 : 0;
    }
}

/* Every one of SIGNS with a backslash before it; LINES: line ends become spaces. */
static void escape_signs(struct odp_buffer *out, struct odp_slice s, const char *signs, bool lines)
{
    for (size_t i = 0; i < s.len; i++) {
        if (s.ptr[i] != '\0' && strchr(signs, s.ptr[i]) != NULL)
            odp_buffer_add_char(out, '\\');
        odp_buffer_add_char(out, lines && (unsigned char)s.ptr[i] < ' ' ? ' ' : s.ptr[i]);
    }
}

void template_put(struct odp_buffer *out, enum markup_place place, struct odp_slice s)
{
    switch (place) {
    case PLACE_URL:
        escape_url(out, s);
        break;
    case PLACE_PLAIN:
        odp_buffer_add_slice(out, s);
        break;
    case PLACE_LITERAL:
        escape_literal(out, s);
        break;
    case PLACE_PHP:
        escape_signs(out, s, "'\\", false);
        break;
    case PLACE_MARKDOWN:
        escape_signs(out, s, "\\`*_[]<>#|~", true);
        break;
    default:
        escape(out, s);
    }
}
