/* Any bytes as a file that nobody has described: a draft, its JSON parsed, its notes in both languages. A
 * first byte from 1 to 3 takes other choices. */
#include <stdlib.h>

#include <jansson.h>

#include "base/utf8.h"
#include "fuzz.h"
#include "repair/draft/draft.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool ok)
{
    if (!ok)
        abort();
}

static void choose(struct odp_draft *d, unsigned option)
{
    size_t n;
    bool again = false;
    (void)odp_draft_doubts(d, &n);
    for (size_t i = 0; i < n && !again; i++)
        need(odp_draft_choose(d, i, option, &again) != ODP_FAIL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned which = size > 0 && data[0] >= 1 && data[0] <= 3 ? data[0] : 0;
    const char *path = fuzz_path("draft.csv");
    struct odp_draft_options o = {.path = path, .file = "draft.csv", .slug = "uji"};
    struct odp_diags *diags = NULL;
    struct odp_draft *d = NULL;
    struct odp_buffer out;
    fuzz_write(path, data + (which > 0), size - (which > 0));
    odp_buffer_init(&out);
    need(odp_diags_new(&diags, 10) == ODP_OK);
    enum odp_status status = odp_draft_open(&d, &o, diags);
    if (status == ODP_OK && which > 1)
        choose(d, 1);
    if (status == ODP_OK)
        status = odp_draft_survey(d, diags);
    if (status == ODP_OK && which > 0)
        choose(d, which == 3 ? 0 : 1);
    if (status == ODP_OK)
        status = odp_draft_settle(d, diags);
    need(status != ODP_FAIL);
    if (status == ODP_OK) {
        need(odp_draft_json(d, &out) == ODP_OK);
        json_t *json = json_loadb(out.ptr, out.len, 0, NULL);
        need(json != NULL);
        json_decref(json);
        for (int lang = 0; lang < ODP_LANGS; lang++) {
            odp_buffer_clear(&out);
            need(odp_draft_notes(d, (enum odp_lang)lang, "", &out) == ODP_OK);
            need(odp_utf8_valid(odp_buffer_slice(&out)) == out.len);
        }
    }
    odp_buffer_release(&out);
    odp_draft_free(d);
    odp_diags_free(diags);
    return 0;
}
