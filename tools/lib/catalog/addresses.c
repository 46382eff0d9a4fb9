/* Addresses that become links: one that a browser would run ("javascript:…") is refused here, once for all
 * pages. */
#include <strings.h>

#include "catalog/catalog_internal.h"

#define WANTED "https://…, http://…, ftp://…, mailto:…, a/b.html"

/* Relative, or of a scheme that only fetches. Browsers leave out white space in front and control characters
 * anywhere: neither may be there. */
static bool is_harmless(const char *s)
{
    static const char *const schemes[] = {"https:", "http:", "ftp:", "mailto:"};
    if (*s == ' ')
        return false;
    for (const char *p = s; *p != '\0'; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            return false;
    size_t n = strcspn(s, ":/?#");
    if (s[n] != ':')
        return true;
    for (size_t i = 0; i < ODP_COUNT(schemes); i++)
        if (strncasecmp(s, schemes[i], strlen(schemes[i])) == 0)
            return true;
    return false;
}

void address_check(struct node n)
{
    if (json_is_string(n.json) && !is_harmless(json_string_value(n.json)))
        node_fault(n, ODP_C05, NULL, WANTED);
}

void mailbox_check(struct node n)
{
    const char *s = node_string(n), *at = s != NULL ? strchr(s, '@') : NULL;
    if (s != NULL && (at == NULL || at == s || strchr(at + 1, '@') != NULL || strchr(at, '.') == NULL ||
                      strpbrk(s, " \t\r\n<>,;") != NULL))
        node_fault(n, ODP_C05, NULL, "nama@…");
}

/* The path of each object of the list N. */
static void check_list(struct node n)
{
    if (!json_is_array(n.json)) /* others report other faults */
        return;
    for (struct node_iter it = node_iterate(n); node_next(&it);)
        if (json_is_object(it.item.json))
            address_check(node_get(it.item, "path"));
}

void addresses_check(struct node package)
{
    address_check(node_get(package, "homepage"));
    check_list(node_get(package, "licenses"));
    check_list(node_get(package, "sources"));
    check_list(node_get(package, "contributors"));
    mailbox_check(node_get(node_get(package, "odp:contact"), "email"));
}
