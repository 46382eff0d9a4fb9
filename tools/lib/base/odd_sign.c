#include "base/odd_sign.h"

#include <string.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "base/white_space.h"

static const struct row {
    uint32_t first, last;
    enum odp_odd_class class;
    const char *mark;
    struct odp_text name;
} rows[] = {
#define ODP_ODD(first, last, class, mark, id, en) {first, last, ODP_ODD_##class, mark, {{id, en}}},
#include "contract/odd_signs.def"
#undef ODP_ODD
};

static const struct {
    uint16_t sign;
    char like;
} twins[] = {
#define ODP_TWIN(sign, like) {sign, like},
#include "contract/odd_signs.def"
#undef ODP_TWIN
};

/* Letters to which a combining mark adds an accent that Unicode has as one character (NFC), by the mark. */
static const struct {
    uint16_t mark;
    const char *letters;
} composed[] = {{0x300, "AEINOUWYaeinouwy"},
                {0x301, "ACEGIKLMNOPRSUWYZacegiklmnoprsuwyz"},
                {0x302, "ACEGHIJOSUWYZaceghijosuwyz"},
                {0x303, "AEINOUVYaeinouvy"},
                {0x304, "AEGIOUYaegiouy"},
                {0x306, "AEGIOUaegiou"},
                {0x307, "ABCDEFGHIMNOPRSTWXYZabcdefghmnoprstwxyz"},
                {0x308, "AEHIOUWXYaehiotuwxy"},
                {0x309, "AEIOUYaeiouy"},
                {0x30a, "AUauwy"},
                {0x30b, "OUou"},
                {0x30c, "ACDEGHIKLNORSTUZacdeghijklnorstuz"},
                {0x31b, "OUou"},
                {0x323, "ABDEHIKLMNORSTUVWYZabdehiklmnorstuvwyz"},
                {0x327, "CDEGHKLNRSTcdeghklnrst"},
                {0x328, "AEIOUaeiou"}};

static bool is_composed(uint32_t letter, uint32_t mark)
{
    for (size_t k = 0; k < ODP_COUNT(composed); k++)
        if (composed[k].mark == mark)
            return letter > 0 && letter < 0x80 && strchr(composed[k].letters, (int)letter) != NULL;
    return false;
}

static char like(uint32_t cp)
{
    for (size_t k = 0; cp >= 0x370 && cp < 0x530 && k < ODP_COUNT(twins); k++)
        if (twins[k].sign == cp)
            return twins[k].like;
    return cp >= 0xFF01 && cp <= 0xFF5E ? (char)(cp - 0xFEE0) : '\0';
}

/* A letter of a writing in which twins are letters like others. */
static bool is_foreign(uint32_t cp)
{
    return (cp >= 0x370 && cp < 0x530 && like(cp) == '\0') || (cp >= 0x3040 && cp <= 0xD7A3);
}

static const struct row *find(uint32_t cp)
{
    for (size_t k = 0; k < ODP_COUNT(rows) && rows[k].first <= cp; k++)
        if (cp <= rows[k].last)
            return &rows[k];
    return NULL;
}

bool odp_odd_unseen(uint32_t sign)
{
    const struct row *r = sign >= 0x80 ? find(sign) : NULL;
    return r != NULL && r->class >= ODP_ODD_UNSEEN && r->class <= ODP_ODD_TURN;
}

void odp_odd_begin(struct odp_odd_scan *s, struct odp_slice text)
{
    struct odp_slice inner = odp_trim_unicode(text);
    uint32_t cp;
    *s = (struct odp_odd_scan){.text = text,
                               .start = (size_t)(inner.ptr - text.ptr),
                               .end = (size_t)(inner.ptr - text.ptr) + inner.len};
    for (size_t k = 0; k < text.len && !s->foreign; s->foreign = is_foreign(cp))
        k += odp_utf8_decode(text.ptr + k, text.len - k, &cp);
}

