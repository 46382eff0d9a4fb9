/* The words and marks of the correction workbook: cells as shown, ids of rows, a person's actions. */
#include <strings.h>
#include <xxhash.h>

#include "base/ascii.h"
#include "base/utf8.h"
#include "repair/workbook/format.h"

const char *const correct_column_names[] = {"id", "line", "action", "problem", "cell", "proposal"};

const char *correct_action_word(enum correct_action a, enum odp_lang lang)
{
    static const char *const words[][ODP_LANGS] = {[CORRECT_NOTHING] = {"", ""},
                                                   [CORRECT_ACCEPT] = {"terima usul", "accept"},
                                                   [CORRECT_DELETE] = {"hapus", "delete"},
                                                   [CORRECT_UNKNOWN] = {"", ""}};
    return words[a][lang];
}

enum correct_action correct_action_of(struct odp_slice s)
{
    char word[32];
    s = odp_slice_trim(s);
    if (s.len == 0)
        return CORRECT_NOTHING;
    if (s.len >= sizeof word)
        return CORRECT_UNKNOWN;
    memcpy(word, s.ptr, s.len);
    word[s.len] = '\0';
    for (enum correct_action a = CORRECT_ACCEPT; a <= CORRECT_DELETE; a++)
        for (int lang = 0; lang < ODP_LANGS; lang++)
            if (strcasecmp(word, correct_action_word(a, (enum odp_lang)lang)) == 0)
                return a;
    return CORRECT_UNKNOWN;
}

/* ---- cells as they are shown ---- */

void correct_shown(struct odp_buffer *out, struct odp_slice s, bool *cut)
{
    size_t units = 0;
    if (cut != NULL)
        *cut = false;
    for (size_t i = 0; i < s.len;) {
        uint32_t cp = (unsigned char)s.ptr[i];
        size_t used = 1;
        char bytes[4];
        if (cp >= 0x80) {
            struct odp_slice rest = {s.ptr + i, s.len - i < 4 ? s.len - i : 4};
            size_t n = odp_utf8_decode(rest.ptr, rest.len, &cp);
            bool good = n > 0 && n <= rest.len && odp_utf8_valid((struct odp_slice){rest.ptr, n}) == n;
            used = good ? n : 1;
            if (!good || cp == 0xFFFE || cp == 0xFFFF)
                cp = 0xFFFD;
        } else if (cp == '\r') {
            used = i + 1 < s.len && s.ptr[i + 1] == '\n' ? 2 : 1;
            cp = '\n';
        } else if (cp < ' ' && cp != '\t' && cp != '\n') {
            cp = 0xFFFD;
        }
        units += cp > 0xFFFF ? 2 : 1;
        if (units > CORRECT_UNITS) {
            odp_buffer_add_str(out, "…");
            if (cut != NULL)
                *cut = true;
            return;
        }
        odp_buffer_add(out, bytes, odp_utf8_encode(cp, bytes));
        i += used;
    }
}

/* ---- ids ---- */

/* Without '_': the format's escapes begin and end with it, and LibreOffice sometimes rewrites them. */
static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-~";

/* N characters of the bits of V, lowest first. */
static void put_bits(char *out, size_t n, uint64_t v)
{
    for (size_t i = 0; i < n; i++, v >>= 6)
        out[i] = digits[v & 63];
}

void correct_digest(const struct odp_slice *shown, size_t n, struct odp_buffer *scratch,
                    char out[CORRECT_ID_DIGEST])
{
    odp_buffer_clear(scratch);
    for (size_t i = 0; i < n; i++) {
        odp_buffer_add_slice(scratch, shown[i]);
        odp_buffer_add_char(scratch, '\0'); /* not in any shown cell */
    }
    XXH128_hash_t h = XXH3_128bits(scratch->ptr, scratch->len);
    put_bits(out, 8, h.low64);
    put_bits(out + 8, 8, h.high64);
}

void correct_mark(struct odp_slice shown, char out[2])
{
    put_bits(out, 2, XXH3_64bits(shown.ptr, shown.len));
}

void correct_id_write(struct odp_buffer *out, const struct correct_id *id)
{
    odp_buffer_add_char(out, 'r');
    odp_buffer_add_u64(out, id->row);
    odp_buffer_add_str(out, ".");
    if (id->flags & CORRECT_FLAG_DELETE)
        odp_buffer_add_char(out, 'd');
    if (id->flags & CORRECT_FLAG_BROKEN)
        odp_buffer_add_char(out, 'x');
    if (id->flags & CORRECT_FLAG_COPY)
        odp_buffer_add_char(out, 'c');
    odp_buffer_add_char(out, '.');
    odp_buffer_add(out, id->digest, CORRECT_ID_DIGEST);
    odp_buffer_add_char(out, '.');
    odp_buffer_add_slice(out, id->marks);
}

static bool all_digits(struct odp_slice s)
{
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] == '\0' || strchr(digits, s.ptr[i]) == NULL)
            return false;
    return true;
}

bool correct_id_read(struct odp_slice s, struct correct_id *out)
{
    *out = (struct correct_id){0};
    s = odp_slice_trim(s);
    size_t i = 1;
    if (s.len < 2 || s.ptr[0] != 'r')
        return false;
    for (; i < s.len && odp_is_digit(s.ptr[i]) && i < 20; i++)
        out->row = out->row * 10 + (uint64_t)(s.ptr[i] - '0');
    if (i == s.len || s.ptr[i++] != '.' || out->row == 0)
        return false;
    for (; i < s.len && (s.ptr[i] == 'd' || s.ptr[i] == 'x' || s.ptr[i] == 'c'); i++)
        out->flags |= s.ptr[i] == 'd'   ? CORRECT_FLAG_DELETE
                      : s.ptr[i] == 'x' ? CORRECT_FLAG_BROKEN
                                        : CORRECT_FLAG_COPY;
    if (s.len - i < 2 + CORRECT_ID_DIGEST || s.ptr[i] != '.' || s.ptr[i + 1 + CORRECT_ID_DIGEST] != '.')
        return false;
    memcpy(out->digest, s.ptr + i + 1, CORRECT_ID_DIGEST);
    out->marks = (struct odp_slice){s.ptr + i + 2 + CORRECT_ID_DIGEST, s.len - i - 2 - CORRECT_ID_DIGEST};
    return all_digits((struct odp_slice){out->digest, CORRECT_ID_DIGEST}) && all_digits(out->marks);
}
