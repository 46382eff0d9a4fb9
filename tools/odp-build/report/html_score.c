/* The scorecards of Satu Data: a table of the four principles, then what each dataset still lacks. */
#include "report/html_internal.h"

static void principle(struct html *h, const struct odp_score_principle *p)
{
    int percent = odp_score_percent(p);
    if (percent < 0) {
        odp_buffer_printf(h->out, "<td class=\"none\">%s</td>", html_say(h, "tidak berlaku", "does not apply"));
        return;
    }
    /* The figures say it; the bar is for the eye. */
    odp_buffer_printf(h->out,
                      "<td><svg class=\"bar\" viewBox=\"0 0 100 8\" aria-hidden=\"true\"><rect class=\"all\" width=\"100\" "
                      "height=\"8\"/><rect class=\"%s\" width=\"%d\" height=\"8\"/></svg> %d%s%% <span class=\"title\">(",
                      percent == 100 ? "full" : "some", percent, percent, html_say(h, "\u00A0", ""));
    html_number(h, p->have);
    html_raw(h, html_say(h, " dari ", " of "));
    html_number(h, p->need);
    html_raw(h, ")</span></td>");
}

static const struct odp_score *any(const struct html *h)
{
    for (size_t i = 0; i < h->summary->ndatasets; i++)
        if (h->summary->datasets[i].score != NULL)
            return h->summary->datasets[i].score;
    return NULL;
}

static void table(struct html *h)
{
    const struct odp_score *first = any(h);
    html_table(h, "t-satu-data",
               html_say(h, "Empat prinsip Satu Data Indonesia", "The four principles of Satu Data Indonesia"));
    html_raw(h, "<thead><tr><th scope=\"col\">Dataset</th>");
    for (int p = 0; p < ODP_PRINCIPLES; p++) {
        html_raw(h, "<th scope=\"col\">");
        html_data(h, odp_text_get(&first->principle[p].title, h->lang));
        html_raw(h, "</th>");
    }
    html_raw(h, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < h->summary->ndatasets; i++) {
        const struct odp_summary_dataset *d = &h->summary->datasets[i];
        if (d->score == NULL)
            continue;
        html_raw(h, "<tr><th scope=\"row\">");
        html_data(h, d->slug);
        html_raw(h, "</th>");
        for (int p = 0; p < ODP_PRINCIPLES; p++)
            principle(h, &d->score->principle[p]);
        html_raw(h, "</tr>\n");
    }
    html_table_end(h);
}

static size_t lacking(const struct odp_score *s)
{
    size_t n = 0;
    for (int p = 0; p < ODP_PRINCIPLES; p++)
        for (size_t i = 0; i < s->principle[p].n; i++)
            n += s->principle[p].items[i].have < s->principle[p].items[i].need;
    return n;
}

static void item(struct html *h, const struct odp_score_principle *p, const struct odp_score_item *i)
{
    html_raw(h, "<li><strong>");
    html_data(h, odp_text_get(&p->title, h->lang));
    html_raw(h, "</strong>: ");
    html_data(h, odp_text_get(&i->label, h->lang));
    html_raw(h, " <span class=\"title\">(");
    html_number(h, i->have);
    html_raw(h, html_say(h, " dari ", " of "));
    html_number(h, i->need);
    html_raw(h, ")</span>");
    if (!odp_text_is_empty(&i->note)) {
        html_raw(h, "<br>");
        html_data(h, odp_text_get(&i->note, h->lang));
    }
    html_raw(h, "</li>\n");
}

void html_scores(struct html *h)
{
    html_raw(h, "<section aria-labelledby=\"satu-data\">\n<h2 id=\"satu-data\">Satu Data</h2>\n");
    table(h);
    for (size_t i = 0; i < h->summary->ndatasets; i++) {
        const struct odp_score *s = h->summary->datasets[i].score;
        if (s == NULL || lacking(s) == 0)
            continue;
        html_raw(h, "<details class=\"lacks\"><summary>");
        html_data(h, h->summary->datasets[i].slug);
        odp_buffer_add_str(h->out, ": ");
        html_number(h, lacking(s));
        html_raw(h, html_say(h, " hal belum lengkap</summary>\n<ul>\n",
                             lacking(s) == 1 ? " thing is not complete</summary>\n<ul>\n"
                                             : " things are not complete</summary>\n<ul>\n"));
        for (int p = 0; p < ODP_PRINCIPLES; p++)
            for (size_t k = 0; k < s->principle[p].n; k++)
                if (s->principle[p].items[k].have < s->principle[p].items[k].need)
                    item(h, &s->principle[p], &s->principle[p].items[k]);
        html_raw(h, "</ul></details>\n");
    }
    html_raw(h, "</section>\n");
}
