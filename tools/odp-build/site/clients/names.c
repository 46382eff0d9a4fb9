/* What packages and modules are called, and which names the things of a catalogue get in a language. The
 * names of packages were checked when portal.json was read (catalog/clients.c); the words of a language are
 * in templates/clients/<language>/names.json. */
#include "site/clients/clients_internal.h"

#include <errno.h>
#include <strings.h>

#include "base/json_load.h"

static const char *const defaults[ODP_CLIENT_LANGUAGES] = {[ODP_CLIENT_JAVASCRIPT] = "@odp/client",
                                                           [ODP_CLIENT_PYTHON] = "odp-client",
                                                           [ODP_CLIENT_PHP] = "odp/client"};

void client_normal(struct odp_buffer *out, const char *name, char with)
{
    for (const char *p = name; *p != '\0'; p++) {
        bool sign = *p == '-' || *p == '_' || *p == '.';
        if (!sign)
            odp_buffer_add_char(out, *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p);
        else if (p[1] != '-' && p[1] != '_' && p[1] != '.')
            odp_buffer_add_char(out, with);
    }
}

/* "pu/data-terbuka": "Pu\DataTerbuka". */
static void php_module(struct odp_buffer *out, const char *package, struct odp_arena *a,
                       enum odp_status *status)
{
    const char *slash = strchr(package, '/');
    const char *vendor = odp_arena_printf(a, "%.*s", slash != NULL ? (int)(slash - package) : 0, package);
    if (slash == NULL) {
        *status = ODP_FAIL;
        return;
    }
    client_studly(out, vendor);
    odp_buffer_add_char(out, '\\');
    client_studly(out, slash + 1);
}

enum odp_status odp_client_names(struct odp_client_names *names, const struct odp_catalog *c,
                                 struct odp_arena *a)
{
    struct odp_buffer out;
    enum odp_status status = ODP_OK;
    odp_buffer_init(&out);
    for (int l = 0; l < ODP_CLIENT_LANGUAGES && status == ODP_OK; l++) {
        const char *package = c->portal.clients[l] != NULL ? c->portal.clients[l] : defaults[l];
        odp_buffer_clear(&out);
        if (l == ODP_CLIENT_PYTHON)
            client_normal(&out, package, '_');
        else if (l == ODP_CLIENT_PHP)
            php_module(&out, package, a, &status);
        else
            odp_buffer_add_str(&out, package);
        names->package[l] = package;
        names->module[l] = status == ODP_OK && odp_buffer_status(&out) == ODP_OK
                               ? odp_arena_str(a, odp_buffer_cstr(&out))
                               : NULL;
        status = names->module[l] != NULL ? ODP_OK : ODP_FAIL;
    }
    odp_buffer_release(&out);
    return status;
}

/* ---- names of what the catalogue has ---- */

enum odp_status client_read_reserved(struct client_model *m)
{
    for (int l = 0; l < ODP_CLIENT_LANGUAGES; l++) {
        const char *path = odp_arena_printf(m->arena, "%s/names.json", client_languages[l].name);
        const struct odp_template_text *source = client_source_find(path);
        m->reserved[l] = source != NULL
                             ? odp_json_load((const char *)source->text, strlen((const char *)source->text),
                                             JSON_REJECT_DUPLICATES, NULL)
                             : NULL;
        if (m->reserved[l] == NULL)
            return odp_failure_set("read templates/clients", path, source != NULL ? EINVAL : ENOENT);
    }
    return ODP_OK;
}

struct client_scope client_scope_of(const struct client_model *m, enum odp_client_language l,
                                    const char *which)
{
    return (struct client_scope){.m = m, .l = l, .which = which, .taken = json_object()};
}

void client_scope_release(struct client_scope *s)
{
    json_decref(s->taken);
}

static bool is_types(const struct client_scope *s)
{
    return strcmp(s->which, "types") == 0;
}

/* Names of PHP's classes count without regard to case, as PHP and some file systems take them. */
static bool is_folded(const struct client_scope *s)
{
    return s->l == ODP_CLIENT_PHP && is_types(s);
}

static bool is_reserved(const struct client_scope *s, const char *name)
{
    const json_t *words = json_object_get(s->m->reserved[s->l], s->which), *w;
    size_t i;
    json_array_foreach(words, i, w) if ((is_folded(s) ? strcasecmp : strcmp)(json_string_value(w), name) ==
                                        0) return true;
    return client_has(json_object_get(s->m->reserved[s->l], "keywords"), name);
}

/* An identifier of L, and none of its keywords. In Python underscores at the beginning are for what is
 * private. */
static bool is_identifier(const struct client_model *m, enum odp_client_language l, const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_",
                      all[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    return *name != '\0' && strchr(letters, *name) != NULL && !(l == ODP_CLIENT_PYTHON && *name == '_') &&
           name[strspn(name, all)] == '\0' && !client_has(json_object_get(m->reserved[l], "keywords"), name);
}

bool client_keeps(const struct client_scope *s, const char *name)
{
    return is_identifier(s->m, s->l, name) && !is_reserved(s, name);
}

bool client_is_free(const struct client_model *m, const char *name)
{
    static const char *const taken[] = {"get",         "keys",      "values",   "items",
                                        "key",         "to_dict",   "toArray",  "geometry",
                                        "constructor", "prototype", "__proto__"};
    bool is_free = true;
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        is_free = is_free && strcmp(taken[i], name) != 0;
    for (int l = 0; l < ODP_CLIENT_LANGUAGES; l++) {
        const struct client_scope members = {.m = m, .l = (enum odp_client_language)l, .which = "members"};
        is_free = is_free && client_keeps(&members, name);
    }
    return is_free;
}

const char *client_wanted(const struct client_scope *s, const char *prefix, const char *text)
{
    bool members = strcmp(s->which, "members") == 0,
         snake = members || (s->l == ODP_CLIENT_PYTHON && !is_types(s));
    const char *instead = *prefix == '\0'
                              ? client_text(json_object_get(s->m->reserved[s->l], "instead"), s->which)
                              : "",
               *name;
    struct odp_buffer b;
    if (members && is_identifier(s->m, s->l, text))
        return text;
    odp_buffer_init(&b);
    (is_types(s) ? client_studly : snake ? client_snake : client_camel)(&b, text);
    name = odp_arena_str(s->m->arena, odp_buffer_cstr(&b));
    odp_buffer_release(&b);
    if (s->l == ODP_CLIENT_PYTHON && *name == '_') /* what would be private */
        name += !snake || name[1] == '\0';
    else
        instead = "";
    return odp_arena_printf(s->m->arena, "%s%s%s", prefix, instead, name);
}

static bool is_taken(const struct client_scope *s, const char *name)
{
    char *key = odp_arena_str(s->m->arena, name);
    for (char *p = key; *p != '\0' && is_folded(s); p++)
        *p = *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p;
    return json_object_get(s->taken, key) != NULL || json_object_set_new(s->taken, key, json_true()) != 0;
}

const char *client_claim(struct client_scope *s, const char *wanted)
{
    struct odp_arena *a = s->m->arena;
    const char *base = is_reserved(s, wanted)
                           ? odp_arena_printf(a, "%s%s", wanted, is_folded(s) ? "Record" : "_")
                           : wanted,
               *name = base;
    for (unsigned i = 2; is_taken(s, name); i++)
        name = s->l == ODP_CLIENT_PYTHON ? odp_arena_printf(a, "%s%s%u", base, is_types(s) ? "" : "_", i)
                                         : odp_arena_printf(a, "%s_", name);
    return name;
}
