/* Queries from call to answer, without sockets: addresses, forms, faults, tags, shares, and cursors while sites are switched.
 */
#include "gateway_query_fixture.h"

#include <pthread.h>

#include "service/queries_address.h"

/* ---- addresses -------------------------------------------------------------------------------------------------------------
 */

struct address_case {
    const char *raw;
    enum odp_status status;
    const char *slug, *resource, *collection, *key, *last;
    int form;
    bool search, ogc, item;
};

static void test_addresses(void **state)
{
    (void)state;
    static const struct address_case cases[] = {
        {"/v1/kumuh", ODP_OK, "kumuh", "", "", "", "kumuh", -1, false, false, false},
        {"/api/v1/kumuh", ODP_OK, "kumuh", "", "", "", "kumuh", -1, false, false, false},
        {"/v1/kumuh.json", ODP_OK, "kumuh", "", "", "", "kumuh", ODP_QUERY_ENVELOPE, false, false, false},
        {"/v1/kumuh.geojson", ODP_OK, "kumuh", "", "", "", "kumuh", ODP_QUERY_GEOJSON, false, false, false},
        {"/v1/kumuh.csv", ODP_OK, "kumuh", "", "", "", "kumuh", ODP_QUERY_CSV, false, false, false},
        {"/v1/kumuh/search", ODP_OK, "kumuh", "", "", "", "search", -1, true, false, false},
        {"/v1/kumuh/search.csv", ODP_OK, "kumuh", "", "", "", "search", ODP_QUERY_CSV, true, false, false},
        {"/v1/proyek/timeline", ODP_OK, "proyek", "timeline", "", "", "timeline", -1, false, false, false},
        {"/v1/proyek/timeline.csv", ODP_OK, "proyek", "timeline", "", "", "timeline", ODP_QUERY_CSV, false, false, false},
        {"/v1/proyek/timeline/search.geojson", ODP_OK, "proyek", "timeline", "", "", "search", ODP_QUERY_GEOJSON, true, false,
         false},
        {"/v1/kumuh/id/31.71-0001", ODP_OK, "kumuh", "", "", "31.71-0001", "31.71-0001", -1, false, false, true},
        {"/v1/kumuh/id/a.csv", ODP_OK, "kumuh", "", "", "a.csv", "a.csv", -1, false, false, true},
        {"/v1/kumuh/id/a%2Fb,c%2Cd%25", ODP_OK, "kumuh", "", "", "a/b,c%2Cd%25", "a%2Fb,c%2Cd%25", -1, false, false, true},
        {"/v1/kumuh/id/a:b+c", ODP_OK, "kumuh", "", "", "a:b+c", "a%3Ab+c", -1, false, false, true},
        {"/v1/proyek/timeline/id/1,%20x", ODP_OK, "proyek", "timeline", "", "1, x", "1,%20x", -1, false, false, true},
        {"/v1/kumuh/id/,", ODP_OK, "kumuh", "", "", ",", ",", -1, false, false, true},
        {"/v1//kumuh/./x/../search", ODP_OK, "kumuh", "", "", "", "search", -1, true, false, false},
        {"/v1/%6bumuh", ODP_OK, "kumuh", "", "", "", "kumuh", -1, false, false, false},
        {"/v1/ogc/collections/kumuh/items", ODP_OK, "", "", "kumuh", "", "items", -1, false, true, false},
        {"/api/v1/ogc/collections/proyek-timeline/items/a%252Cb,c", ODP_OK, "", "", "proyek-timeline", "a%2Cb,c", "a%252Cb,c",
         -1, false, true, true},
        {"/v1", ODP_DONE, "", "", "", "", "", -1, false, false, false},
        {"/v1/", ODP_DONE, "", "", "", "", "", -1, false, false, false},
        {"/", ODP_DONE, "", "", "", "", "", -1, false, false, false},
        {"", ODP_DONE, "", "", "", "", "", -1, false, false, false},
        {"/v2/kumuh", ODP_DONE, "", "", "", "", "", -1, false, false, false},
        {"/v1/kumuh/", ODP_DONE, "", "", "", "", "", -1, false, false, false},
        {"/v1/kumuh/id/a/b", ODP_DONE, "", "", "", "", "", -1, false, false, false},
        {"/v1/kumuh/timeline/x/y", ODP_DONE, "", "", "", "", "", -1, false, false, false},
        {"/v1/a/b/c/d/e/f/g/h/i/j", ODP_DONE, "", "", "", "", "", -1, false, false, false},
        {"/v1/ogc/collections/kumuh/items/a/b", ODP_DONE, "", "", "", "", "", -1, false, false, false},
        {"/v1/ogc/collections/kumuh", ODP_DONE, "", "", "", "", "", -1, false, false, false},
        {"/v1/kumuh/id/%zz", ODP_BAD, "", "", "", "", "", -1, false, false, false},
        {"/v1/kumuh/id/%00", ODP_BAD, "", "", "", "", "", -1, false, false, false},
        {"/v1/kumuh/id/%ff", ODP_BAD, "", "", "", "", "", -1, false, false, false},
    };
    struct odp_arena arena;
    odp_arena_init(&arena);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct address_case *c = &cases[i];
        struct odp_query_address d;
        enum odp_status st = odp_query_address_read(&d, odp_slice_of(c->raw), &arena);
        if (st != c->status)
            fail_msg("%s: status %d", c->raw, st);
        if (st != ODP_OK)
            continue;
        if (!odp_slice_is(d.slug, c->slug) || !odp_slice_is(d.resource, c->resource) ||
            !odp_slice_is(d.collection, c->collection) || !odp_slice_is(d.key, c->key) || strcmp(d.last, c->last) != 0 ||
            d.form != c->form || d.search != c->search || d.ogc != c->ogc || (d.kind == ODP_QUERY_ITEM) != c->item)
            fail_msg("%s: slug %s resource %s collection %s key %s last %s form %d", c->raw, d.slug.ptr, d.resource.ptr,
                     d.collection.ptr, d.key.ptr, d.last, d.form);
        odp_arena_reset(&arena);
    }
    struct odp_query_address d; /* of a key of one field nothing is special */
    assert_int_equal(odp_query_address_read(&d, odp_slice_of("/v1/kumuh/id/a%2Cb,50%25"), &arena), ODP_OK);
    assert_true(odp_slice_is(d.key_text, "a,b,50%") && odp_slice_is(d.key, "a%2Cb,50%25"));
    odp_arena_release(&arena);
}

static void test_parameters(void **state)
{
    (void)state;
    struct odp_arena arena;
    struct odp_query_params p;
    struct odp_slice value;
    odp_arena_init(&arena);
    assert_int_equal(odp_query_params_read(&p, ODP_LIT("&a=1+2%2B&&b&=x&a=%C3%A9&c=d=e"), &arena), ODP_OK);
    assert_int_equal(p.n, 4);
    assert_true(odp_slice_is(p.list[0].value, "1 2+") && odp_slice_is(p.list[1].name, "b") &&
                odp_slice_is(p.list[1].value, ""));
    assert_true(odp_slice_is(p.list[2].value, "\xC3\xA9") && odp_slice_is(p.list[3].value, "d=e"));
    assert_int_equal(odp_query_params_get(&p, "a", true, &value), 2);
    assert_true(odp_slice_is(value, "\xC3\xA9"));
    assert_int_equal(p.n, 2);
    assert_true(odp_slice_is(p.list[0].name, "b") && odp_slice_is(p.list[1].name, "c"));
    assert_int_equal(odp_query_params_get(&p, "zz", true, &value), 0);
    static const struct {
        const char *query, *name;
        enum odp_params_fault fault;
    } bad[] = {{"a=%", "a", ODP_PARAMS_ESCAPE},  {"b=%4", "b", ODP_PARAMS_ESCAPE}, {"c=%00", "c", ODP_PARAMS_ESCAPE},
               {"%zz=1", "", ODP_PARAMS_ESCAPE}, {"d=%C3", "d", ODP_PARAMS_UTF8},  {"a=1&%ff=1", "", ODP_PARAMS_UTF8}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(odp_query_params_read(&p, odp_slice_of(bad[i].query), &arena), ODP_BAD);
        assert_int_equal(p.fault, bad[i].fault);
        assert_true(odp_slice_is(p.name, bad[i].name));
    }
    char *many = malloc(70000);
    assert_non_null(many);
    for (int i = 0; i < 101; i++)
        memcpy(many + 4 * i, "a=1&", 4);
    assert_int_equal(odp_query_params_read(&p, (struct odp_slice){many, 400}, &arena), ODP_OK);
    assert_int_equal(p.n, 100);
    assert_int_equal(odp_query_params_read(&p, (struct odp_slice){many, 404}, &arena), ODP_BAD);
    assert_int_equal(p.fault, ODP_PARAMS_MANY);
    memset(many, 'x', 70000);
    assert_int_equal(odp_query_params_read(&p, (struct odp_slice){many, 65536}, &arena), ODP_OK);
    assert_int_equal(odp_query_params_read(&p, (struct odp_slice){many, 65537}, &arena), ODP_BAD);
    assert_int_equal(p.fault, ODP_PARAMS_LONG);
    free(many);
    assert_string_equal(odp_query_without(ODP_LIT("a=1&cursor=x&&b=%20&curso%72=y&k=z"), "cursor", "k", &arena), "a=1&b=%20");
    assert_string_equal(odp_query_without(ODP_LIT("cursor=x"), "cursor", NULL, &arena), "");
    odp_arena_release(&arena);
}

