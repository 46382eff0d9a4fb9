/* Words of the documentation. */
#include "site/pages/docs_internal.h"

const char *docs_word(const struct docs *d, const char *key)
{
    const char *word = odp_templates_word(d->p->templates, key, d->lang);
    return word != NULL ? word : key;
}
