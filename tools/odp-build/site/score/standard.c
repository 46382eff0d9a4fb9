/* Standar data: concept, definition, classification, measure and unit (article 4), of every published field for which they make sense. */
#include "site/score/score_internal.h"

enum need { EVERY, MEASURED, CLASSED };

static const struct {
    const char *id, *member;
    enum need need;
    struct odp_text label;
} elements[] = {{"concept", "sdi:konsep", EVERY, {{"Konsep", "Concept"}}},
                {"definition", "sdi:definisi", EVERY, {{"Definisi", "Definition"}}},
                {"classification", "sdi:klasifikasi", CLASSED, {{"Klasifikasi", "Classification"}}},
                {"measure", "sdi:ukuran", MEASURED, {{"Ukuran", "Measure"}}},
                {"unit", "sdi:satuan", MEASURED, {{"Satuan", "Unit"}}}};

static bool is_needed(enum need need, const struct odp_resource *r, uint32_t field)
{
    const struct odp_field *f = &r->schema.fields[field];
    if (!f->is_public)
        return false;
    if (need == EVERY)
        return true;
    if (need == MEASURED)
        return odp_type_is_number(f->type);
    return f->ncategories > 0 || score_foreign(r, field, true) != NULL;
}

void score_standard(struct scoring *s, struct odp_score *score)
{
    enum { N = sizeof elements / sizeof *elements };
    score_begin(s, score, ODP_PRINCIPLE_STANDARD, "standard", (struct odp_text){{"Standar data", "Data standard"}}, N);
    for (size_t e = 0; e < N; e++) {
        uint64_t need = 0;
        score_forget(s);
        for (size_t i = 0; i < s->dataset->nresources; i++) {
            const struct odp_resource *r = &s->dataset->resources[i];
            for (uint32_t k = 0; k < r->schema.n; k++) {
                if (!is_needed(elements[e].need, r, k))
                    continue;
                need++;
                bool there = score_has_text(r->schema.fields[k].json, elements[e].member);
                /* A code list is a classification by itself. */
                if (!there && (elements[e].need != CLASSED || score_foreign(r, k, true) == NULL))
                    score_name(s, r, &r->schema.fields[k]);
            }
        }
        struct odp_text before = {{"belum: ", "missing: "}};
        struct odp_text behind = score_text(s, "; tambahkan \"{1}\" pada bidang itu dalam dataset.json", "; add \"{1}\" to the field in dataset.json", elements[e].member);
        score_item(s, elements[e].id, elements[e].label, need - s->missing.n, need, score_list(s, before, behind));
    }
    score_end(s);
}
