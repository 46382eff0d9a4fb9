/* What subscribers are told: v1/events/index.json, v1/events/<type>.json (JSON Schema 2020-12 of the whole
 * message), and in v1/openapi.json the paths of subscriptions and, under `webhooks`, the calls that receivers
 * get.
 *
 * The kinds are those of contract/events.def, which is included as data, so that the documents cannot tell of
 * others. Their schemas are in templates/openapi/events.json, in the form of JSON Schema: definitions that
 * are shared stand under $defs. In v1/openapi.json they are the components Event.<name>.
 *
 * Schemas are open: receivers must not refuse members that they do not know; tests close them. They need no
 * key and are no query: a receiver fetches them once, from any server (core/control/route.c).
 * v1/events/<type>.json has just the definitions that it needs. */
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
enum { KINDS = sizeof kinds / sizeof *kinds };

/* ---- schemas ---- */

/* Every text in VALUE that begins with FROM begins with TO. */
static void replace(struct api *a, json_t *value, const char *from, const char *to)
{
    const char *key;
    json_t *item;
    size_t i;
    json_object_foreach(value, key, item)
    {
        const char *s = json_string_value(item);
        if (s != NULL && strncmp(s, from, strlen(from)) == 0)
            odp_doc_set(&a->doc, value, key, json_sprintf("%s%s", to, s + strlen(from)));
        else
            replace(a, item, from, to);
    }
    json_array_foreach(value, i, item)
    {
        replace(a, item, from, to); /* no list of ours has addresses */
    }
}

/* Copies what VALUE refers to under $defs from ALL to USED, and what that refers to. */
static void collect(struct api *a, const json_t *value, const json_t *all, json_t *used)
{
    const char *key;
    json_t *item;
    size_t i;
    json_object_foreach((json_t *)(uintptr_t)value, key, item) /* reads only */
    {
        const char *ref = strcmp(key, "$ref") == 0 ? json_string_value(item) : NULL,
                   *name = ref != NULL ? ref + strlen(DEFS) : NULL;
        if (name == NULL) {
            collect(a, item, all, used);
        } else if (json_object_get(used, name) == NULL) {
            odp_doc_copy(&a->doc, used, all, name);
            a->doc.failed = a->doc.failed || json_object_get(used, name) == NULL;
            collect(a, json_object_get(used, name), all, used);
        }
    }
    json_array_foreach((json_t *)(uintptr_t)value, i, item) collect(a, item, all, used);
}

/* What the template says of KIND; a kind that it does not know is a fault of ours. */
static json_t *told_of(struct api *a, const json_t *root, const struct kind *k)
{
    json_t *told = json_object_get(json_object_get(root, "events"), k->type);
    a->doc.failed = a->doc.failed || told == NULL;
    return told;
}

/* The whole message, its definitions left where the template has them. */
static json_t *make_message(struct api *a, const json_t *root, const struct kind *k)
{
    const json_t *told = told_of(a, root, k);
    const struct odp_text description = api_both(told, "description");
    json_t *o = json_object(), *properties = json_object();
    odp_doc_set_str(&a->doc, o, "title", api_joined(a, &k->title, " / "));
    odp_doc_set_str(&a->doc, o, "description", api_joined(a, &description, "\n\n"));
    odp_doc_set_str(&a->doc, o, "type", "object");
    odp_doc_set(&a->doc, o, "required", json_pack("[s, s, s]", "type", "timestamp", "data"));
    odp_doc_set(&a->doc, properties, "type", json_pack("{s:s, s:s}", "type", "string", "const", k->type));
    odp_doc_set(&a->doc, properties, "timestamp",
                json_pack("{s:s, s:s}", "type", "string", "format", "date-time"));
    odp_doc_set(&a->doc, properties, "data", json_deep_copy(json_object_get(told, "data")));
    odp_doc_set(&a->doc, o, "properties", properties);
    return o;
}

static json_t *make_example(struct api *a, const json_t *root, const struct kind *k)
{
    json_t *example = json_deep_copy(json_object_get(told_of(a, root, k), "example"));
    replace(a, example, SAMPLE, a->base);
    return example;
}

static enum odp_status put_schema(struct api *a, const json_t *root, const struct kind *k)
{
    json_t *o = json_object(), *message = make_message(a, root, k), *used = json_object();
    odp_doc_set_str(&a->doc, o, "$schema", "https://json-schema.org/draft/2020-12/schema");
    odp_doc_set(&a->doc, o, "$id", json_sprintf("%sv1/events/%s.json", a->base, k->type));
    a->doc.failed = a->doc.failed || json_object_update(o, message) != 0;
    collect(a, message, json_object_get(root, "$defs"), used);
    odp_doc_set(&a->doc, o, "examples", json_pack("[o]", make_example(a, root, k)));
    if (json_object_size(used) > 0)
        odp_doc_set(&a->doc, o, "$defs", json_incref(used));
    json_decref(used);
    json_decref(message);
    return api_put_take(a, odp_arena_printf(&a->arena, "v1/events/%s.json", k->type),
                        "application/schema+json", o);
}

