/* "clients" of portal.json: what the packages of the client libraries are called
 * (tools/odp-build/site/clients). The names become names of files, addresses and modules, so they keep to the
 * stricter of what the registry allows and what all of these can be. */
#include "base/ascii.h"
#include "catalog/catalog_internal.h"

enum { LONGEST = 100 };

/* Small letters and digits (CAPITALS: those, too), and between them SIGNS, at most RUN of them together. */
static bool is_words(struct odp_slice s, bool capitals, const char *signs, size_t run)
{
    size_t signs_run = 0;
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || (capitals && c >= 'A' && c <= 'Z');
        if (!plain && (c == '\0' || strchr(signs, c) == NULL || i == 0 || i + 1 == s.len))
            return false;
        signs_run = plain ? 0 : signs_run + 1;
        if (signs_run > run)
            return false;
    }
    return s.len > 0;
}

/* Names that no folder can have everywhere. */
static bool is_device(struct odp_slice s)
{
    static const char *const names[] = {"con", "prn", "aux", "nul"};
    for (size_t i = 0; i < ODP_COUNT(names); i++)
        if (odp_slice_is_nocase(s, names[i]))
            return true;
    return s.len == 4 && (strncasecmp(s.ptr, "com", 3) == 0 || strncasecmp(s.ptr, "lpt", 3) == 0) &&
           s.ptr[3] >= '0' && s.ptr[3] <= '9';
}

/* Splits S at its only slash. False: not exactly one. */
static bool split(const char *s, struct odp_slice *owner, struct odp_slice *name)
{
    const char *slash = strchr(s, '/');
    if (slash == NULL || strchr(slash + 1, '/') != NULL)
        return false;
    *owner = (struct odp_slice){s, (size_t)(slash - s)};
    *name = odp_slice_of(slash + 1);
    return true;
}

/* npm: small letters, at most 214 bytes, no leading dot or underline; "@scope/name" or "name". */
static bool npm_ok(const char *s)
{
    struct odp_slice scope, name = odp_slice_of(s);
    if (s[0] == '@' &&
        (!split(s + 1, &scope, &name) || !is_words(scope, false, "-._", LONGEST) || is_device(scope)))
        return false;
    return is_words(name, false, "-._", LONGEST) && !is_device(name) && !odp_slice_is(name, "node_modules") &&
           !odp_slice_is(name, "favicon.ico");
}

/* What a program imports is the name in small letters with underlines (PEP 503, and what an identifier of
 * Python is). */
static bool module_ok(const char *s)
{
    static const char *const keywords[] = {
        "and",  "as",     "assert", "async",  "await",  "break",   "class",    "continue", "def",
        "del",  "elif",   "else",   "except", "false",  "finally", "for",      "from",     "global",
        "if",   "import", "in",     "is",     "lambda", "none",    "nonlocal", "not",      "or",
        "pass", "raise",  "return", "true",   "try",    "while",   "with",     "yield"};
    const struct odp_slice name = odp_slice_of(s);
    for (size_t i = 0; i < ODP_COUNT(keywords); i++)
        if (odp_slice_is_nocase(name, keywords[i]))
            return false;
    return odp_is_letter(s[0]) && !is_device(name);
}

/* PEP 508: letters, digits and - _ . between them. */
static bool python_ok(const char *s)
{
    return is_words(odp_slice_of(s), true, "-._", LONGEST) && module_ok(s);
}

/* Composer's schema: ^[a-z0-9]([_.-]?[a-z0-9]+)*\/[a-z0-9](([_.]|-{1,2})?[a-z0-9]+)*$. "namespace\…" means
 * something else in PHP. */
static bool composer_ok(const char *s)
{
    struct odp_slice vendor, name;
    if (!split(s, &vendor, &name) || odp_slice_is(vendor, "namespace"))
        return false;
    for (size_t i = 0; i + 1 < name.len; i++) /* "--" alone may be two signs together */
        if (strchr("-._", name.ptr[i]) != NULL && strchr("-._", name.ptr[i + 1]) != NULL &&
            (name.ptr[i] != '-' || name.ptr[i + 1] != '-'))
            return false;
    return is_words(vendor, false, "-._", 1) && is_words(name, false, "-._", 2) && !is_device(vendor) &&
           !is_device(name);
}

static const struct rule {
    bool (*ok)(const char *);
    const char *label, *form;
} rules[ODP_CLIENT_NAMES] = {{npm_ok, "npm", "@pu/data, pu-data"},
                             {python_ok, "Python", "pu-data"},
                             {composer_ok, "Composer", "pu/data"}};

bool clients_read(struct node n, void *into)
{
    static const struct key keys[ODP_CLIENT_NAMES] = {KNOWN("javascript"), KNOWN("python"),
                                                      KNOWN("php")}; /* as RULES has them */
    struct odp_portal *p = into;
    bool known = object_read(n, &TABLE(keys), p);
    for (size_t l = 0; known && l < ODP_CLIENT_NAMES; l++) {
        struct node name = node_get(n, keys[l].name);
        const char *s = node_string(name);
        if (s != NULL && strlen(s) <= LONGEST && rules[l].ok(s))
            p->clients[l] = s;
        else if (s != NULL)
            node_fault(name, ODP_C31, rules[l].label, rules[l].form);
    }
    return true;
}
