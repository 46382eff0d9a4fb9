/* Names of the catalogue as names of PHP. Names of classes count without regard to case, as PHP and
 * some file systems take them. */
#include "site/clients/php_internal.h"

#include <strings.h>

static bool is_reserved(const char *name)
{
    static const char *const words[] = {"abstract", "and", "array", "as", "bool", "break", "callable", "case", "catch", "class", "clone", "const", "continue", "declare", "default",
        "die", "do", "echo", "else", "elseif", "empty", "enddeclare", "endfor", "endforeach", "endif", "endswitch", "endwhile", "enum", "eval", "exit", "extends", "false", "final",
        "finally", "float", "fn", "for", "foreach", "function", "global", "goto", "if", "implements", "include", "include_once", "instanceof", "insteadof", "int", "interface",
        "isset", "iterable", "list", "match", "mixed", "namespace", "never", "new", "null", "numeric", "object", "or", "parent", "print", "private", "protected", "public",
        "readonly", "require", "require_once", "resource", "return", "self", "static", "string", "switch", "throw", "trait", "true", "try", "unset", "use", "var", "void", "while",
        "xor", "yield", NULL};
    for (const char *const *w = words; *w != NULL; w++)
        if (strcasecmp(*w, name) == 0)
            return true;
    return false;
}

static bool is_identifier(const char *s)
{
    bool ok = *s != '\0' && !(*s >= '0' && *s <= '9') && strcmp(s, "this") != 0;
    for (const char *p = s; *p != '\0' && ok; p++)
        ok = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || *p == '_';
    return ok;
}

/* TEXT by FORM (client_camel …) in the arena. */
static char *formed(struct odp_arena *a, void (*form)(struct odp_buffer *, const char *), const char *text)
{
    struct odp_buffer b;
    odp_buffer_init(&b);
    form(&b, text);
    char *s = odp_buffer_status(&b) == ODP_OK ? odp_arena_str(a, odp_buffer_cstr(&b)) : NULL;
    odp_buffer_release(&b);
    return s;
}

static bool class_is_taken(const struct php *p, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcasecmp(p->classes[i].name, name) == 0)
            return true;
    return is_reserved(name);
}

enum odp_status php_name_classes(struct php *p)
{
    size_t n = 0;
    for (size_t i = 0; i < p->m->ndatasets; i++)
        n += p->m->datasets[i].nresources;
    p->classes = odp_arena_zero(p->a, n + 1, sizeof *p->classes);
    if (p->classes == NULL)
        return ODP_FAIL;
    for (size_t i = 0; i < p->m->ndatasets; i++) {
        for (size_t k = 0; k < p->m->datasets[i].nresources; k++) {
            const struct client_resource *r = &p->m->datasets[i].resources[k];
            const char *name = formed(p->a, client_studly, r->path);
            if (name != NULL && is_reserved(name))
                name = odp_arena_printf(p->a, "%sRecord", name);
            while (name != NULL && class_is_taken(p, p->n, name))
                name = odp_arena_printf(p->a, "%s_", name);
            if (name == NULL)
                return ODP_FAIL;
            p->classes[p->n++] = (struct php_class){r, name};
        }
    }
    return ODP_OK;
}

const char *php_class_of(const struct php *p, const struct client_resource *r)
{
    for (size_t i = 0; i < p->n; i++)
        if (p->classes[i].resource == r)
            return p->classes[i].name;
    return "";
}

/* The property of SLUG: what Client has itself gets an underscore. */
static enum odp_status accessor(struct odp_buffer *out, const char *slug)
{
    static const char *const own[] = {"webhooks", "session", "this", NULL};
    size_t at = out->len;
    client_camel(out, slug);
    const char *name = odp_buffer_cstr(out) + at;
    bool taken = false;
    for (const char *const *o = own; *o != NULL && !taken; o++)
        taken = strcmp(*o, name) == 0;
    if (taken)
        odp_buffer_add_char(out, '_');
    return odp_buffer_status(out);
}

static void accessor_form(struct odp_buffer *out, const char *slug)
{
    if (accessor(out, slug) != ODP_OK)
        return; /* the buffer remembers */
}

static bool property_is_taken(const struct php_field *fields, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (fields[i].property != NULL && strcmp(fields[i].property, name) == 0)
            return true;
    return false;
}

/* The client's properties, one a dataset; NULL: no memory. */
const struct php_field *php_name_datasets(const struct php *p)
{
    struct php_field *names = odp_arena_zero(p->a, p->m->ndatasets + 1, sizeof *names);
    for (size_t i = 0; i < p->m->ndatasets && names != NULL; i++) {
        const char *property = formed(p->a, accessor_form, p->m->datasets[i].slug);
        while (property != NULL && property_is_taken(names, i, property))
            property = odp_arena_printf(p->a, "%s_", property);
        if ((names[i].property = property) == NULL)
            return NULL;
    }
    return names;
}

/* Columns that are identifiers are properties of their own name; the others take what is left. */
enum odp_status php_name_fields(struct php *p, const struct client_resource *r, struct php_field **out, size_t *n)
{
    struct php_field *fields = odp_arena_zero(p->a, r->nfields + 1, sizeof *fields);
    *n = 0;
    if (fields == NULL)
        return ODP_FAIL;
    bool geometry = r->geometry;
    for (size_t i = 0; i < r->nfields; i++) {
        const char *name = r->fields[i].name;
        fields[(*n)++] = (struct php_field){&r->fields[i], name, is_identifier(name) ? name : NULL};
        geometry = geometry && strcmp(name, "geometry") != 0;
    }
    if (geometry)
        fields[(*n)++] = (struct php_field){NULL, "geometry", "geometry"};
    for (size_t i = 0; i < *n; i++) {
        const char *property = fields[i].property;
        if (property == NULL) {
            property = formed(p->a, client_snake, fields[i].name);
            while (property != NULL && (!is_identifier(property) || property_is_taken(fields, *n, property)))
                property = odp_arena_printf(p->a, "%s_", property);
        }
        if (property == NULL)
            return ODP_FAIL;
        fields[i].property = property;
    }
    *out = fields;
    return ODP_OK;
}

static enum odp_status called(struct client_called *out, const struct client_model *m)
{
    struct php p = {.m = m, .a = m->arena};
    enum odp_status status = php_name_classes(&p);
    const struct php_field *names = status == ODP_OK ? php_name_datasets(&p) : NULL;
    *out = (struct client_called){odp_arena_zero(m->arena, m->ndatasets + 1, sizeof *out->properties), odp_arena_zero(m->arena, p.n + 1, sizeof *out->records)};
    if (names == NULL || out->properties == NULL || out->records == NULL)
        return ODP_FAIL;
    for (size_t i = 0; i < m->ndatasets; i++)
        out->properties[i] = names[i].property;
    for (size_t i = 0; i < p.n; i++)
        out->records[i] = p.classes[i].name;
    return ODP_OK;
}

const struct client_language client_php = {
    .name = "php", .label = "PHP", .requires = "PHP 8.1+", .extension = ".php", .accessor = accessor, .called = called, .readme = ""};
