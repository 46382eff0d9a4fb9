#include "base/html.h"

static void add_char(struct odp_buffer *out, const char *p, size_t len)
{
    unsigned char c = (unsigned char)*p;
    const char *as =
        c == '&'                                            ? "&amp;"
        : c == '<'                                          ? "&lt;"
        : c == '>'                                          ? "&gt;"
        : c == '"'                                          ? "&quot;"
        : c == '\''                                         ? "&#39;"
        : (c < 0x20 && c != '\t' && c != '\n') || c == 0x7f ? "\xef\xbf\xbd"
        : len == 3 && c == 0xef && memcmp(p, "\xef\xbf\xbe", 2) == 0 && (unsigned char)p[2] >= 0xbe
            ? "\xef\xbf\xbd"
            : NULL;
    if (as != NULL)
        odp_buffer_add_str(out, as);
    else
        odp_buffer_add(out, p, len);
}

static size_t length_of(const char *p, size_t left)
{
    unsigned char c = (unsigned char)*p;
    size_t n = c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    return n < left ? n : left;
}

static void add_escaped(struct odp_buffer *out, struct odp_slice s)
{
    for (size_t i = 0; i < s.len;) {
        size_t n = length_of(s.ptr + i, s.len - i);
        add_char(out, s.ptr + i, n);
        i += n;
    }
}

void odp_html_text(struct odp_buffer *out, const char *s)
{
    add_escaped(out, odp_slice_of(s));
}

void odp_html_twice(struct odp_buffer *out, struct odp_slice html)
{
    add_escaped(out, html);
}

void odp_svg_license(struct odp_buffer *out, const char *url)
{
    if (url == NULL || *url == '\0')
        return;
    odp_buffer_add_str(out, "<metadata><rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\" "
                            "xmlns:cc=\"http://creativecommons.org/ns#\">"
                            "<rdf:Description rdf:about=\"\"><cc:license rdf:resource=\"");
    odp_html_text(out, url);
    odp_buffer_add_str(out, "\"/></rdf:Description></rdf:RDF></metadata>\n");
}

void odp_html_plain_date(struct odp_buffer *out, const char *text, enum odp_lang lang)
{
    static const char *const months[ODP_LANGS][12] = {
        {"Januari", "Februari", "Maret", "April", "Mei", "Juni", "Juli", "Agustus", "September", "Oktober",
         "November", "Desember"},
        {"January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
         "November", "December"}};
    struct odp_datetime d;
    struct odp_slice day = odp_slice_of(text);
    day.len = day.len > 10 ? 10 : day.len;
    if (text != NULL && odp_date_parse(day, ODP_DATE, NULL, NULL, &d) == ODP_DATE_OK)
        odp_buffer_printf(out, "%d %s %d", d.day, months[lang][d.month - 1], d.year);
    else if (text != NULL)
        odp_buffer_add_str(out, text);
}

void odp_html_date(struct odp_buffer *out, const char *text, enum odp_lang lang)
{
    struct odp_datetime d;
    struct odp_slice day = odp_slice_of(text);
    day.len = day.len > 10 ? 10 : day.len;
    if (text == NULL || odp_date_parse(day, ODP_DATE, NULL, NULL, &d) != ODP_DATE_OK) {
        odp_html_text(out, text);
        return;
    }
    odp_buffer_add_str(out, "<time datetime=\"");
    odp_html_text(out, text);
    odp_buffer_add_str(out, "\">");
    odp_html_plain_date(out, text, lang);
    odp_buffer_add_str(out, "</time>");
}
