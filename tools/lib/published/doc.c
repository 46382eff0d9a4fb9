#include "published/doc.h"

#include <errno.h>
#include <math.h>

#include "base/json.h"
#include "base/json_load.h"

json_t *odp_doc_text(const struct odp_text *t)
{
    return json_pack("{s:s, s:s}", "id", odp_text_get(t, ODP_LANG_ID), "en", odp_text_get(t, ODP_LANG_EN));
}

json_t *odp_doc_slice(struct odp_slice s)
{
    return json_stringn(s.ptr != NULL ? s.ptr : "", s.len);
}

json_t *odp_doc_value(enum odp_type type, struct odp_slice text)
{
    json_t *v = odp_type_repr(type) != ODP_REPR_STRING
                    ? odp_json_load(text.ptr, text.len, JSON_DECODE_ANY, NULL)
                    : NULL;
    return v != NULL
               ? v
               : odp_doc_slice(text); /* a number too large for jansson, too: better as text than rounded */
}

json_t *odp_doc_bbox(const double bbox[4])
{
    json_t *a = json_array();
    for (int k = 0; k < 4; k++)
        (void)json_array_append_new(a, json_real(round(bbox[k] * 1e7) / 1e7));
    return a;
}

json_t *odp_doc_digest(const uint8_t digest[ODP_SHA256_SIZE])
{
    char text[ODP_DIGEST_TEXT];
    odp_digest_text(digest, text);
    return json_string(text);
}

const char *odp_text_of(const json_t *object, const char *key)
{
    const char *s = odp_json_text(object, key);
    return s != NULL ? s : "";
}

bool odp_doc_read_digest(const json_t *object, const char *key, uint8_t out[ODP_SHA256_SIZE])
{
    const char *text = odp_text_of(object, key);
    return strncmp(text, "sha256:", 7) == 0 && odp_digest_parse(text + 7, out);
}

static void must(int failed, const char *key)
{
    if (failed != 0) {
        (void)odp_failure_set("write JSON", key, EILSEQ);
        odp_failure_end("JSON");
    }
}

void odp_set(json_t *object, const char *key, json_t *value)
{
    must(json_object_set_new(object, key, value), key);
}

void odp_add(json_t *array, json_t *value)
{
    must(json_array_append_new(array, value), "[]");
}

void odp_set_str(json_t *object, const char *key, const char *s)
{
    odp_set(object, key, json_string(s != NULL ? s : ""));
}

void odp_set_flag(json_t *object, const char *key, bool flag)
{
    odp_set(object, key, json_boolean(flag));
}

void odp_set_number(json_t *object, const char *key, json_int_t n)
{
    odp_set(object, key, json_integer(n));
}

void odp_set_copy(json_t *object, const json_t *source, const char *key)
{
    const json_t *value = json_object_get(source, key);
    if (value != NULL)
        odp_set(object, key, json_deep_copy(value));
}

static int add_bytes(const char *bytes, size_t n, void *out)
{
    odp_buffer_add(out, bytes, n);
    return ((const struct odp_buffer *)out)->failed ? -1 : 0;
}

/* ---- printing: what jansson prints, in a quarter of the time. It looks at each character, and for loops at
 * each object and array: 2 % of one change among 2,000 datasets ---- */

struct printing {
    struct odp_buffer *out;
    size_t flags; /* of jansson */
    size_t depth;
};

/* Not json_dumps: out of memory within a member's name, it leaves the name out without an error (jansson
 * 2.14). The buffer latches. */
static bool print_rare(const struct printing *p, const json_t *value)
{
    return json_dump_callback(value, add_bytes, p->out, p->flags | JSON_ENCODE_ANY) == 0;
}

static bool print_text(const struct printing *p, const char *text, size_t len)
{
    const struct odp_slice s = {text, len};
    if (odp_json_is_plain(s)) {
        odp_json_add_string(p->out, s);
        return true;
    }
    json_t *value = json_stringn_nocheck(text, len);
    const bool ok = print_rare(p, value);
    json_decref(value);
    return ok;
}

