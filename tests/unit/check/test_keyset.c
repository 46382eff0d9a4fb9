/* Key sets: a million keys, first lines, hashes that go by value; tables against hashes made on purpose; sets
 * that threads fill together, in memory and spilled, against a plain loop. */
#include "run.h"

#include <pthread.h>

#include "catalog/schema.h"
#include "check/keys/keyset.h"
#include "check/keys/keytable.h"

#define MILLION 1000000u

static struct odp_key_hash hash_text(const char *s, uint8_t type)
{
    struct odp_slice part = odp_slice_of(s);
    return odp_key_hash_of(&part, &type, 1);
}

static struct odp_key_hash hash_number(unsigned n)
{
    char text[16];
    snprintf(text, sizeof text, "K-%07u", n);
    return hash_text(text, ODP_TYPE_STRING);
}

static bool same(struct odp_key_hash a, struct odp_key_hash b)
{
    return a.hi == b.hi && a.lo == b.lo;
}

TEST(a_million)
{
    struct odp_keyset *s;
    uint64_t first = 0;
    must(odp_keyset_new(&s));
    assert_false(odp_keyset_has(s, hash_number(1)));
    for (unsigned i = 0; i < MILLION; i++)
        must(odp_keyset_add(s, hash_number(i), i + 2, &first));
    assert_int_equal(odp_keyset_size(s), MILLION);
    for (unsigned i = 0; i < MILLION; i++)
        assert_true(odp_keyset_has(s, hash_number(i)));
    for (unsigned i = MILLION; i < 2 * MILLION; i += 7)
        assert_false(odp_keyset_has(s, hash_number(i)));
    for (unsigned i = 0; i < MILLION; i += 1001) {
        assert_int_equal(odp_keyset_add(s, hash_number(i), 9, &first), ODP_DONE);
        assert_int_equal(first, i + 2);
    }
    odp_keyset_clear(s);
    assert_int_equal(odp_keyset_size(s), 0);
    assert_false(odp_keyset_has(s, hash_number(5)));
    odp_keyset_free(s);
}

/* Room that was made beforehand: enough, or too little; the set emptied and filled again; and passed with the
 * bound. */
TEST(expected)
{
    const unsigned keys[] = {150000, 210000}; /* of 196,000 there is room for */
    for (size_t round = 0; round < 4; round++) {
        struct odp_key_bound bound = {.limit = round < 2 ? (size_t)1 << 30 : (size_t)5 << 20};
        const unsigned n = keys[round % 2];
        struct odp_keyset *s, *twice = NULL;
        uint64_t first = 0;
        must(odp_keyset_new(&s));
        odp_keyset_share(s, &bound);
        for (int again = 0; again < 2; again++) {
            odp_keyset_clear(s);
            for (unsigned i = 0; i < n; i++) {
                odp_keyset_expect(s, i == 1000 ? 140000 : 0);
                must(odp_keyset_add(s, hash_number(i), i + 2, &first));
            }
        }
        assert_int_equal(odp_keyset_spilled(s), round == 3);
        if (round == 3)
            must(odp_keyset_settle(s, true, &twice));
        assert_null(twice);
        for (unsigned i = 0; i < 2 * n; i += 97)
            assert_int_equal(odp_keyset_has(s, hash_number(i)), i < n);
        odp_keyset_free(s);
        assert_int_equal(bound.used, 0);
    }
}

TEST(lines)
{
    struct odp_keyset *s;
    uint64_t first = 77;
    must(odp_keyset_new(&s));
    must(odp_keyset_add(s, hash_number(1), 0, &first));
    assert_int_equal(odp_keyset_add(s, hash_number(1), 5, &first), ODP_DONE);
    assert_int_equal(first, 0);
    odp_keyset_free(s);
}

