#include "xlsx/text.h"

#include <string.h>
#include <strings.h>

#include "base/ascii.h"
#include "base/line.h"
#include "base/utf8.h"

/* ---- cells ---- */

/* ECMA-376, ST_Xstring: _xHHHH_ encodes a character. */
/* Escaped by the library, or by us: it begins with '_' when it is written. */
static bool is_escaped(const char *p, size_t len)
{
    unsigned char c = (unsigned char)*p;
    if (c < 0x20)
        return c != '\t' && c != '\n';
    return c == 0xEF && len >= 3 && (unsigned char)p[1] == 0xBF && (unsigned char)p[2] >= 0xBE;
}

/* P reads like an escape, perhaps with the first character of one that follows. */
static bool looks_escaped(const char *p, size_t len)
{
    if (len < 7 || p[0] != '_' || p[1] != 'x')
        return false;
    for (int i = 2; i < 6; i++)
        if (odp_hex_value(p[i]) < 0)
            return false;
    return p[6] == '_' || is_escaped(p + 6, len - 6);
}

bool odp_xlsx_text_put(struct odp_buffer *out, struct odp_slice s)
{
    odp_buffer_clear(out);
    size_t units = 0, points = 0;
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        if ((c & 0xC0) != 0x80) {
            units += c >= 0xF0 ? 2 : 1;
            points++;
        }
        if (c == '_' && looks_escaped(s.ptr + i, s.len - i)) {
            odp_buffer_add_str(out, "_x005F_");
            points += 6;
        } else if (c == '\0') {
            odp_buffer_add_str(out, "_x0000_");
            points += 6;
        } else if (c == 0xEF && is_escaped(s.ptr + i, s.len - i)) {
            odp_buffer_add_str(out, (unsigned char)s.ptr[i + 2] == 0xBE ? "_xFFFE_" : "_xFFFF_");
            points += 6;
            i += 2;
        } else {
            odp_buffer_add_char(out, (char)c);
        }
    }
    return units <= ODP_XLSX_UNITS_MAX &&
           points <= ODP_XLSX_UNITS_MAX; /* the library counts what it is given */
}

/* ---- names ---- */

void odp_xlsx_add_line(struct odp_buffer *out, const char *text, const char *forbidden, size_t most)
{
    size_t len = strlen(text), units = 0;
    bool space = false;
    for (size_t i = 0; i < len;) {
        uint32_t cp;
        size_t n = odp_utf8_decode(text + i, len - i, &cp);
        bool blank = cp <= ' ' || cp == 0x7F || (cp >= 0x80 && cp < 0xA0) || (cp & 0xFFFE) == 0xFFFE ||
                     (cp < 0x80 && strchr(forbidden, (int)cp) != NULL);
        if (blank) {
            space = out->len > 0;
        } else {
            size_t need = (cp > 0xFFFF ? 2 : 1) + (size_t)space;
            if (units + need > most)
                break;
            if (space)
                odp_buffer_add_char(out, ' ');
            odp_buffer_add(out, text + i, n);
            units += need;
            space = false;
        }
        i += n;
    }
}

char *odp_xlsx_line(const char *text, size_t most, struct odp_arena *a)
{
    struct odp_buffer b = {0};
    odp_xlsx_add_line(&b, text, "", most);
    return odp_buffer_keep(&b, a);
}

/* ---- links ---- */

bool odp_xlsx_is_link(struct odp_slice s)
{
    size_t scheme = s.len > 8 && strncasecmp(s.ptr, "https://", 8) == 0  ? 8
                    : s.len > 7 && strncasecmp(s.ptr, "http://", 7) == 0 ? 7
                                                                         : 0;
    if (scheme == 0 || s.len > 2000 || strchr("/?#:", s.ptr[scheme]) != NULL)
        return false;
    unsigned anchors = 0;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        bool plain = odp_is_alnum(c);
        if (c == '%' && (s.len - i < 3 || odp_hex_value(s.ptr[i + 1]) < 0 || odp_hex_value(s.ptr[i + 2]) < 0))
            return false;
        anchors += c == '#';
        if (!plain && (c == '\0' || strchr("-._~:/?#@!$&'()*+,;=%", c) == NULL))
            return false;
    }
    /* The library takes these words for schemes of its own, anywhere in the text. */
    static const char *const words[] = {"internal:", "external:"};
    for (size_t k = 0; k < 2; k++)
        if (memmem(s.ptr, s.len, words[k], 9) != NULL)
            return false;
    return anchors <= 1;
}

/* ---- widths ---- */

unsigned odp_xlsx_width(struct odp_slice s)
{
    size_t widest = 0;
    while (s.len > 0) {
        size_t width = odp_utf8_width(odp_line_next(&s));
        widest = width > widest ? width : widest;
    }
    return widest < 100000 ? (unsigned)widest : 100000;
}

unsigned odp_xlsx_lines(struct odp_slice s, unsigned width)
{
    size_t lines = 1, at = 0;
    for (size_t i = 0; i < s.len;) {
        size_t len = 0;
        while (i + len < s.len && s.ptr[i + len] != ' ' && s.ptr[i + len] != '\n')
            len++;
        size_t word = odp_utf8_width((struct odp_slice){s.ptr + i, len});
        if (at > 0 && at + 1 + word > width) {
            lines++;
            at = 0;
        }
        at += (at > 0) + word;
        for (; at > width; at -= width)
            lines++; /* a word that is broken */
        i += len;
        if (i < s.len && s.ptr[i++] == '\n') {
            lines++;
            at = 0;
        }
    }
    return lines < 1000 ? (unsigned)lines : 1000;
}
