/* Which records that differ a filter is about: against records and conditions kept here, over random
 * versions; and over two versions of an example dataset, whose downloads are compared here. */
#include "event_match_fixture.h"
#include "random.h"

/* ---- random versions of a keyed table ---- */

enum { MOST = 700, VERSIONS = 4, FILTERS = 300 };

struct row {
    char kode[24];
    int nomor, luas /* hundredths; -1: null */, tingkat /* 3: null */, tanggal /* day of 2024-01; 0: null */;
    char baru[4];
    bool there;
};
static struct row rows[VERSIONS][MOST]; /* a row is the same key in every version */
static const char *const levels[] = {"Ringan", "Sedang", "Berat", ""};
static const char *const starts[] = {"a", "ab", "31.71-", "x,y%", "\xC3\xA9", "Z z"};

static void fill(struct row *r)
{
    r->luas = dice(8) == 0 ? -1 : (int)dice(4000);
    r->tingkat = (int)dice(4);
    r->tanggal = (int)dice(29);
    snprintf(r->baru, sizeof r->baru, "%s", dice(3) == 0 ? "ya" : "");
}

static void make_rows(void)
{
    for (int i = 0; i < MOST; i++) {
        struct row *r = &rows[0][i];
        snprintf(r->kode, sizeof r->kode, "%s%d", starts[dice(6)], i / 20);
        r->nomor = i % 20 - 5;
        fill(r);
        r->there = dice(5) > 0;
    }
    for (int v = 1; v < VERSIONS; v++)
        for (int i = 0; i < MOST; i++) {
            struct row *r = &rows[v][i];
            *r = rows[v - 1][i];
            if (dice(12) == 0)
                r->there = !r->there;
            if (dice(7) == 0)
                fill(r);
        }
}

/* Version V as CSV: its columns are those of its fields below, its rows in another order than the version
 * before. */
static char *csv_of(int v)
{
    struct odp_buffer out = {0};
    odp_buffer_add_str(&out, v < 2 ? "kode,nomor,luas,tingkat,tanggal\n"
                                   : "tanggal,kode,nomor,luas_ha,tingkat,baru\n");
    for (int k = 0; k < MOST; k++) {
        const struct row *r = &rows[v][(k * 37 + v * 11) % MOST];
        char luas[32] = "", tanggal[32] = "";
        if (!r->there)
            continue;
        if (r->luas >= 0)
            snprintf(luas, sizeof luas, "%d.%02d", r->luas / 100, r->luas % 100);
        if (r->tanggal > 0)
            snprintf(tanggal, sizeof tanggal, "2024-01-%02d", r->tanggal);
        if (v < 2)
            odp_buffer_printf(&out, "\"%s\",%d,%s,%s,%s\n", r->kode, r->nomor, luas, levels[r->tingkat],
                              tanggal);
        else
            odp_buffer_printf(&out, "%s,\"%s\",%d,%s,%s,%s\n", tanggal, r->kode, r->nomor, luas,
                              levels[r->tingkat], r->baru);
    }
    must(odp_buffer_status(&out));
    char *text = strdup(odp_buffer_cstr(&out));
    odp_buffer_release(&out);
    return text;
}

#define OLD_FIELDS                                                                                           \
    "{\"name\": \"kode\", \"type\": \"string\"}, {\"name\": \"nomor\", \"type\": \"integer\"}, {\"name\": "  \
    "\"luas\", "                                                                                             \
    "\"type\": \"number\"" GOING "},"                                                                        \
    "{\"name\": \"tingkat\", \"type\": \"string\"}, {\"name\": \"tanggal\", \"type\": \"date\"}"
#define NEW_FIELDS                                                                                           \
    "{\"name\": \"tanggal\", \"type\": \"date\"}, {\"name\": \"kode\", \"type\": \"string\"}, {\"name\": "   \
    "\"nomor\", "                                                                                            \
    "\"type\": \"integer\"},"                                                                                \
    "{\"name\": \"luas_ha\", \"type\": \"number\", \"odp:formerNames\": [\"luas\"]}, {\"name\": "            \
    "\"tingkat\", \"type\": "                                                                                \
    "\"string\"},"                                                                                           \
    "{\"name\": \"baru\", \"type\": \"string\"}"

static const char *const names[VERSIONS] = {"2024-01-15", "2024-02-15", "2024-03-15", "2024-04-15"};

