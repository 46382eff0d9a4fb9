/* Values as texts: of the page's language, and through the filters that a template names. */
#include "base/template/template_internal.h"

#include <stdlib.h>

#include "base/html.h"
#include "base/text.h"

static const char *const names[FILTERS] = {
    [FILTER_NONE] = "",           [FILTER_DAY] = "day",  [FILTER_NUMBER] = "number", [FILTER_SIZE] = "size",
    [FILTER_BOTH] = "both",       [FILTER_ID] = "id",    [FILTER_EN] = "en",         [FILTER_WORD] = "word",
    [FILTER_PERCENT] = "percent", [FILTER_LINE] = "line"};

enum template_filter template_filter_find(struct odp_slice text, struct odp_slice *arg)
{
    const char *space = memchr(text.ptr, ' ', text.len);
    struct odp_slice name = {text.ptr, space != NULL ? (size_t)(space - text.ptr) : text.len};
    *arg = space != NULL ? odp_slice_trim((struct odp_slice){space, text.len - name.len}) : ODP_LIT("");
    for (int i = FILTER_NONE + 1; i < FILTERS; i++)
        if (odp_slice_is(name, names[i]) && (arg->len > 0) == (i == FILTER_WORD))
            return (enum template_filter)i;
    return FILTERS;
}

const char *template_filter_list(struct odp_templates *t)
{
    const char *list = names[FILTER_NONE + 1];
    for (int i = FILTER_NONE + 2; i < FILTERS; i++)
        list = odp_arena_printf(&t->arena, "%s, %s", list, names[i]);
    return list;
}

/* ---- both languages ---- */

static struct odp_slice member(const json_t *value, enum odp_lang lang)
{
    const json_t *text =
        json_is_object(value) ? json_object_get(value, lang == ODP_LANG_ID ? "id" : "en") : value;
    return json_is_string(text) ? (struct odp_slice){json_string_value(text), json_string_length(text)}
                                : ODP_LIT("");
}

/* That of LANG, or the other where it has none. */
static struct odp_slice in_language(const json_t *value, enum odp_lang lang)
{
    struct odp_slice own = member(value, lang);
    return own.len > 0 ? own : member(value, lang == ODP_LANG_ID ? ODP_LANG_EN : ODP_LANG_ID);
}

bool template_both_has(const json_t *value, enum odp_lang lang)
{
    return in_language(value, lang).len > 0;
}

static void add_both(struct odp_buffer *out, const json_t *value)
{
    struct odp_slice id = in_language(value, ODP_LANG_ID), en = in_language(value, ODP_LANG_EN);
    odp_buffer_add_slice(out, id);
    if (!odp_slice_eq(id, en)) {
        odp_buffer_add_str(out, " / ");
        odp_buffer_add_slice(out, en);
    }
}

/* ---- filters ---- */

/* The word whose key is PREFIX and VALUE, what is no letter or digit as _. */
static void add_word(const struct odp_templates *t, struct odp_buffer *out, const char *prefix,
                     struct odp_slice value, enum odp_lang lang)
{
    struct odp_buffer key;
    odp_buffer_init(&key);
    odp_buffer_add_str(&key, prefix);
    for (size_t i = 0; i < value.len; i++) {
        char c = value.ptr[i];
        bool plain = (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z');
        odp_buffer_add_char(&key, plain ? c : '_');
    }
    const struct template_word *w = template_word_find(t, odp_buffer_slice(&key));
    odp_buffer_add_slice(out, w != NULL ? odp_slice_of(w->in[lang]) : value);
    out->failed = out->failed || key.failed;
    odp_buffer_release(&key);
}

/* No control character, no end of a line of JavaScript (U+2028, U+2029), and no end of PHP. */
static void add_line(struct odp_buffer *out, struct odp_slice s)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];
        bool separator = s.len - i > 2 && memcmp(s.ptr + i, "\xe2\x80", 2) == 0 &&
                         ((unsigned char)s.ptr[i + 2] | 1) == 0xa9;
        odp_buffer_add_char(out, separator || c < 0x20 || c == 0x7f ? ' ' : (char)c);
        if (c == '?' && s.len - i > 1 && s.ptr[i + 1] == '>')
            odp_buffer_add_char(out, ' ');
        i += separator ? 2 : 0;
    }
}

static void apply(const struct odp_templates *t, struct odp_buffer *out, struct odp_slice text,
                  const struct instr *i, enum odp_lang lang)
{
    switch ((enum template_filter)i->filter) {
    case FILTER_DAY:
        odp_html_plain_date(out, text.ptr, lang);
        break;
    case FILTER_NUMBER:
        odp_text_decimal(out, text, lang);
        break;
    case FILTER_SIZE:
        odp_text_size(out, strtoull(text.ptr, NULL, 10), lang);
        break;
    case FILTER_WORD:
        add_word(t, out, i->arg, text, lang);
        break;
    case FILTER_LINE:
        add_line(out, text);
        break;
    case FILTER_PERCENT:
        odp_text_percent(out, text);
        break;
    default:
        odp_buffer_add_slice(out, text);
    }
}

bool template_value(const struct odp_templates *t, const struct instr *i, const json_t *value,
                    enum odp_lang lang, struct odp_buffer *out)
{
    char digits[64];
    struct odp_slice text = {digits, 0};
    odp_buffer_clear(out);
    if (i->filter == FILTER_BOTH) {
        add_both(out, value);
        return true;
    }
    if (i->kind == KIND_NUMBER && json_is_integer(value))
        text.len =
            (size_t)snprintf(digits, sizeof digits, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (i->kind == KIND_NUMBER && json_is_real(value))
        text.len = (size_t)snprintf(digits, sizeof digits, "%.15g", json_real_value(value));
    else if (i->kind == KIND_BOTH || i->kind == KIND_HTML || i->kind == KIND_CODE)
        text = in_language(value, i->filter == FILTER_ID   ? ODP_LANG_ID
                                  : i->filter == FILTER_EN ? ODP_LANG_EN
                                                           : lang);
    else if (json_is_string(value))
        text = (struct odp_slice){json_string_value(value), json_string_length(value)};
    else
        return false;
    apply(t, out, text, i, lang);
    return true;
}
