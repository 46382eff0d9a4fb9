/* The languages; names of packages and modules; names that the things of a catalogue get in a language.
 * Names of packages were checked when portal.json was read (catalog/clients.c); the words of a language are
 * in templates/clients/<language>/names.json. */
#include "site/clients/clients_internal.h"

#include <ctype.h>
#include <strings.h>

const struct client_language client_languages[ODP_CLIENT_LANGUAGES] = {
    [ODP_CLIENT_JAVASCRIPT] = {.name = "javascript",
                               .label = "JavaScript",
                               .requires = "Node.js 18+",
                               .extension = ".mjs",
                               .client = "client.",
                               .root = "package/",
                               .package = "@odp/client",
                               .type = "application/gzip"},
    [ODP_CLIENT_PYTHON] = {.name = "python",
                           .label = "Python",
                           .requires = "Python 3.9+",
                           .extension = ".py",
                           .client = "client.",
                           .root = "",
                           .package = "odp-client",
                           .type = "application/zip"},
    [ODP_CLIENT_PHP] = {.name = "php",
                        .label = "PHP",
                        .requires = "PHP 8.1+",
                        .extension = ".php",
                        .client = "$client->",
                        .root = "",
                        .package = "odp/client",
                        .type = "application/zip"}};

/* ---- members ---- */

struct odp_text client_both(const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);
    return json_is_string(v) ? (struct odp_text){{json_string_value(v), NULL}}
                             : (struct odp_text){{json_string_value(json_object_get(v, "id")),
                                                  json_string_value(json_object_get(v, "en"))}};
}

bool client_has(const json_t *list, const char *text)
{
    const json_t *item;
    size_t i;
    json_array_foreach(list, i, item)
    {
        const char *s = json_string_value(json_is_object(item) ? json_object_get(item, "name") : item);
        if (s != NULL && strcmp(s, text) == 0)
            return true;
    }
    return false;
}

/* ---- words ---- */

/* Locale "C": ASCII alone. A word ends at what is no letter or digit, and before a capital that follows a
 * small letter or a digit ("luasHa"). */
void client_identifier(struct odp_buffer *out, const char *text, enum client_form form)
{
    bool first = true, begins = true; /* the first of the identifier, of a word */
    for (const char *p = text; *p != '\0'; p++) {
        const unsigned char c = (unsigned char)*p, before = p > text ? (unsigned char)p[-1] : 0,
                            last = out->len > 0 ? (unsigned char)out->ptr[out->len - 1] : 0;
        if (!isalnum(c)) {
            begins = true;
            continue;
        }
        begins = begins || (isupper(c) && (islower(before) || isdigit(before)));
        /* "luas-2-3": a digit has no capital, so words of digits would run into one number. */
        if ((first && isdigit(c)) ||
            (begins && !first && (form == CLIENT_SNAKE || (isdigit(c) && isdigit(last)))))
            odp_buffer_add_char(out, '_');
        bool capital = begins && (form == CLIENT_STUDLY || (form == CLIENT_CAMEL && !first));
        odp_buffer_add_char(out, (char)(capital ? toupper(c) : tolower(c)));
        first = begins = false;
    }
    if (first)
        odp_buffer_add_char(out, '_');
}

/* The length of white space, a control character or a line end of some language (U+0085, U+2028, U+2029) at
 * P. */
static size_t space_at(const unsigned char *p)
{
    if (*p <= ' ' || *p == 0x7F)
        return 1;
    if (p[0] == 0xC2 && p[1] == 0x85)
        return 2;
    return p[0] == 0xE2 && p[1] == 0x80 && (p[2] == 0xA8 || p[2] == 0xA9) ? 3 : 0;
}

void client_prose(struct odp_buffer *out, const char *text)
{
    bool space = false, any = false; /* one space between words, none around them */
    for (const unsigned char *p = (const unsigned char *)text; *p != '\0';) {
        size_t wide = space_at(p);
        if (wide > 0) {
            space = any;
            p += wide;
            continue;
        }
        if (space || (any && *p == '/' && p[-1] == '*'))
            odp_buffer_add_char(out, ' ');
        odp_buffer_add_char(out, (char)*p++);
        space = false;
        any = true;
    }
}

void client_normal(struct odp_buffer *out, const char *name, char with)
{
    static const char signs[] = "-_.";
    while (*name != '\0') {
        size_t run = strspn(name, signs);
        odp_buffer_add_char(out, run > 0 ? with : (char)tolower((unsigned char)*name));
        name += run > 0 ? run : 1;
    }
}

/* ---- packages ---- */

