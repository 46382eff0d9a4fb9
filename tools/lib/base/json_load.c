#include "base/json_load.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/json.h"
#include "base/utf8.h"
#include "words/json.h"

static json_malloc_t get_before; /* as the program, or a test, has set them */
static json_free_t free_before;

static void *get(size_t n)
{
    void *p = get_before(n);
    return p != NULL ? p : odp_reserve_alloc(n);
}

static void give_back(void *p)
{
    if (!odp_reserve_free(p))
        free_before(p);
}

void odp_json_start(void)
{
    json_get_alloc_funcs(&get_before, &free_before);
    json_set_alloc_funcs(get, give_back);
}

/* ---- a text becomes a value ----
 *
 * What jansson takes a byte at a time is taken here a string at a time, in a fifth of the time (6 % of one
 * change among 2,000 datasets). Only what is plain is taken: of all else jansson says what it is, or what is
 * wrong with it. */

enum { DEEPEST = 100, NAME_MOST = 128 };

struct reading {
    const char *p, *end;
    bool distinct; /* names of an object must differ */
    int depth;
    struct odp_buffer plain; /* a string without its escapes */
};

/* The byte that the next token begins with; a zero byte, with which none does, at the end. */
static char next(struct reading *r)
{
    while (r->p < r->end && (*r->p == ' ' || *r->p == '\n' || *r->p == '\r' || *r->p == '\t'))
        r->p++;
    return r->p < r->end ? *r->p : '\0';
}

/* The string at P, which is a quote: S is borrowed from the text, or until the next one is taken. */
static bool take_string(struct reading *r, struct odp_slice *s)
{
    const char *at = ++r->p;
    unsigned char all = 0;
    bool escapes = false;
    for (; at < r->end && *at != '"'; at++) {
        if ((unsigned char)*at < 0x20)
            return false;
        all |= (unsigned char)*at;
        if (*at == '\\') {
            escapes = true;
            at++;
        }
    }
    if (at >= r->end)
        return false;
    *s = (struct odp_slice){r->p, (size_t)(at - r->p)};
    r->p = at + 1;
    if (all >= 0x80 && odp_utf8_valid(*s) < s->len)
        return false;
    if (!escapes)
        return true;
    odp_buffer_clear(&r->plain);
    char *plain = odp_buffer_reserve(&r->plain, s->len);
    if (plain == NULL || !odp_json_unescape(*s, plain, &s->len))
        return false;
    s->ptr = plain;
    return memchr(plain, '\0', s->len) == NULL;
}

/* A number or a word; of all but whole numbers jansson says which. */
static json_t *take_scalar(struct reading *r)
{
    enum { DIGITS = 18 }; /* that fit every integer */
    char text[40];
    size_t n = 0;
    for (char c = next(r);
         n + 1 < sizeof text && (isalnum((unsigned char)c) || c == '-' || c == '+' || c == '.');
         c = r->p < r->end ? *r->p : '\0')
        text[n] = *r->p++;
    text[n] = '\0';
    const size_t sign = text[0] == '-', digits = strspn(text + sign, "0123456789");
    const bool whole = digits > 0 && digits <= DIGITS && sign + digits == n;
    return whole && (digits == 1 || text[sign] != '0') ? json_integer(strtoll(text, NULL, 10))
                                                       : json_loadb(text, n, JSON_DECODE_ANY, NULL);
}

static json_t *take_value(struct reading *r);

static bool take_member(struct reading *r, json_t *object)
{
    char name[NAME_MOST];
    struct odp_slice s;
    if (next(r) != '"' || !take_string(r, &s) || s.len >= sizeof name || next(r) != ':')
        return false;
    memcpy(name, s.ptr, s.len);
    name[s.len] = '\0';
    r->p++;
    const size_t members = json_object_size(object);
    return json_object_set_new_nocheck(object, name, take_value(r)) == 0 &&
           (!r->distinct || json_object_size(object) > members);
}

/* An object or an array. */
static json_t *take_many(struct reading *r)
{
    const bool named = *r->p++ == '{';
    const char close = named ? '}' : ']';
    json_t *many = named ? json_object() : json_array();
    bool ok = ++r->depth < DEEPEST, more = next(r) != close;
    while (ok && more) {
        ok = named ? take_member(r, many) : json_array_append_new(many, take_value(r)) == 0;
        more = ok && next(r) == ',';
        r->p += more;
    }
    r->depth--;
    if (ok && next(r) == close) {
        r->p++;
        return many;
    }
    json_decref(many);
    return NULL;
}

