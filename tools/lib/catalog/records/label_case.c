#include "catalog/records/label_case.h"

#include <string.h>

#include "base/ascii.h"
#include "base/nearest.h"

/* À…Þ are C3 80…C3 9E, à…þ C3 A0…C3 BE; × and ÷ are no letters. */
static bool is_latin(struct odp_slice s, size_t i, unsigned char from)
{
    unsigned char c = i + 1 < s.len && s.ptr[i] == '\xC3' ? (unsigned char)s.ptr[i + 1] : 0;
    return c >= from && c <= from + 0x1E && c != from + 0x17;
}

static bool is_capital(struct odp_slice s, size_t i)
{
    return (s.ptr[i] >= 'A' && s.ptr[i] <= 'Z') || is_latin(s, i, 0x80);
}

static bool is_small(struct odp_slice s, size_t i)
{
    return (s.ptr[i] >= 'a' && s.ptr[i] <= 'z') || is_latin(s, i, 0xA0);
}

/* Between words. An apostrophe is part of one: Ma'ruf. */
static bool is_between(char c)
{
    return c == ' ' || c == '-' || c == '/' || c == '(' || c == ')' || c == ',' || c == '&' || c == '"';
}

/* I to XXXIX: more would take words for numerals (MIX, DI, CC). */
static bool is_roman(struct odp_slice w)
{
    static const char *const units[] = {"IX", "IV", "VIII", "VII", "VI", "V", "III", "II", "I", ""};
    size_t tens = 0;
    if (w.len == 0 || (w.ptr[0] != 'X' && w.ptr[0] != 'V' && w.ptr[0] != 'I'))
        return false; /* nearly all words */
    while (tens < w.len && tens < 3 && w.ptr[tens] == 'X')
        tens++;
    const struct odp_slice rest = {w.ptr + tens, w.len - tens};
    return odp_word_index(rest, units, ODP_COUNT(units)) >= 0;
}

static bool stays(struct odp_slice w)
{
    for (size_t i = 0; i < w.len; i++)
        if (w.ptr[i] == '.' || odp_is_digit(w.ptr[i]))
            return true;
    return is_roman(w);
}

static bool same_word(struct odp_slice a, struct odp_slice b)
{
    for (size_t i = 0; a.len == b.len && i < a.len; i++)
        if (odp_lower(a.ptr[i]) != odp_lower(b.ptr[i]))
            return false;
    return a.len == b.len;
}

/* W, a part of TEXT at its place in OUT, in its case. */
static void set_case(char *out, struct odp_slice w, const struct odp_strings *keep)
{
    for (size_t k = 0; k < keep->n; k++)
        if (same_word(keep->item[k], w)) {
            memcpy(out, keep->item[k].ptr, w.len);
            return;
        }
    if (stays(w))
        return;
    bool first = true;
    for (size_t i = 0; i < w.len; i++) {
        bool latin = is_latin(w, i, 0x80);
        if (!first && is_capital(w, i))
            out[i + latin] = (char)(w.ptr[i + latin] + 0x20);
        first = first && !is_capital(w, i);
        i += latin;
    }
}

const char *odp_label_title(struct odp_slice text, const struct odp_strings *keep, struct odp_arena *a)
{
    char *out = (char *)(uintptr_t)odp_arena_copy(a, text).ptr; /* ours: just made */
    for (size_t i = 0; i < text.len; i++)
        if (is_small(text, i))
            return out;
    for (size_t i = 0; i < text.len; i++) {
        size_t start = i;
        while (i < text.len && !is_between(text.ptr[i]))
            i++;
        set_case(out + start, (struct odp_slice){text.ptr + start, i - start}, keep);
    }
    return out;
}
