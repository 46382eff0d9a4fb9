/* Messages to subscribers: v1/events/index.json, v1/events/<type>.json (JSON Schema 2020-12 of the whole
 * message), and in v1/openapi.json the paths of subscriptions and, under `webhooks`, the calls that receivers
 * get.
 *
 * The kinds are those of contract/events.def, so the documents cannot name others. Their schemas are in
 * templates/openapi/events.json, in the form of JSON Schema, with shared definitions under $defs;
 * v1/openapi.json has them as components Event.<name>.
 *
 * Schemas are open: receivers must not refuse members that they do not know; tests close them. They need no
 * key and are no query: a receiver fetches them once, from any server (core/control/route.c).
 * v1/events/<type>.json has only the definitions that it needs. */
#include "site/api/api_internal.h"

#include <ctype.h>

#define DEFS       "#/$defs/"
#define COMPONENTS "#/components/schemas/"
#define SAMPLE     "https://data.example.go.id/" /* the portal of the examples */

enum { ODP_EVENT_ALL, ODP_EVENT_OWN, ODP_EVENT_ONE }; /* who may ask for it, as events.def has it */

static const struct kind {
    const char *type;
    int audience;
    bool joined;
    struct odp_text title;
} kinds[] = {
#define ODP_EVENT(symbol, type, audience, joined, title_id, title_en)                                        \
    {type, audience, joined, {{title_id, title_en}}},
#include "contract/events.def"
#undef ODP_EVENT
};
enum { KINDS = ODP_COUNT(kinds) };

/* ---- schemas ---- */

/* Replaces the prefix FROM by TO in every text of VALUE's objects. */
static void replace(json_t *value, const char *from, const char *to)
{
    const char *key;
    json_t *item;
    size_t i;
    json_object_foreach(value, key, item)
    {
        const char *s = json_string_value(item);
        if (s != NULL && strncmp(s, from, strlen(from)) == 0)
            odp_set(value, key, json_sprintf("%s%s", to, s + strlen(from)));
        else
            replace(item, from, to);
    }
    json_array_foreach(value, i, item) replace(item, from, to);
}

/* Copies the definitions that VALUE refers to from ALL to USED, and those that they refer to. */
static void collect(json_t *value, const json_t *all, json_t *used)
{
    const char *key;
    json_t *item;
    size_t i;
    json_object_foreach(value, key, item)
    {
        const char *name = strcmp(key, "$ref") == 0 ? json_string_value(item) + strlen(DEFS) : NULL;
        if (name == NULL) {
            collect(item, all, used);
        } else if (json_object_get(used, name) == NULL) {
            odp_set(used, name, json_deep_copy(json_object_get(all, name)));
            collect(json_object_get(used, name), all, used);
        }
    }
    json_array_foreach(value, i, item) collect(item, all, used);
}

/* The template's words about KIND; a missing kind is our fault. */
static json_t *told_of(struct odp_api *a, const json_t *root, const struct kind *k)
{
    json_t *told = json_object_get(json_object_get(root, "events"), k->type);
    if (told == NULL)
        a->status = odp_failure_set("describe the event", k->type, 0);
    return told;
}

static const char *description_of(struct odp_api *a, const json_t *told)
{
    const struct odp_text description = api_both(told, "description");
    return API_PARAGRAPHS(a, &description);
}

/* The whole message; its definitions stay where the template has them. */
static json_t *make_message(struct odp_api *a, const json_t *root, const struct kind *k)
{
    const json_t *told = told_of(a, root, k);
    return json_pack("{s:s, s:s, s:s, s:[s, s, s], s:{s:{s:s, s:s}, s:{s:s, s:s}, s:o}}", "title",
                     API_LINE(a, &k->title), "description", description_of(a, told), "type", "object",
                     "required", "type", "timestamp", "data", "properties", "type", "type", "string", "const",
                     k->type, "timestamp", "type", "string", "format", "date-time", "data",
                     json_deep_copy(json_object_get(told, "data")));
}

static json_t *make_example(struct odp_api *a, const json_t *root, const struct kind *k)
{
    json_t *example = json_deep_copy(json_object_get(told_of(a, root, k), "example"));
    replace(example, SAMPLE, a->base);
    return example;
}

