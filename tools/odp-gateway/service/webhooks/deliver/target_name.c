/* Names that mean nothing on the internet: IANA's Special-Use Domain Names (RFC 6761), and what networks use on their own (RFC
 * 6762, appendix G; ICANN keeps those out of the root). The addresses they lead to are checked as all are; this tells an owner
 * of a mistake at once, and asks no resolver for them. "example" is not among them: it leads nowhere, and documents use it. */
#include <string.h>

#include "service/webhooks/deliver/target_internal.h"

/* NAME is END, or ends in it after a dot. */
static bool ends_in(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n >= m && strcmp(name + n - m, end) == 0 && (n == m || name[n - m - 1] == '.');
}

bool target_name_is_localhost(const char *name)
{
    return ends_in(name, "localhost");
}

bool target_name_is_special(const char *name)
{
    static const char *const ends[] = {
        "localhost", "invalid",     "test",                /* RFC 6761 */
        "local",                                           /* RFC 6762 */
        "onion",                                           /* RFC 7686 */
        "alt",                                             /* RFC 9476 */
        "arpa",                                            /* RFC 3172; home.arpa (8375), ipv4only.arpa (8880) … */
        "internal",                                        /* ICANN, 2024 */
        "intranet",  "private",     "corp", "home", "lan", /* RFC 6762, appendix G */
        "mail",      "localdomain",
    };
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (ends_in(name, ends[i]))
            return true;
    return false;
}
