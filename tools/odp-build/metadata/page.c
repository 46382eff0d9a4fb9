/* The form's page: its model, which templates/metadata writes. */
#include "base/digest.h"
#include "base/template/template.h"
#include "catalog/frequency.h"
#include "metadata/form_internal.h"

extern const struct odp_template_text odp_metadata_templates[];
extern const unsigned char odp_metadata_model_json[], odp_metadata_style_css[];

static const char *word(const struct form *f, const struct odp_text *t)
{
    return odp_text_get(t, f->q->lang);
}

/* Whether the list "a, b" has NAME. */
static bool has_word(const char *list, const char *name)
{
    struct odp_slice w;
    while (metadata_word(&list, &w))
        if (odp_slice_is(w, name))
            return true;
    return false;
}

static json_t *options(const char *chosen)
{
    json_t *list = json_array();
    for (const char *const *code = odp_frequency_codes(); *code != NULL; code++)
        if (*odp_frequency_known(*code) != '\0')
            json_array_append_new(
                list, json_pack("{s:s, s:b}", "code", *code, "chosen", strcmp(*code, chosen) == 0));
    return list;
}

static json_t *checks(const struct form *f, const char *id, const char *chosen)
{
    const struct odp_portal *p = &f->list.catalog->portal;
    json_t *list = json_array();
    for (size_t i = 0; i < p->nsubjects; i++)
        json_array_append_new(list, json_pack("{s:o, s:s, s:{s:s, s:s}, s:b}", "id",
                                              json_sprintf("%s-%zu", id, i), "value", p->subjects[i].name,
                                              "label", "id", odp_text_get(&p->subjects[i].title, ODP_LANG_ID),
                                              "en", odp_text_get(&p->subjects[i].title, ODP_LANG_EN),
                                              "chosen", has_word(chosen, p->subjects[i].name)));
    return list;
}

static json_t *control(struct form *f, const struct entry *e, int lang)
{
    static const struct odp_text names[] = {{{W_metadata_indonesian}}, {{W_metadata_english}}};
    static const char *const kinds[] = {
        [MEMBER_LINE] = "line", [MEMBER_LONG] = "long",         [MEMBER_WORDS] = "line",
        [MEMBER_CODE] = "code", [MEMBER_DAY] = "day",           [MEMBER_EMAIL] = "email",
        [MEMBER_URL] = "url",   [MEMBER_SUBJECTS] = "subjects", [MEMBER_STATUS] = "status"};
    const struct member *m = e->member;
    const char *own = odp_arena_printf(f->list.arena, "m%zu-%d", (size_t)(e - f->list.item), lang);
    json_t *o = json_pack("{s:s, s:s, s:s, s:b, s:b}", "id", own, "name", entry_control(&f->list, e, lang),
                          "value", entry_wanted(e, lang), "lacks",
                          e->lacks[lang] && *entry_wanted(e, lang) == '\0', "must", m->must);
    for (int k = 0; k <= MEMBER_STATUS; k++)
        json_object_set_new(o, kinds[k], json_boolean(strcmp(kinds[k], kinds[m->kind]) == 0));
    json_object_set_new(o, "is_draft", json_boolean(strcmp(entry_wanted(e, lang), "draft") == 0));
    json_object_set_new(o, "options", m->kind == MEMBER_CODE ? options(entry_wanted(e, 0)) : json_array());
    json_object_set_new(o, "checks",
                        m->kind == MEMBER_SUBJECTS ? checks(f, own, entry_wanted(e, 0)) : json_array());
    if (m->both) {
        json_object_set_new(o, "lang", json_string(odp_lang_code((enum odp_lang)lang)));
        json_object_set_new(o, "lang_name", json_string(word(f, &names[lang])));
    }
    if (e->fault[lang] != NULL) {
        const char *why = word(f, e->fault[lang]);
        json_object_set_new(o, "fault", json_string(why));
        json_object_set_new(o, "described", json_sprintf("%s-fault", own));
        json_array_append_new(f->faults,
                              json_pack("{s:s, s:o, s:s}", "id", own, "label",
                                        json_sprintf("%s%s%s", entry_place(&f->list, e),
                                                     e->field != NULL ? ": " : "", word(f, &m->label)),
                                        "text", why));
    }
    f->gaps += e->lacks[lang] && *entry_wanted(e, lang) == '\0';
    return o;
}

static json_t *member(struct form *f, const struct entry *e)
{
    json_t *controls = json_array(),
           *o = json_pack("{s:o, s:s, s:b, s:o}", "id", json_sprintf("m%zu", (size_t)(e - f->list.item)),
                          "label", word(f, &e->member->label), "both", e->member->both, "controls", controls);
    for (int lang = 0; lang < entry_langs(e); lang++)
        json_array_append_new(controls, control(f, e, lang));
    if (!odp_text_is_empty(&e->member->hint))
        json_object_set_new(o, "hint", json_string(word(f, &e->member->hint)));
    if (e->category != NULL)
        json_object_set_new(o, "value", json_stringn(e->category->value.ptr, e->category->value.len));
    return o;
}