static void test_forms(void **state)
{
    (void)state;
    static const struct {
        const char *accept;
        bool ogc, geometry;
        int form;
    } cases[] = {{"", false, true, ODP_QUERY_ENVELOPE},
                 {"*/*", false, true, ODP_QUERY_ENVELOPE},
                 {"*/*", true, true, ODP_QUERY_GEOJSON},
                 {"application/json", true, true, ODP_QUERY_GEOJSON},
                 {"application/geo+json", false, true, ODP_QUERY_GEOJSON},
                 {"application/geo+json", false, false, -1},
                 {"application/geo+json, application/json;q=0.5", false, false, ODP_QUERY_ENVELOPE},
                 {"Text/CSV", false, false, ODP_QUERY_CSV},
                 {"text/*", false, false, ODP_QUERY_CSV},
                 {"text/*;q=0.4, application/*;q=0.5", false, false, ODP_QUERY_ENVELOPE},
                 {"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true, true, ODP_QUERY_HTML},
                 {"application/json;q=0, */*", false, false, ODP_QUERY_CSV},
                 {"application/json;q=0", false, false, -1},
                 {"image/png", true, true, -1},
                 {"application/json;charset=utf-8;q=0.3, text/csv;q=0.2", false, false, ODP_QUERY_ENVELOPE}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int form = odp_query_form_accepted(odp_slice_of(cases[i].accept), cases[i].ogc, cases[i].geometry);
        if (form != cases[i].form)
            fail_msg("%s: %d", cases[i].accept, form);
    }
    assert_int_equal(odp_query_form_of(ODP_LIT("json"), false), ODP_QUERY_ENVELOPE);
    assert_int_equal(odp_query_form_of(ODP_LIT("json"), true), ODP_QUERY_GEOJSON);
    assert_int_equal(odp_query_form_of(ODP_LIT("JSON"), false), -1);
}

static void test_tags(void **state)
{
    (void)state;
    static const struct {
        const char *list;
        bool match;
    } cases[] = {{"\"abc\"", true},
                 {"W/\"abc\"", true},
                 {"\"x\", \"abc\"", true},
                 {"\"x\",W/\"abc\" , \"y\"", true},
                 {"*", true},
                 {"", false},
                 {"abc", false},
                 {"\"abcd\"", false},
                 {"\"ab\"", false},
                 {"\"x\" \"abc\"", false},
                 {"\"abc", false},
                 {"\"a,\\\"abc\"", false},
                 {"\"x,\", \"abc\"", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (odp_query_etag_matches(odp_slice_of(cases[i].list), "\"abc\"") != cases[i].match)
            fail_msg("%s", cases[i].list);
}

/* ---- gate and cache --------------------------------------------------------------------------------------------------------
 */

struct runner {
    struct odp_gate *gate;
    struct odp_cache *cache;
    pthread_t thread;
    int state; /* 1: in, 2: refused */
};

static void *enter(void *arg)
{
    struct runner *r = arg;
    bool in = odp_gate_enter(r->gate);
    __atomic_store_n(&r->state, in ? 1 : 2, __ATOMIC_RELEASE);
    return NULL;
}

static void wait_waiting(struct odp_gate *g, unsigned want)
{
    unsigned running = 0, waiting = 0;
    for (int i = 0; i < 3000 && (i == 0 || waiting != want); i++) {
        odp_gate_counts(g, &running, &waiting);
        usleep(1000);
    }
    assert_int_equal(waiting, want);
}

static void test_gate(void **state)
{
    (void)state;
    struct odp_gate *g = NULL;
    struct runner r[3] = {{0}};
    unsigned running, waiting;
    assert_int_equal(odp_gate_new(&g, 2, 2, 60000), ODP_OK);
    assert_true(odp_gate_enter(g));
    assert_true(odp_gate_enter(g));
    for (unsigned i = 0; i < 2; i++) {
        r[i].gate = g;
        assert_int_equal(pthread_create(&r[i].thread, NULL, enter, &r[i]), 0);
        wait_waiting(g, i + 1);
    }
    assert_false(odp_gate_enter(g)); /* at once: two wait already */
    odp_gate_leave(g);
    assert_int_equal(pthread_join(r[0].thread, NULL), 0); /* who came first */
    assert_int_equal(r[0].state, 1);
    odp_gate_counts(g, &running, &waiting);
    assert_int_equal(running, 2);
    assert_int_equal(waiting, 1);
    odp_gate_leave(g);
    assert_int_equal(pthread_join(r[1].thread, NULL), 0);
    odp_gate_leave(g);
    odp_gate_leave(g);
    odp_gate_counts(g, &running, &waiting);
    assert_int_equal(running + waiting, 0);
    odp_gate_free(g);
    assert_int_equal(odp_gate_new(&g, 1, 5, 30), ODP_OK);
    assert_true(odp_gate_enter(g));
    assert_false(odp_gate_enter(g)); /* after its time */
    odp_gate_counts(g, &running, &waiting);
    assert_int_equal(waiting, 0);
    odp_gate_leave(g);
    for (uint64_t a = 0; a < 100; a++)
        assert_true(odp_gate_take(g, a, 1) && !odp_gate_take(g, a, 1) && odp_gate_take(g, a, 2) && odp_gate_take(g, a, 0));
    for (uint64_t a = 0; a < 100; a++) {
        odp_gate_give(g, a);
        odp_gate_give(g, a);
        assert_false(odp_gate_take(g, a, 1));
        odp_gate_give(g, a);
        assert_true(odp_gate_take(g, a, 1));
        odp_gate_give(g, a);
    }
    odp_gate_free(g);
}

static const uint8_t key_one[ODP_SHA256_SIZE] = {1}, key_two[ODP_SHA256_SIZE] = {2}, key_three[ODP_SHA256_SIZE] = {3};

static struct odp_kept *make_kept(struct odp_cache *c, const uint8_t *key, const char *body, size_t size, bool keep)
{
    struct odp_kept *k = NULL;
    assert_int_equal(odp_cache_begin(c, key, 1000, &k), ODP_DONE);
    k = odp_kept_new();
    assert_non_null(k);
    char *room = odp_buffer_reserve(&k->body, size + 8);
    assert_non_null(room);
    memset(room, 'x', size);
    memcpy(room, body, strlen(body));
    k->body.len = size;
    (void)snprintf(k->index, sizeof k->index, "%016d", key[0]);
    odp_cache_end(c, key, k, keep);
    odp_cache_drop(c, k);
    return k;
}

static void *share(void *arg)
{
    struct runner *r = arg;
    struct odp_kept *k = NULL;
    enum odp_status st = odp_cache_begin(r->cache, key_two, 60000, &k);
    r->state = st == ODP_OK && memcmp(k->body.ptr, "two", 3) == 0 ? 1 : st == ODP_BAD ? 2 : 3;
    odp_cache_drop(r->cache, k);
    return NULL;
}

static void wait_shared(struct odp_cache *c, unsigned want)
{
    struct odp_cache_counts n = {0};
    for (int i = 0; i < 3000 && (i == 0 || n.waiting != want); i++) {
        odp_cache_counts(c, &n);
        usleep(1000);
    }
    assert_int_equal(n.waiting, want);
}

static void test_cache(void **state)
{
    (void)state;
    struct odp_cache *c = NULL;
    struct odp_cache_counts n;
    struct odp_kept *k;
    assert_int_equal(odp_cache_new(&c, 64000, 2), ODP_OK);
    make_kept(c, key_one, "one", 100, true);
    k = odp_cache_get(c, key_one);
    assert_non_null(k);
    assert_memory_equal(k->body.ptr, "one", 3);
    odp_cache_drop(c, k);
    assert_null(odp_cache_get(c, key_two));
    make_kept(c, key_two, "two", 9000, true); /* more than its share */
    assert_null(odp_cache_get(c, key_two));
    make_kept(c, key_two, "two", 100, false);
    assert_null(odp_cache_get(c, key_two));
    odp_cache_counts(c, &n);
    assert_int_equal(n.answers, 1);
    assert_int_equal(n.hits, 1);
    assert_int_equal(n.misses, 3);
    for (uint8_t i = 10; i < 40; i++) { /* what was not asked for longest leaves */
        uint8_t key[ODP_SHA256_SIZE] = {i};
        make_kept(c, key, "many", 4000, true);
        k = odp_cache_get(c, key_one);
        assert_non_null(k);
        odp_cache_drop(c, k);
    }
    odp_cache_counts(c, &n);
    assert_in_range(n.bytes, 50000, 64000);
    assert_null(odp_cache_get(c, (uint8_t[ODP_SHA256_SIZE]){10}));
    k = odp_cache_get(c, key_one);
    odp_cache_forget(c, "0000000000000001");
    assert_null(odp_cache_get(c, key_one));
    assert_memory_equal(k->body.ptr, "one", 3); /* who holds it has it */
    odp_cache_drop(c, k);
    odp_cache_free(c);
}

static void test_shares_one_answer(void **state)
{
    (void)state;
    struct odp_cache *c = NULL;
    struct runner r[2] = {{0}};
    struct odp_kept *k = NULL;
    struct odp_cache_counts n;
    assert_int_equal(odp_cache_new(&c, 0, 2), ODP_OK);
    for (int failed = 0; failed < 2; failed++) {
        assert_int_equal(odp_cache_begin(c, key_two, 1000, &k), ODP_DONE);
        for (unsigned i = 0; i < 2; i++) {
            r[i].cache = c;
            assert_int_equal(pthread_create(&r[i].thread, NULL, share, &r[i]), 0);
            wait_shared(c, i + 1);
        }
        assert_int_equal(odp_cache_begin(c, key_two, 1000, &k), ODP_BAD);    /* at once: two wait already */
        assert_int_equal(odp_cache_begin(c, key_three, 1000, &k), ODP_DONE); /* another one is not held up */
        odp_cache_end(c, key_three, NULL, false);
        k = failed ? NULL : odp_kept_new();
        if (k != NULL)
            odp_buffer_add_str(&k->body, "two");
        odp_cache_end(c, key_two, k, true);
        odp_cache_drop(c, k);
        k = NULL;
        for (int i = 0; i < 2; i++) {
            assert_int_equal(pthread_join(r[i].thread, NULL), 0);
            assert_int_equal(r[i].state, failed ? 2 : 1);
        }
    }
    odp_cache_counts(c, &n);
    assert_int_equal(n.shared, 2);
    assert_int_equal(n.answers, 0);
    assert_int_equal(odp_cache_begin(c, key_two, 1000, &k), ODP_DONE);
    assert_int_equal(odp_cache_begin(c, key_two, 20, &k), ODP_BAD); /* waited in vain */
    odp_cache_end(c, key_two, NULL, false);
    odp_cache_free(c);
}

/* ---- lists -----------------------------------------------------------------------------------------------------------------
 */

#define ROW(collection, slug, resource, version, file)                                                                         \
    "{\"collection\":" collection ",\"slug\":" slug ",\"resource\":" resource ",\"version\":" version ",\"file\":" file "}"
#define LIST_OF(rows) "{\"odp\":\"1\",\"release\":\"2.5.0\",\"base_url\":\"https://x.example/\",\"resources\":[" rows "]}"
#define K             "\"kumuh\""
#define V             "\"2024-03-15\""
#define FILE_OF(path) "\"search/kumuh/2024-03-15/" path "\""

static void test_lists(void **state)
{
    struct fixture *f = *state;
    char path[300], why[ODP_WHY];
    struct odp_query_site *site = NULL;
    static const struct {
        const char *text;
        enum odp_status status;
        const char *why;
    } cases[] = {
        {LIST_OF(ROW(K, K, "null", V, FILE_OF("kumuh-0123456789abcdef.sqlite"))), ODP_OK, ""},
        {LIST_OF(""), ODP_OK, ""},
        {"", ODP_BAD, "no JSON"},
        {"[]", ODP_BAD, "\"odp\""},
        {"{\"odp\":\"2\"}", ODP_BAD, "\"odp\""},
        {"{\"odp\":\"1\",\"resources\":[]}", ODP_BAD, "base_url"},
        {LIST_OF("1"), ODP_BAD, "an entry"},
        {LIST_OF(ROW(K, K, "1", V, FILE_OF("kumuh-0123456789abcdef.sqlite"))), ODP_BAD, "an entry"},
        {LIST_OF(ROW(K, "\"../kumuh\"", "null", V, FILE_OF("kumuh-0123456789abcdef.sqlite"))), ODP_BAD, "an entry"},
        {LIST_OF(ROW(K, K, "null", "\"..\"", "\"search/kumuh/../kumuh-0123456789abcdef.sqlite\"")), ODP_BAD, "an entry"},
        {LIST_OF(ROW(K, K, "null", V, "\"/etc/kumuh-0123456789abcdef.sqlite\"")), ODP_BAD, "not where it must be"},
        {LIST_OF(ROW(K, K, "null", V, FILE_OF("../kumuh-0123456789abcdef.sqlite"))), ODP_BAD, "not where it must be"},
        {LIST_OF(ROW(K, K, "null", V, FILE_OF("proyek-0123456789abcdef.sqlite"))), ODP_BAD, "not where it must be"},
        {LIST_OF(ROW(K, K, "null", V, FILE_OF("kumuh-0123456789abcdeF.sqlite"))), ODP_BAD, "no digest"},
        {LIST_OF(ROW(K, K, "null", V, FILE_OF("kumuh-0123456789abcde.sqlite"))), ODP_BAD, "not where it must be"},
        {LIST_OF(ROW(K, K, "null", V, "\".sqlite\"")), ODP_BAD, "not where it must be"},
    };
    (void)snprintf(path, sizeof path, "%s/hand/search", f->dir);
    assert_int_equal(odp_dir_make(path), ODP_OK);
    (void)snprintf(path, sizeof path, "%s/hand", f->dir);
    assert_int_equal(odp_query_site_read(&site, path, why), ODP_DONE);
    assert_int_equal(site->n, 0);
    odp_query_site_free(site);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char file[400];
        (void)snprintf(file, sizeof file, "%s/search/index.json", path);
        write_text(file, cases[i].text);
        why[0] = '\0';
        enum odp_status st = odp_query_site_read(&site, path, why);
        if (st != cases[i].status || strstr(why, cases[i].why) == NULL)
            fail_msg("%s: %d %s", cases[i].text, st, why);
        assert_true((site != NULL) == (st == ODP_OK));
        odp_query_site_free(site);
    }
}

static void test_a_list_that_cannot_be_used_changes_nothing(void **state)
{
    struct fixture *f = *state;
    char path[400], why[ODP_WHY];
    (void)snprintf(path, sizeof path, "%s/search", build_dir(f, 'b'));
    assert_int_equal(odp_dir_make(path), ODP_OK);
    (void)snprintf(path, sizeof path, "%s/search/index.json", build_dir(f, 'b'));
    write_text(path, "{");
    assert_int_equal(odp_queries_switch(queries_of(f), build_dir(f, 'b'), FIXTURE_NOW, why), ODP_BAD);
    assert_int_equal(get(f, "/v1/kumuh?limit=1"), 200);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(odp_queries_switch(queries_of(f), build_dir(f, 'b'), FIXTURE_NOW, why),
                     ODP_OK); /* a site without queries */
    assert_int_equal(get(f, "/v1/kumuh?limit=1"), 404);
    assert_int_equal(odp_queries_switch(queries_of(f), build_dir(f, 'b'), FIXTURE_NOW, why), ODP_DONE);
}

/* ---- answers ---------------------------------------------------------------------------------------------------------------
 */

static void test_answers(void **state)
{
    struct fixture *f = *state;
    char text[512];
    assert_int_equal(get(f, "/v1/kumuh?filter=luas%20%3E%2023&sortby=-kode"), 200);
    assert_string_equal(codes(f), "K-025 K-024 K-023");
    assert_string_equal(json_string_value(json_object_get(f->doc, "status")), "success");
    const json_t *meta = json_object_get(f->doc, "meta");
    assert_string_equal(json_string_value(json_object_get(meta, "version")), "2024-03-15");
    assert_string_equal(json_string_value(json_object_get(meta, "release")), "2.5.0");
    assert_int_equal(json_integer_value(json_object_get(meta, "total")), 3);
    assert_non_null(strstr(f->a.content_type, "application/json"));
    assert_string_equal(fixture_header(f, "Cache-Control", text), "private, max-age=60");
    assert_string_equal(fixture_header(f, "Vary", text), "Accept");
    assert_string_equal(fixture_header(f, "Access-Control-Allow-Origin", text), "");
    assert_int_equal(strlen(fixture_header(f, "ETag", text)), 34);
    assert_string_equal(fixture_header(f, "Link", text), "");
    assert_int_equal(get(f, "/api/v1/kumuh.csv?kode=K-003"), 200);
    assert_string_equal(f->a.content_type, "text/csv; charset=utf-8");
    assert_string_equal(odp_buffer_cstr(&f->a.body), "kode,nama,luas\r\nK-003,Kawasan 3,3.5\r\n");
    assert_string_equal(fixture_header(f, "Vary", text), "");
    assert_int_equal(get(f, "/v1/kumuh?kode=K-003&f=csv"), 200);
    assert_string_equal(f->a.content_type, "text/csv; charset=utf-8");
    assert_int_equal(get(f, "/v1/proyek/timeline"), 200);
    assert_string_equal(codes(f), "K-005 K-006 K-007 K-008 K-009");
    assert_int_equal(get(f, "/v1/kumuh/id/K-011"), 200);
    assert_string_equal(codes(f), "K-011");
    assert_int_equal(get(f, "/v1/proyek/timeline/id/K-007,Tujuh%2C%207%25"), 200);
    assert_string_equal(codes(f), "K-007");
    assert_int_equal(get(f, "/v1/proyek/timeline/id/K-007,Tujuh"), 404);
    assert_string_equal(fixture_problem(f, "code"), "record-not-found");
    assert_int_equal(get(f, "/v1/ogc/collections/proyek-timeline/items/K-007%2CTujuh%252C%207%2525"), 200);
    assert_non_null(strstr(f->a.content_type, "application/geo+json"));
    assert_string_equal(json_string_value(json_object_get(f->doc, "type")), "Feature");
    assert_int_equal(ask(f, "HEAD", "/v1/kumuh?limit=2", NULL), 200);
}

static void test_links(void **state)
{
    struct fixture *f = *state;
    char text[512], want[600];
    assert_int_equal(get(f, "/v1/kumuh/search.json?limit=10"), 200);
    const char *next = json_string_value(json_object_get(json_object_get(f->doc, "links"), "next"));
    assert_non_null(next);
    assert_memory_equal(next, "search?", 7);
    (void)snprintf(want, sizeof want, "<%s>; rel=\"next\"", next);
    assert_non_null(strstr(fixture_header(f, "Link", text), want));
    assert_int_equal(get(f, "/v1/ogc/collections/kumuh/items?limit=10"), 200);
    assert_non_null(strstr(fixture_header(f, "Link", text), "<https://data.example.go.id/v1/ogc/collections/kumuh/items?"));
    assert_non_null(strstr(text, "<https://data.example.go.id/v1/ogc/collections/kumuh>; rel=\"collection\""));
    assert_int_equal(json_integer_value(json_object_get(f->doc, "numberReturned")), 10);
}

struct fault {
    const char *target;
    int status;
    const char *code, *parameter;
    int position;
};

static void test_faults(void **state)
{
    struct fixture *f = *state;
    static const struct fault cases[] = {
        {"/v1/kumuhh?a=b", 404, "not-found", "", 0},
        {"/v1/kumuh/timeline?a=b", 404, "not-found", "", 0},
        {"/v1/kumuh/", 404, "not-found", "", 0},
        {"/v1/kumuh/id/x/y", 404, "not-found", "", 0},
        {"/v1/ogc/collections/nope/items", 404, "not-found", "", 0},
        {"/v1/ogc/nope", 404, "not-found", "", 0},
        {"/v1/ogc/conformance?x=1", 400, "parameter-unknown", "x", 0},
        {"/v1/ogc/collections/kumuh?f=xml", 400, "parameter-invalid", "f", 0},
        {"/v1/ogc/collections/nope?f=xml", 404, "not-found", "", 0},
        {"/v1/kumuh?lua=1", 400, "parameter-unknown", "lua", 0},
        {"/v1/kumuh?limit=x", 400, "parameter-invalid", "limit", 0},
        {"/v1/kumuh?f=xml", 400, "parameter-invalid", "f", 0},
        {"/v1/kumuh?f=csv&f=csv", 400, "parameter-invalid", "f", 0},
        {"/v1/kumuh?nama=%ff", 400, "parameter-invalid", "nama", 0},
        {"/v1/kumuh?nama=%", 400, "parameter-invalid", "nama", 0},
        {"/v1/kumuh/id/%00", 400, "bad-request", "", 0},
        {"/v1/kumuh?filter=luas%20%3E%20%27x%27", 400, "filter-invalid", "filter", 8},
        {"/v1/kumuh?filter=kode%20%3D%20%27a%27%20AND%20luass%20%3E%203", 400, "filter-invalid", "filter", 16},
        {"/v1/kumuh?cursor=abc", 400, "cursor-invalid", "cursor", 0},
        {"/v1/kumuh/id/nope", 404, "record-not-found", "", 0},
        {"/v1/kumuh.geojson", 406, "not-acceptable", "", 0},
    };
    for (int lang = 0; lang < 2; lang++) {
        f->call.accept_language = lang == 0 ? ODP_LIT("en") : ODP_LIT("id");
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            const struct fault *c = &cases[i];
            char text[512];
            int status = get(f, c->target);
            const json_t *position = json_object_get(f->doc, "position");
            if (status != c->status || strcmp(fixture_problem(f, "code"), c->code) != 0 ||
                (c->parameter[0] != '\0' && strcmp(fixture_problem(f, "parameter"), c->parameter) != 0) ||
                (c->position > 0 && json_integer_value(position) != c->position))
                fail_msg("%s: %d %s", c->target, status, odp_buffer_cstr(&f->a.body));
            assert_string_equal(fixture_header(f, "X-Odp-Code", text), c->code);
            assert_string_equal(fixture_header(f, "Cache-Control", text), "no-store");
            assert_string_equal(fixture_header(f, "Content-Language", text), lang == 0 ? "en" : "id");
            assert_true(fixture_problem(f, "detail")[0] != '\0');
        }
    }
    assert_int_equal(get(f, "/v1/kumuh?luaas=1"), 400);
    assert_non_null(strstr(fixture_problem(f, "detail"), "luas"));
}

static void test_methods(void **state)
{
    struct fixture *f = *state;
    char text[512];
    assert_int_equal(ask(f, "POST", "/v1/kumuh", "{}"), 405);
    assert_string_equal(fixture_header(f, "Allow", text), "GET, HEAD, OPTIONS");
    assert_int_equal(ask(f, "DELETE", "/v1/kumuh/search", NULL), 405);
    assert_string_equal(fixture_header(f, "Allow", text), "GET, HEAD, POST, OPTIONS");
    assert_int_equal(ask(f, "OPTIONS", "/v1/kumuh/search", NULL), 204);
    assert_int_equal(ask(f, "POST", "/v1/kumuh/id/K-001", "{}"), 405);
    assert_int_equal(ask(f, "POST", "/v1/ogc/collections/kumuh/items", "{}"), 405);
    f->call.door = ODP_DOOR_SERVICE;
    assert_int_equal(get(f, "/v1/kumuh?limit=1"), 404); /* it stands at its own door alone */
    f->call.door = ODP_DOOR_QUERY;
    assert_int_equal(get(f, "/auth/tiers"), 404);
    f->call.ambiguous = true;
    assert_int_equal(get(f, "/v1/kumuh?limit=1"), 400);
}

static void test_posts(void **state)
{
    struct fixture *f = *state;
    char text[512];
    assert_int_equal(ask(f, "POST", "/v1/kumuh/search", "{\"filter\":\"luas > 23\",\"sortby\":\"-kode\"}"), 200);
    assert_string_equal(codes(f), "K-025 K-024 K-023");
    assert_string_equal(fixture_header(f, "ETag", text), "");
    assert_string_equal(fixture_header(f, "Cache-Control", text), "private, no-store");
    assert_int_equal(ask(f, "POST", "/v1/kumuh/search",
                         "{\"filter\":{\"op\":\">\",\"args\":[{\"property\":\"luas\"},24]},\"limit\":1,\"f\":\"csv\"}"),
                     200);
    assert_string_equal(odp_buffer_cstr(&f->a.body), "kode,nama,luas\r\nK-024,Kawasan 24,24.5\r\n");
    assert_int_equal(ask(f, "POST", "/v1/kumuh/search", "{\"filter\":{\"op\":\">\",\"args\":[{\"property\":\"luass\"},24]}}"),
                     400);
    assert_string_equal(fixture_problem(f, "code"), "filter-invalid");
    assert_memory_equal(fixture_problem(f, "pointer"), "/", 1);
    assert_int_equal(ask(f, "POST", "/v1/kumuh/search", "{\"filtr\":\"x\"}"), 400);
    assert_string_equal(fixture_problem(f, "code"), "parameter-unknown");
    assert_int_equal(ask(f, "POST", "/v1/kumuh/search", "{\"filter\":\n \"x\""), 400);
    assert_string_equal(fixture_problem(f, "code"), "invalid-json");
    assert_non_null(strstr(fixture_problem(f, "detail"), "line 2"));
    assert_int_equal(ask(f, "POST", "/v1/kumuh/search", "[]"), 400);
    assert_string_equal(fixture_problem(f, "code"), "invalid-json");
    assert_int_equal(ask(f, "POST", "/v1/kumuh/search", ""), 400);
    assert_string_equal(fixture_problem(f, "code"), "invalid-json");
    f->call.content_type = ODP_LIT("text/plain");
    assert_int_equal(ask(f, "POST", "/v1/kumuh/search", "{}"), 415);
    assert_string_equal(fixture_header(f, "Accept-Post", text), "application/json");
    f->call.content_type = ODP_LIT("application/json");
    char *large = malloc(ODP_QUERY_BODY_MAX + 2);
    assert_non_null(large);
    memset(large, ' ', ODP_QUERY_BODY_MAX + 1);
    memcpy(large, "{}", 2);
    large[ODP_QUERY_BODY_MAX] = '\0';
    assert_int_equal(ask(f, "POST", "/v1/kumuh/search", large), 200);
    large[ODP_QUERY_BODY_MAX] = ' ';
    large[ODP_QUERY_BODY_MAX + 1] = '\0';
    assert_int_equal(ask(f, "POST", "/v1/kumuh/search", large), 413);
    free(large);
}

static void test_tags_and_memory(void **state)
{
    struct fixture *f = *state;
    struct odp_cache_counts n;
    char tag[512], other[512];
    assert_int_equal(get(f, "/v1/kumuh?filter=luas%3E23&sortby=kode"), 200);
    (void)fixture_header(f, "ETag", tag);
    assert_int_equal(get(f, "/v1/kumuh?sortby=kode&filter=(luas%20%3E%20%2023)"), 200); /* the same in other words */
    assert_string_equal(fixture_header(f, "ETag", other), tag);
    assert_string_equal(codes(f), "K-023 K-024 K-025");
    odp_cache_counts(queries_of(f)->cache, &n);
    assert_int_equal(n.hits, 1);
    assert_int_equal(n.misses, 1);
    assert_int_equal(atomic_load(&queries_of(f)->counts.run), 1);
    static const char *const others[] = {
        "/v1/kumuh?filter=luas%3E22&sortby=kode",         "/v1/kumuh?filter=luas%3E23&sortby=-kode",
        "/v1/kumuh?filter=luas%3E23&sortby=kode&limit=3", "/v1/kumuh.csv?filter=luas%3E23&sortby=kode",
        "/v1/kumuh/search?filter=luas%3E23&sortby=kode",  "/v1/proyek?filter=luas%3E23&sortby=kode"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(get(f, others[i]), 200);
        assert_string_not_equal(fixture_header(f, "ETag", other), tag);
    }
    (void)snprintf(other, sizeof other, "\"x\", W/%.40s", tag);
    f->call.if_none_match = odp_slice_of(other);
    assert_int_equal(get(f, "/v1/kumuh?filter=luas%3E23&sortby=kode"), 304);
    assert_int_equal(f->a.body.len, 0);
    char text[512];
    assert_string_equal(fixture_header(f, "ETag", text), tag);
    assert_string_equal(fixture_header(f, "Cache-Control", text), "private, max-age=60");
    assert_string_equal(fixture_header(f, "Vary", text), "Accept");
    assert_int_equal(get(f, "/v1/kumuh?filter=luas%3E22&sortby=kode"), 200);
    assert_int_equal(ask(f, "POST", "/v1/kumuh/search", "{\"filter\":\"luas > 23\"}"), 200); /* no condition of a POST */
}

static void test_release_changes_the_tag(void **state)
{
    struct fixture *f = *state;
    struct site_index one[] = SITE_ONE;
    char tag[512], other[512];
    assert_int_equal(get(f, "/v1/kumuh?limit=1"), 200);
    (void)fixture_header(f, "ETag", tag);
    make_site(build_dir(f, 'b'), one, 3, "2.6.0", "[]");
    switch_to(f, build_dir(f, 'b'), FIXTURE_NOW);
    assert_int_equal(get(f, "/v1/kumuh?limit=1"), 200);
    assert_string_equal(json_string_value(json_object_get(json_object_get(f->doc, "meta"), "release")), "2.6.0");
    assert_string_not_equal(fixture_header(f, "ETag", other), tag);
}

static void test_concurrent(void **state)
{
    struct fixture *f = *state;
    struct odp_gate *g = queries_of(f)->gate;
    char text[512];
    assert_int_equal(get(f, "/v1/kumuh?limit=1"), 200);
    assert_true(odp_gate_take(g, 7, 2) && odp_gate_take(g, 7, 2));
    assert_int_equal(get(f, "/v1/kumuh?limit=2"), 429);
    assert_string_equal(fixture_problem(f, "code"), "too-many-queries");
    assert_string_equal(fixture_header(f, "Retry-After", text), "1");
    assert_int_equal(get(f, "/v1/kumuh?limit=1"), 200); /* out of memory it costs nothing */
    f->call.tier = ODP_LIT("registered");               /* five */
    assert_int_equal(get(f, "/v1/kumuh?limit=3"), 200);
    f->call.tier = ODP_LIT("nobody knows it"); /* the least */
    assert_int_equal(get(f, "/v1/kumuh?limit=4"), 429);
    f->call.account = ODP_LIT("8");
    assert_int_equal(get(f, "/v1/kumuh?limit=5"), 200);
    f->call.account = ODP_LIT(""); /* all who are unknown are one, with the most that any tier has: 20 */
    for (int i = 0; i < 19; i++)
        assert_true(odp_gate_take(g, UINT64_MAX, 20));
    assert_int_equal(get(f, "/v1/kumuh?limit=6"), 200);
    assert_true(odp_gate_take(g, UINT64_MAX, 20));
    assert_int_equal(get(f, "/v1/kumuh?limit=7"), 429);
    f->call.account = ODP_LIT("99999999999999999999999");
    assert_int_equal(get(f, "/v1/kumuh?limit=7"), 429);
}

static void test_busy(void **state)
{
    struct fixture *f = *state;
    struct odp_gate *g = queries_of(f)->gate;
    char text[512];
    assert_true(odp_gate_enter(g) && odp_gate_enter(g));
    assert_int_equal(get(f, "/v1/kumuh?limit=1"), 503);
    assert_string_equal(fixture_problem(f, "code"), "busy");
    assert_string_equal(fixture_header(f, "Retry-After", text), "1");
    odp_gate_leave(g);
    assert_int_equal(get(f, "/v1/kumuh?limit=1"), 200);
    odp_gate_leave(g);
    f->call.method = ODP_LIT("GET");
    close_queries(f);
    assert_int_equal(get(f, "/v1/kumuh?limit=1"), 503);
}

static void test_key_in_address(void **state)
{
    struct fixture *f = *state;
    char text[512], tag[512];
    assert_int_equal(get(f, "/v1/kumuh?limit=1&api_key=x"), 400);
    f->options.query_key = "api_key";
    assert_int_equal(get(f, "/v1/kumuh?limit=1"), 200);
    (void)fixture_header(f, "ETag", tag);
    assert_int_equal(get(f, "/v1/kumuh?limit=1&api_key=x"), 200);
    assert_string_equal(fixture_header(f, "ETag", text), tag);
    assert_string_equal(fixture_header(f, "Cache-Control", text), "private, no-store");
    assert_null(strstr(odp_buffer_cstr(&f->a.body), "api_key"));
}

static void test_expensive(void **state)
{
    struct fixture *f = *state;
    struct site_index large[] = {{"kumuh", NULL, "2024-03-15", 1, 9000, false, "", ""}};
    close_queries(f);
    f->options.query_rows = 1000;
    open_queries(f);
    make_site(build_dir(f, 'b'), large, 1, "2.5.0", "[]");
    switch_to(f, build_dir(f, 'b'), FIXTURE_NOW);
    assert_int_equal(get(f, "/v1/kumuh?filter=kode%20%3D%20%27K-777%27"), 200);
    assert_int_equal(get(f, "/v1/kumuh?filter=luas%20*%202%20%3E%2018000"), 422);
    assert_string_equal(fixture_problem(f, "code"), "query-too-expensive");
    assert_true(fixture_problem(f, "detail")[0] != '\0');
}

/* ---- many at once ----------------------------------------------------------------------------------------------------------
 */

struct crowd {
    struct fixture *f;
    pthread_t thread;
    int number, wrong;
};

static void *crowd_asks(void *arg)
{
    struct crowd *x = arg;
    for (int i = 0; i < 40; i++) {
        char query[64], want[64];
        int k = (i * 7 + x->number) % 25 + 1;
        (void)snprintf(query, sizeof query, "kode=K-%03d&luas=%d.5", k, k);
        (void)snprintf(want, sizeof want, "\"nama\":\"%s%.0d\"", k == 7 ? "Tujuh, 7%" : "Kawasan ", k == 7 ? 0 : k);
        struct odp_call c = x->f->call;
        struct odp_answer a;
        c.path = c.raw_path = i % 2 == 0 ? ODP_LIT("/v1/kumuh") : ODP_LIT("/v1/kumuh/search");
        c.query = odp_slice_of(query);
        c.account = ODP_LIT("9");
        c.tier = ODP_LIT("government");
        odp_answer_init(&a);
        odp_http_answer(&x->f->s, &c, &a);
        x->wrong += a.status != 200 || strstr(odp_buffer_cstr(&a.body), want) == NULL;
        odp_answer_release(&a);
    }
    return NULL;
}

static void test_crowd(void **state)
{
    struct fixture *f = *state;
    struct crowd crowd[8];
    struct site_index one[] = SITE_ONE;
    make_site(build_dir(f, 'b'), one, 3, "2.6.0", "[]");
    for (int i = 0; i < 8; i++) {
        crowd[i] = (struct crowd){.f = f, .number = i / 2};
        assert_int_equal(pthread_create(&crowd[i].thread, NULL, crowd_asks, &crowd[i]), 0);
    }
    for (int i = 0; i < 20; i++) { /* the site goes back and forth meanwhile */
        switch_to(f, build_dir(f, i % 2 == 0 ? 'b' : 'a'), FIXTURE_NOW + i);
        assert_int_equal(odp_queries_prune(queries_of(f), FIXTURE_NOW + i), ODP_OK);
        usleep(1000);
    }
    for (int i = 0; i < 8; i++) {
        assert_int_equal(pthread_join(crowd[i].thread, NULL), 0);
        assert_int_equal(crowd[i].wrong, 0);
    }
    unsigned running, waiting;
    odp_gate_counts(queries_of(f)->gate, &running, &waiting);
    assert_int_equal(running + waiting, 0);
}

/* ---- cursors and switches --------------------------------------------------------------------------------------------------
 */

/* From TARGET to the end; a step before page number AT. Returns how many pages there were; the codes of all into OUT. */
static int page_through(struct fixture *f, const char *target, int at, void (*step)(struct fixture *f), char *out, size_t cap)
{
    char address[4096];
    int pages = 0;
    out[0] = '\0';
    (void)snprintf(address, sizeof address, "%s", target);
    for (;;) {
        if (++pages == at)
            step(f);
        if (get(f, address) != 200)
            fail_msg("%s: %s", address, odp_buffer_cstr(&f->a.body));
        (void)snprintf(out + strlen(out), cap - strlen(out), "%s%s", pages > 1 ? " " : "", codes(f));
        const char *next = link_of(f, target, "next");
        if (next == NULL)
            return pages;
        (void)snprintf(address, sizeof address, "%s", next);
    }
}

static void all_codes(int first, int last, char *out)
{
    *out = '\0';
    for (int k = first; k <= last; k++)
        out += sprintf(out, "%sK-%03d", k > first ? " " : "", k);
}

static void use_site_two(struct fixture *f)
{
    struct site_index two[] = {{"kumuh", NULL, "2024-09-15", 4, 31, false, "", ""},
                               {"proyek", NULL, "2024-03-15", 1, 3, false, "", ""}};
    make_site(build_dir(f, 'b'), two, 2, "2.5.0", "[]");
    switch_to(f, build_dir(f, 'b'), FIXTURE_NOW + 10);
}

static void drop_build_one(struct fixture *f)
{
    use_site_two(f);
    assert_int_equal(odp_dir_remove(build_dir(f, 'a')), ODP_OK);
}

static void test_pages_through_a_switch(void **state)
{
    struct fixture *f = *state;
    char got[1024], want[1024];
    assert_int_equal(page_through(f, "/v1/kumuh?limit=10", 2, drop_build_one, got, sizeof got), 3);
    all_codes(1, 25, want);
    assert_string_equal(got, want); /* as it was when the reader began */
    assert_string_equal(json_string_value(json_object_get(json_object_get(f->doc, "meta"), "version")), "2024-03-15");
    assert_int_equal(page_through(f, "/v1/kumuh?limit=10", 0, NULL, got, sizeof got), 3);
    all_codes(4, 31, want);
    assert_string_equal(got, want);
}

/* A cursor to page 2 of the first site. */
static void first_cursor(struct fixture *f, char *out, size_t cap)
{
    assert_int_equal(get(f, "/v1/kumuh?limit=10&sortby=kode"), 200);
    const char *link = link_of(f, "/v1/kumuh", "next");
    assert_true(strlen(link) < cap);
    memcpy(out, link, strlen(link) + 1);
}

static int kept_files(const struct fixture *f)
{
    struct odp_arena a;
    const char **names;
    char path[300];
    size_t n = 0;
    odp_arena_init(&a);
    (void)snprintf(path, sizeof path, "%s/indexes", f->state_dir);
    assert_int_equal(odp_dir_list(path, &a, &names, &n), ODP_OK);
    odp_arena_release(&a);
    return (int)n - 1; /* less the record */
}

static void test_expires_after_a_day(void **state)
{
    struct fixture *f = *state;
    char cursor[2048], text[512];
    first_cursor(f, cursor, sizeof cursor);
    assert_int_equal(kept_files(f), 3);
    drop_build_one(f);
    assert_int_equal(kept_files(f), 4);
    int64_t end = FIXTURE_NOW + 10 + 24 * 3600;
    assert_int_equal(odp_queries_prune(queries_of(f), end - 1), ODP_OK);
    assert_int_equal(get(f, cursor), 200);
    close_queries(f); /* a restart forgets nothing */
    open_queries(f);
    switch_to(f, build_dir(f, 'b'), end - 1);
    assert_int_equal(odp_queries_prune(queries_of(f), end - 1), ODP_OK);
    assert_int_equal(get(f, cursor), 200);
    assert_string_equal(codes(f), "K-011 K-012 K-013 K-014 K-015 K-016 K-017 K-018 K-019 K-020");
    assert_int_equal(odp_queries_prune(queries_of(f), end), ODP_OK);
    assert_int_equal(kept_files(f), 2);
    assert_int_equal(get(f, cursor), 410);
    assert_string_equal(fixture_problem(f, "code"), "cursor-expired");
    const char *first = link_of(f, "/v1/kumuh", "first");
    assert_non_null(first);
    assert_null(strstr(first, "cursor"));
    assert_non_null(strstr(fixture_header(f, "Link", text), "rel=\"first\""));
    char again[4096];
    (void)snprintf(again, sizeof again, "%s", first);
    assert_int_equal(get(f, again), 200);
    assert_string_equal(codes(f), "K-004 K-005 K-006 K-007 K-008 K-009 K-010 K-011 K-012 K-013");
}

static void test_found_in_older_builds(void **state)
{
    struct fixture *f = *state;
    char cursor[2048];
    first_cursor(f, cursor, sizeof cursor);
    use_site_two(f);
    assert_int_equal(odp_queries_prune(queries_of(f), FIXTURE_NOW + 11 + 24 * 3600), ODP_OK);
    assert_int_equal(kept_files(f), 2);
    assert_int_equal(get(f, cursor), 200); /* of build one, which is there still */
    close_queries(f);
    open_queries(f);
    switch_to(f, build_dir(f, 'b'), FIXTURE_NOW + 12 + 24 * 3600);
    struct site_index old = {"kumuh", NULL, "2024-03-15", 1, 25, false, "", ""};
    assert_int_equal(odp_dir_remove(build_dir(f, 'a')), ODP_OK);
    assert_int_equal(get(f, cursor), 410);
    make_index(build_dir(f, 'b'), &old); /* where the compiler leaves it for five builds */
    assert_int_equal(get(f, cursor), 200);
    assert_string_equal(codes(f), "K-011 K-012 K-013 K-014 K-015 K-016 K-017 K-018 K-019 K-020");
}

static void test_withdrawn(void **state)
{
    struct fixture *f = *state;
    char cursor[2048];
    struct site_index two[] = {{"kumuh", NULL, "2024-09-15", 4, 31, false, "", ""}};
    first_cursor(f, cursor, sizeof cursor);
    assert_int_equal(get(f, cursor), 200);
    make_site(build_dir(f, 'b'), two, 1, "2.5.0", "[\"kumuh/2024-03-15\"]");
    switch_to(f, build_dir(f, 'b'), FIXTURE_NOW + 10);
    assert_int_equal(get(f, cursor), 410); /* at once, though the file lies in build one */
    char path[400];
    (void)snprintf(path, sizeof path, "%s/indexes", f->state_dir);
    assert_int_equal(kept_files(f), 3); /* the new one, and the two of proyek */
    assert_int_equal(get(f, "/v1/proyek?limit=1"), 404);
}

static void test_withdrawn_while_in_use(void **state)
{
    struct fixture *f = *state;
    char why[ODP_WHY];
    struct odp_query_lease lease;
    struct odp_queries *q = queries_of(f);
    struct site_index two[] = {{"kumuh", NULL, "2024-09-15", 4, 31, false, "", ""}};
    struct odp_query_site *site = odp_queries_hold(q);
    assert_int_equal(odp_queries_lease(q, site, odp_query_site_find(site, ODP_LIT("kumuh"), ODP_LIT("")), NULL, &lease, why),
                     ODP_OK);
    make_site(build_dir(f, 'b'), two, 1, "2.5.0", "[\"kumuh/2024-03-15\"]");
    switch_to(f, build_dir(f, 'b'), FIXTURE_NOW + 10);
    assert_int_equal(odp_queries_open(q), 1);
    assert_string_equal(odp_index_info(lease.index)->version, "2024-03-15"); /* still there for who holds it */
    odp_queries_return(q, &lease);
    assert_int_equal(odp_queries_open(q), 0);
    odp_queries_drop(q, site);
}

/* A cursor of one dataset at another, of another machine, and one that was tampered with. */
static void test_foreign_cursors(void **state)
{
    struct fixture *f = *state;
    char cursor[2048], address[4096];
    first_cursor(f, cursor, sizeof cursor);
    char *text = strstr(cursor, "cursor=");
    assert_non_null(text);
    (void)snprintf(address, sizeof address, "/v1/proyek?limit=10&sortby=kode&%s", text);
    assert_int_equal(get(f, address), 400);
    assert_string_equal(fixture_problem(f, "code"), "cursor-invalid");
    (void)snprintf(address, sizeof address, "/v1/kumuh?limit=10&sortby=-kode&%s", text); /* of another query */
    assert_int_equal(get(f, address), 400);
    text[12] = text[12] == 'A' ? 'B' : 'A';
    assert_int_equal(get(f, cursor), 400);
    assert_string_equal(fixture_problem(f, "code"), "cursor-invalid");
}

static void test_secrets(void **state)
{
    struct fixture *f = *state;
    char cursor[2048], path[300], file[300], why[ODP_WHY];
    struct stat st;
    first_cursor(f, cursor, sizeof cursor);
    (void)snprintf(path, sizeof path, "%s/cursor.key", f->state_dir);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    assert_true(st.st_size > 44);
    (void)snprintf(file, sizeof file, "%s/shared", f->dir);
    assert_int_equal(odp_file_link(path, file), ODP_OK);
    close_queries(f);
    f->options.cursor_secret = file; /* a copy on another machine is the same secret */
    open_queries(f);
    switch_to(f, build_dir(f, 'a'), FIXTURE_NOW);
    assert_int_equal(get(f, cursor), 200);
    close_queries(f);
    assert_int_equal(unlink(file), 0);
    write_text(file, "0123456789abcdef0123456789abcdef0123456789abcdef\n");
    assert_int_equal(chmod(file, 0600), 0);
    open_queries(f);
    switch_to(f, build_dir(f, 'a'), FIXTURE_NOW);
    assert_int_equal(get(f, cursor), 400);
    close_queries(f);
    write_text(file, "short\n");
    assert_int_equal(chmod(file, 0600), 0);
    struct odp_queries *q = NULL;
    assert_int_equal(odp_queries_new(&q, &f->options, why), ODP_BAD);
    assert_non_null(strstr(why, file));
    f->options.cursor_secret = NULL;
    write_text(path, "damaged");
    assert_int_equal(chmod(path, 0600), 0);
    open_queries(f);
    assert_int_equal(stat(path, &st), 0);
    assert_true(st.st_size > 44);
}

/* The state lies on another file system: no links, so what is open stays open. */
static void test_without_links(void **state)
{
    struct fixture *f = *state;
    struct stat here, there;
    char elsewhere[] = "/dev/shm/odp-query-XXXXXX", one_dir[100], two_dir[100], cursor[2048];
    if (stat(f->dir, &here) != 0 || stat("/dev/shm", &there) != 0 || here.st_dev == there.st_dev || mkdtemp(elsewhere) == NULL)
        skip();
    (void)snprintf(one_dir, sizeof one_dir, "%s/one", elsewhere);
    (void)snprintf(two_dir, sizeof two_dir, "%s/two", elsewhere);
    struct site_index one[] = {{"kumuh", NULL, "2025-01-01", 100, 125, false, "", ""}},
                      two[] = {{"kumuh", NULL, "2025-02-01", 100, 120, false, "", ""}};
    make_site(one_dir, one, 1, "2.5.0", "[]");
    switch_to(f, one_dir, FIXTURE_NOW);
    int files = kept_files(f);
    first_cursor(f, cursor, sizeof cursor);
    make_site(two_dir, two, 1, "2.5.0", "[]");
    switch_to(f, two_dir, FIXTURE_NOW + 10);
    assert_int_equal(kept_files(f), files);
    assert_int_equal(odp_dir_remove(one_dir), ODP_OK);
    assert_int_equal(get(f, cursor), 200);
    assert_memory_equal(codes(f), "K-110", 5);
    assert_int_equal(odp_queries_prune(queries_of(f), FIXTURE_NOW + 10 + 24 * 3600), ODP_OK);
    assert_int_equal(get(f, cursor), 410);
    assert_int_equal(odp_dir_remove(elsewhere), ODP_OK);
}

/* More resources than indexes are kept open. */
static void test_opens_and_closes(void **state)
{
    struct fixture *f = *state;
    enum { MANY = 70 };
    static struct site_index many[MANY];
    static char names[MANY][16];
    char address[64];
    for (int i = 0; i < MANY; i++) {
        (void)snprintf(names[i], sizeof names[i], "data-%d", i);
        many[i] = (struct site_index){names[i], NULL, "2024-03-15", i + 1, i + 1, false, "", ""};
    }
    make_site(build_dir(f, 'c'), many, MANY, "2.5.0", "[]");
    switch_to(f, build_dir(f, 'c'), FIXTURE_NOW);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < MANY; i++) {
            char want[16];
            (void)snprintf(address, sizeof address, "/v1/data-%d?limit=%d", i, round + 1);
            (void)snprintf(want, sizeof want, "K-%03d", i + 1);
            assert_int_equal(get(f, address), 200);
            assert_string_equal(codes(f), want);
        }
    assert_int_equal(odp_queries_open(queries_of(f)), 64);
}

