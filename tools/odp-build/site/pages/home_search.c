/* What the home page's search looks through beside the cards: titles, keywords, fields, publishers,
 * descriptions of every dataset, in both languages. A file of its own, which the page asks for when somebody
 * begins to type: hundreds of datasets would make the page itself heavy.
 *
 *   {"kumuh": ["titles", "keywords", "names and titles of fields", "descriptions and publishers"]}
 *
 * Every word must be found: in titles (weight 8), keywords (4), fields (2) or descriptions and publishers
 * (1); whole, at its beginning, inside, or with one letter wrong. Case and marks over letters do not count.
 */
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

static void say_fields(struct said *s, struct portal *p, const json_t *resource)
{
    json_t *schema = NULL;
    const json_t *field;
    const char *path = odp_text_of(resource, "schema");
    size_t i;
    if (strncmp(path, "../", 3) != 0 || p->status != ODP_OK)
        return;
    p->status = odp_job_read(p->job, path + 3, &schema);
    json_array_foreach(json_object_get(schema, "fields"), i, field)
    {
        say(s, FIELDS, odp_text_of(field, "name"));
        say_member(s, FIELDS, field, json_object_get(field, "odp:title") != NULL ? "odp:title" : "title");
    }
    json_decref(schema);
}

static void say_entry(struct said *s, struct portal *p, const json_t *entry)
{
    static const char *const rest[] = {"description", "producer", "sdi:walidata"};
    const json_t *keywords = json_object_get(entry, "odp:keywords"), *resource;
    size_t i;
    say(s, TITLES, odp_text_of(entry, "slug"));
    say(s, TITLES, odp_text_of(entry, "name"));
    say_member(s, TITLES, entry, "title");
    for (int lang = 0; lang < ODP_LANGS; lang++)
        say_strings(s, KEYWORDS, json_object_get(keywords, odp_lang_code((enum odp_lang)lang)));
    if (!json_is_object(keywords))
        say_strings(s, KEYWORDS, json_object_get(entry, "keywords"));
    for (i = 0; i < sizeof rest / sizeof *rest; i++)
        say_member(s, REST, entry, rest[i]);
    json_array_foreach(json_object_get(entry, "resources"), i, resource)
    {
        say_member(s, KEYWORDS, resource, "title");
        say_fields(s, p, resource);
    }
}

void portal_search_index(struct portal *p)
{
    struct odp_buffer out = {0};
    const json_t *entry;
    json_t *index = json_object();
    size_t i;
    json_array_foreach(p->job->entries, i, entry)
    {
        struct said said = {0};
        json_t *list = json_array();
        say_entry(&said, p, entry);
        for (int k = 0; k < CLASSES; k++) {
            odp_add(list, json_string(odp_buffer_cstr(&said.text[k])));
            odp_buffer_release(&said.text[k]);
        }
        odp_set(index, odp_text_of(entry, "slug"), list);
    }
    if (p->status == ODP_OK)
        p->status = odp_doc_print(&out, index, ODP_DOC_LINE);
    if (p->status == ODP_OK)
        p->status = portal_asset_put(p, "search_json", ".json", odp_buffer_slice(&out));
    json_decref(index);
    odp_buffer_release(&out);
}
