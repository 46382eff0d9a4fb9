/* Keys that look like another (ODP-K07): two of them would be published as two records, and nobody who types one finds the other. No key, and no
 * value that is to be unique, has white space at its ends, a character that cannot be seen, an accent that stands apart from its letter
 * (where there is one character for both), or Cyrillic, Greek or full-width letters that look like the Latin ones beside them. What refers to
 * such a key is compared with the key, so it need not be looked at. */
#include <string.h>

#include "base/utf8.h"
#include "check/check_internal.h"
#include "check/white_space.h"

/* Letters to which a combining mark adds an accent that Unicode has as one character (NFC), by the mark. */
static const struct {
    uint16_t mark;
    const char *letters;
} composed[] = {{0x300, "AEINOUWYaeinouwy"}, {0x301, "ACEGIKLMNOPRSUWYZacegiklmnoprsuwyz"}, {0x302, "ACEGHIJOSUWYZaceghijosuwyz"}, {0x303, "AEINOUVYaeinouvy"},
                {0x304, "AEGIOUYaegiouy"}, {0x306, "AEGIOUaegiou"}, {0x307, "ABCDEFGHIMNOPRSTWXYZabcdefghmnoprstwxyz"}, {0x308, "AEHIOUWXYaehiotuwxy"},
                {0x309, "AEIOUYaeiouy"}, {0x30a, "AUauwy"}, {0x30b, "OUou"}, {0x30c, "ACDEGHIKLNORSTUZacdeghijklnorstuz"}, {0x31b, "OUou"},
                {0x323, "ABDEHIKLMNORSTUVWYZabdehiklmnorstuvwyz"}, {0x327, "CDEGHKLNRSTcdeghklnrst"}, {0x328, "AEIOUaeiou"}};

/* Letters of other writings with a Latin twin. */
static const uint16_t twins[] = {0x391, 0x392, 0x395, 0x396, 0x397, 0x399, 0x39a, 0x39c, 0x39d, 0x39f, 0x3a1, 0x3a4, 0x3a5, 0x3a7, 0x3bf, 0x405, 0x406, 0x408, 0x410, 0x412, 0x415,
                                 0x41a, 0x41c, 0x41d, 0x41e, 0x420, 0x421, 0x422, 0x423, 0x425, 0x430, 0x435, 0x43e, 0x440, 0x441, 0x443, 0x445, 0x455, 0x456, 0x458, 0x4bb, 0x4c0,
                                 0x501, 0x51b, 0x51d};

static bool is_composed(uint32_t letter, uint32_t mark)
{
    for (size_t k = 0; k < sizeof composed / sizeof *composed; k++)
        if (composed[k].mark == mark)
            return letter > 0 && letter < 0x80 && strchr(composed[k].letters, (int)letter) != NULL;
    return false;
}

static bool is_twin(uint32_t cp)
{
    for (size_t k = 0; k < sizeof twins / sizeof *twins; k++)
        if (twins[k] == cp)
            return true;
    return cp >= 0xff01 && cp <= 0xff5e;
}

static bool is_unseen(uint32_t cp)
{
    return odp_is_invisible(cp) || cp == 0xa0 || cp == 0x2007 || cp == 0x202f;
}

/* The first character of S that is not what it looks like; 0: there is none. */
static uint32_t look(struct odp_slice s)
{
    struct odp_slice inner = odp_trim_unicode(s);
    uint32_t prev = 0, twin = 0, cp = 0;
    bool foreign = false; /* a letter that is neither Latin nor a twin: a word of that writing */
    if (inner.len < s.len) {
        size_t at = inner.len > 0 && inner.ptr == s.ptr ? inner.len : 0;
        odp_utf8_decode(s.ptr + at, s.len - at, &cp);
        return cp;
    }
    for (size_t k = 0; k < s.len; prev = cp) {
        k += odp_utf8_decode(s.ptr + k, s.len - k, &cp);
        if (is_unseen(cp) || is_composed(prev, cp))
            return cp;
        bool is = is_twin(cp);
        twin = is && twin == 0 ? cp : twin;
        foreign = foreign || (!is && cp >= 0x80);
    }
    return foreign ? 0 : twin;
}

static bool holds(const struct odp_key *key, uint32_t field)
{
    for (uint32_t k = 0; k < key->n; k++)
        if (key->fields[k] == field)
            return true;
    return false;
}

static bool applies(const struct odp_validator *v, uint32_t field)
{
    const struct odp_schema *s = v->schema;
    const struct odp_field *f = &s->fields[field];
    bool key = f->constraints.unique || holds(&s->primary, field);
    for (size_t i = 0; i < s->nunique; i++)
        key = key || holds(&s->unique[i], field);
    return key && (f->type == ODP_TYPE_STRING || f->type == ODP_TYPE_ANY) && !v->off[ODP_K07];
}

static void check_column(struct odp_check *c, uint32_t field)
{
    if ((c->any & (ODP_TRAIT_EDGE | ODP_TRAIT_HIGH)) == 0)
        return;
    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t cp = c->state[i] == ODP_VALUE_OK && (c->traits[i] & (ODP_TRAIT_EDGE | ODP_TRAIT_HIGH)) != 0 ? look(c->text[i]) : 0;
        if (cp == 0)
            continue;
        struct odp_slice name = odp_check_printf(c, "U+%04X", (unsigned)cp);
        odp_check_fault(c, i, (int)field, ODP_K07)->args[0] = name;
    }
}

const struct odp_rule_kind odp_rule_lookalike = {.name = "lookalike", .applies = applies, .column = check_column};
