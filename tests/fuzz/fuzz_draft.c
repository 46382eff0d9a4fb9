/* Any bytes as a file that nobody has described: a draft, its JSON parsed, its notes in both languages. A
 * first byte from 1 to 3 takes other choices. */
#include "base/utf8.h"
#include "fuzz.h"
#include "repair/draft/draft.h"

static void choose(struct odp_draft *d, unsigned option)
{
    size_t n;
    bool again = false;
    (void)odp_draft_doubts(d, &n);
    for (size_t i = 0; i < n && !again; i++)
        NEED(odp_draft_choose(d, i, option, &again) != ODP_FAIL);
}

void fuzz_one(struct odp_slice in)
{
    unsigned which = fuzz_choice(&in, 3);
    const char *path = fuzz_path("draft.csv");
    struct odp_draft_options o = {.path = path, .file = "draft.csv", .slug = "uji"};
    struct odp_diags *diags = fuzz_diags();
    struct odp_draft *d = NULL;
    struct odp_buffer out = {0};
    fuzz_write(path, in);
    enum odp_status status = odp_draft_open(&d, &o, diags);
    if (status == ODP_OK && which > 1)
        choose(d, 1);
    if (status == ODP_OK)
        status = odp_draft_survey(d, diags);
    if (status == ODP_OK && which > 0)
        choose(d, which == 3 ? 0 : 1);
    if (status == ODP_OK)
        status = odp_draft_settle(d, diags);
    NEED(status != ODP_FAIL);
    if (status == ODP_OK) {
        NEED(odp_draft_json(d, &out) == ODP_OK);
        json_decref(fuzz_json(&out));
        for (int lang = 0; lang < ODP_LANGS; lang++) {
            odp_buffer_clear(&out);
            NEED(odp_draft_notes(d, (enum odp_lang)lang, "", &out) == ODP_OK);
            NEED(odp_utf8_valid(odp_buffer_slice(&out)) == out.len);
        }
    }
    odp_buffer_release(&out);
    odp_draft_free(d);
    odp_diags_free(diags);
}
