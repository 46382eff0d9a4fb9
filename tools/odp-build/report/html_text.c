/* What the parts of the page write with: text of any origin, numbers, badges, titles, tables. */
#include <string.h>

#include "base/html.h"
#include "report/html_internal.h"

const char *html_say(const struct html *h, const char *id, const char *en)
{
    return h->lang == ODP_LANG_ID ? id : en;
}

void html_raw(struct html *h, const char *markup)
{
    odp_buffer_add_str(h->out, markup);
}

void html_flush(struct html *h)
{
    if (h->words.failed)
        h->out->failed = true;
    odp_html_text(h->out, odp_buffer_cstr(&h->words));
    odp_buffer_clear(&h->words);
}

void html_data(struct html *h, const char *text)
{
    if (text != NULL)
        report_clean(&h->words, odp_slice_of(text));
    html_flush(h);
}

void html_number(struct html *h, uint64_t n)
{
    report_number(h->out, n, h->lang);
}

void html_badge(struct html *h, enum odp_severity s)
{
    odp_buffer_printf(h->out, "<span class=\"badge %s\">%s</span>", report_severity_word(s, ODP_LANG_EN),
                      report_severity_word(s, h->lang));
}

bool html_same(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

void html_title(struct html *h, const struct odp_diag_group *g)
{
    report_group_title(&h->words, g, h->lang);
    html_flush(h);
}

void html_dataset(struct html *h, const struct odp_diag_group *g)
{
    if (g->dataset != NULL)
        html_data(h, g->dataset);
    else
        html_raw(h,
                 odp_code_info(g->code)->code[4] == 'V' ? html_say(h, "situs", "site") : html_say(h, "katalog", "catalogue"));
}

void html_table(struct html *h, const char *id, const char *caption)
{
    odp_buffer_printf(
        h->out,
        "<div class=\"wide\" role=\"region\" aria-labelledby=\"%s\" tabindex=\"0\"><table>\n<caption id=\"%s\">%s</caption>\n",
        id, id, caption);
}

void html_table_end(struct html *h)
{
    html_raw(h, "</tbody></table></div>\n");
}
