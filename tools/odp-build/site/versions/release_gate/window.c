/* Deprecation windows: what goes must have been announced in what is published, and its day must have come. A
 * larger release number does not shorten a promise; only the law does (odp:status withdrawn). */
#include "published/doc.h"
#include "site/versions/release_gate/gate_internal.h"

static const char *date_of(const json_t *o, const char *key)
{
    const char *text = odp_text_of(o, key);
    struct odp_datetime date;
    return odp_date_parse(odp_slice_of(text), ODP_DATE, NULL, NULL, &date) == ODP_DATE_OK ? text : NULL;
}

struct gate_window gate_window_of(const json_t *published)
{
    struct gate_window w = {date_of(published, "odp:deprecated"), date_of(published, "odp:sunset")};
    return w.deprecated != NULL && w.sunset != NULL ? w : (struct gate_window){NULL, NULL};
}

static bool has_come(const struct gate *g, const char *sunset)
{
    return sunset != NULL && strcmp(g->job->today, sunset) >= 0;
}

void gate_window_need(struct gate *g, const struct gate_subject *s, const char *kind,
                      const struct gate_window *windows, size_t n, const struct odp_text *text)
{
    const char *first = NULL; /* the earliest day on which it might have gone */
    for (size_t i = 0; i < n; i++) {
        if (has_come(g, windows[i].sunset))
            return;
        if (windows[i].sunset != NULL && (first == NULL || strcmp(windows[i].sunset, first) < 0))
            first = windows[i].sunset;
    }
    const char *id = odp_text_get(text, ODP_LANG_ID), *en = odp_text_get(text, ODP_LANG_EN);
    struct odp_text message = {{odp_arena_printf(g->arena, "%s tanpa diumumkan lebih dahulu", id),
                                odp_arena_printf(g->arena, "%s without having been announced", en)}};
    if (first != NULL)
        message =
            (struct odp_text){{odp_arena_printf(g->arena, "%s sebelum hari yang diumumkan, %s", id, first),
                               odp_arena_printf(g->arena, "%s before the day announced, %s", en, first)}};
    gate_say(g, ODP_V22, s, kind, &message, (const char *const[]){g->job->today, NULL});
}

void gate_window_moved(struct gate *g, const struct gate_subject *s, struct gate_window before,
                       struct gate_window now)
{
    struct odp_text message;
    if (now.sunset == NULL)
        return;
    if (before.sunset != NULL && strcmp(now.sunset, before.sunset) < 0)
        message = GATE_TEXT(g, "odp:sunset dimajukan dari %s ke %s",
                            "odp:sunset was brought forward from %s to %s", before.sunset, now.sunset);
    else if (before.sunset == NULL && has_come(g, now.sunset))
        message = GATE_TEXT(g, "odp:sunset %s sudah lewat ketika baru diumumkan",
                            "odp:sunset %s is past when first announced", now.sunset);
    else
        return;
    gate_say(g, ODP_V24, s, NULL, &message, (const char *const[]){now.sunset, g->job->today});
}

/* ---- still there ---- */

static void say_closed(struct gate *g, const struct gate_subject *s, const struct odp_text *what,
                       const char *name, const char *sunset)
{
    if (!has_come(g, sunset))
        return;
    const struct odp_text message = {
        {odp_arena_printf(g->arena, "%s %s boleh dihapus: odp:sunset %s sudah lewat", what->in[ODP_LANG_ID],
                          name, sunset),
         odp_arena_printf(g->arena, "%s %s may be removed now: its sunset, %s, is past",
                          what->in[ODP_LANG_EN], name, sunset)}};
    gate_say(g, ODP_V23, s, NULL, &message, (const char *const[]){sunset, name});
}

static void close_resource(struct gate *g, const struct odp_dataset *d, const struct odp_resource *r)
{
    static const struct odp_text table = {{"tabel", "table"}}, field = {{"kolom", "field"}};
    struct gate_subject s = {d->slug, r->name, NULL, d->file, r->where};
    if (!r->primary)
        say_closed(g, &s, &table, r->name, r->sunset);
    for (uint32_t i = 0; i < r->schema.n; i++) {
        const struct odp_field *f = &r->schema.fields[i];
        s.field = f->name;
        s.where = f->where;
        if (f->is_public)
            say_closed(g, &s, &field, f->name, f->sunset);
    }
}

void gate_window_closed(struct gate *g)
{
    static const struct odp_text dataset = {{"dataset", "dataset"}},
                                 address = {{"alamat lama", "the old address"}};
    for (size_t i = 0; i < g->job->catalog->ndatasets && g->status == ODP_OK; i++) {
        const struct odp_dataset *d = &g->job->catalog->datasets[i];
        const struct gate_subject s = {d->slug, NULL, NULL, d->file, NULL};
        if (!odp_dataset_is_published(d))
            continue;
        if (d->state == ODP_STATE_DEPRECATED)
            say_closed(g, &s, &dataset, d->slug, d->sunset);
        for (size_t k = 0; k < d->nformer; k++)
            say_closed(g, &s, &address, d->former[k].slug, d->former[k].sunset);
        for (size_t k = 0; k < d->nresources; k++)
            close_resource(g, d, &d->resources[k]);
    }
}
