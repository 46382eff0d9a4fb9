/* Reading decimal numbers. Two paths: a byte loop for what most sources hold ("123.45", already canonical),
 * and a scanner that knows signs, groups, exponents and stripped text, and names the fault. Nothing here goes
 * through double. */
#include "base/decimal.h"

#include <strings.h>

#include "base/ascii.h"

#define EXPONENT_LIMIT 999 /* beyond any physical quantity; keeps keys and comparisons finite */

/* True if S is -?(0|[1-9][0-9]*)(D[0-9]+)? with at most ODP_DECIMAL_DIGITS digits; writes it to OUT.
 * *FRACTION: it has a D. */
static bool parse_plain(struct odp_slice s, char decimal, char *out, bool *fraction)
{
    const char *p = s.ptr, *end = s.ptr + s.len;
    *fraction = false;
    if (s.len == 0 || s.len > ODP_DECIMAL_DIGITS)
        return false;
    if (*p == '-')
        p++;
    if (p == end || !odp_is_digit(*p) || (*p == '0' && end - p > 1 && odp_is_digit(p[1])))
        return false;
    while (p < end && odp_is_digit(*p))
        p++;
    if (p < end) {
        const char *mark = p;
        if (*p++ != decimal || p == end)
            return false;
        while (p < end && odp_is_digit(*p))
            p++;
        if (p < end)
            return false;
        *fraction = true;
        memcpy(out, s.ptr, s.len);
        out[mark - s.ptr] = '.';
        return true;
    }
    memcpy(out, s.ptr, s.len);
    return true;
}

struct scan {
    const char *p, *end;
    char decimal, group;
    char *out; /* the canonical literal, LEN bytes so far */
    size_t len;
    unsigned digits; /* significant: without the zeros dropped in front */
    bool bad_group, leading_zero, too_long;
};

/* Bytes of a group mark at P, or 0. A space also matches U+00A0 and U+202F, which spreadsheets write. */
static size_t group_at(const struct scan *s)
{
    if (s->group == '\0' || s->p == s->end)
        return 0;
    if (*s->p == s->group)
        return 1;
    if (s->group == ' ' && s->end - s->p >= 2 && memcmp(s->p, "\xC2\xA0", 2) == 0)
        return 2;
    return s->group == ' ' && s->end - s->p >= 3 && memcmp(s->p, "\xE2\x80\xAF", 3) == 0 ? 3 : 0;
}

static void put_digit(struct scan *s, char c)
{
    if (s->digits == ODP_DECIMAL_DIGITS) {
        s->too_long = true;
        return;
    }
    s->digits++;
    s->out[s->len++] = c;
}

/* Integer digits and group marks; returns how many digits there were. A misplaced mark is noted, not fatal,
 * so that text which is no number at all is not called a grouping fault. */
static size_t scan_integer(struct scan *s)
{
    size_t total = 0, run = 0, marks = 0, mark;
    bool started = false; /* a non-zero digit was written */
    for (;;) {
        if (s->p < s->end && odp_is_digit(*s->p)) {
            if (*s->p != '0' || started) {
                put_digit(s, *s->p);
                started = true;
            }
            s->p++, run++, total++;
        } else if ((mark = group_at(s)) != 0) {
            if (run > 3 || run == 0 || (marks > 0 && run != 3))
                s->bad_group = true;
            marks++;
            run = 0;
            s->p += mark;
        } else {
            break;
        }
    }
    if (marks > 0 && run != 3)
        s->bad_group = true;
    if (total > 0 && !started)
        put_digit(s, '0');
    s->leading_zero = started ? total > s->digits && !s->too_long : total > 1;
    return total;
}

/* The fraction after its mark; returns its digits. A group mark in it is misplaced. */
static size_t scan_fraction(struct scan *s)
{
    size_t total = 0, mark;
    for (;;) {
        if (s->p < s->end && odp_is_digit(*s->p)) {
            if (total++ == 0)
                s->out[s->len++] = '.';
            put_digit(s, *s->p++);
        } else if ((mark = group_at(s)) != 0) {
            s->bad_group = true;
            s->p += mark;
        } else {
            return total;
        }
    }
}

