/* status.html: how fresh each dataset is. A build has no clock: what is late, and whether the service
 * answers, status.js finds out at the reader's.
 *
 * The next day of a dataset is its last update and its frequency (EU vocabulary); what has no interval has
 * none. */
#include <errno.h>

#include "site/pages/pages_internal.h"

enum odp_status portal_make_status(struct portal *p, enum odp_lang lang)
{
    struct odp_doc d = {0};
    json_t *data = json_object(), *rows = json_array(), *words = json_object();
    const json_t *entry;
    size_t i;
    json_array_foreach(p->job->entries, i, entry)
        odp_doc_add(&d, rows, portal_card(p, entry));
    d.failed = portal_words(p, "status_js_", lang, words) != ODP_OK || d.failed;
    odp_doc_set(&d, data, "any_datasets", json_boolean(p->n > 0));
    odp_doc_set(&d, data, "datasets", rows);
    odp_doc_set(&d, data, "words", words);
    const struct portal_head head = {
        .page = "status",
        .title = portal_word(p, "status_title", lang),
        .description = portal_word(p, "status_description", lang),
        .path = {odp_path(ODP_PATH_status, ODP_LANG_ID), odp_path(ODP_PATH_status, ODP_LANG_EN)},
        .cls = ODP_CLASS_PUBLIC};
    if (!d.failed)
        return portal_put(p, lang, &head, data);
    json_decref(data);
    return odp_failure_set("make", head.path[lang], ENOMEM);
}
