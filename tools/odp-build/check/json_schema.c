#include "check/json_schema.h"

#include <math.h>
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/utf8.h"

#define DEPTH       64
#define MATCH_LIMIT 200000u

/* Where the walk is: the way down from the root, written out only when something is wrong. */
struct step {
    const struct step *up;
    const char *name; /* of the member, or NULL: item INDEX */
    size_t index;
};

struct walk {
    struct odp_buffer *why; /* NULL: only the answer is wanted (anyOf, not) */
    int depth;
    bool failed;
};

static bool check(struct walk *w, const json_t *schema, const json_t *v, const struct step *at);

static void add_way(struct odp_buffer *b, const struct step *at)
{
    if (at == NULL)
        return;
    add_way(b, at->up);
    odp_buffer_add_char(b, '/');
    if (at->name != NULL)
        odp_buffer_add_str(b, at->name);
    else
        odp_buffer_add_u64(b, at->index);
}

static bool wrong(struct walk *w, const struct step *at, const char *keyword)
{
    if (w->why != NULL && w->why->len == 0) {
        add_way(w->why, at);
        odp_buffer_add_str(w->why, at != NULL ? ": " : "");
        odp_buffer_add_str(w->why, keyword);
    }
    return false;
}

static bool is_whole(const json_t *v)
{
    return json_is_integer(v) || (json_is_real(v) && floor(json_real_value(v)) == json_real_value(v));
}

static bool is_type(const json_t *v, const char *type)
{
    switch (json_typeof(v)) {
    case JSON_OBJECT:
        return strcmp(type, "object") == 0;
    case JSON_ARRAY:
        return strcmp(type, "array") == 0;
    case JSON_STRING:
        return strcmp(type, "string") == 0;
    case JSON_INTEGER:
    case JSON_REAL:
        return strcmp(type, "number") == 0 || (strcmp(type, "integer") == 0 && is_whole(v));
    case JSON_TRUE:
    case JSON_FALSE:
        return strcmp(type, "boolean") == 0;
    case JSON_NULL:
        return strcmp(type, "null") == 0;
    }
    return false;
}

static bool check_type(const json_t *type, const json_t *v)
{
    if (json_is_string(type))
        return is_type(v, json_string_value(type));
    for (size_t k = 0; k < json_array_size(type); k++)
        if (json_is_string(json_array_get(type, k)) && is_type(v, json_string_value(json_array_get(type, k))))
            return true;
    return !json_is_array(type);
}

/* In JSON Schema 1 and 1.0 are equal; jansson keeps integers and reals apart. */
static bool equal(const json_t *a, const json_t *b)
{
    if (json_is_number(a) && json_is_number(b))
        return json_is_integer(a) && json_is_integer(b) ? json_integer_value(a) == json_integer_value(b)
                                                        : !(json_number_value(a) < json_number_value(b)) &&
                                                              !(json_number_value(a) > json_number_value(b));
    return json_equal(a, b) != 0;
}

static bool check_values(struct walk *w, const json_t *schema, const json_t *v, const struct step *at)
{
    const json_t *type = json_object_get(schema, "type"), *list = json_object_get(schema, "enum"),
                 *one = json_object_get(schema, "const");
    if (type != NULL && !check_type(type, v))
        return wrong(w, at, "type");
    if (one != NULL && !equal(one, v))
        return wrong(w, at, "const");
    if (json_is_array(list)) {
        size_t k = 0;
        while (k < json_array_size(list) && !equal(json_array_get(list, k), v))
            k++;
        if (k == json_array_size(list))
            return wrong(w, at, "enum");
    }
    return true;
}

