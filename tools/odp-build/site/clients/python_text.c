/* Text of the catalogue in Python's source: literals, docstrings, lists that fit on their lines. */
#include "site/clients/python_internal.h"

/* Characters, not bytes. */
static size_t width(const char *s, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++)
        n += ((unsigned char)s[i] & 0xC0) != 0x80;
    return n;
}

static void spaces(struct odp_buffer *out, size_t n)
{
    while (n-- > 0)
        odp_buffer_add_char(out, ' ');
}

/* Bytes at P that end a line or turn the direction of text where people read it: U+0080-009F, U+200E/F, U+2028-202E, U+2066-2069, U+FEFF. Their number in UTF-8, or 0; *CODE is the character. */
static size_t hidden(const unsigned char *p, unsigned *code)
{
    if (p[0] == 0xC2 && p[1] >= 0x80 && p[1] <= 0x9F) {
        *code = p[1];
        return 2;
    }
    if ((p[0] != 0xE2 && p[0] != 0xEF) || p[1] == 0 || p[2] == 0)
        return 0;
    *code = ((p[0] & 0xFu) << 12) | ((p[1] & 0x3Fu) << 6) | (p[2] & 0x3Fu);
    bool found = *code == 0x200E || *code == 0x200F || (*code >= 0x2028 && *code <= 0x202E) || (*code >= 0x2066 && *code <= 0x2069) || *code == 0xFEFF;
    return found ? 3 : 0;
}

void python_string(struct odp_buffer *out, const char *text)
{
    odp_buffer_add_char(out, '"');
    for (const unsigned char *p = (const unsigned char *)text; *p != '\0';) {
        unsigned code = 0;
        size_t n = hidden(p, &code);
        if (n > 0) {
            odp_buffer_printf(out, "\\u%04x", code);
            p += n;
            continue;
        }
        if (*p == '"' || *p == '\\') {
            odp_buffer_add_char(out, '\\');
            odp_buffer_add_char(out, (char)*p);
        } else if (*p < ' ' || *p == 0x7F) {
            odp_buffer_printf(out, "\\x%02x", *p);
        } else {
            odp_buffer_add_char(out, (char)*p);
        }
        p++;
    }
    odp_buffer_add_char(out, '"');
}

/* PROSE (terminated) as it may stand within three quotes: no backslash is one, no three quotes follow each other, none is the last. */
static void escape(struct odp_buffer *out, struct odp_slice prose)
{
    for (size_t i = 0; i < prose.len; i++) {
        unsigned code = 0;
        size_t n = hidden((const unsigned char *)prose.ptr + i, &code);
        if (n > 0) {
            i += n - 1;
            continue;
        }
        char c = prose.ptr[i];
        if (c == '\\' || (c == '"' && (i + 1 == prose.len || (i > 0 && prose.ptr[i - 1] == '"'))))
            odp_buffer_add_char(out, '\\');
        odp_buffer_add_char(out, c);
    }
}

/* Words of TEXT behind INDENT spaces, a new line before what goes over the end. The first line goes on at column AT. */
static void fold(struct odp_buffer *out, struct odp_slice text, size_t indent, size_t at)
{
    for (size_t i = 0; i < text.len;) {
        size_t end = i;
        while (end < text.len && text.ptr[end] != ' ')
            end++;
        size_t w = width(text.ptr + i, end - i);
        bool first = i == 0;
        if (!first && at + 1 + w > PYTHON_COLUMNS) {
            odp_buffer_add_char(out, '\n');
            spaces(out, indent);
            at = indent;
        } else if (!first) {
            odp_buffer_add_char(out, ' ');
            at++;
        }
        odp_buffer_add(out, text.ptr + i, end - i);
        at += w;
        i = end + 1;
    }
}

void python_docstring(struct odp_buffer *out, size_t indent, const char *const *paragraphs, size_t n)
{
    struct odp_buffer prose, escaped;
    size_t written = 0;
    bool one_line = false;
    odp_buffer_init(&prose);
    odp_buffer_init(&escaped);
    for (size_t i = 0; i < n; i++) {
        if (paragraphs[i] == NULL)
            continue;
        odp_buffer_clear(&prose);
        client_prose(&prose, paragraphs[i]);
        (void)odp_buffer_cstr(&prose); /* a terminator: hidden() looks ahead */
        odp_buffer_clear(&escaped);
        escape(&escaped, odp_slice_trim(odp_buffer_slice(&prose)));
        if (escaped.len == 0)
            continue;
        size_t before = out->len;
        if (written > 0)
            odp_buffer_add_char(out, '\n');
        if (written == 1)
            odp_buffer_add_char(out, '\n');
        spaces(out, indent);
        if (written == 0)
            odp_buffer_add_str(out, "\"\"\"");
        fold(out, odp_buffer_slice(&escaped), indent, indent + (written == 0 ? 3 : 0));
        one_line = written == 0 && !out->failed && memchr(out->ptr + before, '\n', out->len - before) == NULL &&
                   width(out->ptr + before, out->len - before) + 3 <= PYTHON_COLUMNS;
        written++;
    }
    if (written > 0 && !one_line) {
        odp_buffer_add_char(out, '\n');
        spaces(out, indent);
    }
    if (written > 0)
        odp_buffer_add_str(out, "\"\"\"\n");
    out->failed = out->failed || prose.failed || escaped.failed;
    odp_buffer_release(&prose);
    odp_buffer_release(&escaped);
}

void python_items(struct odp_buffer *out, size_t indent, const char *head, const char *const *items, size_t n, const char *tail)
{
    size_t w = indent + width(head, strlen(head)) + width(tail, strlen(tail));
    for (size_t i = 0; i < n; i++)
        w += width(items[i], strlen(items[i])) + (i > 0 ? 2 : 0);
    spaces(out, indent);
    odp_buffer_add_str(out, head);
    for (size_t i = 0; i < n; i++) {
        if (w > PYTHON_COLUMNS) {
            odp_buffer_add_char(out, '\n');
            spaces(out, indent + 4);
            odp_buffer_add_str(out, items[i]);
            odp_buffer_add_char(out, ',');
        } else {
            odp_buffer_add_str(out, i > 0 ? ", " : "");
            odp_buffer_add_str(out, items[i]);
        }
    }
    if (w > PYTHON_COLUMNS && n > 0) {
        odp_buffer_add_char(out, '\n');
        spaces(out, indent);
    }
    odp_buffer_add_str(out, tail);
    odp_buffer_add_char(out, '\n');
}
