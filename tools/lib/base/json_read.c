/* Looks at JSON text without building it: where a value is, and whether a text is JSON at all. */
#include "base/json.h"
#include "base/utf8.h"

#define DEPTH 200

struct scan {
    const char *p, *end;
};

static void skip_space(struct scan *s)
{
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\n' || *s->p == '\r' || *s->p == '\t'))
        s->p++;
}

/* Past the string at P (its quote). */
static void skip_string(struct scan *s)
{
    for (s->p++; s->p < s->end && *s->p != '"'; s->p++)
        if (*s->p == '\\' && s->end - s->p > 1)
            s->p++;
    if (s->p < s->end)
        s->p++;
}

/* Past the value at P; the text is known to be well-formed, so counting brackets is enough. */
static void skip_value(struct scan *s)
{
    size_t depth = 0;
    do {
        skip_space(s);
        if (s->p == s->end)
            return;
        switch (*s->p) {
        case '{':
        case '[':
            depth++;
            s->p++;
            break;
        case '}':
        case ']':
            depth -= depth > 0;
            s->p++;
            break;
        case '"':
            skip_string(s);
            break;
        case ',':
        case ':':
            s->p++;
            break;
        default:
            while (s->p < s->end && strchr(",:]}[{\" \n\r\t", *s->p) == NULL)
                s->p++;
        }
    } while (depth > 0);
}

/* 16: not a hexadecimal digit. */
static uint32_t hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return (uint32_t)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (uint32_t)(c - 'a' + 10);
    return c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10) : 16u;
}

static bool read_hex4(const char *p, const char *end, uint32_t *out)
{
    uint32_t v = 0;
    if (end - p < 4)
        return false;
    for (int i = 0; i < 4; i++) {
        uint32_t digit = hex_digit(p[i]);
        if (digit == 16)
            return false;
        v = v << 4 | digit;
    }
    *out = v;
    return true;
}

/* Decodes the escape at P (its backslash) to OUT as UTF-8 and moves on; 0: a wrong escape, or half a
 * surrogate pair. */
static size_t read_escape(struct scan *s, char out[4])
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    uint32_t cp, low;
    if (s->end - s->p < 2)
        return 0;
    char c = s->p[1];
    const char *simple = c != '\0' ? strchr(from, c) : NULL;
    if (simple != NULL) {
        out[0] = to[simple - from];
        s->p += 2;
        return 1;
    }
    if (c != 'u' || !read_hex4(s->p + 2, s->end, &cp))
        return 0;
    s->p += 6;
    if (cp >= 0xD800 && cp < 0xDC00) {
        if (s->end - s->p < 6 || s->p[0] != '\\' || s->p[1] != 'u' || !read_hex4(s->p + 2, s->end, &low) ||
            low < 0xDC00 || low > 0xDFFF)
            return 0;
        cp = 0x10000 + ((cp - 0xD800) << 10) + (low - 0xDC00);
        s->p += 6;
    } else if (cp >= 0xDC00 && cp <= 0xDFFF) {
        return 0;
    }
    return odp_utf8_encode(cp, out);
}

bool odp_json_unescape(struct odp_slice raw, char *out, size_t *len)
{
    struct scan s = {raw.ptr, raw.ptr + raw.len};
    char *w = out, bytes[4];
    while (s.p < s.end) {
        const char *slash = memchr(s.p, '\\', (size_t)(s.end - s.p));
        size_t run = (size_t)((slash != NULL ? slash : s.end) - s.p);
        memmove(w, s.p, run); /* an escape is longer than its character: OUT never overtakes */
        w += run;
        s.p += run;
        if (slash == NULL)
            break;
        size_t n = read_escape(&s, bytes);
        if (n == 0)
            return false;
        memcpy(w, bytes, n);
        w += n;
    }
    *len = (size_t)(w - out);
    return true;
}

/* The next byte of a pointer's token, ~0 and ~1 resolved; -1 at its end. */
static int token_byte(const char **p)
{
    if (**p == '\0' || **p == '/')
        return -1;
    if (**p == '~' && ((*p)[1] == '0' || (*p)[1] == '1')) {
        *p += 2;
        return (*p)[-1] == '0' ? '~' : '/';
    }
    return (unsigned char)*(*p)++;
}

/* Reads the string at P and compares it with the token. */
static bool string_is_token(struct scan *s, const char *token)
{
    bool equal = true;
    char bytes[4];
    for (s->p++; s->p < s->end && *s->p != '"';) {
        size_t n = 1;
        if (*s->p == '\\')
            n = read_escape(s, bytes);
        else
            bytes[0] = *s->p++;
        if (n == 0) {
            s->p++;
            equal = false;
        }
        for (size_t i = 0; i < n && equal; i++)
            equal = token_byte(&token) == (unsigned char)bytes[i];
    }
    if (s->p < s->end)
        s->p++;
    return equal && token_byte(&token) == -1;
}

static bool enter_object(struct scan *s, const char *token, const char **key)
{
    for (s->p++;;) {
        skip_space(s);
        if (s->p == s->end || *s->p != '"')
            return false;
        *key = s->p;
        bool found = string_is_token(s, token);
        skip_space(s);
        s->p += s->p < s->end; /* the colon */
        skip_space(s);
        if (found)
            return true;
        skip_value(s);
        skip_space(s);
        if (s->p == s->end || *s->p++ != ',')
            return false;
    }
}

