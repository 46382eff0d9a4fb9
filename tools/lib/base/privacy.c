/* Identifiers are found by shape, on the safe side of doubt in both directions: find (which refuses a
 * publication) wants a shape that hardly anything else has; mask (which protects a report) also hides what a
 * comma of a CSV line may have separated.
 *
 * A candidate begins at a digit, '+' or '(' that is not the middle of something longer: of a number, a
 * decimal fraction, a word, a dotted code. Plain 15-digit numbers are not taken for NPWP: amounts of money
 * look the same. */
#include "base/privacy.h"

#include "base/ascii.h"

struct text {
    const char *p;
    size_t len;
    bool comma_separates; /* a comma between digits is a delimiter, not a decimal sign */
};

static unsigned two(const char *d)
{
    return (unsigned)(d[0] - '0') * 10 + (unsigned)(d[1] - '0');
}

/* True where an identifier may begin: the character before I is not part of it. */
static bool starts_at(const struct text *t, size_t i)
{
    if (i == 0)
        return true;
    char before = t->p[i - 1];
    if (odp_is_alnum(before) || before == '_' || before == '-' || before == '+')
        return false;
    if (before == '.' || before == '/' || (before == ',' && !t->comma_separates))
        return i < 2 || !odp_is_digit(t->p[i - 2]);
    return true;
}

/* True where an identifier may end: the character at I is not part of it. */
static bool ends_at(const struct text *t, size_t i)
{
    if (i >= t->len)
        return true;
    char after = t->p[i];
    if (odp_is_alnum(after) || after == '_')
        return false;
    bool digit_follows = i + 1 < t->len && odp_is_digit(t->p[i + 1]);
    return !((after == '.' || after == '-') && digit_follows);
}

/* Digits from I on, with single separators between groups. */
#define DIGITS_MAX 17u
#define GROUPS_MAX 7u
struct run {
    char digits[DIGITS_MAX];
    size_t count, end;
    size_t groups, group[GROUPS_MAX];
    char separator; /* the one used, '\0' none, '*' several */
};

static void read_run(const struct text *t, size_t i, struct run *r)
{
    *r = (struct run){.end = i};
    while (i < t->len && r->count < DIGITS_MAX && r->groups < GROUPS_MAX) {
        size_t start = i;
        while (i < t->len && odp_is_digit(t->p[i]) && r->count < DIGITS_MAX)
            r->digits[r->count++] = t->p[i++];
        r->group[r->groups++] = i - start;
        r->end = i;
        if (i + 1 >= t->len || strchr(" -.", t->p[i]) == NULL || t->p[i] == '\0' ||
            !odp_is_digit(t->p[i + 1]))
            break;
        char c = t->p[i++];
        r->separator = r->separator == '\0' || r->separator == c ? c : '*';
    }
}

/* Province codes of the Kepmendagri, and 54 of those born in Timor Timur. */
static bool is_province(unsigned code)
{
    return (code >= 11 && code <= 19) || code == 21 || (code >= 31 && code <= 36) ||
           (code >= 51 && code <= 54) || (code >= 61 && code <= 65) || (code >= 71 && code <= 76) ||
           code == 81 || code == 82 || (code >= 91 && code <= 96);
}

static bool is_nik(const char *d)
{
    static const unsigned char days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    unsigned day = two(d + 6), month = two(d + 8);
    if (day > 40)
        day -= 40;
    return is_province(two(d)) && two(d + 2) >= 1 && two(d + 2) <= 79 && two(d + 4) >= 1 && month >= 1 &&
           month <= 12 && day >= 1 && day <= days[month - 1] && memcmp(d + 12, "0000", 4) != 0;
}

/* 16 digits together, or 4-4-4-4, or 6-6-4 with one kind of separator. The longer run has been refused by its
 * count. */
static bool match_nik(const struct text *t, size_t i, size_t *end)
{
    struct run r;
    size_t n = 0;
    while (i + n < t->len && n <= 16 && odp_is_digit(t->p[i + n]))
        n++;
    if (n == 16 && ends_at(t, i + n) && is_nik(t->p + i)) {
        *end = i + n;
        return true;
    }
    if (n != 4 && n != 6)
        return false;
    read_run(t, i, &r);
    bool fours = r.groups == 4 && r.group[0] == 4 && r.group[1] == 4 && r.group[2] == 4;
    bool sixes = r.groups == 3 && r.group[0] == 6 && r.group[1] == 6;
    *end = r.end;
    return r.count == 16 && r.separator != '*' && (fours || sixes) && ends_at(t, r.end) && is_nik(r.digits);
}

