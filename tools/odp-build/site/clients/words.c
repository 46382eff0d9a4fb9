/* Words of the catalogue: as they stand in JSON, as identifiers and as prose. */
#include "site/clients/clients_internal.h"

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static char to_lower(char c)
{
    return is_upper(c) ? (char)(c - 'A' + 'a') : c;
}

static char to_upper(char c)
{
    return is_lower(c) ? (char)(c - 'a' + 'A') : c;
}

enum form { SNAKE, CAMEL, STUDLY };

/* A word ends at what is no letter or digit, and before a capital that follows a small letter or a digit
 * ("luasHa"). */
static void identifier(struct odp_buffer *out, const char *text, enum form form)
{
    bool first = true, begins = true; /* the first of the identifier, of a word */
    for (const char *p = text; *p != '\0'; p++) {
        if (!is_digit(*p) && !is_lower(*p) && !is_upper(*p)) {
            begins = true;
            continue;
        }
        begins = begins || (is_upper(*p) && (is_lower(p[-1]) || is_digit(p[-1])));
        if (first && is_digit(*p))
            odp_buffer_add_char(out, '_');
        if (begins && !first && form == SNAKE)
            odp_buffer_add_char(out, '_');
        /* "luas-2-3": without the capital that parts words, digits of two words would run into one number. */
        else if (begins && !first && is_digit(*p) && is_digit(out->len > 0 ? out->ptr[out->len - 1] : '\0'))
            odp_buffer_add_char(out, '_');
        bool capital = begins && form != SNAKE && (form == STUDLY || !first);
        odp_buffer_add_char(out, capital ? to_upper(*p) : to_lower(*p));
        first = begins = false;
    }
    if (first)
        odp_buffer_add_char(out, '_');
}

void client_snake(struct odp_buffer *out, const char *text)
{
    identifier(out, text, SNAKE);
}

void client_camel(struct odp_buffer *out, const char *text)
{
    identifier(out, text, CAMEL);
}

void client_studly(struct odp_buffer *out, const char *text)
{
    identifier(out, text, STUDLY);
}

/* Bytes at P that are white space, a control character or the end of a line in some language (U+0085, U+2028,
 * U+2029). */
static size_t space_at(const unsigned char *p)
{
    if (*p <= ' ' || *p == 0x7F)
        return 1;
    return p[0] == 0xC2 && p[1] == 0x85                                     ? 2
           : p[0] == 0xE2 && p[1] == 0x80 && (p[2] == 0xA8 || p[2] == 0xA9) ? 3
                                                                            : 0;
}

void client_prose(struct odp_buffer *out, const char *text)
{
    bool space = false, any = false; /* one space between words, none around them */
    for (const unsigned char *p = (const unsigned char *)text; *p != '\0';) {
        size_t wide = space_at(p);
        if (wide > 0) {
            space = any;
            p += wide;
            continue;
        }
        if (space || (any && *p == '/' && p[-1] == '*'))
            odp_buffer_add_char(out, ' ');
        odp_buffer_add_char(out, (char)*p++);
        space = false;
        any = true;
    }
}

/* ---- members of JSON ---- */

const char *client_text(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s != NULL ? s : "";
}

struct odp_text client_both(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    return json_is_string(v) ? (struct odp_text){{json_string_value(v), NULL}}
                             : (struct odp_text){{json_string_value(json_object_get(v, "id")),
                                                  json_string_value(json_object_get(v, "en"))}};
}

bool client_has(const json_t *list, const char *text)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        const char *s = json_string_value(json_is_object(item) ? json_object_get(item, "name") : item);
        if (s != NULL && strcmp(s, text) == 0)
            return true;
    }
    return false;
}
