/* Patterns as tables against PCRE2: random patterns of the kind and around it, values that fit, nearly fit, and do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "base/buffer.h"
#include "check/pattern_table.h"

static uint64_t seed = 88172645463325252u;

static unsigned below(unsigned n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (unsigned)(seed >> 20) % n;
}

struct engine {
    pcre2_code *code;
    pcre2_match_data *data;
    pcre2_match_context *limits;
};

/* As catalog/pattern.c compiles, and validator.c limits. False: PCRE2 does not know the pattern. */
static bool engine_open(struct engine *e, struct odp_slice pattern)
{
    int error;
    size_t at;
    pcre2_compile_context *context = pcre2_compile_context_create(NULL);
    assert_non_null(context);
    pcre2_set_newline(context, PCRE2_NEWLINE_ANYCRLF);
    e->code = pcre2_compile((PCRE2_SPTR)pattern.ptr, pattern.len,
                            PCRE2_UTF | PCRE2_UCP | PCRE2_ANCHORED | PCRE2_ENDANCHORED | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C, &error,
                            &at, context);
    pcre2_compile_context_free(context);
    if (e->code == NULL)
        return false;
    if (below(2) == 0)
        (void)pcre2_jit_compile(e->code, PCRE2_JIT_COMPLETE);
    e->data = pcre2_match_data_create(1, NULL);
    e->limits = pcre2_match_context_create(NULL);
    assert_true(e->data != NULL && e->limits != NULL);
    (void)pcre2_set_match_limit(e->limits, 200000);
    (void)pcre2_set_depth_limit(e->limits, 2000);
    return true;
}

static void engine_close(struct engine *e)
{
    pcre2_code_free(e->code);
    pcre2_match_data_free(e->data);
    pcre2_match_context_free(e->limits);
}

static int engine_match(const struct engine *e, struct odp_slice s)
{
    int r = pcre2_match(e->code, (PCRE2_SPTR)s.ptr, s.len, 0, PCRE2_NO_UTF_CHECK, e->data, e->limits);
    return r >= 0 ? 1 : r == PCRE2_ERROR_NOMATCH ? 0 : -1;
}

static void compare(const struct odp_pattern_table *t, const struct engine *e, struct odp_slice pattern, struct odp_slice s, unsigned *matches)
{
    int mine = odp_pattern_table_match(t, s);
    if (mine < 0)
        return;
    int theirs = engine_match(e, s);
    if (mine != theirs)
        fail_msg("pattern '%.*s', value '%.*s': table %d, PCRE2 %d", (int)pattern.len, pattern.ptr, (int)s.len, s.ptr, mine, theirs);
    *matches += mine == 1;
}

/* ---- values ------------------------------------------------------------------------------------------------------------ */

/* A value that the table may accept: a way through its states, with bytes taken at random. */
static size_t walk(const struct odp_pattern_table *t, char *out, size_t room)
{
    uint32_t at = PATTERN_START * t->classes;
    size_t n = 0;
    while (n < room && !(t->accepts[at] && below(4) == 0)) {
        uint32_t to = 0;
        unsigned char c = 0;
        for (unsigned tries = 0; tries < 400 && to == 0; tries++) {
            c = (unsigned char)below(128);
            to = t->next[at + t->class_of[c]];
        }
        if (to == 0)
            break;
        out[n++] = (char)c;
        at = to;
    }
    return n;
}

static const char *const pieces[] = {"a", "b", "Z", "0", "7", "-", ".", " ", "\n", "\r", "\t", "_", "\x7f", "é", "٣", "\xe2\x80\xa8", "日", "+", "]", "\\", "|", "\v", "\x1c"};

static size_t scramble(char *out, size_t n, size_t room)
{
    for (unsigned k = below(3); k > 0 && n > 0; k--) {
        size_t at = below((unsigned)n);
        switch (below(3)) {
        case 0: /* one byte less */
            memmove(out + at, out + at + 1, n - at - 1);
            n--;
            break;
        case 1:
            out[at] = (char)below(128);
            break;
        default: {
            const char *p = pieces[below(sizeof pieces / sizeof *pieces)];
            if (n + strlen(p) < room) {
                memmove(out + at + strlen(p), out + at, n - at);
                memcpy(out + at, p, strlen(p));
                n += strlen(p);
            }
        }
        }
    }
    return n;
}