static enum odp_status put_list(struct api *a, const json_t *root)
{
    static const char *const audiences[] = {"all", "own", "one"};
    json_t *o = json_object(), *list = json_array();
    for (size_t i = 0; i < KINDS; i++) {
        const struct kind *k = &kinds[i];
        json_t *item = json_object();
        odp_doc_set_str(&a->doc, item, "type", k->type);
        odp_doc_set(&a->doc, item, "title", odp_doc_text(&k->title));
        odp_doc_copy(&a->doc, item, told_of(a, root, k), "description");
        odp_doc_set_str(&a->doc, item, "audience", audiences[k->audience]);
        odp_doc_set(&a->doc, item, "joined", json_boolean(k->joined));
        odp_doc_set(&a->doc, item, "schema", json_sprintf("%s.json", k->type));
        odp_doc_add(&a->doc, list, item);
    }
    odp_doc_set(&a->doc, o, "data", list);
    odp_doc_set_str(&a->doc, o, "status", "success");
    odp_doc_set(&a->doc, o, "links", json_pack("{s:s}", "self", "index.json"));
    return api_put_take(a, "v1/events/index.json", "application/json", o);
}

enum odp_status api_events(struct api *a)
{
    json_t *root = api_template(a, odp_openapi_templates, "events.json");
    enum odp_status status = put_list(a, root);
    for (size_t i = 0; i < KINDS && status == ODP_OK; i++)
        status = put_schema(a, root, &kinds[i]);
    json_decref(root);
    return status;
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

/* The call that a receiver of KIND gets; FRAME is what all have in common. */
static json_t *make_call(struct api *a, const json_t *events, const json_t *frame, const struct kind *k)
{
    const struct odp_text description = api_both(told_of(a, events, k), "description");
    json_t *call = json_object(), *body = json_object();
    odp_doc_set(&a->doc, call, "operationId", make_operation(k->type));
    odp_doc_set_str(&a->doc, call, "summary", api_joined(a, &k->title, " / "));
    odp_doc_set_str(&a->doc, call, "description", api_joined(a, &description, "\n\n"));
    json_t *schema = json_pack("{s:o}", "$ref", json_sprintf(COMPONENTS "Event.%s", k->type));
    odp_doc_set(&a->doc, body, "required", json_true());
    odp_doc_set(&a->doc, body, "content",
                json_pack("{s:{s:o, s:o}}", "application/json", "schema", schema, "example",
                          make_example(a, events, k)));
    json_t *rest = json_deep_copy(frame);
    odp_doc_set(&a->doc, call, "requestBody", body);
    a->doc.failed = a->doc.failed || rest == NULL || json_object_update(call, rest) != 0;
    json_decref(rest);
    return json_pack("{s:o}", "post", call);
}

/* Messages and what they are made of, as components. */
static void add_messages(struct api *a, json_t *schemas, const json_t *events)
{
    const char *name;
    json_t *definition, *types = json_array();
    for (size_t i = 0; i < KINDS; i++) {
        const char *key = odp_arena_printf(&a->arena, "Event.%s", kinds[i].type);
        odp_doc_set(&a->doc, schemas, key, make_message(a, events, &kinds[i]));
        if (kinds[i].audience != ODP_EVENT_ONE)
            odp_doc_add(&a->doc, types, json_string(kinds[i].type));
    }
    json_object_foreach(json_object_get(events, "$defs"), name, definition)
    {
        const char *key = odp_arena_printf(&a->arena, "Event.%s", name);
        if (strcmp(name, "Text") != 0) /* the API has it */
            odp_doc_set(&a->doc, schemas, key, json_deep_copy(definition));
    }
    replace(a, schemas, DEFS "Text", COMPONENTS "Text");
    replace(a, schemas, DEFS, COMPONENTS "Event.");
    odp_doc_set(&a->doc, schemas, "EventType", json_pack("{s:s, s:o}", "type", "string", "enum", types));
}

void api_openapi_webhooks(struct api *a, json_t *root)
{
    static const char *const kept[] = {"parameters", "schemas"};
    json_t *own = api_template(a, odp_openapi_templates, "webhooks.json"),
           *events = api_template(a, odp_openapi_templates, "events.json"), *calls = json_object();
    json_t *components = json_object_get(root, "components");
    odp_doc_add(&a->doc, json_object_get(root, "tags"), json_incref(json_object_get(own, "tag")));
    bool ok = json_object_update_missing(json_object_get(root, "paths"), json_object_get(own, "paths")) == 0;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        ok = json_object_update_missing(json_object_get(components, kept[i]),
                                        json_object_get(own, kept[i])) == 0 &&
             ok;
    a->doc.failed = a->doc.failed || !ok;
    add_messages(a, json_object_get(components, "schemas"), events);
    for (size_t i = 0; i < KINDS; i++)
        odp_doc_set(&a->doc, calls, kinds[i].type,
                    make_call(a, events, json_object_get(own, "call"), &kinds[i]));
    odp_doc_set(&a->doc, root, "webhooks", calls);
    json_decref(events);
    json_decref(own);
}
