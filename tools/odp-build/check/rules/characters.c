/* Characters that tell of damage: control characters (ODP-W02), U+FFFD (W03), UTF-8 once read as Windows-1252
 * (W04), characters inside a text that cannot be seen (W10; at its ends they are white space, W01). */
#include "base/utf8.h"
#include "base/white_space.h"
#include "check/check_internal.h"

static bool is_control(uint32_t cp)
{
    return (cp < 0x20 && cp != '\t' && cp != '\n' && cp != '\r') || (cp >= 0x7f && cp < 0xa0);
}

static bool is_continuation_in_1252(uint32_t cp)
{
    /* What the bytes 0x80 to 0xBF become in Windows-1252. */
    static const uint16_t high[] = {0x20ac, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030,
                                    0x0160, 0x2039, 0x0152, 0x017d, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022,
                                    0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0x017e, 0x0178};
    if (cp >= 0x80 && cp <= 0xbf)
        return true;
    for (size_t k = 0; k < ODP_COUNT(high); k++)
        if (cp == high[k])
            return true;
    return false;
}

/* PREV and CP are the head and the next byte of a UTF-8 sequence, each turned into a character: Ã© for é, â€™
 * for an apostrophe. Â counts before a symbol only, for "Â" in words of other languages is followed by
 * letters. */
static bool is_mojibake(uint32_t prev, uint32_t cp)
{
    if (prev == 0xc3 || prev == 0xc2)
        return is_continuation_in_1252(cp);
    return prev == 0xe2 && (cp == 0x20ac || cp == 0x201e || cp == 0x2020 || cp == 0x2030 || cp == 0x0080);
}

static void check_cell(struct odp_check *c, uint32_t i, uint32_t field)
{
    struct odp_slice s = c->text[i];
    uint32_t prev = 0, unseen = 0, cp;
    bool replaced = false, mojibake = false, text = odp_check_field(c, field)->type == ODP_TYPE_STRING;
    s = odp_trim_unicode(s);
    for (size_t k = 0; k < s.len;) {
        k += odp_utf8_decode(s.ptr + k, s.len - k, &cp);
        if (is_control(cp)) {
            struct odp_slice name = odp_check_printf(c, "U+%04X", (unsigned)cp);
            struct odp_fault *f = odp_check_fault(c, i, (int)field, ODP_W02);
            f->args[0] = name;
            if (cp >= 0x80) /* quotes and dashes of Windows-1252, read as Latin-1 */
                f->args[1] = ODP_LIT("windows-1252");
            return;
        }
        replaced = replaced || cp == 0xfffd;
        mojibake = mojibake || is_mojibake(prev, cp);
        if (text && unseen == 0 && (odp_is_invisible(cp) || cp == 0xa0 || cp == 0x202f || cp == 0x2007))
            unseen = cp;
        prev = cp;
    }
    if (replaced)
        (void)odp_check_fault(c, i, (int)field, ODP_W03);
    else if (mojibake)
        (void)odp_check_fault(c, i, (int)field, ODP_W04);
    else if (unseen != 0) {
        struct odp_slice name = odp_check_printf(c, "U+%04X", (unsigned)unseen);
        odp_check_fault(c, i, (int)field, ODP_W10)->args[0] = name;
    }
}

static void check_column(struct odp_check *c, uint32_t field)
{
    if ((c->any & (ODP_TRAIT_CONTROL | ODP_TRAIT_HIGH)) == 0)
        return;
    for (uint32_t i = 0; i < c->n; i++)
        if (c->state[i] == ODP_VALUE_OK && (c->traits[i] & (ODP_TRAIT_CONTROL | ODP_TRAIT_HIGH)) != 0)
            check_cell(c, i, field);
}

const struct odp_rule_kind odp_rule_characters = {.name = "characters", .column = check_column};
