/* odp-build explain CODE, from templates/words/diagnostics.json. */
#include <string.h>

#include "base/utf8.h"
#include "report/report_internal.h"
#include "words/report.h"

/* Writes TEXT in lines of at most j->width columns, indented by INDENT. */
static void wrapped(struct report_job *j, const char *text, size_t indent)
{
    size_t used = 0;
    while (*text != '\0') {
        size_t len = strcspn(text, " ");
        size_t columns = odp_utf8_width((struct odp_slice){text, len});
        if (used > 0 && used + 1 + columns > j->width) {
            page_line(j);
            used = 0;
        }
        page_spaces(j, used == 0 ? indent : 1);
        used += columns + (used == 0 ? indent : 1);
        odp_buffer_add(j->out, text, len);
        text += len;
        text += strspn(text, " ");
    }
    if (used > 0)
        page_line(j);
}

static void lines(struct report_job *j, const char *text, size_t indent)
{
    while (*text != '\0') {
        size_t len = strcspn(text, "\n");
        page_spaces(j, indent);
        odp_buffer_add(j->out, text, len);
        page_line(j);
        text += len + (text[len] == '\n' ? 1 : 0);
    }
}

static void heading(struct report_job *j, const char *text)
{
    page_paint(j, PAINT_BOLD, text);
    page_line(j);
}

/* What odp:severity can change: nothing for codes that are not about data, and no hint for personal data. */
static void severity_line(struct report_job *j, enum odp_code code, const struct odp_code_info *info)
{
    bool firm = odp_code_is_firm(code);
    if (!odp_code_is_of_data(code) || info->code[4] == 'P')
        return;
    page_line(j);
    report_str(j, firm ? report_word(j, W_report_odp_severity_cannot_lower_error)
                       : report_word(j, W_report_severity_can_set_dataset_json));
    if (!firm)
        odp_buffer_printf(j->out, "\"odp:severity\": {\"%s\": \"%s\"}", info->name,
                          info->severity == ODP_SEVERITY_ERROR ? "warning" : "error");
    page_line(j);
}

enum odp_status odp_report_explain(struct odp_buffer *out, enum odp_code code,
                                   const struct odp_report_style *style)
{
    const struct odp_code_info *info = odp_code_info(code);
    const struct odp_code_words *e = &info->words;
    struct report_job job = {.out = out,
                             .to = out,
                             .lang = style->lang,
                             .color = style->color,
                             .width = style->width != 0 ? style->width : 100},
                      *j = &job;
    page_paint(j, page_severity_paint(info->severity), info->code);
    report_str(j, "  ");
    page_paint(j, PAINT_BOLD, info->name);
    odp_buffer_printf(out, "  (%s): ", report_severity_word(info->severity, j->lang));
    report_bare_title(j, code);
    page_line(j);
    page_line(j);
    wrapped(j, odp_text_get(&e->why, j->lang), 2);
    if (e->example != NULL && *e->example != '\0') {
        page_line(j);
        heading(j, report_word(j, W_report_example));
        lines(j, e->example, 4);
    }
    page_line(j);
    heading(j, report_word(j, W_report_how_mend));
    wrapped(j, odp_text_get(&e->mend, j->lang), 4);
    severity_line(j, code, info);
    page_line(j);
    return odp_buffer_status(out);
}
