/* What a ministry's own logo and style sheet may not contain. The portal's Content-Security-Policy would stop
 * most of it in a page; a picture opened by its own address has no such policy, at the origin where people
 * use their keys. */
#include <ctype.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "catalog/theme_files.h"

#define NOTHING ((struct odp_slice){NULL, 0})

static bool starts(struct odp_slice s, const char *with)
{
    size_t n = strlen(with);
    for (size_t i = 0; i < n; i++)
        if (i >= s.len || tolower((unsigned char)s.ptr[i]) != with[i])
            return false;
    return true;
}

static struct odp_slice after(struct odp_slice s, size_t n)
{
    n = n < s.len ? n : s.len;
    return (struct odp_slice){s.ptr + n, s.len - n};
}

/* Where WHAT (lower case) begins in S, or S.len. */
static size_t find(struct odp_slice s, const char *what)
{
    size_t i = 0;
    while (i < s.len && !starts(after(s, i), what))
        i++;
    return i;
}

/* ---- style sheets ---- */

/* "\69 mport" is "import". Returns the escape's character (if it matters here) and its length. */
static char escaped(struct odp_slice s, size_t *len)
{
    unsigned value = 0;
    size_t i = 1;
    while (i < s.len && i <= 6 && isxdigit((unsigned char)s.ptr[i])) {
        int c = tolower((unsigned char)s.ptr[i++]);
        value = value * 16 + (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    if (i == 1) {
        *len = s.len > 1 ? 2 : 1;
        return s.len > 1 ? s.ptr[1] : ' ';
    }
    if (i < s.len && isspace((unsigned char)s.ptr[i]))
        i++;
    *len = i;
    return value > 0 && value < 0x80 ? (char)value : '?';
}

static bool ends_with(const struct odp_buffer *b, const char *with)
{
    size_t n = strlen(with);
    return b->len >= n && memcmp(b->ptr + b->len - n, with, n) == 0;
}

/* CSS in lower case without comments and escapes. No comment begins within quotes or in an unquoted url(…). A
 * backslash that is left is a slash to readers of addresses. */
static void plain_css(struct odp_slice css, struct odp_buffer *out)
{
    char quote = '\0';
    bool address = false, begun = false;
    while (css.len > 0) {
        size_t step = 1;
        char c = *css.ptr;
        if (quote == '\0' && !address && starts(css, "/*")) {
            struct odp_slice rest = after(css, 2);
            css = after(rest, find(rest, "*/") + 2);
            continue;
        }
        bool line = c == '\n' || c == '\r' || c == '\f';
        if (c == '\\') {
            c = escaped(css, &step);
            line = step == 2 && (c == '\n' || c == '\r' || c == '\f'); /* within quotes: nothing at all */
            c = c == '\\' ? '/' : c;
        } else if (quote != '\0') {
            quote = c == quote || line ? '\0' : quote;
        } else if ((c == '"' || c == '\'') && !begun) {
            quote = c;
            address = false;
        } else if (address) {
            begun = begun || !isspace((unsigned char)c);
            address = c != ')';
        }
        begun = begun && address;
        c = (char)tolower((unsigned char)c);
        if (!line || step == 1)
            odp_buffer_add(out, &c, 1);
        if (quote == '\0' && !address && ends_with(out, "url("))
            address = true;
        css = after(css, step);
    }
}

/* Whether ADDRESS leaves the site: "https:…", "//…". A scheme comes before the first of / ? #. */
static bool leads_out(struct odp_slice address)
{
    size_t i = 0;
    while (i < address.len &&
           (isalnum((unsigned char)address.ptr[i]) || strchr("+-.", address.ptr[i]) != NULL))
        i++;
    return starts(address, "//") || (i < address.len && address.ptr[i] == ':');
}

static struct odp_slice plain_fault(struct odp_slice s)
{
    while (s.len > 0) {
        if (starts(s, "@import"))
            return ODP_LIT("@import");
        if (starts(s, "://") || starts(s, "\"//") || starts(s, "'//"))
            return ODP_LIT("//");
        if (!starts(s, "url(")) {
            s = after(s, 1);
            continue;
        }
        struct odp_slice address = odp_slice_trim(after(s, 4));
        char close[] = {address.len > 0 && (*address.ptr == '"' || *address.ptr == '\'') ? *address.ptr : ')',
                        '\0'};
        if (*close != ')')
            address = after(address, 1);
        bool data = starts(address, "data:");
        if (!data && leads_out(address))
            return ODP_LIT("url(//…)");
        s = data ? after(address, find(address, close)) : address;
    }
    return NOTHING;
}

struct odp_slice odp_theme_css_fault(struct odp_slice css)
{
    struct odp_buffer plain = {0};
    plain_css(css, &plain);
    struct odp_slice fault = plain_fault(odp_buffer_slice(&plain));
    if (odp_buffer_status(&plain) != ODP_OK)
        fault = ODP_LIT("no memory");
    odp_buffer_release(&plain);
    return fault;
}

/* ---- pictures ---- */

static size_t name_length(struct odp_slice s)
{
    size_t i = 0;
    while (i < s.len && (isalnum((unsigned char)s.ptr[i]) || strchr(":_-.", s.ptr[i]) != NULL))
        i++;
    return i;
}

/* Without its prefix: "xlink:href" is "href". */
static struct odp_slice local_name(struct odp_slice s)
{
    const char *colon = s.len > 0 ? memchr(s.ptr, ':', s.len) : NULL;
    return colon != NULL ? after(s, (size_t)(colon - s.ptr) + 1) : s;
}

static bool is_name(struct odp_slice s, const char *name)
{
    return s.len == strlen(name) && starts(s, name);
}

static bool element_allowed(struct odp_slice name)
{
    static const char *const never[] = {"script",  "foreignobject", "iframe", "object",  "embed",
                                        "audio",   "video",         "a",      "animate", "set",
                                        "handler", "link",          "meta",   "canvas",  "html",
                                        "body",    "animatemotion"};
    bool ok = name.len > 0;
    for (size_t i = 0; i < ODP_COUNT(never); i++)
        ok = ok && !is_name(name, never[i]);
    return ok;
}

static bool attribute_allowed(struct odp_slice name, struct odp_slice value)
{
    struct odp_slice local = local_name(name);
    bool address = is_name(local, "href") || is_name(local, "src");
    struct odp_slice v = odp_slice_trim(value);
    /* XML has no '<' in a value: a parser that sees one is elsewhere than we are */
    if (starts(local, "on") || is_name(name, "xml:base") || find(v, "<") < v.len || find(v, "&#") < v.len ||
        find(v, "javascript:") < v.len || find(v, "/xhtml") < v.len)
        return false;
    if (address)
        return starts(v, "#") || starts(v, "data:image/png") || starts(v, "data:image/jpeg");
    bool css =
        find(v, "url(") < v.len || find(v, "\\") < v.len; /* a style, or an attribute that is read like one */
    return starts(name, "xmlns") || !css || (find(v, "&") == v.len && odp_theme_css_fault(v).ptr == NULL);
}

/* The attributes of a tag up to its '>'; REST gets what follows it. */
static struct odp_slice attributes_fault(struct odp_slice s, struct odp_slice *rest)
{
    for (;;) {
        while (s.len > 0 && (isspace((unsigned char)*s.ptr) || *s.ptr == '/'))
            s = after(s, 1);
        if (s.len > 0 && *s.ptr == '>') {
            *rest = after(s, 1);
            return NOTHING;
        }
        struct odp_slice name = {s.ptr, name_length(s)};
        struct odp_slice value = odp_slice_trim(after(s, name.len));
        if (name.len == 0 || value.len == 0 || *value.ptr != '=')
            return ODP_LIT("SVG?");
        value = odp_slice_trim(after(value, 1));
        const char *end = value.len > 0 && (*value.ptr == '"' || *value.ptr == '\'')
                              ? memchr(value.ptr + 1, *value.ptr, value.len - 1)
                              : NULL;
        if (end == NULL)
            return ODP_LIT("SVG?");
        s = after(value, (size_t)(end - value.ptr) + 1);
        value = (struct odp_slice){value.ptr + 1, (size_t)(end - value.ptr) - 1};
        if (!attribute_allowed(name, value))
            return (struct odp_slice){name.ptr, (size_t)(end + 1 - name.ptr)};
    }
}

/* In another encoding the bytes are other letters. */
static struct odp_slice declaration_fault(struct odp_slice s)
{
    bool declared = find(s, "encoding") < s.len,
         utf8 = find(s, "\"utf-8\"") < s.len || find(s, "'utf-8'") < s.len;
    return declared && !utf8 ? s : NOTHING;
}

/* One tag, comment or instruction at S ('<'); REST gets what follows. */
static struct odp_slice tag_fault(struct odp_slice s, struct odp_slice *rest, bool *any)
{
    bool comment = starts(s, "<!--"), closing = starts(s, "</"), declaration = starts(s, "<?xml ");
    if (comment || closing || declaration) {
        const char *end = comment ? "-->" : closing ? ">" : "?>";
        size_t begin = comment ? 4 : 0,
               inside = find(after(s, begin), end); /* "<!-->" is not the end of a comment, too */
        *rest = after(s, begin + inside + strlen(end));
        return declaration ? declaration_fault((struct odp_slice){s.ptr, inside}) : NOTHING;
    }
    struct odp_slice name = {s.ptr + 1, name_length(after(s, 1))};
    struct odp_slice local = local_name(name);
    if (!element_allowed(local) || (!*any && !is_name(local, "svg")))
        return (struct odp_slice){s.ptr, name.len + 1 < s.len ? name.len + 2 : s.len};
    *any = true;
    struct odp_slice fault = attributes_fault(after(s, name.len + 1), rest);
    if (fault.ptr == NULL && is_name(local, "style")) {
        size_t end = find(*rest, "<"); /* of XML: tags, comments and references are no part of its text */
        struct odp_slice css = {rest->ptr, end};
        *rest = after(*rest, end);
        fault = !starts(*rest, "</") || find(css, "&") < end ? ODP_LIT("<style>") : odp_theme_css_fault(css);
    }
    return fault;
}

struct odp_slice odp_theme_svg_fault(struct odp_slice svg)
{
    bool any = false;
    for (size_t i = 0; i < svg.len; i++)
        if ((unsigned char)svg.ptr[i] < 0x20 && strchr("\t\n\r", svg.ptr[i]) == NULL)
            return ODP_LIT("SVG?");
    if (odp_utf8_valid(svg) < svg.len || memchr(svg.ptr, '\0', svg.len) != NULL)
        return ODP_LIT("SVG?");
    for (struct odp_slice rest = svg; rest.len > 0;) {
        const char *open = memchr(rest.ptr, '<', rest.len);
        if (open == NULL)
            break;
        struct odp_slice at = after(rest, (size_t)(open - rest.ptr)), fault = tag_fault(at, &rest, &any);
        if (fault.ptr != NULL)
            return fault;
    }
    return any ? NOTHING : ODP_LIT("SVG?");
}
