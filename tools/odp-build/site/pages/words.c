/* Words that pages hand to their scripts. */
#include "site/pages/pages_internal.h"

#include <errno.h>

json_t *portal_words(const struct portal *p, enum odp_lang lang, const char *const *keys)
{
    struct odp_doc d = {0};
    json_t *words = json_object();
    for (size_t i = 0; keys[i] != NULL; i++) {
        const char *word = odp_templates_word(p->templates, keys[i], lang);
        if (word == NULL) {
            (void)odp_failure_set("find the word", keys[i], 0);
            json_decref(words);
            return NULL;
        }
        odp_doc_set_str(&d, words, keys[i], word);
    }
    if (!d.failed)
        return words;
    json_decref(words);
    (void)odp_failure_set("make", "words", ENOMEM);
    return NULL;
}

enum odp_status portal_map_words(const struct portal *p, enum odp_lang lang, json_t *words)
{
    static const char *const keys[] = {
#define MAP_WORD(key) #key,
#include "site/pages/map_words.def"
#undef MAP_WORD
    };
    struct odp_doc d = {0};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *word = odp_templates_word(p->templates, keys[i], lang);
        if (word == NULL)
            return odp_failure_set("find the word", keys[i], 0);
        odp_doc_set_str(&d, words, keys[i], word);
    }
    return d.failed ? odp_failure_set("make", "words", ENOMEM) : ODP_OK;
}