static bool enter_array(struct scan *s, const char *token)
{
    size_t index = 0, digits = 0;
    for (; token[digits] >= '0' && token[digits] <= '9' && digits < 9; digits++)
        index = index * 10 + (size_t)(token[digits] - '0');
    if (digits == 0 || (token[digits] != '\0' && token[digits] != '/'))
        return false;
    for (s->p++;; index--) {
        skip_space(s);
        if (s->p == s->end || *s->p == ']')
            return false;
        if (index == 0)
            return true;
        skip_value(s);
        skip_space(s);
        if (s->p == s->end || *s->p++ != ',')
            return false;
    }
}

/* To the value at POINTER; *KEY is its member's name, NULL where it has none. */
static bool walk(struct scan *s, const char *pointer, const char **key)
{
    bool found = true;
    skip_space(s);
    while (found && *pointer == '/') {
        const char *token = pointer + 1;
        *key = NULL;
        if (s->p == s->end)
            found = false;
        else if (*s->p == '{')
            found = enter_object(s, token, key);
        else
            found = *s->p == '[' && enter_array(s, token);
        for (pointer = token; *pointer != '\0' && *pointer != '/';)
            pointer++;
    }
    return found && s->p < s->end;
}

bool odp_json_locate(struct odp_slice text, const char *pointer, uint32_t *line, uint32_t *column)
{
    struct scan s = {text.ptr, text.ptr + text.len};
    const char *key = NULL;
    bool of_key = strncmp(pointer, "key:", 4) == 0;
    if (text.len >= 3 && memcmp(text.ptr, "\xEF\xBB\xBF", 3) == 0)
        s.p += 3;
    const char *line_start = s.p;
    *line = *column = 1;
    if (!walk(&s, of_key ? pointer + 4 : pointer, &key))
        return false;
    const char *place = of_key && key != NULL ? key : s.p;
    for (const char *p = line_start; p < place; p++) {
        if (*p == '\n') {
            ++*line;
            line_start = p + 1;
        }
    }
    *column = (uint32_t)odp_utf8_count((struct odp_slice){line_start, (size_t)(place - line_start)}) + 1;
    return true;
}

struct odp_slice odp_json_at(struct odp_slice text, const char *pointer)
{
    struct scan s = {text.ptr, text.ptr + text.len};
    const char *key = NULL;
    if (!walk(&s, pointer, &key))
        return (struct odp_slice){NULL, 0};
    const char *from = s.p;
    skip_value(&s);
    return (struct odp_slice){from, (size_t)(s.p - from)};
}

static bool valid_string(struct scan *s)
{
    char ignored[4];
    for (s->p++; s->p < s->end && *s->p != '"';) {
        if ((unsigned char)*s->p < 0x20)
            return false;
        if (*s->p != '\\')
            s->p++;
        else if (read_escape(s, ignored) == 0)
            return false;
    }
    return s->p < s->end && *s->p++ == '"';
}

static bool digits(struct scan *s)
{
    const char *start = s->p;
    while (s->p < s->end && *s->p >= '0' && *s->p <= '9')
        s->p++;
    return s->p > start;
}

static bool valid_number(struct scan *s)
{
    if (*s->p == '-')
        s->p++;
    const char *start = s->p;
    if (!digits(s) || (*start == '0' && s->p - start > 1))
        return false;
    if (s->p < s->end && *s->p == '.') {
        s->p++;
        if (!digits(s))
            return false;
    }
    if (s->p < s->end && (*s->p == 'e' || *s->p == 'E')) {
        s->p++;
        if (s->p < s->end && (*s->p == '+' || *s->p == '-'))
            s->p++;
        return digits(s);
    }
    return true;
}

static bool valid_word(struct scan *s, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(s->end - s->p) < n || memcmp(s->p, word, n) != 0)
        return false;
    s->p += n;
    return true;
}

static bool valid_scalar(struct scan *s)
{
    switch (*s->p) {
    case '"':
        return valid_string(s);
    case 't':
        return valid_word(s, "true");
    case 'f':
        return valid_word(s, "false");
    case 'n':
        return valid_word(s, "null");
    default:
        return valid_number(s);
    }
}

static bool valid_name(struct scan *s)
{
    skip_space(s);
    if (s->p == s->end || *s->p != '"' || !valid_string(s))
        return false;
    skip_space(s);
    return s->p < s->end && *s->p++ == ':';
}

/* Containers are kept on a stack of their closing brackets, so that depth costs no calls. */
bool odp_json_valid(struct odp_slice text, char *first)
{
    struct scan s = {text.ptr, text.ptr + text.len};
    char closing[DEPTH];
    size_t depth = 0;
    *first = '\0';
    if (odp_utf8_valid(text) != text.len)
        return false;
    for (;;) {
        skip_space(&s);
        if (s.p == s.end)
            return false;
        if (*first == '\0')
            *first = *s.p;
        if (*s.p == '{' || *s.p == '[') {
            if (depth == DEPTH)
                return false;
            closing[depth++] = *s.p++ == '{' ? '}' : ']';
            skip_space(&s);
            if (s.p == s.end || *s.p != closing[depth - 1]) { /* not empty: its first value follows */
                if (closing[depth - 1] == '}' && !valid_name(&s))
                    return false;
                continue;
            }
        } else if (!valid_scalar(&s)) {
            return false;
        }
        /* a value has ended, or an empty container is at its end */
        for (skip_space(&s); depth > 0 && s.p < s.end && *s.p == closing[depth - 1]; skip_space(&s)) {
            s.p++;
            depth--;
        }
        if (depth == 0)
            return s.p == s.end;
        if (s.p == s.end || *s.p++ != ',' || (closing[depth - 1] == '}' && !valid_name(&s)))
            return false;
    }
}