/* 99.999.999.9-999.999, also with a dot for the hyphen. */
static bool match_npwp(const struct text *t, size_t i, size_t *end)
{
    static const char shape[] = "99.999.999.9-999.999";
    size_t n = sizeof shape - 1;
    if (t->len - i < n)
        return false;
    for (size_t k = 0; k < n; k++) {
        char c = t->p[i + k];
        bool fits = shape[k] == '9' ? odp_is_digit(c) : c == shape[k] || (shape[k] == '-' && c == '.');
        if (!fits)
            return false;
    }
    *end = i + n;
    return ends_at(t, i + n);
}

/* National mobile number without prefix: 8 and an operator's digit, 9 to 12 digits in all. */
static bool is_mobile(const char *d, size_t n)
{
    return n >= 9 && n <= 12 && d[0] == '8' && strchr("1235789", d[1]) != NULL;
}

/* Groups after the FIRST one must be long enough for a telephone: 08-12-34-56 is a code. */
static bool phone_groups(const struct run *r, size_t first)
{
    for (size_t g = first; g < r->groups; g++)
        if (r->group[g] < 3)
            return false;
    return r->separator != '.' || r->group[0] >= 3;
}

/* 021, 022, 024, 031, 061 have three digits, the other area codes four. */
static size_t area_digits(const char *d)
{
    static const char *const cities[] = {"021", "022", "024", "031", "061"};
    for (size_t i = 0; i < ODP_COUNT(cities); i++)
        if (memcmp(d, cities[i], 3) == 0)
            return 3;
    return d[0] == '0' && strchr("2345679", d[1]) != NULL && d[2] != '0' ? 4 : 0;
}

/* (021) 5551234, (0274) 512345, 0274-512345. */
static bool match_landline(const struct text *t, size_t i, size_t *end)
{
    bool brackets = t->p[i] == '(';
    size_t start = i + brackets, area, n = 0;
    if (t->len - start < 5 || !odp_is_digit(t->p[start]) || !odp_is_digit(t->p[start + 1]) ||
        !odp_is_digit(t->p[start + 2]))
        return false;
    area = area_digits(t->p + start);
    if (area == 0 || (area == 4 && !odp_is_digit(t->p[start + 3])))
        return false;
    i = start + area;
    if (t->p[i++] != (brackets ? ')' : '-'))
        return false;
    while (brackets && i < t->len && (t->p[i] == ' ' || t->p[i] == '-'))
        i++;
    for (; i < t->len && n <= 9 &&
           (odp_is_digit(t->p[i]) || (n >= 3 && n <= 4 && (t->p[i] == ' ' || t->p[i] == '-')));
         i++)
        n += odp_is_digit(t->p[i]);
    if (n > 0 && !odp_is_digit(t->p[i - 1]))
        i--;
    *end = i;
    return n >= (brackets ? 5u : 6u) && n <= 8 && ends_at(t, i) &&
           (brackets || i == t->len || t->p[i] != '/');
}

static bool match_phone(const struct text *t, size_t i, size_t *end)
{
    struct run r;
    bool plus = t->p[i] == '+';
    if (t->p[i] == '(')
        return match_landline(t, i, end);
    if (!plus && t->p[i] != '0' && t->p[i] != '6')
        return false; /* all that follow begin so */
    read_run(t, i + plus, &r);
    *end = r.end;
    const char *d = r.digits;
    size_t n = r.count;
    if (n >= 10 && n <= 15 && ends_at(t, r.end)) {
        if (plus && d[0] == '6' && d[1] == '2' && phone_groups(&r, r.group[0] == 2 ? 2 : 1)) {
            const char *national = d + 2 + (d[2] == '0'); /* +62 0812…: a common slip */
            size_t rest = n - (size_t)(national - d);
            return is_mobile(national, rest) ||
                   (rest >= 8 && rest <= 11 && strchr("234567", *national) != NULL);
        }
        /* Without '+' an amount of money may begin with 628: those end in noughts */
        if (!plus && d[0] == '6' && d[1] == '2' && n >= 12 && phone_groups(&r, r.group[0] == 2 ? 1 : 0))
            return is_mobile(d + 2, n - 2) && memcmp(d + n - 3, "000", 3) != 0;
        if (!plus && d[0] == '0' && phone_groups(&r, 0) && is_mobile(d + 1, n - 1))
            return true;
    }
    return !plus && d[0] == '0' && match_landline(t, i, end);
}

