/* odp-build explain CODE, out of templates/words/diagnostics.json. */
#include <string.h>

#include "base/utf8.h"
#include "report/report_internal.h"
#include "words/report.h"

/* TEXT in lines of at most p->width columns, each INDENT spaces in. */
static void wrapped(struct page *p, const char *text, size_t indent)
{
    size_t used = 0;
    while (*text != '\0') {
        size_t len = strcspn(text, " ");
        size_t columns = odp_utf8_width((struct odp_slice){text, len});
        if (used > 0 && used + 1 + columns > p->width) {
            page_line(p);
            used = 0;
        }
        if (used == 0)
            page_spaces(p, indent);
        else
            page_text(p, " ");
        used = used == 0 ? indent + columns : used + 1 + columns;
        page_slice(p, (struct odp_slice){text, len});
        text += len;
        text += strspn(text, " ");
    }
    if (used > 0)
        page_line(p);
}

static void lines(struct page *p, const char *text, size_t indent)
{
    while (*text != '\0') {
        size_t len = strcspn(text, "\n");
        page_spaces(p, indent);
        page_slice(p, (struct odp_slice){text, len});
        page_line(p);
        text += len + (text[len] == '\n' ? 1 : 0);
    }
}

/* What odp:severity can do: nothing for what is about no data, and nobody is invited to publish what is
 * personal. */
static void severity_line(struct page *p, enum odp_code code, const struct odp_code_info *info)
{
    bool firm = odp_code_is_firm(code);
    if (!odp_code_is_of_data(code) || info->code[4] == 'P')
        return;
    page_line(p);
    page_text(p, firm ? page_say(p, W_report_odp_severity_cannot_lower_error)
                      : page_say(p, W_report_severity_can_set_dataset_json));
    if (!firm)
        odp_buffer_printf(p->out, "\"odp:severity\": {\"%s\": \"%s\"}", info->name,
                          info->severity == ODP_SEVERITY_ERROR ? "warning" : "error");
    page_line(p);
}

enum odp_status odp_report_explain(struct odp_buffer *out, enum odp_code code,
                                   const struct odp_report_style *style)
{
    const struct odp_code_info *info = odp_code_info(code);
    const struct odp_code_words *e = &info->words;
    size_t width = style->width != 0 ? style->width : 100;
    struct page page = {.out = out, .lang = style->lang, .color = style->color, .width = width}, *p = &page;
    page_paint(p, page_severity_paint(info->severity), info->code);
    page_text(p, "  ");
    page_paint(p, PAINT_BOLD, info->name);
    page_text(p, "  (");
    page_text(p, report_severity_word(info->severity, p->lang));
    page_text(p, "): ");
    report_bare_title(p->out, code, p->lang);
    page_line(p);
    page_line(p);
    wrapped(p, odp_text_get(&e->why, p->lang), 2);
    if (e->example != NULL && *e->example != '\0') {
        page_line(p);
        page_paint(p, PAINT_BOLD, page_say(p, W_report_example));
        page_line(p);
        lines(p, e->example, 4);
    }
    page_line(p);
    page_paint(p, PAINT_BOLD, page_say(p, W_report_how_mend));
    page_line(p);
    wrapped(p, odp_text_get(&e->mend, p->lang), 4);
    severity_line(p, code, info);
    page_line(p);
    return odp_buffer_status(out);
}
