/* Short numbers: what is one, comparisons by their digits, limits against comparisons. */
#include "answer_lines.h"
#include "random.h"

#include "base/decimal_limits.h"

/* A canonical literal of up to 22 digits, sometimes with an exponent. */
static size_t literal(char *out)
{
    size_t n = 0, whole = 1 + dice(dice(4) == 0 ? 20 : 6),
           places = dice(2) == 0 ? 0 : dice(dice(4) == 0 ? 12 : 4);
    if (dice(4) == 0)
        out[n++] = '-';
    if (dice(6) == 0) {
        out[n++] = '0';
    } else {
        out[n++] = (char)('1' + dice(9));
        for (size_t k = 1; k < whole; k++)
            out[n++] = (char)('0' + (dice(3) == 0 ? 0 : dice(10)));
    }
    if (places > 0)
        out[n++] = '.';
    for (size_t k = 0; k < places; k++)
        out[n++] = (char)('0' + (dice(2) == 0 ? 0 : dice(10)));
    if (dice(20) == 0) {
        out[n++] = 'e';
        out[n++] = (char)('0' + dice(10));
    }
    return n;
}

static void answer(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    int64_t m;
    unsigned scale;
    if (odp_decimal_small(odp_slice_of(strchr(question.ptr, ' ') + 1), &m, &scale))
        odp_buffer_printf(out, "%lld, %u", (long long)m, scale);
    else
        odp_buffer_add_str(out, "not short");
}

TEST(short_numbers_are_read)
{
    answer_lines("base/short_numbers.txt", answer, NULL);
}

/* The sign of A compared with B by their digits alone: both as whole numbers of 10^-12, which 16 digits and
 * an exponent below 10 fit into. */
static int compare_exactly(const char *a, size_t na, const char *b, size_t nb)
{
    const char *text[2] = {a, b};
    const size_t len[2] = {na, nb};
    __int128 value[2];
    for (int i = 0; i < 2; i++) {
        int places = -1, exponent = 0;
        bool negative = text[i][0] == '-';
        value[i] = 0;
        for (size_t k = negative; k < len[i]; k++) {
            if (text[i][k] == '.')
                places = 0;
            else if (text[i][k] == 'e') {
                exponent = text[i][k + 1] - '0';
                break;
            } else {
                value[i] = value[i] * 10 + (text[i][k] - '0');
                places += places >= 0;
            }
        }
        for (int k = places < 0 ? 0 : places; k < 12 + exponent; k++)
            value[i] *= 10;
        value[i] = negative ? -value[i] : value[i];
    }
    return (value[0] > value[1]) - (value[0] < value[1]);
}

TEST(compares_exactly)
{
    random_seed = 7;
    for (int i = 0; i < 200000; i++) {
        char a[64], b[64];
        size_t na = literal(a), nb = literal(b);
        if (dice(3) == 0) { /* the same but for one digit */
            memcpy(b, a, na);
            nb = na;
            size_t at = dice((unsigned)na);
            if (b[at] >= '1' && b[at] <= '9')
                b[at] = (char)('1' + dice(9));
        }
        if (na > 18 || nb > 18) /* with an exponent and 12 places they fill the 38 digits of __int128 */
            continue;
        int got = odp_decimal_cmp((struct odp_slice){a, na}, (struct odp_slice){b, nb}),
            expect = compare_exactly(a, na, b, nb);
        if ((got > 0) - (got < 0) != expect)
            fail_msg("cmp [%.*s] [%.*s]: %d", (int)na, a, (int)nb, b, got);
    }
}

TEST(limits_are_comparisons)
{
    random_seed = 11;
    unsigned inside = 0, outside = 0;
    for (int i = 0; i < 60000; i++) {
        char text[4][64], value[64];
        struct odp_slice bound[4];
        bool known = true;
        for (int k = 0; k < 4; k++) {
            size_t n = literal(text[k]);
            int64_t m;
            unsigned scale;
            char normal[ODP_DECIMAL_SIZE];
            bound[k] = dice(3) == 0 ? (struct odp_slice){text[k], n} : (struct odp_slice){NULL, 0};
            known =
                known && (bound[k].ptr == NULL ||
                          odp_decimal_small((struct odp_slice){normal, odp_decimal_normal(bound[k], normal)},
                                            &m, &scale));
        }
        struct odp_decimal_limits l;
        odp_decimal_limits_init(&l, bound[0], bound[1], bound[2], bound[3]);
        for (int k = 0; k < 8; k++) {
            int64_t m;
            unsigned scale;
            struct odp_slice s = {value, literal(value)};
            if (k < 4 && bound[k].ptr != NULL) /* the bound itself */
                s = bound[k];
            if (!odp_decimal_small(s, &m, &scale))
                continue;
            bool within = (bound[0].ptr == NULL || odp_decimal_cmp(s, bound[0]) >= 0) &&
                          (bound[1].ptr == NULL || odp_decimal_cmp(s, bound[1]) <= 0) &&
                          (bound[2].ptr == NULL || odp_decimal_cmp(s, bound[2]) > 0) &&
                          (bound[3].ptr == NULL || odp_decimal_cmp(s, bound[3]) < 0);
            bool got = m >= l.least[scale] && m <= l.most[scale];
            if (known ? got != within : got)
                fail_msg("limits of [%.*s]: %d, not %d", (int)s.len, s.ptr, got, within);
            inside += got;
            outside += !got;
        }
    }
    assert_true(inside > 1000 && outside > 1000);
}
