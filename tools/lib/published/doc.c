#include "published/doc.h"

#include <errno.h>
#include <math.h>

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

/* Not json_dumps: out of memory within a member's name, it leaves the name out without an error (jansson
 * 2.14). The buffer latches. */
enum odp_status odp_doc_print(struct odp_buffer *out, const json_t *value, size_t flags)
{
    if (value == NULL || json_dump_callback(value, add_bytes, out, flags) != 0)
        return odp_failure_set("write JSON", NULL, ENOMEM);
    return odp_buffer_status(out);
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

enum odp_status odp_doc_print_within(struct odp_buffer *out, const json_t *value, int depth)
{
    struct odp_buffer json = {0};
    enum odp_status status = odp_doc_print(&json, value, ODP_DOC_NARROW);
    for (const char *at = json.ptr, *end = at + json.len, *line; status == ODP_OK && at < end; at = line) {
        line = memchr(at, '\n', (size_t)(end - at));
        line = line != NULL ? line + 1 : end;
        odp_buffer_add(out, at, (size_t)(line - at));
        if (line[-1] == '\n')
            odp_buffer_printf(out, "%*s", depth, "");
    }
    odp_buffer_release(&json);
    return status == ODP_OK ? odp_buffer_status(out) : status;
}