static bool is_local(char c)
{
    return odp_is_alnum(c) || (c != '\0' && strchr("._%+-", c) != NULL);
}

/* Length of the domain at P: labels of letters, digits and inner hyphens, the last of two letters or more; 0
 * when none. */
static size_t domain_at(const char *p, size_t n)
{
    size_t good = 0, i = 0;
    for (bool first = true;; first = false) {
        size_t start = i;
        bool letters = true;
        while (i < n && (odp_is_alnum(p[i]) || p[i] == '-')) {
            letters = letters && !odp_is_digit(p[i]) && p[i] != '-';
            i++;
        }
        if (i == start || p[start] == '-' || p[i - 1] == '-')
            return good;
        if (!first && letters && i - start >= 2)
            good = i;
        if (i == n || p[i] != '.')
            return good;
        i++;
    }
}

/* The first e-mail address at or after FROM. */
static bool find_email(const struct text *t, size_t from, size_t *start, size_t *end)
{
    size_t i = from;
    while (i < t->len) {
        const char *at = memchr(t->p + i, '@', t->len - i);
        if (at == NULL)
            return false;
        size_t place = (size_t)(at - t->p), first = place;
        while (first > from && place - first < 64 && is_local(t->p[first - 1]))
            first--;
        while (first < place && !odp_is_alnum(t->p[first]))
            first++;
        size_t domain = domain_at(at + 1, t->len - place - 1);
        if (first < place && domain != 0) {
            *start = first;
            *end = place + 1 + domain;
            return true;
        }
        i = place + 1;
    }
    return false;
}

static enum odp_privacy_kind number_at(const struct text *t, size_t i, size_t *end)
{
    if (odp_is_digit(t->p[i])) {
        if (match_nik(t, i, end))
            return ODP_PRIVACY_NIK;
        if (match_npwp(t, i, end))
            return ODP_PRIVACY_NPWP;
    }
    return match_phone(t, i, end) ? ODP_PRIVACY_PHONE : ODP_PRIVACY_NONE;
}

static enum odp_privacy_kind find(const struct text *t, size_t from, size_t *start, size_t *len)
{
    size_t email_start = t->len, email_end = t->len, end;
    bool email = t->len - from >= 6 && find_email(t, from, &email_start, &email_end);
    for (size_t i = from; i < email_start && t->len - i >= 10;) {
        char c = t->p[i];
        if (!odp_is_digit(c) && c != '+' && c != '(') {
            i++;
            continue;
        }
        if (starts_at(t, i)) {
            enum odp_privacy_kind kind = number_at(t, i, &end);
            if (kind != ODP_PRIVACY_NONE && end <= email_start) {
                *start = i;
                *len = end - i;
                return kind;
            }
        }
        for (i++; i < t->len && odp_is_digit(t->p[i]) && odp_is_digit(t->p[i - 1]); i++)
            ; /* the rest of this run begins no identifier */
    }
    if (!email)
        return ODP_PRIVACY_NONE;
    *start = email_start;
    *len = email_end - email_start;
    return ODP_PRIVACY_EMAIL;
}

enum odp_privacy_kind odp_privacy_find(struct odp_slice s, size_t from, size_t *start, size_t *len)
{
    struct text t = {s.ptr, s.len, false};
    *start = *len = 0;
    return from < s.len ? find(&t, from, start, len) : ODP_PRIVACY_NONE;
}

void odp_privacy_mask(struct odp_slice s, struct odp_buffer *out)
{
    struct text t = {s.ptr, s.len, true};
    size_t at = 0, start, len;
    while (at < s.len && find(&t, at, &start, &len) != ODP_PRIVACY_NONE) {
        odp_buffer_add(out, s.ptr + at, start - at);
        char *p = odp_buffer_reserve(out, len); /* identifiers are ASCII: as many characters as bytes */
        if (p == NULL)
            return;
        memset(p, '*', len);
        out->len += len;
        at = start + len;
    }
    odp_buffer_add(out, s.ptr + at, s.len - at);
}