static bool check_number(struct walk *w, const json_t *schema, const json_t *v, const struct step *at)
{
    double x = json_number_value(v);
    const json_t *k;
    if (json_is_number(k = json_object_get(schema, "minimum")) && x < json_number_value(k))
        return wrong(w, at, "minimum");
    if (json_is_number(k = json_object_get(schema, "maximum")) && x > json_number_value(k))
        return wrong(w, at, "maximum");
    if (json_is_number(k = json_object_get(schema, "exclusiveMinimum")) && x <= json_number_value(k))
        return wrong(w, at, "exclusiveMinimum");
    if (json_is_number(k = json_object_get(schema, "exclusiveMaximum")) && x >= json_number_value(k))
        return wrong(w, at, "exclusiveMaximum");
    if (json_is_number(k = json_object_get(schema, "multipleOf")) && json_number_value(k) > 0) {
        double q = x / json_number_value(k);
        if (fabs(q - nearbyint(q)) > 1e-9 * fmax(1, fabs(q))) /* 0.3 is a multiple of 0.1 */
            return wrong(w, at, "multipleOf");
    }
    return true;
}

static bool matches(struct walk *w, const json_t *pattern, const json_t *v)
{
    int error;
    PCRE2_SIZE offset;
    pcre2_code *code = pcre2_compile((PCRE2_SPTR)json_string_value(pattern), json_string_length(pattern),
                                     PCRE2_UTF, &error, &offset, NULL);
    if (code == NULL) {
        w->failed = w->failed || error == PCRE2_ERROR_HEAP_FAILED;
        return true; /* not for the data to answer for */
    }
    pcre2_match_data *data = pcre2_match_data_create(1, NULL);
    pcre2_match_context *context = pcre2_match_context_create(NULL);
    int r = PCRE2_ERROR_NOMEMORY;
    if (data != NULL && context != NULL) {
        (void)pcre2_set_match_limit(context, MATCH_LIMIT);
        r = pcre2_match(code, (PCRE2_SPTR)json_string_value(v), json_string_length(v), 0, 0, data, context);
    }
    if (r == PCRE2_ERROR_NOMEMORY)
        w->failed = true;
    pcre2_match_context_free(context);
    pcre2_match_data_free(data);
    pcre2_code_free(code);
    return r >= 0;
}

static bool within(const json_t *schema, const char *least, const char *most, size_t n, const char **broken)
{
    const json_t *a = json_object_get(schema, least), *b = json_object_get(schema, most);
    *broken = json_is_number(a) && (double)n < json_number_value(a)   ? least
              : json_is_number(b) && (double)n > json_number_value(b) ? most
                                                                      : NULL;
    return *broken == NULL;
}

static bool check_string(struct walk *w, const json_t *schema, const json_t *v, const struct step *at)
{
    const char *broken;
    const json_t *pattern = json_object_get(schema, "pattern");
    if (!within(schema, "minLength", "maxLength",
                odp_utf8_count((struct odp_slice){json_string_value(v), json_string_length(v)}), &broken))
        return wrong(w, at, broken);
    return !json_is_string(pattern) || matches(w, pattern, v) || wrong(w, at, "pattern");
}

/* Does V satisfy SCHEMA? Reports nothing. */
static bool satisfies(struct walk *w, const json_t *schema, const json_t *v)
{
    struct walk quiet = {NULL, w->depth, false};
    bool yes = check(&quiet, schema, v, NULL);
    w->failed = w->failed || quiet.failed;
    return yes;
}

static bool check_array(struct walk *w, const json_t *schema, const json_t *v, const struct step *at)
{
    const json_t *items = json_object_get(schema, "items"),
                 *more = json_object_get(schema, "additionalItems");
    const json_t *contains = json_object_get(schema, "contains");
    size_t n = json_array_size(v), listed = json_is_array(items) ? json_array_size(items) : 0;
    const char *broken;
    if (!within(schema, "minItems", "maxItems", n, &broken))
        return wrong(w, at, broken);
    for (size_t k = 0; k < n; k++) {
        const json_t *s = json_is_array(items) ? (k < listed ? json_array_get(items, k) : more) : items;
        struct step here = {at, NULL, k};
        if (s != NULL && !check(w, s, json_array_get(v, k), &here))
            return false;
    }
    if (contains != NULL) {
        size_t k = 0;
        while (k < n && !satisfies(w, contains, json_array_get(v, k)))
            k++;
        if (k == n)
            return wrong(w, at, "contains");
    }
    if (json_is_true(json_object_get(schema, "uniqueItems")))
        for (size_t a = 1; a < n; a++)
            for (size_t b = 0; b < a; b++)
                if (equal(json_array_get(v, a), json_array_get(v, b)))
                    return wrong(w, at, "uniqueItems");
    return true;
}

