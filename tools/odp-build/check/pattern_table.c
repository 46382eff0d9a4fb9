/* Three steps: the pattern is read into positions (Glushkov: one for each byte it may read, with those that may follow it); sets of positions
 * become states; bytes that no position tells apart become classes. */
#include "check/pattern_table.h"

#include <stdlib.h>

#define POSITIONS 256 /* 0 is the beginning */
#define WORDS     (POSITIONS / 64)
#define STATES    256
#define DEPTH     12
#define BRANCHES  32  /* ways that a search may have to try, all together */

struct set { /* of positions */
    uint64_t word[WORDS];
};

struct bytes { /* of ASCII */
    uint64_t word[2];
};

/* A part of the pattern. */
struct part {
    struct set first, last;
    bool nullable;
};

struct reader {
    const char *p;
    size_t at, len;
    unsigned n, depth;              /* positions; groups around */
    struct bytes reads[POSITIONS];
    struct set follow[POSITIONS];
    bool looped[POSITIONS];         /* may be come by again */
    bool twice;                     /* an edge was made twice */
};

/* ---- sets ------------------------------------------------------------------------------------------------------------ */

static void set_add(struct set *s, unsigned i)
{
    s->word[i / 64] |= (uint64_t)1 << (i % 64);
}

static bool set_has(const struct set *s, unsigned i)
{
    return (s->word[i / 64] >> (i % 64) & 1) != 0;
}

static void set_join(struct set *s, const struct set *other)
{
    for (unsigned w = 0; w < WORDS; w++)
        s->word[w] |= other->word[w];
}

static bool set_empty(const struct set *s)
{
    return (s->word[0] | s->word[1] | s->word[2] | s->word[3]) == 0;
}

static void bytes_add(struct bytes *b, unsigned char first, unsigned char last)
{
    for (unsigned c = first; c <= last; c++)
        b->word[c / 64] |= (uint64_t)1 << (c % 64);
}

static bool bytes_have(const struct bytes *b, unsigned c)
{
    return (b->word[c / 64] >> (c % 64) & 1) != 0;
}

static void bytes_invert(struct bytes *b)
{
    b->word[0] = ~b->word[0];
    b->word[1] = ~b->word[1];
}

/* ---- reading: each returns false where the pattern is not of the kind ------------------------------------------------- */

static bool read_alternatives(struct reader *r, struct part *out);

/* Every position of FROM may be followed by every one of TO. */
static void connect(struct reader *r, const struct set *from, const struct set *to)
{
    for (unsigned i = 0; i <= r->n; i++)
        if (set_has(from, i)) {
            for (unsigned w = 0; w < WORDS; w++)
                r->twice = r->twice || (r->follow[i].word[w] & to->word[w]) != 0;
            set_join(&r->follow[i], to);
        }
}

