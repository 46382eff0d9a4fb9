/* Members of JSON, written with ' for ". */
#pragma once
#include "run.h"

#include <jansson.h>

/* TEXT between BEFORE and AFTER, with " for each '. To be freed. */
static inline char *quoted(const char *before, const char *text, const char *after)
{
    size_t n = strlen(before) + strlen(text) + strlen(after) + 1;
    char *out = malloc(n);
    assert_non_null(out);
    snprintf(out, n, "%s%s%s", before, text, after);
    return double_quotes(out);
}

static inline json_t *parsed(const char *text)
{
    char *copy = quoted("", text, "");
    json_error_t error;
    json_t *json = json_loads(copy, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);
    if (json == NULL)
        fail_msg("%s: %s", text, error.text);
    free(copy);
    return json;
}

/* OBJECT has these MEMBERS, others or not. */
static inline void holds(const json_t *object, const char *members)
{
    const char *name;
    json_t *value;
    char *text = quoted("{", members, "}");
    json_t *wanted = parsed(text);
    json_object_foreach(wanted, name, value) if (!json_equal(value, json_object_get(object, name)))
    {
        char *have = json_dumps(object, JSON_ENCODE_ANY);
        fail_msg("%s: wanted %s in %s", name, members, have != NULL ? have : "nothing");
    }
    json_decref(wanted);
    free(text);
}
