/* What the home page's search looks through beside the cards: titles, keywords, fields, publishers,
 * descriptions of every dataset, in both languages. A file of its own, which the page asks for when somebody
 * begins to type: hundreds of datasets would make the page itself heavy.
 *
 *   {"kumuh": ["titles", "keywords", "names and titles of fields", "descriptions and publishers"]}
 *
 * Every word must be found: in titles (weight 8), keywords (4), fields (2) or descriptions and publishers
 * (1); whole, at its beginning, inside, or with one letter wrong. Case and marks over letters do not count.
 */
#include <errno.h>

#include "site/pages/pages_internal.h"

enum { TITLES, KEYWORDS, FIELDS, REST, CLASSES };

struct said {
    struct odp_buffer text[CLASSES];
};

static void say(struct said *s, int which, const char *text)
{
    if (*text != '\0')
        odp_buffer_printf(&s->text[which], "%s%s", s->text[which].len > 0 ? " " : "", text);
}

/* Member KEY in both languages, once where they are the same. */
static void say_member(struct said *s, int which, const json_t *o, const char *key)
{
    const char *id = odp_model_in(o, key, ODP_LANG_ID), *en = odp_model_in(o, key, ODP_LANG_EN);
    say(s, which, id);
    if (strcmp(id, en) != 0)
        say(s, which, en);
}

static void say_strings(struct said *s, int which, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (json_is_string(json_array_get(list, i)))
            say(s, which, json_string_value(json_array_get(list, i)));
}

static enum odp_status say_fields(struct said *s, const struct portal *p, const json_t *resource)
{
    json_t *schema = NULL;
    const char *path = odp_model_text(resource, "schema");
    if (strncmp(path, "../", 3) != 0)
        return ODP_OK;
    enum odp_status status = odp_model_read(p->job, path + 3, &schema);
    const json_t *fields = json_object_get(schema, "fields");
    for (size_t i = 0; i < json_array_size(fields); i++) {
        const json_t *field = json_array_get(fields, i);
        say(s, FIELDS, odp_model_text(field, "name"));
        say_member(s, FIELDS, field, json_object_get(field, "odp:title") != NULL ? "odp:title" : "title");
    }
    json_decref(schema);
    return status;
}

static enum odp_status say_entry(struct said *s, const struct portal *p, const json_t *entry)
{
    const json_t *keywords = json_object_get(entry, "odp:keywords"),
                 *resources = json_object_get(entry, "resources");
    enum odp_status status = ODP_OK;
    say(s, TITLES, odp_model_text(entry, "slug"));
    say(s, TITLES, odp_model_text(entry, "name"));
    say_member(s, TITLES, entry, "title");
    if (json_is_object(keywords))
        for (int lang = 0; lang < ODP_LANGS; lang++)
            say_strings(s, KEYWORDS, json_object_get(keywords, lang == ODP_LANG_ID ? "id" : "en"));
    else
        say_strings(s, KEYWORDS, json_object_get(entry, "keywords"));
    say_member(s, REST, entry, "description");
    say_member(s, REST, entry, "producer");
    say_member(s, REST, entry, "sdi:walidata");
    for (size_t i = 0; i < json_array_size(resources) && status == ODP_OK; i++) {
        say_member(s, KEYWORDS, json_array_get(resources, i), "title");
        status = say_fields(s, p, json_array_get(resources, i));
    }
    return status;
}

static enum odp_status add_entry(struct odp_doc *d, json_t *index, const struct portal *p,
                                 const json_t *entry)
{
    struct said said;
    json_t *list = json_array();
    for (int i = 0; i < CLASSES; i++)
        odp_buffer_init(&said.text[i]);
    enum odp_status status = say_entry(&said, p, entry);
    for (int i = 0; i < CLASSES; i++) {
        d->failed = d->failed || odp_buffer_status(&said.text[i]) != ODP_OK;
        odp_doc_add(d, list, json_string(odp_buffer_cstr(&said.text[i])));
        odp_buffer_release(&said.text[i]);
    }
    odp_doc_set(d, index, odp_model_text(entry, "slug"), list);
    return status;
}

enum odp_status portal_search_index(struct portal *p)
{
    struct odp_doc d = {0};
    struct odp_buffer out;
    json_t *index = json_object();
    enum odp_status status = ODP_OK;
    odp_buffer_init(&out);
    for (size_t i = 0; i < json_array_size(p->job->entries) && status == ODP_OK; i++)
        status = add_entry(&d, index, p, json_array_get(p->job->entries, i));
    if (status == ODP_OK && d.failed)
        status = odp_failure_set("make", "search.json", ENOMEM);
    if (status == ODP_OK)
        status = odp_doc_print(&out, index, ODP_DOC_LINE);
    if (status == ODP_OK)
        status = portal_asset_put(p, "search_json", ".json", odp_buffer_slice(&out));
    json_decref(index);
    odp_buffer_release(&out);
    return status;
}