/* Why CP, the sign at S->at of OUT->len bytes, is odd. */
static bool look(struct odp_odd_scan *s, uint32_t cp, struct odp_odd *out)
{
    static const struct odp_text apart = {
        {"aksen yang terpisah dari hurufnya", "an accent apart from its letter"}};
    static const struct odp_text letters[] = {{{"huruf Yunani", "a Greek letter"}},
                                              {{"huruf Kiril", "a Cyrillic letter"}},
                                              {{"huruf lebar penuh", "a full-width letter"}}};
    if (cp > ' ' && cp < 0x7F)
        return false;
    if (is_composed(s->before, cp)) {
        out->class = ODP_ODD_ACCENT;
        out->name = apart;
        return true;
    }
    out->like = s->foreign ? '\0' : like(cp);
    if (out->like != '\0') {
        out->class = ODP_ODD_TWIN;
        out->name = letters[cp >= 0xFF01 ? 2 : cp >= 0x400];
        return true;
    }
    const struct row *r = find(cp);
    if (r == NULL)
        return false;
    while (cp == ' ' && s->at + out->len < s->text.len && s->text.ptr[s->at + out->len] == ' ')
        out->len++;
    out->class = r->class;
    out->like = r->class == ODP_ODD_DASH ? '-' : '\0';
    out->mark = r->mark;
    out->name = r->name;
    return cp != ' ' || out->edge || out->len > 1;
}

bool odp_odd_next(struct odp_odd_scan *s, struct odp_odd *out)
{
    while (s->at < s->text.len) {
        uint32_t cp;
        size_t len = odp_utf8_decode(s->text.ptr + s->at, s->text.len - s->at, &cp);
        *out = (struct odp_odd){
            .at = s->at, .len = len, .sign = cp, .edge = s->at < s->start || s->at >= s->end};
        bool odd = look(s, cp, out);
        s->before = cp;
        s->at += out->len;
        if (odd)
            return true;
    }
    return false;
}

/* ---- in words ---- */

#define WORD_MOST 24 /* bytes of the word that names the place */

static bool ends_word(uint32_t cp)
{
    const struct row *r = find(cp);
    return r != NULL && r->class != ODP_ODD_DASH;
}

/* The word that byte AT is in, or that ends there. */
static struct odp_slice word_at(struct odp_slice text, size_t at)
{
    size_t start = 0, end = at;
    for (size_t k = 0; k < text.len;) {
        uint32_t cp;
        size_t len = odp_utf8_decode(text.ptr + k, text.len - k, &cp);
        bool ends = ends_word(cp);
        if (k >= at && (ends || k - start >= WORD_MOST))
            break;
        if (ends || k - start >= WORD_MOST)
            start = ends ? k + len : k;
        k += len;
        end = k > at ? k : at;
    }
    return (struct odp_slice){text.ptr + start, end - start};
}

static void say_place(struct odp_buffer *out, struct odp_slice text, const struct odp_odd *odd, bool id)
{
    bool within = odd->class == ODP_ODD_TWIN || odd->class == ODP_ODD_ACCENT || odd->class == ODP_ODD_DASH;
    struct odp_slice before = odp_trim_unicode((struct odp_slice){text.ptr, odd->at});
    struct odp_slice word = within ? word_at(text, odd->at) : word_at(before, before.len);
    if (odd->edge || word.len == 0) {
        if (odd->at > 0)
            odp_buffer_add_str(out, id ? " di akhir" : " at the end");
        else
            odp_buffer_add_str(out, id ? " di awal" : " at the start");
        return;
    }
    if (within)
        odp_buffer_add_str(out, id ? " dalam ‘" : " in ‘");
    else
        odp_buffer_add_str(out, id ? " setelah ‘" : " after ‘");
    odp_buffer_add_slice(out, word);
    odp_buffer_add_str(out, "’");
}

bool odp_odd_say(struct odp_buffer *out, struct odp_slice text, enum odp_lang lang)
{
    struct odp_odd_scan scan;
    struct odp_odd first, other;
    bool id = lang == ODP_LANG_ID;
    unsigned more = 0;
    odp_odd_begin(&scan, text);
    if (!odp_odd_next(&scan, &first))
        return false;
    while (odp_odd_next(&scan, &other))
        more++;
    if (first.sign == ' ' && !first.edge) {
        odp_buffer_add_str(out, id ? "spasi ganda" : "more than one space");
    } else {
        odp_buffer_add_str(out, odp_text_get(&first.name, lang));
        if (first.sign != ' ')
            odp_buffer_printf(out, " (U+%04X)", (unsigned)first.sign);
    }
    if (first.like != '\0')
        odp_buffer_printf(out, id ? " yang serupa ‘%c’," : " that looks like ‘%c’,", first.like);
    say_place(out, text, &first, id);
    if (more > 0)
        odp_buffer_printf(out, id ? ", dan %u lagi" : ", and %u more", more);
    return true;
}
