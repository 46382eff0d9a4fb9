/* Texts of the documents: members of entries, both languages in one line, names of operations. */
#include "site/api/api_internal.h"

#include <ctype.h>

const char *api_text(const json_t *o, const char *key)
{
    const char *s = json_string_value(json_object_get(o, key));
    return s != NULL ? s : "";
}

struct odp_text api_both(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    const char *s = json_string_value(v);
    if (s != NULL)
        return (struct odp_text){{s, s}};
    return (struct odp_text){
        {json_string_value(json_object_get(v, "id")), json_string_value(json_object_get(v, "en"))}};
}

const char *api_joined(struct api *a, const struct odp_text *t, const char *separator)
{
    const char *id = odp_text_get(t, ODP_LANG_ID), *en = odp_text_get(t, ODP_LANG_EN);
    const char *both = strcmp(id, en) == 0 ? id : odp_arena_printf(&a->arena, "%s%s%s", id, separator, en);
    a->doc.failed = a->doc.failed || both == NULL;
    return both;
}

const char *api_camel(struct api *a, const char *id)
{
    char *out = odp_arena_array(&a->arena, strlen(id) + 1, 1), *w = out;
    for (const char *p = id; *p != '\0'; p++)
        if (*p != '-')
            *w++ = p == id || p[-1] == '-' ? (char)toupper((unsigned char)*p) : *p;
    *w = '\0';
    return out;
}
