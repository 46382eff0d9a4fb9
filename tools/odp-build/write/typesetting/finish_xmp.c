/* Text of the document's metadata: PDF text strings, dates, the XMP packet. All text is cleaned first (what
 * is no UTF-8 or no character of XML 1.0 is U+FFFD, line ends are spaces), then escaped by who writes it. PDF
 * text is ASCII as it is, else UTF-16BE. */
#include "write/typesetting/finish_internal.h"

#include "base/template/template.h"
#include "base/utf8.h"

extern const struct odp_template_text odp_pdf_templates[];
extern const unsigned char odp_pdf_model_json[];

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

/* ---- XMP: templates/pdf ---- */

/* Sets NAME of M to TEXT, cleaned, unless that is NULL or empty. */
static void set(json_t *m, const char *name, const char *text)
{
    struct odp_buffer clean = {0};
    if (text == NULL || *text == '\0')
        return;
    add_clean(&clean, text);
    json_object_set_new(m, name, json_string(odp_buffer_cstr(&clean)));
    odp_buffer_release(&clean);
}

static json_t *model_of(const struct odp_finish *f)
{
    json_t *m = json_object(), *title = json_object();
    if (f->title != f->title_en) { /* else it is the same in all languages */
        set(title, "id", f->title);
        set(title, "en", f->title_en);
    }
    set(title, "first", f->title_en);
    set(title, "first", f->title);
    if (json_object_size(title) > 0)
        json_object_set(m, "title", title);
    json_decref(title);
    set(m, "description", f->description);
    set(m, "publisher", f->publisher);
    set(m, "lang", f->lang);
    set(m, "licence", f->licence_url);
    set(m, "url", f->url);
    set(m, "digest", f->digest);
    json_object_set_new(m, "identified", json_boolean(f->url != NULL || f->digest != NULL));
    if (is_date(f->date))
        json_object_set_new(m, "date", json_sprintf("%.10sT00:00:00Z", f->date));
    set(m, "producer", ODP_FINISH_PRODUCER);
    return m;
}

enum odp_status odp_finish_xmp(struct odp_buffer *out, const struct odp_finish *f)
{
    return odp_templates_write(odp_pdf_templates, odp_pdf_model_json, "xmp", ODP_LANG_ID, model_of(f), out);
}