static void publish_rows(struct world *w, int v)
{
    char *csv = csv_of(v);
    put_dataset(w, "uji", names[v],
                &(struct table){"uji", v < 2 ? OLD_FIELDS : NEW_FIELDS, "\"kode\", \"nomor\"", csv, NULL}, 1);
    build(w);
    free(csv);
}

/* ---- conditions ---- */

#define CONDITION(name, holds)                                                                               \
    static bool name(const struct row *r, int v)                                                             \
    {                                                                                                        \
        (void)r, (void)v;                                                                                    \
        return holds;                                                                                        \
    }
CONDITION(is_berat, r->tingkat == 2)
CONDITION(is_not_berat, r->tingkat < 2)
CONDITION(is_large, r->luas > 1000)
CONDITION(is_without_luas, r->luas < 0)
CONDITION(is_late, r->tanggal >= 20 && (r->tingkat == 0 || r->tingkat == 1))
CONDITION(is_a, r->kode[0] == 'a')
CONDITION(is_prefix, strncmp(r->kode, "31", 2) == 0)
CONDITION(is_accent, strncmp(r->kode, "\xC3\xA9", 2) == 0)
CONDITION(is_between, r->nomor >= 2 && r->nomor <= 4)
CONDITION(is_either, r->nomor == -3 || (r->luas >= 0 && r->luas < 50))
CONDITION(is_new, v >= 2 && strcmp(r->baru, "ya") == 0)
CONDITION(is_not_new, v < 2 || r->baru[0] == '\0')
CONDITION(is_none, false)
CONDITION(is_any, true)

static const struct condition {
    const char *text;
    bool (*holds)(const struct row *r, int v);
    int from, to; /* versions whose fields it names */
} conditions[] = {
    {"tingkat = 'Berat'", is_berat, 0, 3},
    {"{\"op\":\"=\",\"args\":[{\"property\":\"tingkat\"},\"Berat\"]}", is_berat, 0, 3},
    {"NOT (tingkat = 'Berat')", is_not_berat, 0, 3},
    {"luas > 10", is_large, 0, 1},
    {"luas IS NULL", is_without_luas, 0, 1},
    {"luas_ha > 10.00", is_large, 2, 3},
    {"luas_ha IS NULL", is_without_luas, 2, 3},
    {"tanggal >= DATE('2024-01-20') AND tingkat IN ('Ringan','Sedang')", is_late, 0, 3},
    {"kode LIKE 'a%'", is_a, 0, 3},
    {"huruf = 'a'", is_a, 0, 3},
    {"awal = '31'", is_prefix, 0, 3},
    {"huruf = '\xC3\xA9'", is_accent, 0, 3},
    {"nomor BETWEEN 2 AND 4", is_between, 0, 3},
    {"nomor = -3 OR luas < 0.5", is_either, 0, 1},
    {"baru = 'ya'", is_new, 2, 3},
    {"baru IS NULL", is_not_new, 2, 3},
    {"kode = 'tidak ada'", is_none, 0, 3},
    {"TRUE", is_any, 0, 3},
};
enum { CONDITIONS = ODP_COUNT(conditions) };

/* ---- what is expected ---- */

enum { NOTHING, ADDED, REMOVED, CHANGED };

static bool differs(const struct row *a, const struct row *b, int v /* of B */)
{
    if (a->luas != b->luas || a->tingkat != b->tingkat || a->tanggal != b->tanggal)
        return true;
    return v > 2 && a->baru[0] != b->baru[0]; /* what a new column holds is no difference of rows */
}

