/* The scorecard of a dataset: its four principles, one after the other, and the scorecard for programs in
 * both languages: data/<slug>/scorecard.json. Class public, short-lived (it is of the catalogue, not of a
 * version).
 *
 *   {"dataset", "basis", "percent", "principles": [{"id", "title": {id, en}, "have", "need", "percent"|null,
 *     "items": [{"id", "label", "have", "need", "met", "note"|null}]}]}
 *
 * "id" of principles: standard, metadata, interoperability, codes; of items: stable words, in codes the
 * field ("timeline.kode_wilayah" in a further table). "note": what a met item refers to. What is missing,
 * and where it is added, is advice for stewards: `show` and the report have it, the site does not. */
#include <inttypes.h>

#include "published/parts.h"
#include "site/score/score_internal.h"

const struct odp_score *odp_score_make(const struct odp_catalog *c, const struct odp_dataset *d,
                                       struct odp_arena *a)
{
    struct odp_score *score = odp_arena_zero(a, 1, sizeof *score);
    struct scoring s = {.catalog = c, .dataset = d, .arena = a};
    size_t names = 1;
    for (size_t i = 0; i < d->nresources; i++)
        names += d->resources[i].schema.n;
    s.missing = odp_arena_array(a, names, sizeof *s.missing);
    score->slug = d->slug;
    score_standard(&s, score);
    score_metadata(&s, score);
    score_interoperability(&s, score);
    score_codes(&s, score);
    return score;
}

static json_t *percent(int value)
{
    return value >= 0 ? json_integer(value) : json_null();
}

static json_t *make_principle(const struct odp_score_principle *p)
{
    json_t *items = json_array();
    for (size_t i = 0; i < p->n; i++) {
        const struct odp_score_item *item = &p->items[i];
        const bool met = item->have == item->need; /* what to do about the others, stewards read in `show` */
        odp_add(items,
                json_pack("{s:s, s:o, s:I, s:I, s:b, s:o}", "id", item->id, "label",
                          odp_doc_text(&item->label), "have", (json_int_t)item->have, "need",
                          (json_int_t)item->need, "met", (int)met, "note",
                          met && !odp_text_is_empty(&item->note) ? odp_doc_text(&item->note) : json_null()));
    }
    return json_pack("{s:s, s:o, s:I, s:I, s:o, s:o}", "id", p->id, "title", odp_doc_text(&p->title), "have",
                     (json_int_t)p->have, "need", (json_int_t)p->need, "percent",
                     percent(odp_score_percent(p)), "items", items);
}

json_t *odp_score_json(const struct odp_score *s)
{
    json_t *list = json_array();
    for (int i = 0; i < ODP_PRINCIPLES; i++)
        odp_add(list, make_principle(&s->principle[i]));
    return json_pack("{s:s, s:s, s:o, s:o}", "dataset", s->slug, "basis",
                     "Peraturan Presiden Nomor 39 Tahun 2019", "percent", percent(odp_score_total(s)),
                     "principles", list);
}

char *odp_score_path(const char *slug, struct odp_arena *a)
{
    return odp_arena_printf(a, "data/%s/scorecard.json", slug);
}

/* What the scorecard says that is not of the program. */
static void add_key(struct odp_buffer *key, const struct odp_score *s)
{
    for (int i = 0; i < ODP_PRINCIPLES; i++)
        for (size_t k = 0; k < s->principle[i].n; k++) {
            const struct odp_score_item *item = &s->principle[i].items[k];
            odp_buffer_printf(key, "%s %" PRIu64 "/%" PRIu64, item->id, item->have, item->need);
            for (int lang = 0; lang < ODP_LANGS; lang++)
                odp_buffer_printf(key, " %s %s", odp_or_empty(item->label.in[lang]),
                                  item->have == item->need ? odp_or_empty(item->note.in[lang]) : "");
            odp_buffer_add_char(key, '\n');
        }
}

static enum odp_status put(struct odp_stage *stage, const struct odp_score *s, const char *path)
{
    struct odp_buffer text = {0};
    json_t *o = odp_score_json(s);
    enum odp_status status =
        odp_doc_print(&text, o, ODP_DOC_PRETTY); /* without an end of line: as it always was */
    if (status == ODP_OK)
        status = odp_stage_put(stage, path, "application/json", ODP_CLASS_PUBLIC, odp_buffer_slice(&text));
    json_decref(o);
    odp_buffer_release(&text);
    return status;
}

enum odp_status odp_score_put(struct odp_stage *stage, const struct odp_score *s)
{
    struct odp_arena a = {0};
    struct odp_buffer key = {0};
    const char *path = odp_score_path(s->slug, &a);
    add_key(&key, s);
    enum odp_status status = odp_buffer_status(&key);
    if (status == ODP_OK)
        status = odp_part_begin(stage, path, odp_buffer_slice(&key));
    if (status == ODP_OK)
        status = odp_part_end(stage, put(stage, s, path));
    odp_buffer_release(&key);
    odp_arena_release(&a);
    return status == ODP_DONE ? ODP_OK : status;
}