static bool scan_exponent(struct scan *s)
{
    unsigned value = 0;
    s->out[s->len++] = *s->p++;
    if (s->p < s->end && (*s->p == '+' || *s->p == '-'))
        s->out[s->len++] = *s->p++;
    if (s->p == s->end || !odp_is_digit(*s->p))
        return false;
    while (s->end - s->p > 1 && *s->p == '0' && odp_is_digit(s->p[1]))
        s->p++;
    for (; s->p < s->end && odp_is_digit(*s->p); s->p++) {
        value = value * 10 + (unsigned)(*s->p - '0');
        if (value > EXPONENT_LIMIT) {
            s->too_long = true;
            value = EXPONENT_LIMIT;
        } else {
            s->out[s->len++] = *s->p;
        }
    }
    return true;
}

/* The whole grammar: sign, integer part, fraction, exponent. */
static enum odp_decimal_fault scan_number(struct scan *s, bool integer)
{
    bool fraction = false, exponent = false;
    if (s->p < s->end && (*s->p == '-' || *s->p == '+')) {
        if (*s->p == '-')
            s->out[s->len++] = '-';
        s->p++;
    }
    size_t whole = scan_integer(s), after = 0;
    if (s->p < s->end && *s->p == s->decimal) {
        fraction = true;
        s->p++;
        if (whole == 0)
            s->out[s->len++] = '0';
        after = scan_fraction(s);
    }
    if (whole + after == 0)
        return ODP_DECIMAL_SYNTAX;
    if (s->p < s->end && (*s->p == 'e' || *s->p == 'E')) {
        exponent = true;
        if (!scan_exponent(s))
            return ODP_DECIMAL_SYNTAX;
    }
    if (s->p != s->end)
        return ODP_DECIMAL_SYNTAX;
    if (s->bad_group)
        return ODP_DECIMAL_GROUP;
    if (s->too_long)
        return ODP_DECIMAL_TOO_LONG;
    return integer && (fraction || exponent) ? ODP_DECIMAL_FRACTION : ODP_DECIMAL_OK;
}

/* The verdict on S alone. */
static enum odp_decimal_fault try_number(struct odp_slice text, char decimal, char group, bool integer)
{
    char ignored[ODP_DECIMAL_SIZE];
    struct scan s = {
        .p = text.ptr, .end = text.ptr + text.len, .decimal = decimal, .group = group, .out = ignored};
    return scan_number(&s, integer);
}

/* Why S, which SYNTAX refuses, is not a number: perhaps it is one in the other notation. */
static enum odp_decimal_fault explain(struct odp_slice s, char decimal, char group, bool integer)
{
    char other = decimal == ',' ? '.' : ',';
    if (group == '\0' && integer && try_number(s, decimal, other, true) == ODP_DECIMAL_OK)
        return ODP_DECIMAL_GROUP;
    enum odp_decimal_fault swapped = try_number(s, other, group == other ? decimal : group, integer);
    if (swapped == ODP_DECIMAL_SYNTAX && group == '\0')
        swapped = try_number(s, other, decimal, integer);
    if (swapped == ODP_DECIMAL_OK)
        return ODP_DECIMAL_OTHER_MARK;
    if (swapped == ODP_DECIMAL_FRACTION)
        return ODP_DECIMAL_FRACTION;
    if (group == '\0' && try_number(s, decimal, other, integer) == ODP_DECIMAL_OK)
        return ODP_DECIMAL_GROUP;
    return ODP_DECIMAL_SYNTAX;
}

static bool is_special(struct odp_slice s)
{
    if (s.len > 0 && (*s.ptr == '-' || *s.ptr == '+'))
        s.ptr++, s.len--;
    return s.len == 3 && (strncasecmp(s.ptr, "nan", 3) == 0 || strncasecmp(s.ptr, "inf", 3) == 0);
}