/* The change of row I from version FIRST - 1 (0: no record) to LAST. */
static int happened(int i, int first, int last)
{
    int all = NOTHING;
    for (int v = first; v <= last; v++) {
        bool was = v > 0 && rows[v - 1][i].there, is = rows[v][i].there;
        int now = !was && is                                              ? ADDED
                  : was && !is                                            ? REMOVED
                  : was && is && differs(&rows[v - 1][i], &rows[v][i], v) ? CHANGED
                                                                          : NOTHING;
        if (now == NOTHING || all == NOTHING)
            all = now == NOTHING ? all : now;
        else if (all == ADDED && now == CHANGED)
            all = ADDED;
        else if (all == CHANGED && now == REMOVED)
            all = REMOVED;
        else
            all = CHANGED;
    }
    return all;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The key as an address has it. */
static char *key_text(const struct row *r)
{
    char out[128];
    size_t n = 0;
    for (const char *p = r->kode; *p != '\0'; p++)
        n += (size_t)sprintf(out + n,
                             strchr("-_.~", *p) != NULL || (*p >= '0' && *p <= '9') ||
                                     (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z')
                                 ? "%c"
                                 : "%%%02X",
                             (unsigned char)*p);
    sprintf(out + n, ",%d", r->nomor);
    return strdup(out);
}

static void check_keys(const json_t *keys, char *const *want, const int *op, size_t n)
{
    static const char *const members[] = {NULL, "added", "removed", "changed"};
    for (int o = ADDED; o <= CHANGED; o++) {
        const json_t *list = json_object_get(keys, members[o]);
        const char *expected[MOST], *found[MOST];
        size_t m = 0;
        for (size_t i = 0; i < n; i++)
            if (op[i] == o)
                expected[m++] = want[i];
        assert_true(json_is_array(list));
        assert_int_equal(json_array_size(list), m);
        for (size_t i = 0; i < m; i++)
            found[i] = json_string_value(json_array_get(list, i));
        qsort(expected, m, sizeof *expected, by_text);
        qsort(found, m, sizeof *found, by_text);
        for (size_t i = 0; i < m; i++)
            assert_string_equal(found[i], expected[i]);
    }
}

/* Returns how many records matched. */
static size_t check(const struct odp_event_match *got, const struct condition *c, int first, int last)
{
    char *keys[MOST];
    int op[MOST], counts[4] = {0};
    size_t n = 0;
    for (int i = 0; i < MOST; i++) {
        int what = happened(i, first, last);
        bool holds = false;
        for (int v = first > 0 ? first - 1 : 0; v <= last; v++)
            holds = holds || (rows[v][i].there && c->holds(&rows[v][i], v));
        if (what == NOTHING || !holds)
            continue;
        counts[what]++;
        op[n] = what;
        keys[n++] = key_text(&rows[0][i]);
    }
    const json_t *list = json_object_get(got->json, "resources"), *one = json_array_get(list, 0);
    if (!json_is_true(json_object_get(got->json, "applied")) ||
        json_integer_value(json_object_get(one, "added")) != counts[ADDED] ||
        json_integer_value(json_object_get(one, "removed")) != counts[REMOVED] ||
        json_integer_value(json_object_get(one, "changed")) != counts[CHANGED])
        fail_msg("%s, versions %d to %d: %s, expected +%d -%d ~%d", c->text, first, last,
                 json_dumps(got->json, 0), counts[ADDED], counts[REMOVED], counts[CHANGED]);
    assert_int_equal(json_array_size(list), 1);
    assert_int_equal(got->relevant, n > 0);
    assert_string_equal(json_string_value(json_object_get(one, "name")), "uji");
    assert_int_equal(json_is_null(json_object_get(one, "keys")), n > ODP_EVENT_KEYS);
    if (n <= ODP_EVENT_KEYS)
        check_keys(json_object_get(one, "keys"), keys, op, n);
    for (size_t i = 0; i < n; i++)
        free(keys[i]);
    return n;
}

static int wanted;
static bool is_wanted(const struct row *r, int v)
{
    return r->nomor == wanted % 20 - 5 && r->kode[0] == starts[wanted % 6][0];
}

/* Every condition, and FILTERS more, over versions FIRST to LAST. Returns how many matched something, and how
 * many of these told their keys. */
static void check_versions(struct world *w, int first, int last, size_t *some, size_t *told)
{
    struct odp_event_filter filters[CONDITIONS + FILTERS];
    const struct condition *asked[CONDITIONS];
    static char texts[FILTERS][64];
    const char *versions[VERSIONS + 1] = {NULL};
    size_t n = 0;
    for (size_t i = 0; i < CONDITIONS; i++) {
        if (last < conditions[i].from || last > conditions[i].to)
            continue;
        asked[n] = &conditions[i];
        filters[n++] = (struct odp_event_filter){conditions[i].text, conditions[i].text[0] == '{'};
    }
    for (int i = 0; i < FILTERS; i++) {
        snprintf(texts[i], sizeof texts[i], "nomor = %d AND kode LIKE '%.*s%%'", i % 20 - 5,
                 starts[i % 6][0] < 0 ? 2 : 1, starts[i % 6]);
        filters[n + (size_t)i] = (struct odp_event_filter){texts[i], false};
    }
    for (int v = first; v <= last; v++)
        versions[v - first] = names[v];
    match(w, "uji", versions, filters, n + FILTERS);
    for (size_t i = 0; i < n + FILTERS; i++) {
        static const struct condition more = {"(one of many)", is_wanted, 0, 3};
        wanted = i < n ? 0 : (int)(i - n);
        size_t found = check(&w->out[i], i < n ? asked[i] : &more, first, last);
        *some += found > 0;
        *told += found > 0 && found <= ODP_EVENT_KEYS;
    }
}

TEST(random_versions)
{
    struct world w;
    world_init(&w);
    make_rows();
    size_t some = 0, told = 0;
    for (int v = 0; v < VERSIONS; v++) {
        publish_rows(&w, v);
        check_versions(&w, v, v, &some, &told);
    }
    check_versions(&w, 2, 3, &some, &told); /* told together: with a renamed and a new column between */
    check_versions(&w, 1, 3, &some, &told);
    check_versions(&w, 0, 3, &some, &told);
    check_versions(&w, 0, 0, &some, &told); /* an older version, later on */
    assert_true(some > 1500 && told > 1000 && told < some);

    match_one(&w, "uji", names[2], "luas > 10"); /* the column has another name now */
    expect_unknown(&w, 0, "tidak ada lagi", "no more");
    match_one(&w, "uji", names[3], "luas > 10"); /* and had it in the version before already */
    expect_unknown(&w, 0, "tidak ada bidang luas", "no field luas");
    match_one(&w, "uji", names[1], "nomor > 'x'");
    expect_unknown(&w, 0, "tidak cocok", "does not fit");
    assert_int_equal(odp_diags_count(w.diags, ODP_SEVERITY_ERROR), 0);
    world_release(&w);
}

/* ---- an example dataset, with geometry ---- */

static void copy_kumuh(const struct world *w)
{
    char command[600];
    snprintf(command, sizeof command,
             "cd '%s/../catalog' && cp -r kumuh references portal.json '%s/catalog/'", ODP_TESTS_DIR, w->dir);
    assert_int_equal(system(command), 0);
}

/* Changes the descriptor of kumuh. */
static void describe(const struct world *w, const char *date, bool keyed)
{
    struct odp_buffer b = get(w, "catalog/kumuh/dataset.json");
    json_t *d = json_loadb(b.ptr, b.len, 0, NULL);
    json_object_set_new(d, "odp:lastUpdate", json_string(date));
    if (!keyed)
        assert_int_equal(
            json_object_del(json_object_get(json_array_get(json_object_get(d, "resources"), 0), "schema"),
                            "primaryKey"),
            0);
    char *text = json_dumps(d, JSON_INDENT(2));
    put(w, "catalog/kumuh/dataset.json", text, strlen(text));
    free(text);
    json_decref(d);
    odp_buffer_release(&b);
}

static uint32_t big(const char *p)
{
    const unsigned char *u = (const unsigned char *)p;
    return (uint32_t)u[0] << 24 | (uint32_t)u[1] << 16 | (uint32_t)u[2] << 8 | u[3];
}

/* Some records get another key (one goes, one comes), some another status of the land, some another place. */
static void change_kumuh(const struct world *w)
{
    struct odp_buffer dbf = get(w, "catalog/kumuh/kumuh.dbf"), shp = get(w, "catalog/kumuh/kumuh.shp"),
                      shx = get(w, "catalog/kumuh/kumuh.shx");
    uint32_t n;
    uint16_t head, size, at = 0, land = 0;
    memcpy(&n, dbf.ptr + 4, 4);
    memcpy(&head, dbf.ptr + 8, 2);
    memcpy(&size, dbf.ptr + 10, 2);
    for (uint16_t p = 32, sum = 1; dbf.ptr[p] != '\r'; p = (uint16_t)(p + 32)) {
        if (strcmp(dbf.ptr + p, "status_lah") == 0)
            land = sum;
        sum = (uint16_t)(sum + (unsigned char)dbf.ptr[p + 16]);
    }
    assert_true(land > 0 && at == 0);
    for (uint32_t i = 0; i < n; i++) {
        char *rec = dbf.ptr + head + (size_t)i * size;
        if (i % 97 == 5)
            memcpy(rec + 1 + 6, "9", 1); /* 31.71-0001: 31.71-9001 */
        if (i % 23 == 7 && rec[land] != 'C')
            memcpy(rec + land, rec[land] == 'I' ? "Legal " : "Ilegal", 6);
        if (i % 61 != 9)
            continue;
        char *shape = shp.ptr + (size_t)big(shx.ptr + 100 + 8 * (size_t)i) * 2 + 8;
        uint32_t parts, points;
        memcpy(&parts, shape + 36, 4);
        memcpy(&points, shape + 40, 4);
        for (uint32_t k = 0; k < points + 2;
             k++) { /* two corners of the box, then the points: 300 m to the east */
            char *x = k < 2 ? shape + 4 + 16 * k : shape + 44 + 4 * (size_t)parts + 16 * (size_t)(k - 2);
            double v;
            memcpy(&v, x, 8);
            v += 300;
            memcpy(x, &v, 8);
        }
    }
    put(w, "catalog/kumuh/kumuh.dbf", dbf.ptr, dbf.len);
    put(w, "catalog/kumuh/kumuh.shp", shp.ptr, shp.len);
    odp_buffer_release(&dbf);
    odp_buffer_release(&shp);
    odp_buffer_release(&shx);
}

/* Features of a published version by id. */
static json_t *features(const struct world *w, const char *version)
{
    char path[256];
    snprintf(path, sizeof path, "site/data/kumuh/%s/kumuh.geojson", version);
    struct odp_buffer b = get(w, path);
    json_t *doc = json_loadb(b.ptr, b.len, 0, NULL), *out = json_object(), *f;
    size_t i;
    json_array_foreach(json_object_get(doc, "features"), i, f)
        json_object_set(out, json_string_value(json_object_get(f, "id")), f);
    assert_int_equal(json_object_size(out), json_array_size(json_object_get(doc, "features")));
    json_decref(doc);
    odp_buffer_release(&b);
    return out;
}

static void grow_box(const json_t *coordinates, double box[4])
{
    if (json_is_number(json_array_get(coordinates, 0))) {
        for (int k = 0; k < 2; k++) {
            double v = json_number_value(json_array_get(coordinates, (size_t)k));
            box[k] = v < box[k] ? v : box[k];
            box[k + 2] = v > box[k + 2] ? v : box[k + 2];
        }
        return;
    }
    for (size_t i = 0; i < json_array_size(coordinates); i++)
        grow_box(json_array_get(coordinates, i), box);
}

static const char *property(const json_t *f, const char *name)
{
    const char *text = json_string_value(json_object_get(json_object_get(f, "properties"), name));
    return text != NULL ? text : "";
}

static bool within(const json_t *f)
{
    double box[4] = {400, 400, -400, -400};
    grow_box(json_object_get(json_object_get(f, "geometry"), "coordinates"), box);
    return box[0] >= 106.5 && box[1] >= -6.5 && box[2] <= 107 && box[3] <= -6.1;
}
static bool in_jakarta(const json_t *f)
{
    return strncmp(property(f, "kode_kabkota"), "31", 2) == 0;
}
static bool illegal_and_large(const json_t *f)
{
    return strcmp(property(f, "status_lahan"), "Ilegal") == 0 &&
           json_number_value(json_object_get(json_object_get(f, "properties"), "luas_ha")) > 20;
}
static bool both_conditions(const json_t *f)
{
    return within(f) && in_jakarta(f);
}

static void check_kumuh(const struct odp_event_match *got, const json_t *old, const json_t *now,
                        bool (*holds)(const json_t *f))
{
    const char *key;
    json_t *f, *keys = json_pack("{s:[],s:[],s:[]}", "added", "removed", "changed"), *all = json_object();
    json_object_update(all, (json_t *)(uintptr_t)old);
    json_object_update(all, (json_t *)(uintptr_t)now);
    size_t n = 0;
    json_object_foreach(all, key, f)
    {
        const json_t *before = json_object_get(old, key), *after = json_object_get(now, key);
        if (json_equal(before, after) ||
            !((before != NULL && holds(before)) || (after != NULL && holds(after))))
            continue;
        json_array_append_new(json_object_get(keys, before == NULL  ? "added"
                                                    : after == NULL ? "removed"
                                                                    : "changed"),
                              json_string(key));
        n++;
    }
    const json_t *one = json_array_get(json_object_get(got->json, "resources"), 0);
    assert_true(n > 0);
    assert_true(got->relevant && json_is_true(json_object_get(got->json, "applied")));
    json_object_foreach(keys, key, f)
    {
        assert_int_equal(json_integer_value(json_object_get(one, key)), json_array_size(f));
        const json_t *told = json_object_get(json_object_get(one, "keys"), key);
        assert_int_equal(json_array_size(told), n <= ODP_EVENT_KEYS ? json_array_size(f) : 0);
        for (size_t i = 0; i < json_array_size(told); i++) {
            bool found = false;
            for (size_t k = 0; k < json_array_size(f); k++)
                found = found || json_equal(json_array_get(told, i), json_array_get(f, k));
            assert_true(found);
        }
    }
    json_decref(keys);
    json_decref(all);
}

TEST(example)
{
    static const struct odp_event_filter filters[] = {
        {"S_WITHIN(geometry, BBOX(106.5,-6.5,107,-6.1))", false},
        {"kode_provinsi = '31'", false},
        {"{\"op\":\"and\",\"args\":[{\"op\":\"=\",\"args\":[{\"property\":\"status_lahan\"},\"Ilegal\"]},{"
         "\"op\":\">\",\"args\":[{\"property\":\"luas_ha\"},20]}]}",
         true},
        {"S_WITHIN(geometry, POLYGON((106.5 -6.5,107 -6.5,107 -6.1,106.5 -6.1,106.5 -6.5))) AND kode_kabkota "
         "LIKE '31.%'",
         false},
        {"geometry IS NULL", false},
    };
    static bool (*const holds[])(const json_t *f) = {within, in_jakarta, illegal_and_large, both_conditions};
    struct world w;
    struct odp_event_filter_fault fault;
    world_init(&w);
    copy_kumuh(&w);
    describe(&w, "2024-03-15", true);
    w.releases = 1;
    build(&w);
    for (size_t i = 0; i < 5; i++)
        must(odp_event_filter_check(w.site, "kumuh", &filters[i], &fault, &w.arena, w.diags));
    change_kumuh(&w);
    describe(&w, "2024-09-15", true);
    build(&w);
    json_t *old = features(&w, "2024-03-15"), *now = features(&w, "2024-09-15");
    match(&w, "kumuh", (const char *const[]){"2024-09-15", NULL}, filters, 5);
    for (size_t i = 0; i < 4; i++)
        check_kumuh(&w.out[i], old, now, holds[i]);
    assert_false(w.out[4].relevant);
    assert_true(json_is_true(json_object_get(w.out[4].json, "applied")));
    json_t *none = json_object();
    match(&w, "kumuh", (const char *const[]){"2024-03-15", NULL}, filters, 5); /* the first version */
    for (size_t i = 0; i < 4; i++)
        check_kumuh(&w.out[i], none, old, holds[i]);
    match(&w, "kumuh", (const char *const[]){"2024-03-15", "2024-09-15", NULL},
          &(struct odp_event_filter){"TRUE", false}, 1);
    const json_t *all = json_array_get(json_object_get(w.out[0].json, "resources"), 0);
    json_int_t gone = 0;
    const char *key;
    json_t *f;
    json_object_foreach(old, key, f) gone += json_object_get(now, key) == NULL;
    assert_true(gone > 0);
    assert_int_equal(json_integer_value(json_object_get(all, "changed")),
                     gone); /* what came and went at once */
    assert_int_equal(json_integer_value(json_object_get(all, "added")), json_object_size(now));
    assert_int_equal(json_integer_value(json_object_get(all, "removed")), 0);

    describe(&w, "2024-10-15", false);
    build(&w);
    match(&w, "kumuh", (const char *const[]){"2024-10-15", NULL}, filters, 4);
    expect_unknown(&w, 0, "tanpa kunci", "without a key");
    assert_true(json_is_true(json_object_get(w.out[1].json, "applied")));
    must_refuse(odp_event_filter_check(w.site, "kumuh", &filters[0], &fault, &w.arena, w.diags));
    assert_non_null(strstr(odp_text_get(&fault.message, ODP_LANG_EN), "with a key"));
    must(odp_event_filter_check(w.site, "kumuh", &filters[1], &fault, &w.arena, w.diags));
    json_decref(old);
    json_decref(now);
    json_decref(none);
    world_release(&w);
}
