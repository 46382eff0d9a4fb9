/* The scorecards of Satu Data: a table of the four principles, then what each dataset still lacks. */
#include "report/html_internal.h"
#include "words/report.h"

static json_t *principle(struct html *h, const struct odp_score_principle *p)
{
    int percent = odp_score_percent(p);
    if (percent < 0) /* it does not apply */
        return json_object();
    json_t *share = json_pack("{s:s, s:o}", "class", percent == 100 ? "full" : "some", "width",
                              html_index(h, (size_t)percent));
    odp_buffer_printf(&h->words, odp_word(h->lang, W_report_percent), percent);
    json_object_set_new(share, "percent", html_take(h));
    json_object_set_new(share, "have", html_number(h, p->have));
    json_object_set_new(share, "need", html_number(h, p->need));
    return json_pack("{s:o}", "share", share);
}

static json_t *item(struct html *h, const struct odp_score_principle *p, const struct odp_score_item *i)
{
    json_t *o = json_pack("{s:o, s:o, s:o, s:o}", "principle", html_text(h, odp_text_get(&p->title, h->lang)),
                          "label", html_text(h, odp_text_get(&i->label, h->lang)), "have",
                          html_number(h, i->have), "need", html_number(h, i->need));
    html_set_text(h, o, "note", odp_text_get(&i->note, h->lang));
    return o;
}

/* What is not complete, or NULL. */
static json_t *lacking(struct html *h, const char *slug, const struct odp_score *s)
{
    json_t *items = json_array();
    for (int p = 0; p < ODP_PRINCIPLES; p++)
        for (size_t i = 0; i < s->principle[p].n; i++)
            if (s->principle[p].items[i].have < s->principle[p].items[i].need)
                json_array_append_new(items, item(h, &s->principle[p], &s->principle[p].items[i]));
    size_t n = json_array_size(items);
    if (n == 0) {
        json_decref(items);
        return NULL;
    }
    const char *one = odp_word(h->lang, W_report_thing_not_complete),
               *many = odp_word(h->lang, W_report_things_not_complete);
    return json_pack("{s:o, s:o, s:o}", "slug", html_text(h, slug), "summary", html_counted(h, n, one, many),
                     "items", items);
}

static json_t *titles(struct html *h, const struct odp_score *s)
{
    json_t *list = json_array();
    for (int p = 0; p < ODP_PRINCIPLES; p++)
        json_array_append_new(
            list, json_pack("{s:o}", "title", html_text(h, odp_text_get(&s->principle[p].title, h->lang))));
    return list;
}

json_t *html_scores(struct html *h)
{
    const struct odp_score *first = NULL;
    json_t *datasets = json_array(), *lacks = json_array();
    for (size_t i = 0; i < h->summary->ndatasets; i++) {
        const struct odp_summary_dataset *d = &h->summary->datasets[i];
        if (d->score == NULL)
            continue;
        first = first != NULL ? first : d->score;
        json_t *principles = json_array(), *missing = lacking(h, d->slug, d->score);
        for (int p = 0; p < ODP_PRINCIPLES; p++)
            json_array_append_new(principles, principle(h, &d->score->principle[p]));
        json_array_append_new(
            datasets, json_pack("{s:o, s:o}", "slug", html_text(h, d->slug), "principles", principles));
        if (missing != NULL)
            json_array_append_new(lacks, missing);
    }
    json_t *scores = first == NULL ? NULL
                                   : json_pack("{s:o, s:O, s:O}", "principles", titles(h, first), "datasets",
                                               datasets, "lacking", lacks);
    json_decref(datasets);
    json_decref(lacks);
    return scores;
}
