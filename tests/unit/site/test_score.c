/* The scorecard of small catalogues, counted by hand. */
#include "answer_lines.h"
#include "catalog_folder.h"

#include "site/score/scorecard.h"

/* Lines of score.txt: "put PATH JSON" of the catalogue, "score SLUG". */
static void score(struct folder *f, const char *slug, struct odp_buffer *out)
{
    ARENA(a);
    if (f->catalog == NULL) {
        must(odp_diags_new(&f->diags, 10));
        must(odp_catalog_open(&f->catalog, f->dir, f->diags));
    }
    const struct odp_score *s = odp_score_make(f->catalog, odp_catalog_find(f->catalog, slug), &a);
    assert_non_null(s);
    for (enum odp_principle p = 0; p < ODP_PRINCIPLES; p++) {
        odp_buffer_printf(out, "%d: %d of %d, %d %%\n", (int)p, (int)s->principle[p].have,
                          (int)s->principle[p].need, (int)odp_score_percent(&s->principle[p]));
        for (size_t i = 0; i < s->principle[p].n; i++) {
            const struct odp_score_item *item = &s->principle[p].items[i];
            odp_buffer_printf(out, "  %s: %d of %d", item->id, (int)item->have, (int)item->need);
            if (p == ODP_PRINCIPLE_CODES) /* the others have words of the program */
                odp_buffer_printf(out, " (%s, %s)", odp_text_get(&item->label, ODP_LANG_ID),
                                  odp_text_get(&item->label, ODP_LANG_EN));
            for (enum odp_lang lang = 0; lang < ODP_LANGS; lang++)
                odp_buffer_printf(out, " | %s", odp_text_get(&item->note, lang));
            odp_buffer_add_char(out, '\n');
            assert_false(odp_text_is_empty(&item->label));
        }
    }
    json_t *o = odp_score_json(s);
    assert_int_equal(json_integer_value(json_object_get(o, "percent")), odp_score_total(s));
    assert_int_equal(json_array_size(json_object_get(o, "principles")), ODP_PRINCIPLES);
    json_decref(o);
    odp_buffer_printf(out, "%d %% of all", (int)odp_score_total(s));
}

static void answer(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    char *text = strdup(question.ptr), *rest = text;
    const char *verb = strsep(&rest, " "), *path = strsep(&rest, " ");
    if (strcmp(verb, "score") == 0)
        score(ctx, path, out);
    if (rest != NULL)
        folder_write(ctx, path, double_quotes(rest));
    free(text);
}

TEST(scores)
{
    FOLDER(f);
    folder_write(&f, "portal.json", PORTAL);
    answer_lines("site/score.txt", answer, &f);
}
