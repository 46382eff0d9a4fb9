/* Text of the document's metadata: PDF text strings, dates, the XMP packet. All text is cleaned first (what
 * is no UTF-8 or no character of XML 1.0 is U+FFFD, line ends are spaces), then escaped by who writes it. PDF
 * text is ASCII as it is, else UTF-16BE. */
#include "write/typesetting/finish_internal.h"

#include "base/utf8.h"

#define REPLACEMENT 0xfffdu

/* ---- text ---- */

/* The next code point of *S, as XML 1.0 may have it (section 2.2), on one line. */
static uint32_t next_clean(struct odp_slice *s)
{
    uint32_t cp = REPLACEMENT;
    size_t len = 1, most = s->len < 4 ? s->len : 4;
    unsigned char lead = (unsigned char)*s->ptr;
    size_t want = lead < 0x80 ? 1 : (size_t)2 + (lead >= 0xe0) + (lead >= 0xf0);
    if (want <= most && odp_utf8_valid((struct odp_slice){s->ptr, want}) == want)
        len = odp_utf8_decode(s->ptr, s->len, &cp);
    s->ptr += len;
    s->len -= len;
    if (cp == '\t' || cp == '\n' || cp == '\r')
        return ' ';
    bool control = cp < 0x20 || (cp >= 0x7f && cp < 0xa0), none = odp_utf8_is_noncharacter(cp);
    return control || none ? REPLACEMENT : cp;
}

/* S (NULL: "") as one line of UTF-8 for XML 1.0: invalid bytes, noncharacters and control characters become
 * U+FFFD; tabs and line breaks become spaces. */
static void add_clean(struct odp_buffer *out, const char *text)
{
    char utf8[4];
    for (struct odp_slice s = odp_slice_of(text); s.len > 0;)
        odp_buffer_add(out, utf8, odp_utf8_encode(next_clean(&s), utf8));
}

static void add_unit(struct odp_buffer *out, uint32_t unit)
{
    odp_buffer_add_char(out, (char)(unit >> 8));
    odp_buffer_add_char(out, (char)(unit & 0xff));
}

void odp_finish_pdf_text(struct odp_buffer *out, const char *text)
{
    bool ascii = true;
    for (struct odp_slice s = odp_slice_of(text); s.len > 0 && ascii;)
        ascii = next_clean(&s) < 0x80;
    if (ascii) {
        add_clean(out, text);
        return;
    }
    add_unit(out, 0xfeff);
    for (struct odp_slice s = odp_slice_of(text); s.len > 0;) {
        uint32_t cp = next_clean(&s);
        if (cp >= 0x10000) {
            add_unit(out, 0xd800 + ((cp - 0x10000) >> 10));
            cp = 0xdc00 + ((cp - 0x10000) & 0x3ff);
        }
        add_unit(out, cp);
    }
}

/* ---- dates ---- */

static bool is_date(const char *s)
{
    static const char form[] = "0000-00-00";
    for (size_t i = 0; i < sizeof form - 1; i++)
        if (s == NULL || (form[i] == '-' ? s[i] != '-' : s[i] < '0' || s[i] > '9'))
            return false;
    return true;
}

void odp_finish_pdf_date(struct odp_buffer *out, const char *date)
{
    if (is_date(date))
        odp_buffer_printf(out, "D:%.4s%.2s%.2s000000Z", date, date + 5, date + 8);
}

/* "2024-03-15T00:00:00Z" */
static void add_xmp_date(struct odp_buffer *out, const char *date)
{
    if (is_date(date))
        odp_buffer_printf(out, "%.10sT00:00:00Z", date);
}

/* ---- XMP ---- */

static void add_xml(struct odp_buffer *out, const char *text)
{
    static const char signs[] = "&<>\"";
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    char utf8[4];
    for (struct odp_slice s = odp_slice_of(text); s.len > 0;) {
        uint32_t cp = next_clean(&s);
        const char *sign = cp < 0x80 ? strchr(signs, (int)cp) : NULL;
        if (sign != NULL)
            odp_buffer_add_str(out, entities[sign - signs]);
        else
            odp_buffer_add(out, utf8, odp_utf8_encode(cp, utf8));
    }
}

static bool is_there(const char *s)
{
    return s != NULL && *s != '\0';
}

