/* The model of dataset.catatan.md (templates/draft/pages/notes.txt), for the steward who finishes the draft.
 */
#include "repair/draft/draft_internal.h"

static json_t *number(uint64_t n)
{
    return json_integer((json_int_t)n);
}

/* A value as evidence; a private one is masked. */
static json_t *value(const struct column *c, struct odp_slice s)
{
    return draft_json_text(c->secret ? ODP_LIT("***") : s);
}

/* Values that fit, words for no value, distinct values. */
static void set_counts(json_t *o, const struct column *c)
{
    json_t *misfits = json_array(), *words = json_array();
    for (uint64_t i = 0; i < c->misfit && i < EXAMPLES; i++)
        json_array_append_new(misfits, json_pack("{s:o, s:o}", "line", number(c->misfits[i].line), "text",
                                                 value(c, c->misfits[i].text)));
    for (int t = 0; t < TOKENS; t++)
        if ((c->missing >> t & 1U) != 0 && c->token[t] > 0)
            json_array_append_new(words,
                                  json_pack("{s:s, s:o}", "word", draft_tokens[t], "n", number(c->token[t])));
    if (c->misfit > 0)
        json_object_set_new(o, "misfit", number(c->misfit));
    if (c->missing_word.ptr != NULL)
        json_object_set_new(o, "word", draft_json_text(c->missing_word));
    json_object_set_new(o, "misfits", misfits);
    json_object_set_new(o, "words", words);
    json_object_set_new(o, "more", json_boolean(c->distinct.full));
    json_object_set_new(o, "distinct", number(c->distinct.n - c->distinct.full));
}

static void set_categories(json_t *o, const struct column *c)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < c->nsmall && c->categories; i++) {
        struct odp_slice s = {c->small[i].text, c->small[i].len};
        if (!column_null(c, s))
            json_array_append_new(
                list, json_pack("{s:o, s:o}", "text", value(c, s), "n", number(c->small[i].count)));
    }
    json_object_set_new(o, "has_categories", json_boolean(c->categories));
    json_object_set_new(o, "categories", list);
}

static json_t *column(const struct column *c, enum odp_lang lang)
{
    bool quote = !odp_type_is_number(c->type) && c->type != ODP_TYPE_YEAR;
    json_t *o = json_pack("{s:s, s:s, s:s, s:b, s:o, s:o, s:o, s:b, s:b, s:b, s:b, s:b, s:b, s:o}", "name",
                          c->name, "type", odp_type_name(c->type), "evidence",
                          odp_text_get(&c->evidence, lang), "none", c->values == 0, "fit", number(c->fit),
                          "values", number(c->values), "empty", number(c->empty), "required", c->required,
                          "unique", c->unique, "secret", c->secret, "trim", column_trims(c), "latitude",
                          c->lat, "longitude", c->lon && !c->lat, "shortest", number(c->shortest));
    set_counts(o, c);
    set_categories(o, c);
    if (c->least.ptr != NULL && !c->secret)
        json_object_set_new(o, "range",
                            json_pack("{s:o, s:o, s:s}", "least", draft_json_text(c->least), "most",
                                      draft_json_text(c->most), "quote", quote ? "\"" : ""));
    if (c->pattern) {
        struct odp_buffer pattern = {0};
        shape_pattern(&c->shape, &pattern);
        json_object_set_new(o, "pattern", json_string(odp_buffer_cstr(&pattern)));
        odp_buffer_release(&pattern);
    }
    if (c->type == ODP_TYPE_STRING && c->longest > 0)
        json_object_set_new(o, "length", number(c->longest));
    if (c->reference != NULL)
        json_object_set_new(o, "reference", json_string(c->reference->label));
    if (c->spaced > 0)
        json_object_set_new(o, "spaced", number(c->spaced));
    return o;
}

static json_t *doubt(const struct odp_doubt *q, enum odp_lang lang)
{
    json_t *others = json_array();
    json_t *o = json_pack("{s:s, s:s, s:b, s:o}", "title", odp_text_get(&q->title, lang), "evidence",
                          odp_text_get(&q->evidence, lang), "settled", q->settled, "others", others);
    for (unsigned k = 0; k < q->noptions; k++)
        if (k != q->chosen)
            json_array_append_new(others, json_pack("{s:s}", "text", odp_text_get(&q->option[k], lang)));
        else
            json_object_set_new(o, "option", json_string(odp_text_get(&q->option[k], lang)));
    return o;
}

/* The column of odp:lastUpdate; without one, its candidates. */
static void set_update(json_t *m, const struct odp_draft *d)
{
    json_t *list = json_array();
    if (d->last_update >= 0)
        json_object_set_new(m, "update_field", json_string(d->columns[d->last_update].name));
    for (uint32_t i = 0; i < d->n && d->last_update < 0; i++) {
        const struct column *c = &d->columns[i];
        if ((c->type == ODP_TYPE_DATE || c->type == ODP_TYPE_DATETIME) && !c->secret && c->most.ptr != NULL)
            json_array_append_new(
                list, json_pack("{s:s, s:o}", "name", c->name, "newest", draft_json_text(c->most)));
    }
    json_object_set_new(m, "candidates", list);
}

static json_t *shapes(const struct odp_draft *d)
{
    json_t *o =
        json_pack("{s:o, s:o}", "count", number(d->geometry_count), "without", number(d->geometry_null));
    if (d->has_box) {
        json_object_set_new(o, "box", json_sprintf("%.4f, %.4f", d->box[0], d->box[1]));
        json_object_set_new(o, "box_to", json_sprintf("%.4f, %.4f", d->box[2], d->box[3]));
    }
    return o;
}

enum odp_status odp_draft_notes(const struct odp_draft *d, enum odp_lang lang, const char *check,
                                struct odp_buffer *out)
{
    json_t *doubts = json_array(), *facts = json_array(), *columns = json_array();
    json_t *m =
        json_pack("{s:s, s:s, s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:o}", "slug", d->slug, "file", d->basename,
                  "check", check, "modified", d->modified, "has_doubts", d->ndoubts > 0, "doubts", doubts,
                  "facts", facts, "columns", columns, "rows", number(d->rows), "n", number(d->n));
    set_update(m, d);
    for (size_t i = 0; i < d->ndoubts; i++)
        json_array_append_new(doubts, doubt(&d->doubts[i], lang));
    for (const struct fact *f = d->facts; f != NULL; f = f->next)
        json_array_append_new(facts, json_pack("{s:s}", "text", odp_text_get(&f->text, lang)));
    if (d->kind == ODP_DRAFT_SHAPEFILE)
        json_object_set_new(m, "shapes", shapes(d));
    struct odp_buffer key = {0};
    for (uint32_t i = 0; i < d->primary.n; i++)
        odp_buffer_printf(&key, i > 0 ? ", %s" : "%s", d->columns[d->primary.fields[i]].name);
    if (d->primary.n > 0)
        json_object_set_new(m, "key", json_string(odp_buffer_cstr(&key)));
    odp_buffer_release(&key);
    for (uint32_t i = 0; i < d->n; i++)
        json_array_append_new(columns, column(&d->columns[i], lang));
    return odp_templates_write(odp_draft_templates, odp_draft_model_json, "notes", lang, m, out);
}