static bool check_object(struct walk *w, const json_t *schema, const json_t *v, const struct step *at)
{
    const json_t *properties = json_object_get(schema, "properties"),
                 *more = json_object_get(schema, "additionalProperties");
    const json_t *required = json_object_get(schema, "required");
    const char *name, *broken;
    json_t *member;
    if (!within(schema, "minProperties", "maxProperties", json_object_size(v), &broken))
        return wrong(w, at, broken);
    for (size_t k = 0; k < json_array_size(required); k++) {
        const char *r = json_string_value(json_array_get(required, k));
        struct step here = {at, r, 0};
        if (r != NULL && json_object_get(v, r) == NULL)
            return wrong(w, &here, "required");
    }
    json_object_foreach((json_t *)(uintptr_t)v, name, member)
    {
        const json_t *s = json_object_get(properties, name);
        struct step here = {at, name, 0};
        if (s == NULL)
            s = more;
        if (json_is_false(s))
            return wrong(w, &here, "additionalProperties");
        if (s != NULL && !check(w, s, member, &here))
            return false;
    }
    return true;
}

static bool check_combined(struct walk *w, const json_t *schema, const json_t *v, const struct step *at)
{
    const json_t *all = json_object_get(schema, "allOf"), *any = json_object_get(schema, "anyOf");
    const json_t *one = json_object_get(schema, "oneOf"), *none = json_object_get(schema, "not");
    for (size_t k = 0; k < json_array_size(all); k++)
        if (!check(w, json_array_get(all, k), v, at))
            return false;
    size_t good = 0;
    for (size_t k = 0; k < json_array_size(any); k++)
        good += satisfies(w, json_array_get(any, k), v);
    if (json_array_size(any) > 0 && good == 0)
        return wrong(w, at, "anyOf");
    good = 0;
    for (size_t k = 0; k < json_array_size(one); k++)
        good += satisfies(w, json_array_get(one, k), v);
    if (json_array_size(one) > 0 && good != 1)
        return wrong(w, at, "oneOf");
    return none == NULL || !satisfies(w, none, v) || wrong(w, at, "not");
}

static bool check(struct walk *w, const json_t *schema, const json_t *v, const struct step *at)
{
    if (json_is_false(schema))
        return wrong(w, at, "false");
    if (!json_is_object(schema) || v == NULL)
        return true;
    if (w->depth >= DEPTH)
        return wrong(w, at, "depth");
    w->depth++;
    bool good = check_values(w, schema, v, at) && check_combined(w, schema, v, at);
    if (good && json_is_number(v))
        good = check_number(w, schema, v, at);
    else if (good && json_is_string(v))
        good = check_string(w, schema, v, at);
    else if (good && json_is_array(v))
        good = check_array(w, schema, v, at);
    else if (good && json_is_object(v))
        good = check_object(w, schema, v, at);
    w->depth--;
    return good;
}

enum odp_status odp_json_schema_check(const json_t *schema, const json_t *value, struct odp_buffer *why)
{
    struct walk w = {why, 0, false};
    odp_buffer_clear(why);
    bool good = check(&w, schema, value, NULL);
    if (w.failed)
        return odp_failure_memory();
    return good ? ODP_OK : odp_buffer_status(why) == ODP_OK ? ODP_BAD : ODP_FAIL;
}