static json_t *take_value(struct reading *r)
{
    struct odp_slice s;
    switch (next(r)) {
    case '{':
    case '[':
        return take_many(r);
    case '"':
        return take_string(r, &s) ? json_stringn_nocheck(s.ptr, s.len) : NULL;
    default:
        return take_scalar(r);
    }
}

json_t *odp_json_load(const char *text, size_t len, size_t flags, json_error_t *error)
{
    struct reading r = {.p = text, .end = text + len, .distinct = (flags & JSON_REJECT_DUPLICATES) != 0};
    const bool known = (flags & ~(size_t)(JSON_REJECT_DUPLICATES | JSON_DECODE_ANY)) == 0,
               fits = (flags & JSON_DECODE_ANY) != 0 || next(&r) == '{' || next(&r) == '[';
    json_t *value = known && fits ? take_value(&r) : NULL;
    if (value != NULL && (next(&r) != '\0' || r.p < r.end)) {
        json_decref(value);
        value = NULL;
    }
    odp_buffer_release(&r.plain);
    return value != NULL ? value : json_loadb(text, len, flags, error);
}

void odp_json_free_text(char *text)
{
    json_free_t release;
    json_malloc_t unused;
    json_get_alloc_funcs(&unused, &release);
    release(text);
}

json_t *odp_json_find(const json_t *list, const char *key, const char *text)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *own = odp_json_text(json_array_get(list, i), key);
        if (own != NULL && text != NULL && strcmp(own, text) == 0)
            return json_array_get(list, i);
    }
    return NULL;
}

/* ---- what is wrong with a text that is no JSON ---- */

/* jansson says WHAT it expected and near which text; what it says begins with one of these. */
static const struct {
    const char *what;
    struct odp_text expected;
} rows[] = {
#define WORDS(name, ...) {__VA_ARGS__},
#include "words/json_faults.h"
#undef WORDS
};

/* The text that E names, which ends at its position; empty: it names none. */
static struct odp_slice found_by(const json_error_t *e)
{
    static const char near[] = " near '";
    const bool undecoded = strncmp(e->text, "unable to decode", 16) == 0; /* near what comes before it */
    const char *at = undecoded ? NULL : strstr(e->text, near);
    struct odp_slice found = odp_slice_of(at != NULL ? at + sizeof near - 1 : "");
    found.len -= found.len > 0; /* the quote after it */
    return found;
}

size_t odp_json_fault_at(const json_error_t *e, struct odp_slice text, size_t *len)
{
    size_t at = e->position > 0 ? (size_t)e->position : 0;
    *len = found_by(e).len;
    if (at < text.len)
        return at > *len ? at - *len : 0;
    at = text.len - (*len < text.len ? *len : text.len);
    while (*len == 0 && at > 0 && strchr(" \t\r\n", text.ptr[at - 1]) != NULL)
        at--; /* what is missing at the end of the file is missing after its last sign */
    return at;
}

struct odp_text odp_json_say(struct odp_arena *a, const json_error_t *e)
{
    const struct odp_slice found = found_by(e);
    const bool ended = strstr(e->text, " near end of file") != NULL;
    struct odp_text said;
    size_t i = 0;
    while (i < ODP_COUNT(rows) && strncmp(e->text, rows[i].what, strlen(rows[i].what)) != 0)
        i++;
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        const char *expected = i < ODP_COUNT(rows) ? rows[i].expected.in[lang] : NULL;
        if (expected == NULL)
            said.in[lang] = odp_arena_str(a, e->text);
        else if (found.len > 0)
            said.in[lang] = odp_arena_printf(a, odp_word((enum odp_lang)lang, W_json_found), (int)found.len,
                                             found.ptr, expected);
        else if (ended)
            said.in[lang] = odp_arena_printf(a, odp_word((enum odp_lang)lang, W_json_ended), expected);
        else
            said.in[lang] = odp_arena_printf(a, odp_word((enum odp_lang)lang, W_json_expected), expected);
    }
    return said;
}
