/* Runs a compiled page. Only OUT is written; the depth is bounded by the page, never by the data. */
#include "base/template/template_internal.h"

#include <stdlib.h>

#include "base/html.h"
#include "base/text.h"

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

static bool has_any(const json_t *value, enum odp_lang lang)
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

/* The word whose key is PREFIX and VALUE, with _ for all but letters and digits. */
static void add_word(const struct odp_templates *t, struct odp_buffer *out, const char *prefix,
                     struct odp_slice value, enum odp_lang lang)
{
    struct odp_buffer key = {0};
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
    case FILTER_AMOUNT:
        odp_text_amount(out, text, lang);
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
    case FILTER_MARKUP:
        odp_html_text(out, text.ptr);
        break;
    default:
        odp_buffer_add_slice(out, text);
    }
}

static bool value_text(const struct odp_templates *t, const struct instr *i, const json_t *value,
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

/* ---- the machine ---- */

struct frame {
    const json_t *scope, *list; /* list: NULL where the section is not one */
    size_t index;
};

struct machine {
    const struct odp_templates *t;
    const struct template_program *p;
    enum odp_lang lang;
    const json_t *const *scopes;
    size_t nscopes;
    struct frame frames[TEMPLATE_DEPTH + 1];
    size_t depth;
    struct odp_buffer *out, value; /* value: the one at hand */
    size_t url;                    /* where the address began */
    bool image;
};

static enum odp_status fail(const struct machine *m, const struct instr *i, const char *what)
{
    struct odp_buffer text = {0};
    odp_buffer_printf(&text, "page %s (%s), name %s: %s", m->p->page, m->lang == ODP_LANG_ID ? "id" : "en",
                      i->name, what);
    (void)odp_failure_set("render", odp_buffer_cstr(&text), 0);
    odp_buffer_release(&text);
    return ODP_FAIL;
}

/* *OUT NULL: absent, as the model allows. */
static enum odp_status find(const struct machine *m, const struct instr *i, const json_t **out)
{
    const json_t *value = i->level > 0 ? m->frames[i->level].scope : NULL;
    size_t k = 0;
    *out = NULL;
    if (i->level == 0) {
        for (size_t s = m->nscopes; s > 0 && value == NULL; s--)
            value = json_object_get(m->scopes[s - 1], i->steps[0].key);
        k = 1;
        if (value == NULL || json_is_null(value))
            return i->steps[0].optional ? ODP_OK : fail(m, i, "not there");
    }
    for (; k < i->nsteps; k++) {
        if (!json_is_object(value))
            return fail(m, i, "is not in an object");
        value = json_object_get(value, i->steps[k].key);
        if (value == NULL || json_is_null(value))
            return i->steps[k].optional ? ODP_OK : fail(m, i, "not there");
    }
    *out = value;
    return ODP_OK;
}

static enum odp_status put(struct machine *m, const struct instr *i)
{
    const json_t *value;
    if (find(m, i, &value) != ODP_OK)
        return ODP_FAIL;
    if (value == NULL)
        return ODP_OK;
    if (i->kind == KIND_JSON)
        return template_escape_json(m->out, value);
    if (i->kind == KIND_TEXT && i->filter == FILTER_NONE && json_is_string(value)) { /* most are */
        template_put(m->out, (enum markup_place)i->place,
                     (struct odp_slice){json_string_value(value), json_string_length(value)});
        return ODP_OK;
    }
    if (!value_text(m->t, i, value, m->lang, &m->value))
        return fail(m, i, i->kind == KIND_NUMBER ? "not a number" : "not a text");
    if (i->kind == KIND_HTML || i->kind == KIND_CODE)
        odp_buffer_add_slice(m->out, odp_buffer_slice(&m->value));
    else
        template_put(m->out, (enum markup_place)i->place, odp_buffer_slice(&m->value));
    return odp_buffer_status(&m->value);
}

/* Whether the item of the innermost list is the first, or the last. */
static bool is_end(const struct machine *m, bool first)
{
    size_t depth = m->depth;
    while (depth > 0 && m->frames[depth].list == NULL)
        depth--;
    const struct frame *f = &m->frames[depth];
    return depth > 0 && f->index == (first ? 0 : json_array_size(f->list) - 1);
}

/* *HAS: the section is not empty; *VALUE is then its scope. */
static enum odp_status ask(const struct machine *m, const struct instr *i, const json_t **value, bool *has)
{
    *has = false;
    if (i->kind == KIND_FIRST || i->kind == KIND_LAST)
        *has = is_end(m, i->kind == KIND_FIRST);
    if (i->kind == KIND_FIRST || i->kind == KIND_LAST)
        return ODP_OK;
    if (find(m, i, value) != ODP_OK)
        return ODP_FAIL;
    if (*value == NULL)
        return ODP_OK;
    switch ((enum template_kind)i->kind) {
    case KIND_FLAG:
        *has = json_is_true(*value);
        return json_is_boolean(*value) ? ODP_OK : fail(m, i, "not true or false");
    case KIND_TEXT:
        *has = json_string_length(*value) > 0;
        return json_is_string(*value) ? ODP_OK : fail(m, i, "not a text");
    case KIND_BOTH:
    case KIND_HTML:
    case KIND_CODE:
        *has = has_any(*value, m->lang);
        return ODP_OK;
    case KIND_NUMBER:
        *has = true;
        return json_is_number(*value) || json_is_string(*value) ? ODP_OK : fail(m, i, "not a number");
    case KIND_OBJECT:
        *has = true;
        return json_is_object(*value) ? ODP_OK : fail(m, i, "not an object");
    case KIND_ARRAY:
        *has = json_array_size(*value) > 0;
        return json_is_array(*value) ? ODP_OK : fail(m, i, "not an array");
    default:
        *has = true;
        return ODP_OK;
    }
}

static bool is_scope(const struct instr *i)
{
    return template_is_value((enum template_kind)i->kind) || i->kind == KIND_CODE || i->kind == KIND_OBJECT ||
           i->kind == KIND_ARRAY;
}

/* Opens or passes over; *AT becomes the instruction to go on with. */
static enum odp_status enter(struct machine *m, const struct instr *i, size_t *at)
{
    const json_t *value;
    bool has;
    if (ask(m, i, &value, &has) != ODP_OK)
        return ODP_FAIL;
    if (has != (i->op == OP_OPEN)) {
        *at = (size_t)i->from + 1;
        return ODP_OK;
    }
    if (i->op == OP_OPEN && is_scope(i))
        m->frames[++m->depth] = (struct frame){i->kind == KIND_ARRAY ? json_array_get(value, 0) : value,
                                               i->kind == KIND_ARRAY ? value : NULL, 0};
    ++*at;
    return ODP_OK;
}

static void leave(struct machine *m, const struct instr *i, size_t *at)
{
    struct frame *f = &m->frames[m->depth];
    ++*at;
    if (!is_scope(i))
        return;
    if (f->list != NULL && ++f->index < json_array_size(f->list)) {
        f->scope = json_array_get(f->list, f->index);
        *at = (size_t)i->from + 1;
    } else {
        m->depth--;
    }
}

static enum odp_status step(struct machine *m, size_t *at)
{
    const struct instr *i = &m->p->code[*at];
    switch ((enum op)i->op) {
    case OP_TEXT:
        odp_buffer_add(m->out, m->p->text + i->from, i->len);
        break;
    case OP_VALUE:
        if (put(m, i) != ODP_OK)
            return ODP_FAIL;
        break;
    case OP_OPEN:
    case OP_NOT:
        return enter(m, i, at);
    case OP_CLOSE:
        leave(m, i, at);
        return ODP_OK;
    case OP_URL:
        m->url = m->out->len;
        m->image = i->image;
        break;
    case OP_URL_END:
        template_check_url(m->out, m->url, m->image);
        break;
    }
    ++*at;
    return ODP_OK;
}

/* A .json page: without the commas that nothing follows. */
static void drop_commas(struct odp_buffer *out, size_t begin)
{
    bool quoted = false;
    size_t to = begin, comma = SIZE_MAX; /* comma: the last one, while only blanks follow */
    for (size_t i = begin; i < out->len; i++) {
        char c = out->ptr[i];
        bool blank = c == ' ' || c == '\n' || c == '\t' || c == '\r';
        if (!quoted && (c == ']' || c == '}') && comma != SIZE_MAX) {
            memmove(out->ptr + comma, out->ptr + comma + 1, to - comma - 1);
            to--;
        }
        out->ptr[to++] = c;
        if (quoted && c == '\\' && i + 1 < out->len)
            out->ptr[to++] = out->ptr[++i];
        else if (c == '"')
            quoted = !quoted;
        if (!quoted && c == ',')
            comma = to - 1;
        else if (!blank)
            comma = SIZE_MAX;
    }
    out->len = to;
}

enum odp_status template_run(const struct odp_templates *t, const struct template_program *p,
                             enum odp_lang lang, const json_t *const *scopes, size_t n,
                             struct odp_buffer *out)
{
    const size_t begin = out->len;
    struct machine m = {.t = t, .p = p, .lang = lang, .scopes = scopes, .nscopes = n, .out = out};
    enum odp_status status = ODP_OK;
    for (size_t at = 0; at < p->n && status == ODP_OK;)
        status = step(&m, &at);
    odp_buffer_release(&m.value);
    if (status == ODP_OK && p->json && !out->failed)
        drop_commas(out, begin);
    return status == ODP_OK ? odp_buffer_status(out) : status;
}