TEST(hash_by_value)
{
    assert_true(same(hash_text("1.50", ODP_TYPE_NUMBER), hash_text("1.5", ODP_TYPE_NUMBER)));
    assert_true(same(hash_text("-0", ODP_TYPE_INTEGER), hash_text("0", ODP_TYPE_INTEGER)));
    assert_false(same(hash_text("1.50", ODP_TYPE_STRING), hash_text("1.5", ODP_TYPE_STRING)));
    assert_true(same(hash_text("2024-01-01T07:00:00+07:00", ODP_TYPE_DATETIME),
                     hash_text("2024-01-01T00:00:00Z", ODP_TYPE_DATETIME)));
    assert_false(same(hash_text("2024-01-01T07:00:00+08:00", ODP_TYPE_DATETIME),
                      hash_text("2024-01-01T00:00:00Z", ODP_TYPE_DATETIME)));
}

TEST(tuples)
{
    static char big[2000];
    memset(big, 'x', sizeof big);
    const uint8_t types[] = {ODP_TYPE_STRING, ODP_TYPE_STRING, ODP_TYPE_NUMBER};
    const struct odp_slice a[] = {ODP_LIT("a"), ODP_LIT("bc"), ODP_LIT("1.0")},
                           b[] = {ODP_LIT("ab"), ODP_LIT("c"), ODP_LIT("1.0")};
    const struct odp_slice c[] = {ODP_LIT("a"), ODP_LIT("bc"), ODP_LIT("1")},
                           null[] = {ODP_LIT("a"), {NULL, 0}, ODP_LIT("1")};
    const struct odp_slice empty[] = {ODP_LIT("a"), ODP_LIT(""), ODP_LIT("1")};
    const struct odp_slice long1[] = {{big, sizeof big}, {big, 600}, ODP_LIT("1")},
                           long2[] = {{big, sizeof big}, {big, 601}, ODP_LIT("1")};
    assert_false(same(odp_key_hash_of(a, types, 3), odp_key_hash_of(b, types, 3)));
    assert_true(same(odp_key_hash_of(a, types, 3), odp_key_hash_of(c, types, 3)));
    assert_false(same(odp_key_hash_of(null, types, 3), odp_key_hash_of(empty, types, 3)));
    assert_false(same(odp_key_hash_of(long1, types, 3), odp_key_hash_of(long2, types, 3)));
    assert_true(same(odp_key_hash_of(long1, types, 3), odp_key_hash_of(long1, types, 3)));
}

/* ---- one table ---- */

static uint64_t state_of_random = 1;

