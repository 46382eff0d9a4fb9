/* From the file that came to what is known of it, and what was changed. */
#include "repair/intake/intake.h"

#include <stdlib.h>
#include <unistd.h>

#include "read/source.h"
#include "repair/draft/draft.h"
#include "repair/intake/intake_internal.h"

/* ---- opening ---- */

/* Encoding and delimiter, by every byte. Where another encoding is as likely, the resource's word counts: its
 * faults stay. So does a declared one of single bytes against the guess of another. */
static enum odp_status read_text(struct odp_intake *x, struct odp_diags *diags)
{
    struct odp_draft *draft = NULL;
    struct odp_draft_text t;
    const struct odp_draft_options o = {.path = x->path, .file = x->options.file, .slug = "intake"};
    const char *declared = x->resource->encoding;
    enum odp_status status = odp_draft_open(&draft, &o, diags);
    if (status == ODP_OK) {
        odp_draft_text(draft, &t);
        bool guessed =
            intake_same_encoding(t.encoding, "windows-1252") && !intake_same_encoding(declared, "utf-8");
        x->how.encoding = !t.sure || guessed ? declared : odp_arena_str(&x->arena, t.encoding);
        x->how.encoding_declared = false;
        if (x->encoding == NULL)
            x->encoding = t.ascii ? declared : x->how.encoding;
        x->how.dialect.delimiter = t.delimiter;
        x->how.dialect.quote = t.quote;
        x->how.dialect.escape = t.escape;
        x->how.dialect.double_quote = t.escape == '\0';
        x->how.dialect.skip_initial_space = t.skip_space;
    }
    odp_draft_free(draft);
    return status;
}

static bool same_rules(const struct csv_rules *a, const struct csv_rules *b)
{
    return a->delimiter == b->delimiter && a->quote == b->quote && a->escape == b->escape &&
           a->double_quote == b->double_quote && a->skip_space == b->skip_space;
}

static enum odp_status read_file(struct odp_intake *x, struct odp_diags *diags)
{
    struct csv_rules rules;
    const char *before = x->path;
    enum odp_status status = intake_foreign(x, diags);
    if (status == ODP_OK && !x->foreign) {
        status = read_text(x, diags);
        if (status == ODP_OK)
            status = intake_unwrap(x, diags);
        if (status == ODP_OK && x->path != before)
            status = read_text(x, diags);
    }
    if (status == ODP_OK)
        status = intake_header(x, diags);
    if (status != ODP_OK)
        return status;
    csv_rules_init(&rules, &x->how.dialect, false);
    x->same_frame = !x->foreign && same_rules(&rules, &x->target);
    status = intake_model(x);
    return status == ODP_OK ? intake_survey(x, diags) : status;
}

/* Sources of other kinds are not written. The file that came is checked, and copied. */
static enum odp_status refuse_kind(const struct odp_intake_options *o, struct odp_diags *diags)
{
    const struct odp_source_kind *kind = odp_source_kind_of(o->resource);
    struct odp_diag d;
    if (kind != NULL && strcmp(kind->name, "csv") == 0)
        return ODP_OK;
    csv_file_diag(&d, ODP_A34, o->resource, o->file);
    d.args[0] = odp_slice_of(kind != NULL ? kind->name : "?");
    d.args[1] = odp_slice_of(o->resource->dataset->slug);
    d.args[2] = odp_slice_of(o->file);
    d.args[3] = odp_slice_of(o->model);
    return odp_diags_refuse(diags, &d);
}

enum odp_status odp_intake_open(struct odp_intake **out, const struct odp_intake_options *o,
                                struct odp_diags *diags)
{
    struct odp_intake *x = *out = calloc(1, sizeof *x);
    if (x == NULL)
        return odp_failure_memory();
    x->options = *o;
    x->resource = o->resource;
    x->path = o->path;
    x->file_month_first = x->mark = -1;
    x->how = *o->resource;
    x->how.bytes = -1;
    x->how.hash = NULL;
    csv_rules_init(&x->target, &o->resource->dialect, csv_is_tabs(o->resource));
    enum odp_status status = refuse_kind(o, diags);
    if (status == ODP_OK)
        status = read_file(x, diags);
    if (status == ODP_OK)
        intake_decide(x);
    return status == ODP_OK ? odp_arena_status(&x->arena) : status;
}

void odp_intake_free(struct odp_intake *x)
{
    if (x == NULL)
        return;
    for (size_t i = 0; i < x->nscratch; i++)
        (void)unlink(x->scratch[i]);
    odp_arena_release(&x->arena);
    free(x);
}