/* A group of members: of the document, of Satu Data, of a field. */
static json_t *group(struct form *f, const struct entry *e)
{
    const bool field = e->field != NULL, more = !field && e->member->more;
    json_t *o =
        json_pack("{s:b, s:b, s:b, s:b, s:o, s:o}", "about", !field && !more, "more", more, "field", field,
                  "first_field", field && !f->has_fields, "members", json_array(), "extra", json_array());
    f->has_fields = f->has_fields || field;
    if (field) {
        const struct odp_field *of = e->field;
        const char *title = odp_text_get(&of->title, f->q->lang);
        json_object_set_new(o, "title", json_string(*title != '\0' ? title : of->name));
        json_object_set_new(o, "code",
                            json_sprintf("%s%s%s", e->resource->primary ? "" : e->resource->name,
                                         e->resource->primary ? "" : ".", of->name));
        json_object_set_new(o, "type", json_string(word(f, &odp_field_type(of->type)->label)));
    }
    return o;
}

static bool same_group(const struct entry *a, const struct entry *b)
{
    return a->field == b->field && (a->field != NULL || a->member->more == b->member->more);
}

static void end_group(struct form *f, json_t *o, uint64_t gaps, size_t faults)
{
    if (o == NULL)
        return;
    if (f->gaps > gaps)
        json_object_set_new(o, "gaps", json_pack("{s:I}", "n", (json_int_t)(f->gaps - gaps)));
    json_object_set_new(o, "open", json_boolean(f->gaps > gaps || json_array_size(f->faults) > faults));
}

static json_t *groups(struct form *f)
{
    json_t *list = json_array(), *o = NULL;
    uint64_t gaps = 0;
    size_t faults = 0;
    for (size_t i = 0; i < f->list.n; i++) {
        const struct entry *e = &f->list.item[i];
        if (i == 0 || !same_group(&f->list.item[i - 1], e)) {
            end_group(f, o, gaps, faults);
            gaps = f->gaps;
            faults = json_array_size(f->faults);
            o = group(f, e);
            json_array_append_new(list, o);
        }
        const bool extra = e->field != NULL && e->member->more;
        json_array_append_new(json_object_get(o, extra ? "extra" : "members"), member(f, e));
        if (extra)
            json_object_set_new(o, "has_extra", json_true());
    }
    end_group(f, o, gaps, faults);
    return list;
}

static json_t *datasets(const struct odp_catalog *c)
{
    json_t *list = json_array();
    for (size_t i = 0; i < c->ndatasets; i++) {
        const struct odp_dataset *d = &c->datasets[i];
        if (d->reference)
            continue;
        uint64_t n = odp_metadata_count(c, d).members;
        json_t *o = json_pack("{s:s, s:{s:s, s:s}, s:b}", "slug", d->slug, "title", "id",
                              odp_text_get(&d->title, ODP_LANG_ID), "en",
                              odp_text_get(&d->title, ODP_LANG_EN), "draft", d->state == ODP_STATE_DRAFT);
        if (n > 0)
            json_object_set_new(o, "gaps", json_pack("{s:I}", "n", (json_int_t)n));
        json_array_append_new(list, o);
    }
    return list;
}

/* Of the document that the page shows: what is saved must be based on it. */
enum odp_status form_digest(const struct entries *l, char out[ODP_SHA256_HEX])
{
    uint8_t digest[ODP_SHA256_SIZE];
    char *text = json_dumps(l->json, JSON_COMPACT);
    enum odp_status status = text != NULL ? odp_digest_of(text, strlen(text), digest) : ODP_FAIL;
    if (status == ODP_OK)
        odp_digest_hex(digest, out);
    odp_json_free_text(text);
    return status;
}

enum odp_status form_page(struct form *f, const struct odp_text *problem, struct odp_buffer *out)
{
    const struct odp_dataset *d = f->list.dataset;
    const struct odp_text *title = d != NULL ? &d->title : &f->list.catalog->portal.title;
    char digest[ODP_SHA256_HEX];
    if (form_digest(&f->list, digest) != ODP_OK)
        return ODP_FAIL;
    f->faults = json_array();
    json_t *made = groups(f);
    const bool wrong = json_array_size(f->faults) > 0;
    json_t *m = json_pack("{s:s, s:o, s:s, s:s, s:s, s:s, s:b, s:s, s:I, s:b, s:b, s:b, s:o, s:o, s:b, s:o}",
                          "lang", odp_lang_code(f->q->lang), "style",
                          json_sprintf("<style>%s</style>", (const char *)odp_metadata_style_css), "token",
                          f->q->token, "digest", digest, "heading", odp_text_get(title, f->q->lang), "file",
                          f->list.path, "draft", d != NULL && d->state == ODP_STATE_DRAFT, "site", "/",
                          "gaps", (json_int_t)f->gaps, "complete", f->gaps == 0, "saved",
                          f->q->saved && !wrong && problem == NULL, "has_faults", wrong, "faults", f->faults,
                          "groups", made, "is_portal", d == NULL, "datasets",
                          d == NULL ? datasets(f->list.catalog) : json_array());
    if (d != NULL)
        json_object_set_new(m, "slug", json_string(d->slug));
    if (problem != NULL)
        json_object_set_new(m, "problem", json_string(word(f, problem)));
    return odp_templates_write(odp_metadata_templates, odp_metadata_model_json, "form", f->q->lang, m, out);
}

enum odp_status odp_metadata_page(const struct odp_metadata_request *q, struct odp_buffer *out)
{
    const struct odp_dataset *d = q->slug != NULL ? odp_catalog_find(q->catalog, q->slug) : NULL;
    struct odp_arena a = {0};
    struct form f = {.q = q};
    if (q->slug != NULL && (d == NULL || d->reference))
        return ODP_BAD;
    metadata_list(&f.list, q->catalog, d, &a);
    enum odp_status status = form_page(&f, NULL, out);
    odp_arena_release(&a);
    return status;
}
