/* The release gate: compare, then the numbers. What changed is found in gate_compare.c. */
#include "site/versions/gate_internal.h"

#include <stdlib.h>

#include "base/json_load.h"
#include "published/doc.h"

/* ---- findings and words --------------------------------------------------------------------------------------------------
 */

static const struct {
    const char *name;
    enum odp_level level;
    struct odp_text text;
} kinds[GATE_CHANGES] = {
#define ODP_GATE_CHANGE(symbol, name, level, id, en) {name, ODP_LEVEL_##level, {{id, en}}},
#include "site/versions/gate_change.def"
#undef ODP_GATE_CHANGE
};

enum odp_status gate_find(struct gate *g, enum odp_level level, const char *kind, const struct gate_subject *s,
                          struct odp_text text)
{
    struct odp_gate *out = g->out;
    if (text.in[ODP_LANG_ID] == NULL || text.in[ODP_LANG_EN] == NULL)
        return ODP_FAIL;
    if (out->n == g->cap) {
        size_t cap = g->cap > 0 ? 2 * g->cap : 16;
        struct odp_gate_finding *more = odp_arena_array(g->arena, cap, sizeof *more);
        if (more == NULL)
            return ODP_FAIL;
        if (out->n > 0)
            memcpy(more, out->findings, out->n * sizeof *more);
        out->findings = more;
        g->cap = cap;
    }
    out->findings[out->n++] =
        (struct odp_gate_finding){level, s->dataset, s->resource, s->field, kind, s->file, s->where, text};
    out->needed = level > out->needed ? level : out->needed;
    return ODP_OK;
}

/* TEMPLATE with A0 and A1 in it, in the arena. */
static const char *fill(struct gate *g, const char *template, const char *a0, const char *a1)
{
    struct odp_buffer b;
    odp_buffer_init(&b);
    for (const char *p = template; *p != '\0';) {
        bool place = p[0] == '{' && (p[1] == '0' || p[1] == '1') && p[2] == '}';
        const char *arg = !place ? NULL : p[1] == '0' ? a0 : a1;
        if (place)
            odp_buffer_add_str(&b, arg != NULL ? arg : "");
        else
            odp_buffer_add_char(&b, *p);
        p += place ? 3 : 1;
    }
    const char *text = odp_buffer_status(&b) == ODP_OK ? odp_arena_copy(g->arena, odp_buffer_slice(&b)).ptr : NULL;
    odp_buffer_release(&b);
    return text;
}

enum odp_status gate_find_change(struct gate *g, enum gate_change change, const struct gate_subject *s, const char *a0,
                                 const char *a1, struct odp_text *text)
{
    struct odp_text said;
    for (int lang = 0; lang < ODP_LANGS; lang++)
        said.in[lang] = fill(g, kinds[change].text.in[lang], a0, a1);
    if (text != NULL)
        *text = said;
    return gate_find(g, kinds[change].level, kinds[change].name, s, said);
}

