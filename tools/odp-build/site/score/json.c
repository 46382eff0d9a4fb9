/* data/<slug>/scorecard.json: the scorecard for programs, in both languages. Class public, short-lived (it is of
 * the catalogue, not of a version).
 *
 *   {"dataset", "basis", "percent", "principles": [{"id", "title": {id, en}, "have", "need", "percent"|null,
 *     "items": [{"id", "label", "have", "need", "met", "note"|null}]}]}
 *
 * "id" of principles: standard, metadata, interoperability, codes; of items: stable words, in codes the field
 * ("timeline.kode_wilayah" in a further table). */
#include "published/doc.h"
#include "site/score/scorecard.h"

static json_t *make_item(struct odp_doc *d, const struct odp_score_item *i)
{
    json_t *o = json_object();
    odp_doc_set_str(d, o, "id", i->id);
    odp_doc_set(d, o, "label", odp_doc_text(&i->label));
    odp_doc_set(d, o, "have", json_integer((json_int_t)i->have));
    odp_doc_set(d, o, "need", json_integer((json_int_t)i->need));
    odp_doc_set(d, o, "met", json_boolean(i->have == i->need));
    odp_doc_set(d, o, "note", odp_text_is_empty(&i->note) ? json_null() : odp_doc_text(&i->note));
    return o;
}

static json_t *percent(int value)
{
    return value >= 0 ? json_integer(value) : json_null();
}

static json_t *make_principle(struct odp_doc *d, const struct odp_score_principle *p)
{
    json_t *o = json_object(), *items = json_array();
    odp_doc_set_str(d, o, "id", p->id);
    odp_doc_set(d, o, "title", odp_doc_text(&p->title));
    odp_doc_set(d, o, "have", json_integer((json_int_t)p->have));
    odp_doc_set(d, o, "need", json_integer((json_int_t)p->need));
    odp_doc_set(d, o, "percent", percent(odp_score_percent(p)));
    for (size_t i = 0; i < p->n; i++)
        odp_doc_add(d, items, make_item(d, &p->items[i]));
    odp_doc_set(d, o, "items", items);
    return o;
}

static json_t *make_score(struct odp_doc *d, const struct odp_score *s)
{
    json_t *o = json_object(), *list = json_array();
    odp_doc_set_str(d, o, "dataset", s->slug);
    odp_doc_set_str(d, o, "basis", "Peraturan Presiden Nomor 39 Tahun 2019");
    odp_doc_set(d, o, "percent", percent(odp_score_total(s)));
    for (int i = 0; i < ODP_PRINCIPLES; i++)
        odp_doc_add(d, list, make_principle(d, &s->principle[i]));
    odp_doc_set(d, o, "principles", list);
    return o;
}

enum odp_status odp_score_json(struct odp_buffer *out, const struct odp_score *s)
{
    struct odp_doc d = {false};
    json_t *o = make_score(&d, s);
    enum odp_status status = d.failed ? odp_failure_set("write JSON", "scorecard.json", 0) : odp_doc_print(out, o, ODP_DOC_PRETTY);
    json_decref(o);
    return status;
}

char *odp_score_path(const char *slug, struct odp_arena *a)
{
    return odp_arena_printf(a, "data/%s/scorecard.json", slug);
}

enum odp_status odp_score_put(struct odp_stage *stage, const struct odp_score *s)
{
    struct odp_arena a;
    struct odp_buffer text;
    odp_arena_init(&a);
    odp_buffer_init(&text);
    const char *path = odp_score_path(s->slug, &a);
    enum odp_status status = odp_score_json(&text, s);
    if (status == ODP_OK)
        status = odp_stage_put(stage, path, "application/json", ODP_CLASS_PUBLIC, odp_buffer_slice(&text));
    odp_buffer_release(&text);
    odp_arena_release(&a);
    return status;
}
