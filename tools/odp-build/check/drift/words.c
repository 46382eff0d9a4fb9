/* Findings in words: figures as each language writes them; many fields with one fault as one. */
#include <errno.h>
#include <math.h>

#include "check/drift/drift_internal.h"
#include "words/check.h"

enum {
    APART = 3,
    LISTED = 8
}; /* up to so many fields get a warning each; more get one for all, which names so many */

void drift_add_figure(struct odp_buffer *out, const char *text, enum odp_lang lang)
{
    const bool negative = *text == '-';
    odp_buffer_add_str(out, negative ? "−" : "");
    odp_text_decimal(out, odp_slice_of(text + negative), lang);
}

void drift_add_percent(struct odp_buffer *out, double v, bool is_signed, enum odp_lang lang)
{
    char text[48];
    double percent = fabs(v) * 100;
    if (percent < 1e14)
        text[odp_decimal_fixed(percent, percent < 1000 ? 1 : 0, text)] = '\0';
    else
        memcpy(text, "∞", sizeof "∞");
    if (is_signed)
        odp_buffer_add_str(out, v < 0 ? "−" : "+");
    drift_add_figure(out, text, lang);
    odp_buffer_add_str(out, lang == ODP_LANG_ID ? " %" : "%");
}

struct odp_text drift_text(struct findings *f,
                           void (*make)(struct odp_buffer *out, enum odp_lang lang, const void *ctx),
                           const void *ctx)
{
    struct odp_text text = {{NULL}};
    struct odp_buffer b = {0};
    for (int lang = 0; lang < ODP_LANGS; lang++) {
        odp_buffer_next(&b, &f->failed);
        make(&b, (enum odp_lang)lang, ctx);
        text.in[lang] = odp_arena_str(&f->arena, odp_buffer_cstr(&b));
        f->failed = f->failed || b.failed;
    }
    odp_buffer_release(&b);
    return text;
}

/* ---- many fields, one fault ---- */

struct many {
    const struct findings *f;
    const struct finding *largest;
    size_t n;
};

static void say_many(struct odp_buffer *out, enum odp_lang lang, const void *ctx)
{
    const struct many *m = ctx;
    size_t listed = 0;
    odp_buffer_printf(out, "%s: %s", m->largest->field, odp_text_get(&m->largest->message, lang));
    odp_buffer_printf(out, odp_word(lang, W_check_other_fields), m->n - 1);
    for (size_t i = 0; i < m->f->n && listed < LISTED; i++) {
        const struct finding *x = &m->f->items[i];
        if (x == m->largest || x->code != m->largest->code || x->field == NULL)
            continue;
        odp_buffer_add_str(out, listed++ > 0 ? ", " : "");
        odp_buffer_add_str(out, x->field);
    }
    odp_buffer_add_str(out, listed + 1 < m->n ? ", …" : "");
}

/* ---- diagnostics ---- */

/* The bound as the text of diagnostics.def has it: per cent, or times. */
static void format_bound(const struct finding *x, char out[48])
{
    const bool times = x->kind == ODP_DRIFT_RANGE || x->kind == ODP_DRIFT_GROUP;
    double v = times ? x->bound : x->bound * 100;
    out[odp_decimal_fixed(v, 3, out)] = '\0';
}

/* The limit under which this would pass: one decimal (shares: two), rounded up. */
static const char *make_remedy(struct findings *f, const struct finding *x)
{
    char text[48];
    double scale = x->kind == ODP_DRIFT_NULLS || x->kind == ODP_DRIFT_SHARE || x->kind == ODP_DRIFT_CELLS
                       ? 100
                       : 10,
           v = ceil(x->size * scale) / scale;
    if (!isfinite(v) || v > 1e6)
        return odp_arena_printf(&f->arena, "\"odp:drift\": {\"%s\": false}", odp_drift_name(x->kind));
    text[odp_decimal_fixed(v, 2, text)] = '\0';
    return odp_arena_printf(&f->arena, "\"odp:drift\": {\"%s\": %s}", odp_drift_name(x->kind), text);
}

static enum odp_status report_one(struct findings *f, const struct finding *x, struct odp_diags *diags)
{
    char bound[48];
    const char *remedy = make_remedy(f, x);
    format_bound(x, bound);
    struct odp_diag d = x->place != NULL ? *x->place : (struct odp_diag){0};
    d.code = x->code;
    d.dataset = f->resource->dataset->slug;
    d.resource = f->resource->name;
    d.file = f->file;
    d.field = x->field;
    d.where = x->where;
    d.message = &x->message;
    d.args[0] = odp_slice_of(bound);
    d.args[1] = odp_slice_of(f->before->version);
    d.args[2] = odp_slice_of(remedy);
    return odp_diags_add(diags, &d);
}

static enum odp_status report_code(struct findings *f, enum odp_code code, struct odp_diags *diags)
{
    struct many m = {.f = f};
    enum odp_status worst = ODP_OK;
    for (size_t i = 0; i < f->n; i++) {
        const struct finding *x = &f->items[i];
        if (x->code != code || x->field == NULL)
            continue;
        m.n++;
        m.largest = m.largest == NULL || x->size > m.largest->size ? x : m.largest;
    }
    if (m.n > APART) {
        struct finding all = *m.largest;
        all.field = NULL;
        all.place = NULL;
        all.message = drift_text(f, say_many, &m);
        return f->failed ? ODP_FAIL : report_one(f, &all, diags);
    }
    for (size_t i = 0; i < f->n && worst != ODP_FAIL; i++)
        if (f->items[i].code == code) {
            enum odp_status status = report_one(f, &f->items[i], diags);
            worst = status == ODP_FAIL || worst == ODP_OK ? status : worst;
        }
    return worst;
}

enum odp_status drift_report(struct findings *f, struct odp_diags *diags)
{
    static const enum odp_code codes[] = {ODP_Q01, ODP_Q02, ODP_Q03, ODP_Q04, ODP_Q05, ODP_Q06,
                                          ODP_Q07, ODP_Q08, ODP_Q11, ODP_Q13, ODP_Q14};
    enum odp_status worst = ODP_OK;
    if (f->failed)
        return odp_failure_set("compare", "profile", ENOMEM);
    for (size_t i = 0; i < ODP_COUNT(codes) && worst != ODP_FAIL; i++) {
        enum odp_status status = report_code(f, codes[i], diags);
        worst = status == ODP_FAIL || worst == ODP_OK ? status : worst;
    }
    return worst;
}
