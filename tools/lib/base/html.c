#include "base/html.h"

/* The escape of the LEN bytes at P; NULL: none. XML has no character for controls, U+FFFE, U+FFFF. */
static const char *escape_of(const char *p, size_t len)
{
    static const char replacement[] = "\xef\xbf\xbd";
    unsigned char c = (unsigned char)*p;
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    case '\t':
    case '\n':
        return NULL;
    default:
        break;
    }
    bool no_character = len == 3 && memcmp(p, "\xef\xbf", 2) == 0 && (unsigned char)p[2] >= 0xbe;
    return c < 0x20 || c == 0x7f || no_character ? replacement : NULL;
}

static size_t length_of(const char *p, size_t left)
{
    unsigned char c = (unsigned char)*p;
    size_t n = 1;
    n += c >= 0xc0;
    n += c >= 0xe0;
    n += c >= 0xf0;
    return n < left ? n : left;
}

static void add_escaped(struct odp_buffer *out, struct odp_slice s)
{
    for (size_t i = 0; i < s.len;) {
        size_t n = length_of(s.ptr + i, s.len - i);
        const char *as = escape_of(s.ptr + i, n);
        odp_buffer_add(out, as != NULL ? as : s.ptr + i, as != NULL ? strlen(as) : n);
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
    struct odp_datetime d;
    struct odp_slice day = odp_slice_of(text);
    day.len = day.len > 10 ? 10 : day.len;
    if (text != NULL && odp_date_parse(day, ODP_DATE, NULL, NULL, &d) == ODP_DATE_OK)
        odp_buffer_printf(out, "%d %s %d", d.day, odp_date_month_name(d.month, lang == ODP_LANG_EN), d.year);
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