/* <NAME>TEXT</NAME> */
static void add_simple(struct odp_buffer *out, const char *name, const char *text)
{
    if (!is_there(text))
        return;
    odp_buffer_printf(out, "   <%s>", name);
    add_xml(out, text);
    odp_buffer_printf(out, "</%s>\n", name);
}

/* KIND: "Seq", "Bag". */
static void add_list(struct odp_buffer *out, const char *name, const char *kind, const char *const *item,
                     size_t n)
{
    size_t there = 0;
    for (size_t i = 0; i < n; i++)
        there += is_there(item[i]);
    if (there == 0)
        return;
    odp_buffer_printf(out, "   <%s><rdf:%s>", name, kind);
    for (size_t i = 0; i < n; i++)
        if (is_there(item[i])) {
            odp_buffer_add_str(out, "<rdf:li>");
            add_xml(out, item[i]);
            odp_buffer_add_str(out, "</rdf:li>");
        }
    odp_buffer_printf(out, "</rdf:%s></%s>\n", kind, name);
}

static void add_alternative(struct odp_buffer *out, const char *lang, const char *text)
{
    if (!is_there(text))
        return;
    odp_buffer_printf(out, "<rdf:li xml:lang=\"%s\">", lang);
    add_xml(out, text);
    odp_buffer_add_str(out, "</rdf:li>");
}

static void add_languages(struct odp_buffer *out, const char *name, const char *id, const char *en)
{
    if (!is_there(id) && !is_there(en))
        return;
    odp_buffer_printf(out, "   <%s><rdf:Alt>", name);
    add_alternative(out, "x-default", is_there(id) ? id : en);
    add_alternative(out, "id", id == en ? NULL : id); /* the same in all languages: an address */
    add_alternative(out, "en", id == en ? NULL : en);
    odp_buffer_printf(out, "</rdf:Alt></%s>\n", name);
}

void odp_finish_xmp(struct odp_buffer *out, const struct odp_finish *f)
{
    const char *const identifiers[] = {f->url, f->digest};
    struct odp_buffer date = {0};
    add_xmp_date(&date, f->date);
    const char *at = odp_buffer_cstr(&date);
    odp_buffer_add_str(out,
                       "<?xpacket begin=\"\xef\xbb\xbf\" id=\"W5M0MpCehiHzreSzNTczkc9d\"?>\n"
                       "<x:xmpmeta xmlns:x=\"adobe:ns:meta/\">\n"
                       " <rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">\n"
                       "  <rdf:Description rdf:about=\"\" xmlns:dc=\"http://purl.org/dc/elements/1.1/\"\n"
                       "    xmlns:xmp=\"http://ns.adobe.com/xap/1.0/\" "
                       "xmlns:xmpRights=\"http://ns.adobe.com/xap/1.0/rights/\"\n"
                       "    xmlns:pdf=\"http://ns.adobe.com/pdf/1.3/\">\n"
                       "   <dc:format>application/pdf</dc:format>\n");
    add_languages(out, "dc:title", f->title, f->title_en);
    add_languages(out, "dc:description", f->description, NULL);
    add_list(out, "dc:creator", "Seq", &f->publisher, 1);
    add_list(out, "dc:publisher", "Bag", &f->publisher, 1);
    add_list(out, "dc:language", "Bag", &f->lang, 1);
    add_languages(out, "dc:rights", f->licence_url, f->licence_url);
    add_simple(out, "dc:identifier", f->url);
    add_simple(out, "dc:source", f->digest);
    add_list(out, "xmp:Identifier", "Bag", identifiers, 2);
    add_simple(out, "xmpRights:WebStatement", f->licence_url);
    add_simple(out, "xmp:CreateDate", at);
    add_simple(out, "xmp:ModifyDate", at);
    add_simple(out, "xmp:MetadataDate", at);
    add_simple(out, "xmp:CreatorTool", ODP_FINISH_PRODUCER);
    add_simple(out, "pdf:Producer", ODP_FINISH_PRODUCER);
    odp_buffer_add_str(out, "  </rdf:Description>\n </rdf:RDF>\n</x:xmpmeta>\n<?xpacket end=\"r\"?>\n");
    out->failed |= date.failed;
    odp_buffer_release(&date);
}
