/* Labels to names: ASCII, lower case, '_' between words, none twice. */
#include <stdio.h>
#include <stdlib.h>

#include "base/ascii.h"
#include "base/utf8.h"
#include "repair/draft/draft_internal.h"
#include "words/draft.h"

/* Letters of Latin-1 and Latin Extended-A without their marks, from U+00C0 on. '-': none. */
static char plain_letter(uint32_t cp)
{
    static const char latin1[] = "aaaaaaaceeeeiiiidnooooo-ouuuuytsaaaaaaaceeeeiiiidnooooo-ouuuuyty";
    static const char extended[] = "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkkllllllllllnnnnnn"
                                   "nnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";
    if (cp >= 0xC0 && cp <= 0xFF)
        return latin1[cp - 0xC0];
    if (cp >= 0x100 && cp <= 0x17F)
        return extended[cp - 0x100];
    return '-';
}

/* Signs with a name; NULL: none. */
static const char *word_of(uint32_t cp)
{
    switch (cp) {
    case '%':
        return "persen";
    case 0xB2: /* superscript two, three */
        return "2";
    case 0xB3:
        return "3";
    default:
        return NULL;
    }
}

/* S as a name or slug into OUT (room for MOST + 1): words parted by SEPARATOR. */
static size_t plain_name(struct odp_slice s, char separator, char *out, size_t most)
{
    size_t n = 0;
    bool gap = false;
    for (size_t i = 0; i < s.len && n < most;) {
        uint32_t cp = (unsigned char)s.ptr[i];
        size_t len = 1;
        if (cp >= 0x80)
            len = odp_utf8_decode(s.ptr + i, s.len - i, &cp);
        i += len > 0 ? len : 1;
        char c = '-';
        if ((cp >= 'a' && cp <= 'z') || (cp >= '0' && cp <= '9'))
            c = (char)cp;
        else if (cp >= 'A' && cp <= 'Z')
            c = (char)(cp - 'A' + 'a');
        else if (cp >= 0x80)
            c = plain_letter(cp);
        const char *word = word_of(cp);
        if (word != NULL && n + 8 < most) {
            if (cp == '%' && n > 0)
                out[n++] = separator;
            n += (size_t)snprintf(out + n, most - n, "%s", word);
            gap = cp == '%';
        } else if (c == '-') {
            gap = true;
        } else {
            if (gap && n > 0 && n + 1 < most)
                out[n++] = separator;
            gap = false;
            out[n++] = c;
        }
    }
    out[n] = '\0';
    return n;
}

static bool is_taken(const struct odp_draft *d, uint32_t before, const char *name)
{
    for (uint32_t i = 0; i < before; i++)
        if (strcmp(d->columns[i].name, name) == 0)
            return true;
    return false;
}

/* "luas_ha" of column I; a year becomes "tahun_2019", a blank label "kolom_7". */
static char *name_of(struct odp_draft *d, uint32_t i)
{
    enum { MOST = 60 };
    char text[MOST + 1], full[MOST + 40];
    size_t n = plain_name(d->columns[i].title, '_', text, MOST);
    if (n == 0)
        snprintf(full, sizeof full, "kolom_%u", i + 1);
    else if (odp_is_digit(*text) && n == 4 && strspn(text, "0123456789") == 4)
        snprintf(full, sizeof full, "tahun_%s", text);
    else if (odp_is_digit(*text))
        snprintf(full, sizeof full, "kolom_%s", text);
    else
        snprintf(full, sizeof full, "%s", text);
    char *name = odp_arena_str(&d->arena, full);
    /* Very wide tables: finding a free name must not cost the square of their width. */
    for (uint32_t k = 2; i < 4096 && is_taken(d, i, name); k++)
        name = odp_arena_printf(&d->arena, "%s_%u", full, k);
    if (i >= 4096)
        name = odp_arena_printf(&d->arena, "%s_%u", full, i + 1);
    return name;
}

void draft_labels(struct odp_draft *d)
{
    uint32_t blank = 0, twice = 0;
    struct odp_slice *sorted = odp_arena_array(&d->arena, (size_t)d->ncolumns + 1, sizeof *sorted);
    memcpy(sorted, d->labels, d->ncolumns * sizeof *sorted);
    qsort(sorted, d->ncolumns, sizeof *sorted, odp_by_slice);
    for (uint32_t i = 0; i < d->ncolumns; i++) {
        blank += sorted[i].len == 0;
        twice += i > 0 && sorted[i].len > 0 && odp_slice_eq(sorted[i], sorted[i - 1]);
    }
    d->shared_labels = twice > 0 || blank > 1;
    if (blank + twice > 0)
        draft_note(d, NULL, T(W_draft_labels_columns), T(W_draft_labels_blank_occur_twice_columns),
                   ARGS(N(blank), N(twice)));
}

void draft_names(struct odp_draft *d)
{
    for (uint32_t i = 0; i < d->n; i++)
        d->columns[i].name = name_of(d, i);
}

bool odp_draft_slug_ok(const char *slug)
{
    return odp_name_ok(slug, true) && strcmp(slug, "references") != 0;
}

char *odp_draft_slug_of(const char *s, struct odp_arena *a)
{
    char text[61];
    struct odp_slice name = odp_slice_of(s);
    name.len = odp_utf8_valid(name);
    if (plain_name(name, '-', text, sizeof text - 1) == 0)
        return odp_arena_str(a, "dataset");
    if (!odp_draft_slug_ok(text))
        return odp_arena_printf(a, "data-%s", text);
    return odp_arena_str(a, text);
}