static uint64_t random_number(void)
{
    uint64_t z = state_of_random += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

enum form { SPREAD, LOWEST, HIGHEST, SAME_HI, TWO_PLACES, FORMS };

/* Hashes of one table. */
static struct odp_key_hash made_hash(enum form form, uint32_t i)
{
    uint64_t hi = form == SPREAD    ? random_number() >> 40 << 30
                  : form == LOWEST  ? i
                  : form == HIGHEST ? UINT64_MAX - i
                  : form == SAME_HI ? 77
                  : i % 2           ? UINT64_MAX
                                    : 0;
    return (struct odp_key_hash){
        form == HIGHEST || (form == TWO_PLACES && hi != 0) ? hi : hi >> KEYTABLE_BITS,
        i * 2654435761u & 0x7FFFFFFFu,
    };
}

TEST(tables)
{
    enum { KEYS = 3000 };
    static struct odp_key_hash h[KEYS];
    for (int form = 0; form < FORMS; form++) {
        struct keytable t = {0};
        for (uint32_t i = 0; i < KEYS; i++) {
            bool new;
            h[i] = made_hash((enum form)form, i);
            const struct odp_key_entry key = {.hi = h[i].hi, .lo = h[i].lo & 0x7FFFFFFFu, .line = i + 1};
            assert_null(keytable_find(&t, h[i]));
            assert_non_null(keytable_put(&t, &key, &new));
            assert_true(new);
            assert_non_null(keytable_put(&t, &key, &new));
            assert_false(new);
        }
        assert_int_equal(t.size, KEYS);
        for (uint32_t i = 0; i < KEYS; i++) {
            assert_non_null(keytable_find(&t, h[i]));
            assert_int_equal(keytable_find(&t, h[i])->line, i + 1);
            assert_null(keytable_find(&t, (struct odp_key_hash){h[i].hi + 1, h[i].lo ^ 1}));
        }
        assert_in_range(t.slots, KEYS * 4 / 3, KEYS * 2 + 1); /* half to three quarters are taken */
        assert_int_equal(keytable_sort(&t), KEYS);
        for (uint32_t i = 1; i < KEYS; i++)
            assert_true(t.entries[i - 1].hi < t.entries[i].hi ||
                        (t.entries[i - 1].hi == t.entries[i].hi && t.entries[i - 1].lo < t.entries[i].lo));
        keytable_release(&t);
    }
}

/* ---- filled by threads ---- */

enum { BATCHES = 300, BATCH = 257, THREADS = 4 };

static struct odp_key_entry batches[BATCHES][BATCH];
static uint8_t seen[BATCHES][BATCH];
static unsigned turn[BATCHES]; /* the order in which batches are worked on */
static _Atomic unsigned next_turn;
static struct odp_keyset *shared;

static void *take_some(void *arg)
{
    uint32_t order[BATCH];
    for (;;) {
        unsigned i = atomic_fetch_add(&next_turn, 1);
        if (i >= BATCHES)
            return NULL;
        if (odp_keyset_take(shared, batches[turn[i]], BATCH, order, seen[turn[i]]) != ODP_OK)
            abort();
    }
}

/* Keys of which one in DISTINCT is new, and some that are none; batches in any order. */
static void make_batches(unsigned distinct)
{
    for (unsigned b = 0; b < BATCHES; b++) {
        turn[b] = b;
        for (unsigned i = 0; i < BATCH; i++) {
            struct odp_key_hash h = hash_number((unsigned)(random_number() % distinct));
            uint32_t line = random_number() % 20 == 0 ? 0 : b * BATCH + i + 2;
            batches[b][i] = (struct odp_key_entry){.hi = h.hi, .lo = h.lo & 0x7FFFFFFFu, .line = line};
        }
    }
    for (unsigned b = BATCHES; b-- > 1;) {
        unsigned other = (unsigned)(random_number() % (b + 1)), was = turn[b];
        turn[b] = turn[other];
        turn[other] = was;
    }
    memset(seen, 0, sizeof seen);
    next_turn = 0;
}

/* Somebody asks all the while: an answer at any time is right for lines that nobody has. */
static void *ask_some(void *arg)
{
    for (unsigned i = 0; i < BATCHES * BATCH; i++) {
        const struct odp_key_entry *key = &batches[i / BATCH][i % BATCH];
        if (key->line != 0 && odp_keyset_had(shared, (struct odp_key_hash){key->hi, key->lo}, 1))
            return shared;
    }
    return NULL;
}

static void fill(struct odp_key_bound *bound)
{
    pthread_t threads[THREADS], asker;
    void *wrong;
    must(odp_keyset_new(&shared));
    odp_keyset_share(shared, bound);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_some, NULL), 0);
    assert_int_equal(pthread_create(&asker, NULL, ask_some, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_join(asker, &wrong);
    assert_null(wrong);
}

/* What a loop over all lines says of the key on line KEY->line. */
static uint64_t first_line(struct odp_keyset *plain, const struct odp_key_entry *key)
{
    uint64_t first = key->line;
    struct odp_key_hash h = {key->hi, key->lo};
    assert_int_not_equal(odp_keyset_add(plain, h, key->line, &first), ODP_FAIL);
    return first;
}

TEST(threads)
{
    const unsigned distinct[] = {50, 5000, 60000, 100000000};
    for (size_t d = 0; d < ODP_COUNT(distinct); d++) {
        struct odp_keyset *plain;
        uint32_t lines[BATCH];
        make_batches(distinct[d]);
        fill(NULL);
        assert_false(odp_keyset_spilled(shared));
        must(odp_keyset_new(&plain));
        for (unsigned b = 0; b < BATCHES; b++) {
            size_t n = odp_keyset_overtaken(shared, b * BATCH + BATCH + 1, lines, BATCH);
            for (size_t i = 0; i < n; i++) {
                assert_int_equal((lines[i] - 2) / BATCH, b);
                assert_int_equal(seen[b][(lines[i] - 2) % BATCH], 0);
                seen[b][(lines[i] - 2) % BATCH] = 1;
            }
            for (unsigned i = 0; i < BATCH; i++) {
                const struct odp_key_entry *key = &batches[b][i];
                if (key->line == 0) {
                    assert_int_equal(seen[b][i], 0);
                    continue;
                }
                uint64_t first = first_line(plain, key);
                assert_int_equal(seen[b][i], first != key->line);
                const struct odp_key_hash h = {key->hi, key->lo};
                assert_int_equal(odp_keyset_line(shared, h), first);
                assert_true(odp_keyset_had(shared, h, key->line) && odp_keyset_had(shared, h, first));
                assert_false(odp_keyset_had(shared, h, first - 1));
            }
        }
        assert_int_equal(odp_keyset_size(shared), odp_keyset_size(plain));
        odp_keyset_free(plain);
        odp_keyset_free(shared);
    }
}

/* Bounds that are passed at once, midway, never. */
TEST(spilled)
{
    const size_t limits[] = {0, 4096, 300000, (size_t)1 << 30};
    const unsigned distinct[] = {50, 5000, 60000, 100000000};
    for (size_t k = 0; k < 16; k++) {
        struct odp_key_bound bound = {.limit = limits[k / 4]};
        struct odp_keyset *plain, *repeated = NULL, *twice = NULL;
        make_batches(distinct[k % 4]);
        fill(&bound);
        assert_int_equal(odp_keyset_spilled(shared), k < 8 || (k < 12 && k % 4 > 1));
        const struct odp_key_hash last = {batches[BATCHES - 1][BATCH - 1].hi,
                                          batches[BATCHES - 1][BATCH - 1].lo};
        const bool taken = batches[BATCHES - 1][BATCH - 1].line != 0;
        if (odp_keyset_spilled(shared)) {
            assert_false(odp_keyset_had(shared, last, ODP_KEY_LINES)); /* nobody knows yet */
            must(odp_keyset_settle(shared, true, &twice));
        }
        assert_true(odp_keyset_had(shared, last, ODP_KEY_LINES) || !taken);
        assert_true(!odp_keyset_spilled(shared) || bound.used == 0);
        must(odp_keyset_new(&plain));
        must(odp_keyset_new(&repeated));
        for (unsigned i = 0; i < BATCHES * BATCH; i++) {
            const struct odp_key_entry *key = &batches[i / BATCH][i % BATCH];
            struct odp_key_hash h = {key->hi, key->lo};
            if (key->line == 0)
                continue;
            assert_true(odp_keyset_has(shared, h));
            if (first_line(plain, key) != key->line)
                (void)first_line(repeated, key);
        }
        assert_int_equal(odp_keyset_spilled(shared) && twice != NULL ? odp_keyset_size(twice) : 0,
                         odp_keyset_spilled(shared) ? odp_keyset_size(repeated) : 0);
        for (unsigned i = 0; i < 3000; i++) {
            struct odp_key_hash h = hash_number((unsigned)(random_number() % (2 * distinct[k % 4])));
            assert_int_equal(odp_keyset_has(shared, h), odp_keyset_has(plain, h));
            if (twice != NULL)
                assert_int_equal(odp_keyset_has(twice, h), odp_keyset_has(repeated, h));
        }
        assert_false(odp_keyset_failed(shared));
        odp_keyset_free(twice);
        odp_keyset_free(repeated);
        odp_keyset_free(plain);
        odp_keyset_free(shared);
        assert_int_equal(bound.used, 0);
    }
}

/* A column of texts hashes like one text after the other. */
TEST(columns)
{
    char text[64][40];
    struct odp_slice texts[64];
    struct odp_key_entry out[64];
    const uint8_t type = ODP_TYPE_STRING;
    for (unsigned i = 0; i < 64; i++) {
        memset(text[i], 'a' + (int)(i % 26), sizeof text[i]);
        texts[i] = (struct odp_slice){text[i], i % 40};
        memset(&out[i], 0xFF, sizeof out[i]); /* as memory that was used before */
        out[i].line = i % 5;
    }
    odp_key_hash_texts(texts, 64, out);
    for (unsigned i = 0; i < 64; i++)
        if (i % 5 != 0)
            assert_true(out[i].again == 0 && same((struct odp_key_hash){out[i].hi, out[i].lo},
                                                  odp_key_hash_of(&texts[i], &type, 1)));
}
