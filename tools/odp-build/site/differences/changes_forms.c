/* The forms in which differences are written, and how a run gets one of them. */
#include "site/differences/changes_internal.h"

#include <errno.h>
#include <stdlib.h>

static enum odp_status make(struct odp_changes_writer **out, struct odp_changes_sink *sink,
                            enum odp_changes_form form)
{
    static const struct odp_changes_sink *const forms[] = {[ODP_CHANGES_JSON] = &changes_json,
                                                           [ODP_CHANGES_CSV] = &changes_csv,
                                                           [ODP_CHANGES_HTML] = &changes_html,
                                                           [ODP_CHANGES_TEXT] = &changes_text};
    struct odp_changes_writer *w = *out = calloc(1, sizeof *w);
    if (w == NULL)
        return odp_failure_set("compare", NULL, ENOMEM);
    w->form = form;
    odp_buffer_init(&w->out);
    *sink = *forms[form];
    sink->ctx = w;
    return ODP_OK;
}

enum odp_status odp_changes_writer_new(struct odp_changes_writer **out, enum odp_changes_form form,
                                       struct odp_file *file, const struct odp_changes_page *page,
                                       struct odp_changes_sink *sink)
{
    enum odp_status status = make(out, sink, form);
    if (status == ODP_OK) {
        (*out)->file = file;
        (*out)->page = page;
        (*out)->text.limit = 0; /* the terminal's form in a file: all rows, in Indonesian */
    }
    return status;
}

enum odp_status odp_changes_text_new(struct odp_changes_writer **out, const struct odp_changes_text *t,
                                     struct odp_changes_sink *sink)
{
    enum odp_status status = make(out, sink, ODP_CHANGES_TEXT);
    if (status == ODP_OK)
        (*out)->text = *t;
    return status;
}

void odp_changes_writer_free(struct odp_changes_writer *w)
{
    if (w == NULL)
        return;
    if (w->release != NULL)
        w->release(w->own);
    odp_buffer_release(&w->out);
    free(w);
}