struct odp_client_names odp_client_names(const struct odp_catalog *c, struct odp_arena *a)
{
    struct odp_client_names names;
    for (int l = 0; l < ODP_CLIENT_LANGUAGES; l++) {
        const char *package =
            c->portal.clients[l] != NULL ? c->portal.clients[l] : client_languages[l].package;
        const size_t vendor = strcspn(package, "/");
        struct odp_buffer out = {0};
        if (l == ODP_CLIENT_PYTHON) {
            client_normal(&out, package, '_');
        } else if (l == ODP_CLIENT_PHP) { /* "pu/data-terbuka": "Pu\DataTerbuka" */
            client_identifier(&out, odp_arena_printf(a, "%.*s", (int)vendor, package), CLIENT_STUDLY);
            odp_buffer_add_char(&out, '\\');
            client_identifier(&out, package + vendor + (package[vendor] == '/'), CLIENT_STUDLY);
        } else {
            odp_buffer_add_str(&out, package);
        }
        names.package[l] = package;
        names.module[l] = odp_buffer_keep(&out, a);
    }
    return names;
}

const char *client_package_file(const struct client_model *m, enum odp_client_language l)
{
    const char *name = m->names.package[l], *folder = client_languages[l].name;
    if (l == ODP_CLIENT_PYTHON)
        return odp_arena_printf(m->arena, "packages/%s/%s-%s-py3-none-any.whl", folder, m->names.module[l],
                                m->release);
    char *flat = odp_arena_str(m->arena, *name == '@' ? name + 1 : name);
    for (char *p = flat; *p != '\0'; p++)
        *p = *p == '/' ? '-' : *p;
    return odp_arena_printf(m->arena, "packages/%s/%s-%s%s", folder, flat, m->release,
                            l == ODP_CLIENT_PHP ? ".zip" : ".tgz");
}

const char *client_info_folder(const struct client_model *m)
{
    return odp_arena_printf(m->arena, "%s-%s.dist-info/", m->names.module[ODP_CLIENT_PYTHON], m->release);
}

/* ---- names of what the catalogue has ---- */

void client_read_reserved(struct client_model *m)
{
    for (int l = 0; l < ODP_CLIENT_LANGUAGES; l++)
        m->reserved[l] =
            client_source_json(odp_arena_printf(m->arena, "%s/names.json", client_languages[l].name));
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

/* Names of PHP's classes are case-insensitive for PHP and some file systems. */
static bool is_folded(const struct client_scope *s)
{
    return s->l == ODP_CLIENT_PHP && is_types(s);
}

static bool is_reserved(const struct client_scope *s, const char *name)
{
    const json_t *words = s->m->reserved[s->l], *w;
    size_t i;
    json_array_foreach(json_object_get(words, s->which), i,
                       w) if ((is_folded(s) ? strcasecmp : strcmp)(json_string_value(w), name) ==
                              0) return true;
    return client_has(json_object_get(words, "keywords"), name);
}

/* An identifier of L, and none of its keywords. In Python a leading underscore means private. */
static bool is_identifier(const struct client_model *m, enum odp_client_language l, const char *name)
{
    static const char all[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    return *name != '\0' && !isdigit((unsigned char)*name) && !(l == ODP_CLIENT_PYTHON && *name == '_') &&
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
    for (size_t i = 0; i < ODP_COUNT(taken); i++)
        is_free = is_free && strcmp(taken[i], name) != 0;
    for (int l = 0; l < ODP_CLIENT_LANGUAGES; l++) {
        const struct client_scope members = {.m = m, .l = (enum odp_client_language)l, .which = "members"};
        is_free = is_free && client_keeps(&members, name);
    }
    return is_free;
}

const char *client_wanted(const struct client_scope *s, const char *prefix, const char *text)
{
    const bool members = strcmp(s->which, "members") == 0, python = s->l == ODP_CLIENT_PYTHON,
               snake = members || (python && !is_types(s));
    enum client_form form = snake ? CLIENT_SNAKE : CLIENT_CAMEL;
    struct odp_buffer b = {0};
    if (members && is_identifier(s->m, s->l, text))
        return text;
    client_identifier(&b, text, is_types(s) ? CLIENT_STUDLY : form);
    const char *name = odp_buffer_keep(&b, s->m->arena), *instead = "";
    if (python && *name == '_') { /* what would be private */
        name += !snake || name[1] == '\0';
        if (*prefix == '\0')
            instead = odp_text_of(json_object_get(s->m->reserved[s->l], "instead"), s->which);
    }
    return odp_arena_printf(s->m->arena, "%s%s%s", prefix, instead, name);
}

/* Whether S has NAME already; it has it from now on. */
static bool is_taken(const struct client_scope *s, const char *name)
{
    char *key = odp_arena_str(s->m->arena, name);
    for (char *p = key; *p != '\0' && is_folded(s); p++)
        *p = (char)tolower((unsigned char)*p);
    bool taken = json_object_get(s->taken, key) != NULL;
    odp_set_flag(s->taken, key, true);
    return taken;
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
