/* What the parts of the page's model are made with: text of any origin, numbers, names; values with what
 * nobody would see: a label before each sign that is not seen, which is no part of the text (CSS makes it, so
 * what is copied is the value), and the legend of those that were met. */
#include <string.h>

#include "report/html_internal.h"
#include "words/report.h"

json_t *html_take(struct html *h)
{
    h->failed = h->failed || h->words.failed;
    return report_take(&h->words);
}

json_t *html_text(struct html *h, const char *text)
{
    if (text != NULL)
        report_clean(&h->words, odp_slice_of(text));
    return html_take(h);
}

json_t *html_number(struct html *h, uint64_t n)
{
    odp_text_number(&h->words, n, h->lang);
    return html_take(h);
}

json_t *html_index(struct html *h, size_t i)
{
    odp_buffer_add_u64(&h->words, i);
    return html_take(h);
}

json_t *html_counted(struct html *h, uint64_t n, const char *one, const char *many)
{
    odp_text_number(&h->words, n, h->lang);
    odp_buffer_add_str(&h->words, n == 1 ? one : many);
    return html_take(h);
}

void html_set_words(struct html *h, json_t *o, const char *key)
{
    if (h->words.len > 0 || h->words.failed)
        json_object_set_new(o, key, html_take(h));
}

void html_set_text(struct html *h, json_t *o, const char *key, const char *text)
{
    report_clean(&h->words, odp_slice_of(text));
    html_set_words(h, o, key);
}

json_t *html_cell(struct html *h, uint64_t n)
{
    return json_pack("{s:o, s:b}", "n", html_number(h, n), "none", n == 0);
}

json_t *html_dataset(struct html *h, const struct odp_diag_group *g)
{
    if (g->dataset != NULL)
        return html_text(h, g->dataset);
    bool site = odp_code_info(g->code)->code[4] == 'V';
    return json_string(site ? odp_word(h->lang, W_report_site) : odp_word(h->lang, W_report_catalogue));
}

/* ---- signs
 * ------------------------------------------------------------------------------------------------------------------
 */

/* What is met for the first time goes into the legend. */
static void meet(struct html *h, const struct odp_odd *odd)
{
    for (size_t i = 0; i < h->nmet; i++)
        if (odd->mark != NULL ? h->met[i].mark == odd->mark
                              : h->met[i].mark == NULL && h->met[i].sign == odd->sign)
            return;
    if (h->nmet < HTML_MET)
        h->met[h->nmet++] = *odd;
}

static json_t *mark_of(struct html *h, const struct odp_odd *odd)
{
    if (odd->mark == NULL)
        odp_buffer_printf(&h->words, "U+%04X", (unsigned)odd->sign);
    for (size_t i = 0; odd->mark != NULL && i < (odd->sign == ' ' && odd->len < 8 ? odd->len : 1); i++)
        odp_buffer_add_str(&h->words, odd->mark);
    return html_take(h);
}

static json_t *name_of(struct html *h, const struct odp_odd *odd)
{
    odp_buffer_add_str(&h->words, odp_text_get(&odd->name, h->lang));
    if (odd->sign != ' ')
        odp_buffer_printf(&h->words, " (U+%04X)", (unsigned)odd->sign);
    return html_take(h);
}

/* The sign itself, but for what HTML may not hold and what would forge the line. */
static json_t *piece_of(struct html *h, const char *p, const struct odp_odd *odd, bool labelled)
{
    bool forges = odd->class == ODP_ODD_CONTROL || odd->class == ODP_ODD_TURN,
         cr = !forges && odd->sign == '\r';
    if (forges)
        report_clean(&h->words, (struct odp_slice){p, odd->len});
    else if (!cr)
        odp_buffer_add(&h->words, p, odd->len);
    json_t *piece = json_pack("{s:o, s:b}", "text", html_take(h), "cr", cr);
    if (labelled && (odd->mark == NULL || *odd->mark != '\0')) { /* else it is seen as it is */
        json_object_set_new(piece, "mark", mark_of(h, odd));
        json_object_set_new(piece, "name", name_of(h, odd));
        meet(h, odd);
    }
    return piece;
}

static void add_plain(struct html *h, json_t *pieces, struct odp_slice s)
{
    if (s.len == 0)
        return;
    report_clean(&h->words, s);
    json_array_append_new(pieces, json_pack("{s:o}", "text", html_take(h)));
}

json_t *html_shown(struct html *h, struct odp_slice s, bool spaces)
{
    struct odp_odd_scan scan;
    struct odp_odd odd;
    size_t at = 0;
    json_t *pieces = json_array();
    odp_odd_begin(&scan, s);
    while (odp_odd_next(&scan, &odd)) {
        add_plain(h, pieces, (struct odp_slice){s.ptr + at, odd.at - at});
        json_array_append_new(pieces,
                              piece_of(h, s.ptr + odd.at, &odd, spaces || odd.class != ODP_ODD_SPACE));
        at = odd.at + odd.len;
    }
    add_plain(h, pieces, (struct odp_slice){s.ptr + at, s.len - at});
    return pieces;
}

json_t *html_legend(struct html *h)
{
    json_t *legend = json_array();
    for (size_t i = 0; i < h->nmet; i++) {
        struct odp_odd one = {.mark = h->met[i].mark, .sign = h->met[i].sign, .len = 1};
        json_t *row = json_pack("{s:o}", "mark", mark_of(h, &one));
        odp_buffer_add_str(&h->words, odp_text_get(&h->met[i].name, h->lang));
        if (h->met[i].like != '\0')
            odp_buffer_printf(&h->words, odp_word(h->lang, W_report_looks_like), h->met[i].like);
        json_object_set_new(row, "name", html_take(h));
        json_array_append_new(legend, row);
    }
    return legend;
}
