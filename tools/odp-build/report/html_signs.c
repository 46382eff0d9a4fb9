/* Values as they stand in the source, with what nobody would see: a label before each sign that is not seen, which is no part of the text
 * (CSS makes it, so what is copied is the value), and the legend of those that are on the page. */
#include "report/html_internal.h"

/* What is met for the first time goes into the legend. */
static void meet(struct html *h, const struct odp_odd *odd)
{
    for (size_t i = 0; i < h->nmet; i++)
        if (odd->mark != NULL ? h->met[i].mark == odd->mark : h->met[i].mark == NULL && h->met[i].sign == odd->sign)
            return;
    if (h->nmet < HTML_MET)
        h->met[h->nmet++] = *odd;
}

static void add_mark(struct html *h, const struct odp_odd *odd)
{
    if (odd->mark == NULL)
        odp_buffer_printf(h->out, "U+%04X", (unsigned)odd->sign);
    for (size_t i = 0; odd->mark != NULL && i < (odd->sign == ' ' && odd->len < 8 ? odd->len : 1); i++)
        odp_html_text(h->out, odd->mark);
}

/* The sign itself, but for what HTML may not hold and what would forge the line. */
static void add_sign(struct html *h, const char *p, const struct odp_odd *odd)
{
    if (odd->class == ODP_ODD_CONTROL || odd->class == ODP_ODD_TURN)
        report_clean(&h->words, (struct odp_slice){p, odd->len});
    else if (odd->sign == '\r')
        html_raw(h, "&#13;");
    else
        odp_buffer_add(&h->words, p, odd->len);
    html_flush(h);
}

static void sign(struct html *h, const char *p, const struct odp_odd *odd, bool labelled)
{
    if (!labelled || (odd->mark != NULL && *odd->mark == '\0')) { /* it is seen as it is */
        add_sign(h, p, odd);
        return;
    }
    html_raw(h, "<i class=\"sign\" data-m=\"");
    add_mark(h, odd);
    html_raw(h, "\" title=\"");
    odp_html_text(h->out, odp_text_get(&odd->name, h->lang));
    if (odd->sign != ' ')
        odp_buffer_printf(h->out, " (U+%04X)", (unsigned)odd->sign);
    html_raw(h, "\">");
    add_sign(h, p, odd);
    html_raw(h, "</i>");
    meet(h, odd);
}

void html_shown(struct html *h, struct odp_slice s, bool spaces)
{
    struct odp_odd_scan scan;
    struct odp_odd odd;
    size_t at = 0;
    odp_odd_begin(&scan, s);
    while (odp_odd_next(&scan, &odd)) {
        report_clean(&h->words, (struct odp_slice){s.ptr + at, odd.at - at});
        html_flush(h);
        sign(h, s.ptr + odd.at, &odd, spaces || odd.class != ODP_ODD_SPACE);
        at = odd.at + odd.len;
    }
    report_clean(&h->words, (struct odp_slice){s.ptr + at, s.len - at});
    html_flush(h);
}

void html_legend(struct html *h)
{
    if (h->nmet == 0)
        return;
    html_raw(h, html_say(h, "<div class=\"legend\"><p>Yang tidak tampak di dalam sel diberi label; label tidak ikut tersalin.</p>\n<ul>\n",
                         "<div class=\"legend\"><p>What is not seen in a cell has a label, which is not copied with it.</p>\n<ul>\n"));
    for (size_t i = 0; i < h->nmet; i++) {
        html_raw(h, "<li><i class=\"sign\" data-m=\"");
        add_mark(h, &(struct odp_odd){.mark = h->met[i].mark, .sign = h->met[i].sign, .len = 1});
        html_raw(h, "\"></i> ");
        odp_html_text(h->out, odp_text_get(&h->met[i].name, h->lang));
        if (h->met[i].like != '\0')
            odp_buffer_printf(h->out, html_say(h, ", serupa %c", ", looks like %c"), h->met[i].like);
        html_raw(h, "</li>\n");
    }
    html_raw(h, "</ul></div>\n");
}
