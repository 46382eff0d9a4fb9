/* The pen of text reports: colours, columns, counted lines. */
#include "base/utf8.h"
#include "report/report_internal.h"

const char *page_say(const struct page *p, const char *id, const char *en)
{
    return p->lang == ODP_LANG_ID ? id : en;
}

void page_text(struct page *p, const char *s)
{
    odp_buffer_add_str(p->out, s);
}

void page_slice(struct page *p, struct odp_slice s)
{
    odp_buffer_add_slice(p->out, s);
}

void page_paint(struct page *p, enum paint paint, const char *s)
{
    static const char *const codes[] = {
        [PAINT_NONE] = "",           [PAINT_ERROR] = "\033[1;31m", [PAINT_WARNING] = "\033[1;33m",
        [PAINT_NOTE] = "\033[1;36m", [PAINT_DIM] = "\033[2m",      [PAINT_BOLD] = "\033[1m",
        [PAINT_HELP] = "\033[32m"};
    bool on = p->color && paint != PAINT_NONE && *s != '\0';
    if (on)
        odp_buffer_add_str(p->out, codes[paint]);
    odp_buffer_add_str(p->out, s);
    if (on)
        odp_buffer_add_str(p->out, "\033[0m");
}

void page_line(struct page *p)
{
    while (!p->out->failed && p->out->len > 0 && p->out->ptr[p->out->len - 1] == ' ')
        p->out->len--;
    odp_buffer_add_char(p->out, '\n');
    p->lines++;
}

void page_number(struct page *p, uint64_t n)
{
    odp_text_number(p->out, n, p->lang);
}

void page_spaces(struct page *p, size_t n)
{
    while (n-- > 0)
        odp_buffer_add_char(p->out, ' ');
}

void page_cell(struct page *p, struct odp_slice s, size_t width)
{
    size_t used = odp_utf8_width(s);
    page_slice(p, s);
    page_spaces(p, used < width ? width - used : 0);
}

void page_cell_right(struct page *p, struct odp_slice s, size_t width)
{
    size_t used = odp_utf8_width(s);
    page_spaces(p, used < width ? width - used : 0);
    page_slice(p, s);
}

enum paint page_severity_paint(enum odp_severity s)
{
    return s == ODP_SEVERITY_ERROR ? PAINT_ERROR : s == ODP_SEVERITY_WARNING ? PAINT_WARNING : PAINT_NOTE;
}
