#include "core/accept.h"

#include "base/line.h"

static int lower(char c)
{
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

bool odp_accept_is(struct odp_slice s, const char *word)
{
    if (strlen(word) != s.len)
        return false;
    for (size_t i = 0; i < s.len; i++)
        if (lower(s.ptr[i]) != (unsigned char)word[i])
            return false;
    return true;
}

static struct odp_slice cut(struct odp_slice *rest, char c)
{
    return odp_slice_trim(odp_slice_cut(rest, c));
}

/* qvalue = "0" ["." 0*3DIGIT] / "1" ["." 0*3"0"]; else -1. */
static int weight(struct odp_slice s)
{
    if (s.len == 0 || s.len > 5 || (s.ptr[0] != '0' && s.ptr[0] != '1') || (s.len > 1 && s.ptr[1] != '.'))
        return -1;
    int q = (s.ptr[0] - '0') * 1000, unit = 100;
    for (size_t i = 2; i < s.len; i++, unit /= 10) {
        if (s.ptr[i] < '0' || s.ptr[i] > '9')
            return -1;
        q += (s.ptr[i] - '0') * unit;
    }
    return q <= 1000 ? q : -1;
}

/* A token, or two with a slash between (a media range). */
static bool is_name(struct odp_slice s)
{
    for (size_t i = 0; i < s.len; i++) {
        int c = lower(s.ptr[i]);
        if ((c < 'a' || c > 'z') && (c < '0' || c > '9') && (c == 0 || strchr("!#$%&'*+-./^_`|~", c) == NULL))
            return false;
    }
    return s.len > 0;
}

bool odp_accept_next(struct odp_slice *rest, struct odp_slice *name, int *q)
{
    while (rest->len > 0) {
        struct odp_slice member = cut(rest, ',');
        *name = cut(&member, ';');
        *q = 1000;
        while (member.len > 0) {
            struct odp_slice parameter = cut(&member, ';');
            if (parameter.len >= 2 && lower(parameter.ptr[0]) == 'q' && parameter.ptr[1] == '=')
                *q = weight((struct odp_slice){parameter.ptr + 2, parameter.len - 2});
        }
        if (is_name(*name) && *q >= 0)
            return true;
    }
    return false;
}

/* How well RANGE names TYPE: 3 as it is, 2 its first half, 1 anything; 0 not. */
static int fit(struct odp_slice range, const char *type)
{
    if (odp_accept_is(range, type))
        return 3;
    return odp_accept_is(range, type[0] == 't' ? "text/*" : "application/*") ? 2
                                                                             : odp_accept_is(range, "*/*");
}

int odp_accept_weight(struct odp_slice accept, const char *type)
{
    struct odp_slice range;
    int best = 0, weight = -1, q;
    while (odp_accept_next(&accept, &range, &q)) {
        int f = fit(range, type);
        if (f > best) {
            best = f;
            weight = q;
        }
    }
    return weight;
}

bool odp_accept_is_usual(struct odp_slice accept)
{
    return accept.len == 0 || odp_slice_is(accept, "*/*") || odp_slice_is(accept, "application/json");
}