static void begin_line(const struct printing *p)
{
    const size_t spaces = (p->flags & JSON_MAX_INDENT) * p->depth;
    char *line = (p->flags & JSON_MAX_INDENT) != 0 ? odp_buffer_reserve(p->out, spaces + 1) : NULL;
    if (line == NULL)
        return;
    *line = '\n';
    memset(line + 1, ' ', spaces);
    p->out->len += spaces + 1;
}

/* FIRST, or a comma, before the item AT. */
static void begin_item(const struct printing *p, size_t at, char first)
{
    odp_buffer_add_char(p->out, at > 0 ? ',' : first);
    if (at > 0 && (p->flags & (JSON_COMPACT | JSON_MAX_INDENT)) == 0)
        odp_buffer_add_char(p->out, ' ');
    begin_line(p);
}

static bool print_value(struct printing *p, const json_t *value);

static bool print_members(struct printing *p, const json_t *object)
{
    const char *const colon = (p->flags & JSON_COMPACT) != 0 ? ":" : ": ", *name;
    const json_t *one;
    size_t at = 0;
    bool ok = true;
    json_object_foreach((json_t *)(uintptr_t)object, name, one)
    {
        begin_item(p, at++, '{');
        ok = ok && print_text(p, name, strlen(name));
        odp_buffer_add_str(p->out, colon);
        ok = ok && print_value(p, one);
    }
    return ok;
}

static bool print_items(struct printing *p, const json_t *array)
{
    bool ok = true;
    for (size_t i = 0, n = json_array_size(array); i < n && ok; i++) {
        begin_item(p, i, '[');
        ok = print_value(p, json_array_get(array, i));
    }
    return ok;
}

static bool print_value(struct printing *p, const json_t *value)
{
    if (json_is_string(value))
        return print_text(p, json_string_value(value), json_string_length(value));
    if (json_is_integer(value) && json_integer_value(value) >= 0) {
        odp_buffer_add_u64(p->out, (uint64_t)json_integer_value(value));
        return true;
    }
    if (json_object_size(value) + json_array_size(value) == 0)
        return print_rare(p, value);
    p->depth++;
    const bool ok = json_is_object(value) ? print_members(p, value) : print_items(p, value);
    p->depth--;
    begin_line(p);
    odp_buffer_add_char(p->out, json_is_object(value) ? '}' : ']');
    return ok;
}

static enum odp_status print(struct odp_buffer *out, const json_t *value, size_t flags, size_t depth)
{
    struct printing p = {out, flags, depth};
    if (value == NULL || !print_value(&p, value))
        return odp_failure_set("write JSON", NULL, ENOMEM);
    return odp_buffer_status(out);
}

enum odp_status odp_doc_print(struct odp_buffer *out, const json_t *value, size_t flags)
{
    return print(out, value, flags, 0);
}

enum odp_status odp_doc_print_within(struct odp_buffer *out, const json_t *value, int depth)
{
    return print(out, value, ODP_DOC_NARROW, (size_t)depth);
}

static void add_members(struct odp_buffer *to, const json_t *object)
{
    const char *name;
    const json_t *one;
    json_object_foreach((json_t *)(uintptr_t)object, name, one)
    {
        odp_buffer_add_char(to, '.');
        odp_buffer_add(to, name, strlen(name) + 1);
        odp_doc_key(to, one);
    }
}

/* The kind, then the value; texts have no zero byte within, objects and arrays end in one. */
void odp_doc_key(struct odp_buffer *to, const json_t *value)
{
    if (value == NULL)
        return;
    odp_buffer_add_char(to, (char)('0' + json_typeof(value)));
    switch (json_typeof(value)) {
    case JSON_STRING:
        odp_buffer_add(to, json_string_value(value), json_string_length(value) + 1);
        break;
    case JSON_INTEGER:
        odp_buffer_add(to, &(json_int_t){json_integer_value(value)}, sizeof(json_int_t));
        break;
    case JSON_REAL:
        odp_buffer_add(to, &(double){json_real_value(value)}, sizeof(double));
        break;
    case JSON_OBJECT:
        add_members(to, value);
        odp_buffer_add_char(to, '\0');
        break;
    case JSON_ARRAY:
        for (size_t i = 0, n = json_array_size(value); i < n; i++)
            odp_doc_key(to, json_array_get(value, i));
        odp_buffer_add_char(to, '\0');
        break;
    default:
        break;
    }
}
