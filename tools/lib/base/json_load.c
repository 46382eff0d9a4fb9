#include "base/json_load.h"

#include <string.h>

#include "base/arena.h"
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

json_t *odp_json_load(const char *text, size_t len, size_t flags, json_error_t *error)
{
    return json_loadb(text, len, flags, error);
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