static void put_schema(struct odp_api *a, const json_t *root, const struct kind *k)
{
    json_t *message = make_message(a, root, k), *used = json_object();
    json_t *o = json_pack("{s:s, s:o}", "$schema", "https://json-schema.org/draft/2020-12/schema", "$id",
                          json_sprintf("%sv1/events/%s.json", a->base, k->type));
    json_object_update(o, message);
    collect(message, json_object_get(root, "$defs"), used);
    odp_set(o, "examples", json_pack("[o]", make_example(a, root, k)));
    if (json_object_size(used) > 0)
        odp_set(o, "$defs", json_incref(used));
    json_decref(used);
    json_decref(message);
    api_put_take(a, api_printf(a, "v1/events/%s.json", k->type), "application/schema+json", o);
}

void api_events(struct odp_api *a)
{
    static const char *const audiences[] = {"all", "own", "one"};
    json_t *root = api_template(odp_openapi_templates, "events.json"), *list = json_array();
    for (size_t i = 0; i < KINDS; i++) {
        const struct kind *k = &kinds[i];
        odp_add(list, json_pack("{s:s, s:o, s:O*, s:s, s:b, s:o}", "type", k->type, "title",
                                odp_doc_text(&k->title), "description",
                                json_object_get(told_of(a, root, k), "description"), "audience",
                                audiences[k->audience], "joined", (int)k->joined, "schema",
                                json_sprintf("%s.json", k->type)));
    }
    api_put_take(
        a, "v1/events/index.json", "application/json",
        json_pack("{s:o, s:s, s:{s:s}}", "data", list, "status", "success", "links", "self", "index.json"));
    for (size_t i = 0; i < KINDS && a->status == ODP_OK; i++)
        put_schema(a, root, &kinds[i]);
    json_decref(root);
}

/* ---- v1/openapi.json ---- */

/* "dataset.version.published": "onDatasetVersionPublished". */
static json_t *make_operation(const char *type)
{
    char name[64] = "on", *w = name + 2;
    for (const char *p = type; *p != '\0' && w < name + sizeof name - 1; p++)
        if (*p != '.')
            *w++ = p == type || p[-1] == '.' ? (char)toupper((unsigned char)*p) : *p;
    *w = '\0';
    return json_string(name);
}

/* The call that a receiver of KIND gets; FRAME is common to all. */
static json_t *make_call(struct odp_api *a, const json_t *events, json_t *frame, const struct kind *k)
{
    json_t *call =
        json_pack("{s:o, s:s, s:s, s:{s:b, s:{s:{s:{s:o}, s:o}}}}", "operationId", make_operation(k->type),
                  "summary", API_LINE(a, &k->title), "description", description_of(a, told_of(a, events, k)),
                  "requestBody", "required", 1, "content", "application/json", "schema", "$ref",
                  json_sprintf(COMPONENTS "Event.%s", k->type), "example", make_example(a, events, k));
    json_object_update(call, frame);
    return json_pack("{s:o}", "post", call);
}

/* Messages and their parts, as components. */
static void add_messages(struct odp_api *a, json_t *schemas, const json_t *events)
{
    const char *name;
    json_t *definition, *types = json_array();
    for (size_t i = 0; i < KINDS; i++) {
        odp_set(schemas, api_printf(a, "Event.%s", kinds[i].type), make_message(a, events, &kinds[i]));
        if (kinds[i].audience != ODP_EVENT_ONE)
            odp_add(types, json_string(kinds[i].type));
    }
    json_object_foreach(json_object_get(events, "$defs"), name,
                        definition) if (strcmp(name, "Text") != 0) /* the API has it */
        odp_set(schemas, api_printf(a, "Event.%s", name), json_deep_copy(definition));
    replace(schemas, DEFS "Text", COMPONENTS "Text");
    replace(schemas, DEFS, COMPONENTS "Event.");
    odp_set(schemas, "EventType", json_pack("{s:s, s:o}", "type", "string", "enum", types));
}

void api_openapi_webhooks(struct odp_api *a, json_t *root)
{
    json_t *own = api_template(odp_openapi_templates, "webhooks.json"),
           *events = api_template(odp_openapi_templates, "events.json"), *calls = json_object(),
           *components = json_object_get(root, "components");
    odp_add(json_object_get(root, "tags"), json_incref(json_object_get(own, "tag")));
    json_object_update_missing(json_object_get(root, "paths"), json_object_get(own, "paths"));
    json_object_update_missing(json_object_get(components, "parameters"), json_object_get(own, "parameters"));
    json_object_update_missing(json_object_get(components, "schemas"), json_object_get(own, "schemas"));
    add_messages(a, json_object_get(components, "schemas"), events);
    for (size_t i = 0; i < KINDS; i++)
        odp_set(calls, kinds[i].type, make_call(a, events, json_object_get(own, "call"), &kinds[i]));
    odp_set(root, "webhooks", calls);
    json_decref(events);
    json_decref(own);
}
