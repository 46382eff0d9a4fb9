#include "base/text.h"

#include <stddef.h>

const char *odp_text_get(const struct odp_text *t, enum odp_lang lang)
{
    const char *s = t->in[lang];
    if (s == NULL || *s == '\0')
        s = t->in[lang == ODP_LANG_ID ? ODP_LANG_EN : ODP_LANG_ID];
    return s != NULL ? s : "";
}

bool odp_text_is_empty(const struct odp_text *t)
{
    return odp_text_get(t, ODP_LANG_ID)[0] == '\0' && odp_text_get(t, ODP_LANG_EN)[0] == '\0';
}
