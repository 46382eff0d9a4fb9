/* What is missing, in one warning for the portal and for each published dataset. */
#include "base/json.h"
#include "metadata/metadata_internal.h"

enum { NAMED = 6 /* places, of each member */ };

static bool lacks(const struct entry *e)
{
    return e->lacks[0] || e->lacks[1];
}

void odp_metadata_each_gap(const struct odp_catalog *c, const struct odp_dataset *d, odp_metadata_take *take,
                           void *ctx)
{
    struct odp_arena a = {0};
    struct entries l;
    metadata_list(&l, c, d, &a);
    for (size_t i = 0; i < l.n; i++)
        if (lacks(&l.item[i]))
            take(ctx, l.item[i].member->name, l.item[i].resource, l.item[i].field);
    odp_arena_release(&a);
}

static void count(void *ctx, const char *member, const struct odp_resource *resource,
                  const struct odp_field *field)
{
    struct odp_metadata_gaps *gaps = ctx;
    gaps->members++;
    gaps->fields += field != gaps->last;
    gaps->last = field;
}

struct odp_metadata_gaps odp_metadata_count(const struct odp_catalog *c, const struct odp_dataset *d)
{
    struct odp_metadata_gaps gaps = {0};
    odp_metadata_each_gap(c, d, count, &gaps);
    return gaps;
}

/* " (en)" where only that language is missing. */
static const char *language(const struct entry *e)
{
    if (!e->member->both || e->lacks[0] == e->lacks[1] || (*e->value[0] == '\0' && *e->value[1] == '\0'))
        return "";
    return e->lacks[ODP_LANG_ID] ? " (id)" : " (en)";
}

/* "Satuan dari luas_ha, panjang, … +3", of all fields. */
static void add_places(const struct entries *l, const struct member *m, enum odp_lang lang,
                       struct odp_buffer *out)
{
    size_t n = 0;
    for (size_t i = 0; i < l->n; i++) {
        const struct entry *e = &l->item[i];
        if (e->member != m || !lacks(e))
            continue;
        if (n == 0)
            odp_buffer_printf(out, "%s%s%s", out->len > 0 ? "; " : "", odp_text_get(&m->label, lang),
                              e->field == NULL ? language(e) : odp_word(lang, W_metadata_of));
        if (n < NAMED && e->field != NULL)
            odp_buffer_printf(out, "%s%s%s", n > 0 ? ", " : "", entry_place(l, e), language(e));
        n++;
    }
    if (n > NAMED)
        odp_buffer_printf(out, ", … +%zu", n - NAMED);
}

static enum odp_severity severity_of(const struct odp_catalog *c, const struct odp_dataset *d)
{
    const signed char *table = c->portal.severity;
    if (d != NULL && d->nresources > 0 && d->resources[0].severity != NULL)
        table = d->resources[0].severity;
    return table != NULL && table[ODP_C39] >= 0 ? (enum odp_severity)table[ODP_C39] : ODP_SEVERITY_WARNING;
}

static enum odp_status warn(const struct odp_catalog *c, const struct odp_dataset *d, struct odp_arena *a,
                            struct odp_diags *diags)
{
    const enum odp_severity severity = severity_of(c, d);
    struct odp_buffer out = {0};
    struct entries l;
    if (severity == ODP_SEVERITY_OFF)
        return ODP_OK;
    metadata_list(&l, c, d, a);
    struct odp_text said;
    for (enum odp_lang lang = 0; lang < ODP_LANGS; lang++) {
        odp_buffer_clear(&out);
        for (size_t i = 0; i < metadata_nmembers; i++)
            add_places(&l, &metadata_members[i], lang, &out);
        said.in[lang] = odp_arena_printf(a, odp_word(lang, W_metadata_lacks), odp_buffer_cstr(&out));
    }
    struct odp_diag q = {.code = ODP_C39, .file = l.path, .line = 1, .column = 1, .message = &said};
    if (d != NULL) {
        q.dataset = d->slug;
        uint32_t line, column;
        (void)odp_json_locate(d->text, "key:/title", &line, &column);
        q.line = line;
        q.column = column;
    }
    q.severity = severity;
    enum odp_status status = odp_buffer_status(&out);
    if (status == ODP_OK && out.len > 0)
        status = odp_diags_add(diags, &q);
    odp_buffer_release(&out);
    return status;
}

enum odp_status odp_metadata_warn(const struct odp_catalog *c, const bool *wanted, bool portal,
                                  struct odp_diags *diags)
{
    enum odp_status worst = ODP_OK;
    struct odp_arena a = {0};
    for (size_t i = 0; i <= c->ndatasets && worst != ODP_FAIL; i++) {
        const struct odp_dataset *d = i > 0 ? &c->datasets[i - 1] : NULL;
        if (d == NULL ? !portal
                      : !wanted[i - 1] || d->reference || d->state == ODP_STATE_DRAFT ||
                            d->state == ODP_STATE_WITHDRAWN)
            continue;
        enum odp_status status = warn(c, d, &a, diags);
        worst = status == ODP_OK ? worst : status;
        odp_arena_reset(&a);
    }
    odp_arena_release(&a);
    return worst;
}