static unsigned try_values(const struct odp_pattern_table *t, const struct engine *e, struct odp_slice pattern, unsigned rounds)
{
    unsigned matches = 0;
    char value[160];
    for (unsigned k = 0; k < rounds; k++) {
        size_t n = 0;
        if (below(4) > 0) {
            n = walk(t, value, 100);
        } else {
            for (unsigned i = below(8); i > 0; i--) {
                const char *p = pieces[below(sizeof pieces / sizeof *pieces)];
                memcpy(value + n, p, strlen(p));
                n += strlen(p);
            }
        }
        bool ascii = true;
        for (size_t i = 0; i < n; i++)
            ascii = ascii && (unsigned char)value[i] < 0x80;
        if (ascii) /* a broken character never reaches a pattern */
            n = scramble(value, n, sizeof value);
        compare(t, e, pattern, (struct odp_slice){value, n}, &matches);
    }
    return matches;
}

/* ---- patterns ---------------------------------------------------------------------------------------------------------- */

static void add_atom(struct odp_buffer *out, unsigned depth);

static void add_quantifier(struct odp_buffer *out)
{
    static const char *const some[] = {"*", "+", "?", "{2}", "{0,2}", "{1,3}", "{2,}", "{3,1}", "{0}", "{,2}", "*?", "++", "{2", "{10,12}", "{1}"};
    if (below(3) == 0)
        odp_buffer_add_str(out, some[below(below(2) ? 6 : sizeof some / sizeof *some)]);
}

static void add_pattern(struct odp_buffer *out, unsigned depth)
{
    for (unsigned k = below(depth > 0 ? 3 : 5) + (below(20) > 0); k > 0; k--) {
        add_atom(out, depth);
        add_quantifier(out);
        if (below(depth > 0 ? 5 : 12) == 0)
            odp_buffer_add_char(out, '|');
    }
}

static void add_class(struct odp_buffer *out)
{
    static const char *const some[] = {"a-z", "0-9", "A", "-", "\\d", "\\w", "\\s", "\\D", "\\-", "\\]", "_", "+-.", "b", "[:alpha:]", "é", "\\.", "9-0", "\\d-z", "a-\\d", " ", "\\n", "^", "]"};
    odp_buffer_add_str(out, below(4) == 0 ? "[^" : "[");
    for (unsigned k = 1 + below(3); k > 0; k--)
        odp_buffer_add_str(out, some[below(below(2) ? 12 : sizeof some / sizeof *some)]);
    odp_buffer_add_char(out, ']');
}

static void add_atom(struct odp_buffer *out, unsigned depth)
{
    static const char *const plain[] = {"a", "b", "0", "7", "Z", "-", "_", " ", "\\.", "\\+", ".", "\\d", "\\w", "\\s", "\\S", "\\t", "\\\\", "\\|"};
    static const char *const odd[] = {"é", "\\b", "\\1", "^", "$", "\\p{L}", "(?=a)", "(?i)", "\\Q", "{", "}", "]", "\\x41", "\\e", "\\N", "\\R", "(?#x)", "(*ACCEPT)", "\\h", "\\h", "\\_", "\\@", "\\`", "\\~", "\\{"};
    switch (below(12)) {
    case 0:
    case 1:
        if (depth < 3) {
            odp_buffer_add_str(out, below(3) == 0 ? "(?:" : "(");
            add_pattern(out, depth + 1);
            odp_buffer_add_char(out, ')');
            break;
        }
        odp_buffer_add_char(out, 'a');
        break;
    case 2:
    case 3:
    case 4:
        add_class(out);
        break;
    case 5:
        if (below(4) == 0) {
            odp_buffer_add_str(out, odd[below(sizeof odd / sizeof *odd)]);
            break;
        }
        odp_buffer_add_str(out, below(2) ? "0" : "b");
        break;
    default:
        odp_buffer_add_str(out, plain[below(sizeof plain / sizeof *plain)]);
        break;
    }
}

static void test_random_patterns(void **state)
{
    (void)state;
    unsigned tables = 0, matches = 0;
    struct odp_buffer text;
    odp_buffer_init(&text);
    for (unsigned k = 0; k < 12000; k++) {
        struct odp_arena arena;
        struct engine e;
        const struct odp_pattern_table *t = NULL;
        odp_arena_init(&arena);
        odp_buffer_clear(&text);
        odp_buffer_add_str(&text, below(10) == 0 ? "^" : "");
        add_pattern(&text, 0);
        odp_buffer_add_str(&text, below(10) == 0 ? "$" : "");
        struct odp_slice pattern = odp_buffer_slice(&text);
        assert_int_equal(odp_pattern_table_new(&arena, pattern, &t), ODP_OK);
        if (t != NULL) {
            if (!engine_open(&e, pattern))
                fail_msg("a table for '%.*s', which is no pattern", (int)pattern.len, pattern.ptr);
            tables++;
            matches += try_values(t, &e, pattern, 40);
            engine_close(&e);
        }
        odp_arena_release(&arena);
    }
    odp_buffer_release(&text);
    assert_true(tables > 2000 && matches > 10000); /* the test looks at something */
}

