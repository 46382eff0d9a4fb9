/* The portal's look around a page of the service. The compiler stages an internal file for each language,
 * service/page.id.html and service/page.en.html: a whole page with three marks in it.
 *
 *   @TITLE@    what the page is called           @CONTENT@  what stands inside of <main>; exactly once
 *   @ROOT@     "../" as often as the page's address needs to get to the site's root: so every link holds
 *              under any base path
 *
 * They are filled in one pass from the left: what is put in is never looked at again, so a name of
 * "@CONTENT@" is just a name. */
#pragma once

#include "base/buffer.h"
#include "base/diag.h"
#include "core/control/control.h"

#define ODP_SHELL_MAX (256u * 1024u)

struct odp_shell {
    struct odp_buffer text[ODP_LANGS]; /* empty: the site has none in that language */
    char example[104];                 /* a dataset of the API, for the first try; "" unknown */
};

/* TEXT can be filled: UTF-8, at most ODP_SHELL_MAX bytes, @CONTENT@ once. */
bool odp_shell_ok(struct odp_slice text);
/* Appends TEXT with its marks filled. TITLE and ROOT are escaped here, CONTENT is HTML. */
void odp_shell_fill(struct odp_buffer *out, struct odp_slice text, const char *title,
                    struct odp_slice content, const char *root);

/* The shell of SITE; a file that is not the one of control is none (WHY, "" when nothing is wrong). The
 * caller frees *OUT. FAIL: out of memory. */
enum odp_status odp_shell_read(struct odp_shell **out, const struct odp_control *site,
                               char why[128]) ODP_MUST_USE;
void odp_shell_free(struct odp_shell *shell); /* NULL is allowed */
