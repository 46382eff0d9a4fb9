/* Patches of a CSV file, encoded as the file is; edits that do not fit; where the text ends. */
#include "repair/rewrite/csv_internal.h"

static bool is_private(const struct csv_plan *c, const char *field)
{
    int i = field != NULL ? odp_schema_find(&c->r->schema, odp_slice_of(field)) : -1;
    return i >= 0 ? !c->r->schema.fields[i].is_public
                  : field == NULL && c->r->has_private; /* a whole record or line holds every field */
}

void csv_plan_misfit(struct csv_plan *c, const struct edit *e, enum odp_code code, uint64_t line,
                     const char *field, struct odp_slice value)
{
    bool in_row = e->what != EDIT_LINES && e->what != EDIT_LABEL && e->what != EDIT_APPEND;
    struct odp_diag d = {.code = code, .row = in_row ? e->at : 0, .line = line, .field = field};
    d.args[0] = is_private(c, field) ? ODP_LIT("***") : value;
    odp_plan_refuse(c->p, e, &d);
}

enum odp_status csv_plan_status(const struct csv_plan *c)
{
    bool failed = c->cell.failed || c->written.failed || c->encoded.failed || c->last.failed ||
                  c->proof.gathered.failed;
    return failed ? ODP_FAIL : odp_plan_status(c->p);
}

void csv_plan_patch(struct csv_plan *c, const struct edit *e, struct patch *patch, struct odp_slice text,
                    struct odp_slice before, struct odp_slice after)
{
    size_t bad;
    odp_buffer_clear(&c->encoded);
    if (odp_encode(&c->encoder, text, &c->encoded, &bad) == ODP_DONE) {
        char name[16];
        struct odp_diag d = {.row = patch->row, .line = patch->line, .field = patch->field};
        d.args[1] = odp_slice_of(c->p->encoding);
        odp_encode_fault(&d, text, bad, after, is_private(c, patch->field), name);
        odp_plan_refuse(c->p, e, &d);
    } else {
        odp_plan_add(c->p, patch, odp_buffer_slice(&c->encoded), before, after);
    }
}

enum odp_status csv_plan_end(struct csv_plan *c, uint64_t *end, bool *open)
{
    struct csv_text *t = c->text;
    while (!t->eof) {
        t->pos = t->buf.len > 0 ? t->buf.len - 1 : 0;
        if (csv_text_fill(t) != ODP_OK)
            return ODP_FAIL;
    }
    char last = t->buf.len > 0 ? t->buf.ptr[t->buf.len - 1] : '\n';
    *end = t->base + t->buf.len;
    *open = last != '\n' && last != '\r';
    return ODP_OK;
}