/* The number inside S with text around it ("Rp 1.500,-", "12 %"): from the first digit, with its sign and a
 * decimal mark that begins it, to the last. The sign may come before the text ("-Rp 5"). Whatever could
 * change the number's meaning is left in and refused: brackets ("(500)" is negative to accountants), a sign
 * after the number, two signs, digits in the text. */
static struct odp_slice strip_text(struct odp_slice s, char decimal, char scratch[], size_t room)
{
    size_t first = 0, last = s.len;
    while (first < s.len && !odp_is_digit(s.ptr[first]))
        first++;
    if (first == s.len)
        return s;
    while (!odp_is_digit(s.ptr[last - 1]))
        last--;
    if (memchr(s.ptr, '(', first) != NULL || (last < s.len && (s.ptr[last] == '-' || s.ptr[last] == ')')))
        return s;
    size_t start = first;
    if (start > 0 && s.ptr[start - 1] == decimal && (start == 1 || strchr(" +-", s.ptr[start - 2]) != NULL))
        start--;
    bool sign = start > 0 && (s.ptr[start - 1] == '-' || s.ptr[start - 1] == '+');
    bool outer = start > (sign ? 1u : 0u) && (s.ptr[0] == '-' || s.ptr[0] == '+');
    if (sign && outer)
        return s;
    if (!outer) {
        start -= sign;
        return (struct odp_slice){s.ptr + start, last - start};
    }
    if (last - start + 1 > room)
        return s;
    scratch[0] = s.ptr[0];
    memcpy(scratch + 1, s.ptr + start, last - start);
    return (struct odp_slice){scratch, last - start + 1};
}

enum odp_decimal_fault odp_decimal_parse(struct odp_slice s, const struct odp_decimal_form *form,
                                         char out[ODP_DECIMAL_SIZE], size_t *len, bool *unchanged,
                                         bool *leading_zero)
{
    char scratch[2 * ODP_DECIMAL_SIZE], group = form->group,
                                        decimal = form->decimal != '\0' ? form->decimal : '.';
    bool fraction;
    *len = 0;
    *unchanged = *leading_zero = false;
    if (s.len == 0)
        return ODP_DECIMAL_EMPTY;
    if (form->integer &&
        group == decimal) /* integers have no decimalChar to declare: the group sign means what it says */
        decimal = group == '.' ? ',' : '.';
    if (parse_plain(s, decimal, out, &fraction)) {
        if (fraction && group == decimal)
            return ODP_DECIMAL_GROUP;
        *len = s.len;
        *unchanged = !fraction || decimal == '.';
        return fraction && form->integer ? ODP_DECIMAL_FRACTION : ODP_DECIMAL_OK;
    }
    struct odp_slice number = form->bare ? s : strip_text(s, decimal, scratch, sizeof scratch);
    struct scan scan = {
        .p = number.ptr, .end = number.ptr + number.len, .decimal = decimal, .group = group, .out = out};
    enum odp_decimal_fault fault = scan_number(&scan, form->integer);
    if (fault != ODP_DECIMAL_SYNTAX)
        *leading_zero = scan.leading_zero;
    if (fault == ODP_DECIMAL_OK) {
        *len = scan.len;
        *unchanged = *len == s.len && memcmp(out, s.ptr, s.len) == 0;
        return ODP_DECIMAL_OK;
    }
    if (fault != ODP_DECIMAL_SYNTAX)
        return fault;
    if (!form->integer && is_special(number))
        return ODP_DECIMAL_NOT_FINITE;
    return explain(number, decimal, group, form->integer);
}

size_t odp_decimal_in_form(struct odp_slice number, const struct odp_decimal_form *form,
                           char out[ODP_DECIMAL_FORM_SIZE])
{
    const char *point = memchr(number.ptr, '.', number.len);
    size_t whole = point != NULL ? (size_t)(point - number.ptr) : number.len, n = 0,
           sign = number.len > 0 && *number.ptr == '-';
    for (size_t k = 0; k < number.len; k++) {
        if (form->group != 0 && k > sign && k < whole && (whole - k) % 3 == 0)
            out[n++] = form->group;
        out[n++] = k == whole && form->decimal != 0 ? form->decimal : number.ptr[k];
    }
    return n;
}