static void test_damaged_index(void **state)
{
    struct fixture *f = *state;
    struct site_index two[] = {{"kumuh", NULL, "2024-09-15", 4, 31, false, "", ""}};
    char path[600];
    make_site(build_dir(f, 'b'), two, 1, "2.5.0", "[]");
    (void)snprintf(path, sizeof path, "%s/%s", build_dir(f, 'b'), two[0].file);
    write_text(path, "this is no database");
    switch_to(f, build_dir(f, 'b'), FIXTURE_NOW);
    assert_int_equal(get(f, "/v1/kumuh?limit=1"), 500);
    assert_int_equal(unlink(path), 0);
    (void)snprintf(path, sizeof path, "%s/indexes/index-%s.sqlite", f->state_dir, two[0].id);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(get(f, "/v1/kumuh?limit=1"), 500);
    odp_failure_clear();
}

static void test_metrics(void **state)
{
    struct fixture *f = *state;
    struct odp_buffer b;
    assert_int_equal(get(f, "/v1/kumuh?limit=5"), 200);
    assert_int_equal(get(f, "/v1/kumuh?limit=5"), 200);
    assert_int_equal(get(f, "/v1/kumuh?nope=5"), 400);
    odp_buffer_init(&b);
    odp_metrics_write(&f->s, &b);
    const char *text = odp_buffer_cstr(&b);
    static const char *const lines[] = {"\nodp_query_seconds_count 1\n",
                                        "\nodp_query_seconds_sum 0.",
                                        "\nodp_query_records_returned_total 5\n",
                                        "\nodp_query_answers_total{source=\"memory\"} 1\n",
                                        "\nodp_query_answers_total{source=\"made\"} 1\n",
                                        "\nodp_query_refusals_total{code=\"parameter-unknown\"} 1\n",
                                        "\nodp_query_running 0\n",
                                        "\nodp_query_waiting 0\n",
                                        "\nodp_query_cache_answers 1\n",
                                        "\nodp_query_open_indexes 1\n"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        if (strstr(text, lines[i]) == NULL)
            fail_msg("%s is not in %s", lines[i] + 1, strstr(text, "odp_query_seconds"));
    odp_buffer_release(&b);
}

/* What `odp-gateway check` says of the indexes. */
static const char *check_says(struct fixture *f, bool *ok)
{
    static char detail[ODP_WHY];
    json_t *request = json_pack("{s:s}", "command", "check"), *reply = NULL, *row;
    size_t i;
    detail[0] = '\0';
    assert_int_equal(odp_admin_run(&f->s, request, "command:test", FIXTURE_NOW, &reply), ODP_OK);
    json_array_foreach(json_object_get(reply, "data"), i,
                       row) if (strcmp(json_string_value(json_object_get(row, "check")), "queries") == 0)
    {
        (void)snprintf(detail, sizeof detail, "%s", json_string_value(json_object_get(row, "detail")));
        *ok = json_is_true(json_object_get(row, "ok"));
    }
    json_decref(request);
    json_decref(reply);
    return detail;
}

static void test_check(void **state)
{
    struct fixture *f = *state;
    struct site_index one[] = SITE_ONE;
    char path[600], site[300];
    bool ok = false;
    assert_string_equal(check_says(f, &ok), ""); /* there is no site */
    (void)snprintf(site, sizeof site, "%s", build_dir(f, 'b'));
    f->options.site = site;
    make_site(site, one, 3, "2.5.0", "[]");
    assert_non_null(strstr(check_says(f, &ok), "3 resources can be queried"));
    assert_true(ok);
    (void)snprintf(path, sizeof path, "%s/%s", site, one[1].file);
    FILE *out = fopen(path, "r+");
    assert_non_null(out);
    assert_int_equal(fseek(out, 5000, SEEK_SET), 0);
    assert_int_equal(fputc('x', out), 'x');
    assert_int_equal(fclose(out), 0);
    assert_non_null(strstr(check_says(f, &ok), "damaged"));
    assert_false(ok);
    assert_non_null(strstr(check_says(f, &ok), one[1].file));
    assert_int_equal(unlink(path), 0);
    assert_non_null(strstr(check_says(f, &ok), "missing"));
    assert_false(ok);
    (void)snprintf(path, sizeof path, "%s/search/index.json", site);
    write_text(path, "{}");
    assert_non_null(strstr(check_says(f, &ok), "not a list"));
    assert_false(ok);
    assert_int_equal(unlink(path), 0);
    assert_non_null(strstr(check_says(f, &ok), "no query indexes")); /* control does not list it: an older compiler's */
    assert_true(ok);
    (void)snprintf(path, sizeof path, "%s/control", site);
    write_text(path, "#odp-control-1\tetag\ttype\tencoding\tclass\tstate\tdeprecation\tsunset\tcache-control\tsize\tlink\n"
                     "search/index.json\t\"0\"\tapplication/json\t-\tinternal\tactive\t-\t-\t-\t2\t-\n");
    assert_non_null(strstr(check_says(f, &ok), "index.json is missing"));
    assert_false(ok);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, query_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_tags),
        cmocka_unit_test(test_gate),
        cmocka_unit_test(test_cache),
        cmocka_unit_test(test_shares_one_answer),
        TEST(test_lists),
        TEST(test_a_list_that_cannot_be_used_changes_nothing),
        TEST(test_answers),
        TEST(test_links),
        TEST(test_faults),
        TEST(test_methods),
        TEST(test_posts),
        TEST(test_tags_and_memory),
        TEST(test_release_changes_the_tag),
        TEST(test_concurrent),
        TEST(test_busy),
        TEST(test_key_in_address),
        TEST(test_expensive),
        TEST(test_crowd),
        TEST(test_pages_through_a_switch),
        TEST(test_expires_after_a_day),
        TEST(test_found_in_older_builds),
        TEST(test_withdrawn),
        TEST(test_withdrawn_while_in_use),
        TEST(test_foreign_cursors),
        TEST(test_secrets),
        TEST(test_without_links),
        TEST(test_opens_and_closes),
        TEST(test_damaged_index),
        TEST(test_metrics),
        TEST(test_check),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
