/* service/page.id.html, service/page.en.html: the frame into which the gateway's service puts what it answers
 * to forms. It fills in @TITLE@,
 * @CONTENT@ and @ROOT@ (the way to the site's root from the address that was asked for). Internal files: no
 * server sends them.
 *
 * Its switch of languages leads to the other home page. */
#include <errno.h>

#include "site/pages/pages_internal.h"

enum odp_status portal_make_service(struct portal *p, enum odp_lang lang)
{
    json_t *data = json_pack("{s:s}", "content", "@CONTENT@");
    const struct portal_head head = {
        .page = "service",
        .title = "@TITLE@",
        .root = "@ROOT@",
        .noindex = true,
        .nav = "key",
        .cls = ODP_CLASS_INTERNAL,
        .path = {odp_path(ODP_PATH_service, ODP_LANG_ID), odp_path(ODP_PATH_service, ODP_LANG_EN)}};
    return data != NULL ? portal_put(p, lang, &head, data) : odp_failure_set("make", head.path[lang], ENOMEM);
}