static bool is_punctuation(char c)
{
    return c > ' ' && c < 0x7f && !(c >= '0' && c <= '9') && !((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

/* At a backslash. *SINGLE: the byte that is meant, or -1 for a set. As PCRE2 reads it with UCP, as far as ASCII goes. */
static bool read_escape(struct reader *r, struct bytes *out, int *single)
{
    char c = r->at + 1 < r->len ? r->p[r->at + 1] : '\0';
    struct bytes set = {{0}};
    r->at += 2;
    *single = c == 'n' ? '\n' : c == 'r' ? '\r' : c == 't' ? '\t' : is_punctuation(c) ? c : -1;
    switch (c | 0x20) {
    case 'd':
        bytes_add(&set, '0', '9');
        break;
    case 'w':
        bytes_add(&set, '0', '9');
        bytes_add(&set, 'A', 'Z');
        bytes_add(&set, 'a', 'z');
        bytes_add(&set, '_', '_');
        break;
    case 's':
        bytes_add(&set, '\t', '\r');
        bytes_add(&set, ' ', ' ');
        break;
    default:
        if (*single >= 0)
            bytes_add(out, (unsigned char)*single, (unsigned char)*single);
        return *single >= 0;
    }
    if (*single >= 0) { /* punctuation that differs from a letter by bit 5 */
        bytes_add(out, (unsigned char)*single, (unsigned char)*single);
        return true;
    }
    if (c < 'a')
        bytes_invert(&set);
    out->word[0] |= set.word[0];
    out->word[1] |= set.word[1];
    return true;
}

static bool read_class(struct reader *r, struct bytes *out)
{
    bool invert = ++r->at < r->len && r->p[r->at] == '^';
    r->at += invert;
    for (size_t start = r->at; r->at < r->len;) {
        unsigned char c = (unsigned char)r->p[r->at];
        int low = c;
        if (c == ']' && r->at > start) {
            r->at++;
            if (invert)
                bytes_invert(out);
            return true;
        }
        if (c == '[' || c == ']' || c >= 0x80 || c == '\0')
            return false;
        if (c == '\\') {
            if (!read_escape(r, out, &low))
                return false;
        } else {
            bytes_add(out, c, c);
            r->at++;
        }
        if (r->at + 1 >= r->len || r->p[r->at] != '-' || r->p[r->at + 1] == ']')
            continue;
        unsigned char high = (unsigned char)r->p[r->at + 1];
        if (low < 0 || high == '\\' || high == '[' || high >= 0x80 || high < low)
            return false; /* what a hyphen behind a set means, others may decide */
        bytes_add(out, (unsigned char)low, high);
        r->at += 2;
    }
    return false;
}

static bool read_group(struct reader *r, struct part *out)
{
    r->at++;
    if (r->at < r->len && (r->p[r->at] == '*' || r->p[r->at] == '?')) {
        if (r->at + 1 >= r->len || r->p[r->at] != '?' || r->p[r->at + 1] != ':')
            return false;
        r->at += 2;
    }
    if (++r->depth > DEPTH || !read_alternatives(r, out) || r->at >= r->len || r->p[r->at] != ')')
        return false;
    r->depth--;
    r->at++;
    return true;
}

static bool read_atom(struct reader *r, struct part *out)
{
    char c = r->p[r->at];
    struct bytes set = {{0}};
    int single;
    *out = (struct part){0};
    if (c == '(')
        return read_group(r, out);
    if (c == '[') {
        if (!read_class(r, &set))
            return false;
    } else if (c == '\\') {
        if (!read_escape(r, &set, &single))
            return false;
    } else if (c == '.') {
        bytes_add(&set, '\n', '\n');
        bytes_add(&set, '\r', '\r');
        bytes_invert(&set);
        r->at++;
    } else {
        if ((unsigned char)c >= 0x80 || c == '\0' || strchr("*+?{}])^$", c) != NULL)
            return false;
        bytes_add(&set, (unsigned char)c, (unsigned char)c);
        r->at++;
    }
    if (++r->n >= POSITIONS)
        return false;
    r->reads[r->n] = set;
    set_add(&out->first, r->n);
    set_add(&out->last, r->n);
    return true;
}

static bool read_count(struct reader *r, unsigned *out)
{
    size_t start = r->at;
    *out = 0;
    for (; r->at < r->len && r->p[r->at] >= '0' && r->p[r->at] <= '9' && *out < POSITIONS; r->at++)
        *out = *out * 10 + (unsigned)(r->p[r->at] - '0');
    return r->at > start && *out < POSITIONS;
}

/* *MOST: UINT_MAX where there is no end. Without a quantifier 1, 1. */
static bool read_quantifier(struct reader *r, unsigned *least, unsigned *most)
{
    char c = r->at < r->len ? r->p[r->at] : '\0';
    *least = *most = 1;
    if (c != '*' && c != '+' && c != '?' && c != '{')
        return true;
    r->at++;
    *least = c == '+' ? 1 : 0;
    *most = c == '?' ? 1 : UINT32_MAX;
    if (c == '{') {
        if (!read_count(r, least))
            return false;
        *most = *least;
        if (r->at < r->len && r->p[r->at] == ',') {
            r->at++;
            *most = UINT32_MAX;
            if (r->at < r->len && r->p[r->at] != '}' && !read_count(r, most))
                return false;
        }
        if (r->at >= r->len || r->p[r->at++] != '}' || *most < *least || *most == 0)
            return false;
    }
    c = r->at < r->len ? r->p[r->at] : '\0';
    return c != '*' && c != '+' && c != '?' && c != '{'; /* lazy, possessive */
}

/* OUT, then NEXT. */
static void append(struct reader *r, struct part *out, const struct part *next)
{
    connect(r, &out->last, &next->first);
    if (out->nullable)
        set_join(&out->first, &next->first);
    if (next->nullable)
        set_join(&out->last, &next->last);
    else
        out->last = next->last;
    out->nullable = out->nullable && next->nullable;
}

/* An atom with its quantifier: as many copies as it takes, each read anew. */
static bool read_piece(struct reader *r, struct part *out)
{
    size_t start = r->at, end;
    unsigned least, most, from = r->n + 1;
    struct part whole;
    if (!read_atom(r, &whole) || !read_quantifier(r, &least, &most))
        return false;
    end = r->at;
    if (least == 1 && most == 1) {
        *out = whole;
        return true;
    }
    if (whole.nullable)
        return false; /* nothing, as often as one likes */
    struct part copy = whole, tail = whole;
    unsigned copies = most != UINT32_MAX ? most : least > 1 ? least : 1;
    whole.nullable = least == 0;
    for (unsigned k = 1; k < copies; k++) {
        r->at = start;
        from = r->n + 1;
        if (!read_atom(r, &copy))
            return false;
        connect(r, &tail.last, &copy.first);
        tail = copy;
        if (k < least)
            whole.last = copy.last;
        else
            set_join(&whole.last, &copy.last);
    }
    r->at = end;
    if (most == UINT32_MAX) {
        connect(r, &tail.last, &tail.first);
        for (unsigned i = from; i <= r->n; i++)
            r->looped[i] = true;
    }
    *out = whole;
    return true;
}

/* ^ and $ say what is so anyhow, where the whole value is matched: at the ends of the pattern's own alternatives. */
static bool read_sequence(struct reader *r, struct part *out)
{
    struct part piece;
    *out = (struct part){.nullable = true};
    if (r->depth == 0 && r->at < r->len && r->p[r->at] == '^')
        r->at++;
    while (r->at < r->len && r->p[r->at] != '|' && r->p[r->at] != ')') {
        if (r->p[r->at] == '$' && r->depth == 0 && (r->at + 1 == r->len || r->p[r->at + 1] == '|')) {
            r->at++;
            break;
        }
        if (!read_piece(r, &piece))
            return false;
        append(r, out, &piece);
    }
    return true;
}

static bool read_alternatives(struct reader *r, struct part *out)
{
    if (!read_sequence(r, out))
        return false;
    while (r->at < r->len && r->p[r->at] == '|') {
        struct part other;
        r->at++;
        if (!read_sequence(r, &other) || (out->nullable && other.nullable))
            return false;
        set_join(&out->first, &other.first);
        set_join(&out->last, &other.last);
        out->nullable = out->nullable || other.nullable;
    }
    return true;
}

/* The most of those that follow position I that read the same byte. */
static unsigned most_readers(const struct reader *r, unsigned i)
{
    struct bytes seen = {{0}}, shared = {{0}};
    unsigned most = 1;
    for (unsigned k = 1; k <= r->n; k++)
        for (unsigned w = 0; w < 2 && set_has(&r->follow[i], k); w++) {
            shared.word[w] |= seen.word[w] & r->reads[k].word[w];
            seen.word[w] |= r->reads[k].word[w];
        }
    for (unsigned c = 0; c < 128; c++) {
        unsigned readers = 0;
        for (unsigned k = 1; k <= r->n && bytes_have(&shared, c); k++)
            readers += set_has(&r->follow[i], k) && bytes_have(&r->reads[k], c);
        most = readers > most ? readers : most;
    }
    return most;
}

/* How many ways a search may have to try: where a byte can be read by several of those that follow, once for each. In loops there must
 * be one way only. */
static bool branches_little(const struct reader *r)
{
    unsigned all = 1;
    for (unsigned i = 0; i <= r->n && !r->twice; i++) {
        unsigned readers = most_readers(r, i);
        all *= readers;
        if ((readers > 1 && r->looped[i]) || all > BRANCHES)
            return false;
    }
    return !r->twice;
}

/* ---- states ---------------------------------------------------------------------------------------------------------- */

struct builder {
    const struct reader *r;
    struct set state[STATES];
    uint16_t next[STATES][128];  /* by class */
    uint8_t class_of[128], some[128]; /* a byte of each class */
    unsigned states, classes;
    struct set ends;             /* positions that end the pattern */
};

/* Whether the same positions read C and D. */
static bool alike(const struct reader *r, unsigned c, unsigned d)
{
    for (unsigned i = 1; i <= r->n; i++)
        if (bytes_have(&r->reads[i], c) != bytes_have(&r->reads[i], d))
            return false;
    return true;
}

/* Bytes that no position tells apart are one class; most are of that of the byte before. */
static void make_classes(struct builder *b)
{
    for (unsigned c = 0; c < 128; c++) {
        unsigned k = 0;
        if (c > 0 && alike(b->r, c, c - 1))
            k = b->class_of[c - 1];
        else
            while (k < b->classes && !alike(b->r, c, b->some[k]))
                k++;
        if (k == b->classes)
            b->some[b->classes++] = (uint8_t)c;
        b->class_of[c] = (uint8_t)k;
    }
}

/* The state for the positions S, made where there is none yet; STATES: no room. */
static unsigned state_of(struct builder *b, const struct set *s)
{
    if (set_empty(s))
        return PATTERN_FAIL;
    for (unsigned k = PATTERN_START; k < b->states; k++)
        if (memcmp(&b->state[k], s, sizeof *s) == 0)
            return k;
    if (b->states < STATES)
        b->state[b->states] = *s;
    return b->states < STATES ? b->states++ : STATES;
}

static bool make_states(struct builder *b)
{
    struct set start = {{0}};
    set_add(&start, 0);
    b->states = PATTERN_START;
    (void)state_of(b, &start);
    for (unsigned at = PATTERN_START; at < b->states; at++) {
        struct set after = {{0}};
        for (unsigned i = 0; i <= b->r->n; i++)
            if (set_has(&b->state[at], i))
                set_join(&after, &b->r->follow[i]);
        for (unsigned c = 0; c < b->classes; c++) {
            struct set reached = {{0}};
            for (unsigned i = 1; i <= b->r->n; i++)
                if (set_has(&after, i) && bytes_have(&b->r->reads[i], b->some[c]))
                    set_add(&reached, i);
            unsigned to = state_of(b, &reached);
            if (to == STATES)
                return false;
            b->next[at][c] = (uint16_t)to;
        }
    }
    return true;
}

/* The one state that follows AT, and the range of bytes that lead to it; FAIL: there is none. False: there are several, or the bytes have gaps. */
static bool one_way(const struct builder *b, unsigned at, unsigned *to, unsigned char *low, unsigned char *high)
{
    *to = PATTERN_FAIL;
    for (unsigned c = 0; c < 128; c++) {
        unsigned next = b->next[at][b->class_of[c]];
        if (next == PATTERN_FAIL)
            continue;
        if (*to == PATTERN_FAIL)
            *low = (unsigned char)c;
        else if (next != *to || *high + 1u != c)
            return false;
        *to = next;
        *high = (unsigned char)c;
    }
    return true;
}

/* As far as there is one way only. */
static void write_row(const struct builder *b, struct odp_pattern_table *t)
{
    unsigned at = PATTERN_START, to;
    for (unsigned n = 0; at != PATTERN_FAIL && n <= PATTERN_ROW; n++, at = to) {
        unsigned char low = 0, high = 0;
        t->lengths |= (uint32_t)t->accepts[at * t->classes] << n;
        if (!one_way(b, at, &to, &low, &high) || n == PATTERN_ROW)
            return;
        t->low[n / 8] |= (uint64_t)low << (8 * (n % 8));
        t->high[n / 8] |= (uint64_t)high << (8 * (n % 8));
    }
}

/* States are numbered by the place of their row. */
static enum odp_status write_table(struct odp_arena *arena, const struct builder *b, const struct odp_pattern_table **out)
{
    struct odp_pattern_table *t = odp_arena_zero(arena, 1, sizeof *t);
    uint32_t width = b->classes + 1, high = b->classes; /* the class of bytes beyond ASCII */
    uint16_t *next = odp_arena_zero(arena, (size_t)b->states * width, sizeof *next);
    uint8_t *accepts = odp_arena_zero(arena, (size_t)b->states * width, 1);
    if (t == NULL || next == NULL || accepts == NULL)
        return ODP_FAIL;
    for (unsigned c = 0; c < 256; c++)
        t->class_of[c] = c < 128 ? b->class_of[c] : (uint8_t)high;
    for (unsigned k = 0; k < b->states; k++) {
        for (unsigned c = 0; c < width; c++) {
            unsigned to = k == PATTERN_FAIL ? PATTERN_FAIL : k == PATTERN_ASK || c == high ? PATTERN_ASK : b->next[k][c];
            next[k * width + c] = (uint16_t)(to * width);
        }
        for (unsigned w = 0; w < WORDS; w++)
            accepts[k * width] |= (b->state[k].word[w] & b->ends.word[w]) != 0;
    }
    t->next = next;
    t->accepts = accepts;
    t->classes = width;
    write_row(b, t);
    *out = t;
    return ODP_OK;
}

enum odp_status odp_pattern_table_new(struct odp_arena *arena, struct odp_slice pattern, const struct odp_pattern_table **out)
{
    struct part all;
    enum odp_status status = ODP_OK;
    struct reader *r = odp_realloc_array(NULL, 1, sizeof *r);
    struct builder *b = odp_realloc_array(NULL, 1, sizeof *b);
    *out = NULL;
    if (r == NULL || b == NULL) {
        status = ODP_FAIL;
        goto done;
    }
    memset(r, 0, sizeof *r);
    b->states = b->classes = 0;
    memset(b->state, 0, PATTERN_START * sizeof *b->state); /* FAIL and ASK hold no position */
    r->p = pattern.ptr;
    r->len = pattern.len;
    if (!read_alternatives(r, &all) || r->at != r->len)
        goto done;
    r->follow[0] = all.first;
    b->r = r;
    b->ends = all.last;
    if (all.nullable)
        set_add(&b->ends, 0);
    if (!branches_little(r))
        goto done;
    make_classes(b);
    if (make_states(b) && (size_t)b->states * (b->classes + 1) <= UINT16_MAX)
        status = write_table(arena, b, out);
done:
    free(r);
    free(b);
    return status;
}