enum odp_status gate_say(struct gate *g, enum odp_code code, const struct gate_subject *s, const char *kind,
                         const struct odp_text *message, const char *a0, const char *a1)
{
    struct odp_diag diag = {.code = code,
                            .dataset = s->dataset,
                            .resource = s->resource,
                            .field = s->field,
                            .file = s->file,
                            .where = s->where,
                            .rule = kind,
                            .args = {odp_slice_of(a0), odp_slice_of(a1)},
                            .message = message};
    if (message != NULL && (message->in[ODP_LANG_ID] == NULL || message->in[ODP_LANG_EN] == NULL))
        return ODP_FAIL;
    enum odp_status status = odp_diags_add(g->diags, &diag);
    g->refused = g->refused || status == ODP_BAD;
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

/* ---- numbers -------------------------------------------------------------------------------------------------------------
 */

/* Nothing published under a number counts as 0.0.0. */
static void read_numbers(const char *version, uint64_t out[3])
{
    if (!odp_release_numbers(version, out))
        out[0] = out[1] = out[2] = 0;
}

/* The first number that differs decides; *LOWER: it is smaller than before. */
static enum odp_level level_between(const uint64_t before[3], const uint64_t now[3], bool *lower)
{
    static const enum odp_level levels[] = {ODP_LEVEL_MAJOR, ODP_LEVEL_MINOR, ODP_LEVEL_PATCH};
    *lower = false;
    for (int i = 0; i < 3; i++)
        if (now[i] != before[i]) {
            *lower = now[i] < before[i];
            return *lower ? ODP_LEVEL_NONE : levels[i];
        }
    return ODP_LEVEL_NONE;
}

static const char *least_of(struct odp_arena *a, const uint64_t before[3], enum odp_level needed)
{
    uint64_t n[3] = {before[0], before[1], before[2]};
    if (needed == ODP_LEVEL_MAJOR) {
        n[0]++;
        n[1] = n[2] = 0;
    } else if (needed == ODP_LEVEL_MINOR) {
        n[1]++;
        n[2] = 0;
    } else if (needed == ODP_LEVEL_PATCH) {
        n[2]++;
    }
    return odp_arena_printf(a, "%llu.%llu.%llu", (unsigned long long)n[0], (unsigned long long)n[1], (unsigned long long)n[2]);
}

/* ---- the check -----------------------------------------------------------------------------------------------------------
 */

static enum odp_status read_index(struct gate *g)
{
    const struct odp_site_file *f = odp_site_find(g->previous, "v1/index.json");
    struct odp_buffer text;
    odp_buffer_init(&text);
    enum odp_status status = f != NULL ? odp_site_read(g->previous, f, &text, g->diags) : ODP_OK;
    if (f != NULL && status == ODP_OK)
        g->index = odp_json_load(text.ptr, text.len, JSON_REJECT_DUPLICATES, NULL);
    if (status == ODP_OK && !json_is_array(json_object_get(g->index, "data")))
        status = odp_site_complain(g->diags, odp_site_shown(g->previous), "v1/index.json", "");
    odp_buffer_release(&text);
    return status;
}

static int by_level(const void *a, const void *b)
{
    const struct odp_gate_finding *x = *(struct odp_gate_finding *const *)a, *y = *(struct odp_gate_finding *const *)b;
    return x->level != y->level ? (x->level < y->level ? 1 : -1) : (x > y) - (x < y);
}

/* Highest level first; within one as found. */
static enum odp_status sort_findings(struct gate *g)
{
    struct odp_gate *out = g->out;
    const struct odp_gate_finding **order = odp_arena_array(g->arena, out->n + 1, sizeof *order);
    struct odp_gate_finding *sorted = odp_arena_array(g->arena, out->n + 1, sizeof *sorted);
    if (order == NULL || sorted == NULL)
        return ODP_FAIL;
    for (size_t i = 0; i < out->n; i++)
        order[i] = &out->findings[i];
    if (out->n > 1)
        qsort(order, out->n, sizeof *order, by_level);
    for (size_t i = 0; i < out->n; i++)
        sorted[i] = *order[i];
    out->findings = sorted;
    return ODP_OK;
}

static enum odp_status judge(struct gate *g)
{
    struct odp_gate *out = g->out;
    const struct gate_subject history = {.file = odp_path_join(g->arena, g->catalog->dir, "changes.json")};
    uint64_t before[3], now[3];
    bool lower;
    read_numbers(out->before, before);
    read_numbers(out->now, now);
    out->given = level_between(before, now, &lower);
    out->least = least_of(g->arena, before, out->needed);
    if (history.file == NULL || out->least == NULL)
        return ODP_FAIL;
    if (lower)
        return gate_say(g, ODP_V21, &history, NULL, NULL, *out->now != '\0' ? out->now : "—", out->before);
    /* A portal that has never had a release has promised nothing yet. */
    if (*out->before == '\0' && *out->now == '\0')
        return ODP_OK;
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < out->n && status == ODP_OK; i++) {
        const struct odp_gate_finding *f = &out->findings[i];
        const struct gate_subject s = {f->dataset, f->resource, f->field, f->file != NULL ? f->file : history.file, f->where};
        if (f->level > out->given)
            status = gate_say(g, ODP_V20, &s, f->kind, &f->text, out->least, odp_level_name(f->level));
    }
    return status;
}

enum odp_status odp_gate_check(struct odp_gate *out, const struct odp_site *previous, const struct odp_catalog *c,
                               const char *today, struct odp_arena *a, struct odp_diags *diags)
{
    return odp_gate_check_some(out, previous, c, NULL, today, a, diags);
}

enum odp_status odp_gate_check_some(struct odp_gate *out, const struct odp_site *previous, const struct odp_catalog *c,
                                    const bool *only, const char *today, struct odp_arena *a, struct odp_diags *diags)
{
    struct gate g = {.out = out, .previous = previous, .catalog = c, .only = only, .today = today, .arena = a, .diags = diags};
    *out = (struct odp_gate){.now = c->nreleases > 0 ? c->releases[0].version : ""};
    enum odp_status status = previous != NULL ? read_index(&g) : ODP_OK;
    if (status == ODP_OK && previous != NULL) {
        const char *before = json_string_value(json_object_get(json_object_get(g.index, "meta"), "release"));
        out->before = odp_arena_str(a, before != NULL ? before : "");
        status = out->before != NULL ? gate_compare(&g) : ODP_FAIL;
        if (status == ODP_OK)
            status = sort_findings(&g);
        if (status == ODP_OK)
            status = judge(&g);
    }
    if (status == ODP_OK)
        status = gate_window_closed(&g);
    json_decref(g.index);
    return status == ODP_OK && g.refused ? ODP_BAD : status;
}