/* ---- patterns as they are written ---------------------------------------------------------------------------------------- */

static const char *const taken[] = {
    "[0-9]{2}\\.[0-9]{2}", "PRJ-[0-9]{5,7}", "[0-9]{2}( [0-9]{2})*", "\\+62[0-9]{9,12}", "[0-9]{16}", "(BG|BS|IN|KK|PA|PL)[0-9]{3}", "[A-Z]{3,6}",
    "0[0-9]{2,3}-[0-9]{6,8}", "[0-9]{2}\\.[0-9]{3}\\.[0-9]{3}\\.[0-9]-[0-9]{3}\\.[0-9]{3}", "^[A-Z][a-z]*$", "", "a?b?c?", "[^;]*", ".{0,60}", "\\d{4}-\\d{2}",
    "(ab|cd)+", "(a|ab)(bc|c){3,}", "^a|b$", "[a-z0-9]+(-[a-z0-9]+)*", "(?:Jalan|Jembatan|Jaringan) [A-Z].*", "[^\\d]+", "[\\w.]+@[a-z]+(\\.[a-z]{2,3}){1,2}"};
static const char *const left[] = {"(a+)+(a+)+b", "(a|a){30}", "[a-z]+[a-z]+", "(a*)*", "\\bx", "(a)\\1", "(?i)a", "é", "[é]", "a*?", "a{,3}", "[[:digit:]]",
                                   "[a-z]{300}", "(?=a)a", "a$b", "(^a)", "(a?){5}", "(.*)(.*)x", "[]a]", "x{0}"};

static void test_known_patterns(void **state)
{
    (void)state;
    struct odp_arena arena;
    odp_arena_init(&arena);
    for (size_t k = 0; k < sizeof taken / sizeof *taken; k++) {
        const struct odp_pattern_table *t;
        struct engine e;
        struct odp_slice pattern = odp_slice_of(taken[k]);
        assert_int_equal(odp_pattern_table_new(&arena, pattern, &t), ODP_OK);
        if (t == NULL)
            fail_msg("no table for '%s'", taken[k]);
        assert_true(engine_open(&e, pattern));
        assert_true(try_values(t, &e, pattern, 3000) > 0);
        engine_close(&e);
    }
    for (size_t k = 0; k < sizeof left / sizeof *left; k++) {
        const struct odp_pattern_table *t;
        assert_int_equal(odp_pattern_table_new(&arena, odp_slice_of(left[k]), &t), ODP_OK);
        if (t != NULL)
            fail_msg("a table for '%s'", left[k]);
    }
    odp_arena_release(&arena);
}

/* What only PCRE2 can say. */
static void test_asked(void **state)
{
    (void)state;
    struct odp_arena arena;
    const struct odp_pattern_table *t;
    char longer[PATTERN_LONGEST + 1];
    odp_arena_init(&arena);
    assert_int_equal(odp_pattern_table_new(&arena, ODP_LIT("\\d+"), &t), ODP_OK);
    memset(longer, '1', sizeof longer);
    assert_int_equal(odp_pattern_table_match(t, (struct odp_slice){longer, PATTERN_LONGEST}), 1);
    assert_int_equal(odp_pattern_table_match(t, (struct odp_slice){longer, PATTERN_LONGEST + 1}), -1);
    assert_int_equal(odp_pattern_table_match(t, ODP_LIT("1٣")), -1);
    assert_int_equal(odp_pattern_table_match(t, ODP_LIT("٣")), -1);
    assert_int_equal(odp_pattern_table_match(t, ODP_LIT("a٣")), 0);
    assert_int_equal(odp_pattern_table_match(t, ODP_LIT("1")), 1);
    assert_int_equal(odp_pattern_table_match(t, ODP_LIT("")), 0);
    odp_arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_patterns), cmocka_unit_test(test_known_patterns), cmocka_unit_test(test_asked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
