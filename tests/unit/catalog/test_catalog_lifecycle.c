/* Deprecation, earlier names and addresses, retention, slices, approval: what is read, and every fault in its
 * place. */
#include "catalog_folder.h"

#define HEAD(name)        "{'name': '" name "', 'title': 'A', 'odp:formats': ['CSV'], 'odp:lastUpdate': '2024-03-15'"
#define TABLE(name, more) "{'name': '" name "', 'path': '" name ".csv', 'schema': {'fields': [" more "]}"
#define X                 "{'name': 'x', 'type': 'string'}"
/* Members of the dataset on line 2, of the field x on line 3, of the table on line 4. */

/* The catalogue in lifecycle/. */
TEST(what_is_read)
{
    struct folder f = FOLDER_OF("lifecycle");
    odp_buffer_init(&f.faults);
    if (folder_open(&f) != ODP_OK)
        fail_msg("%s", folder_faults(&f));
    assert_int_equal(f.catalog->portal.napproval_keys, 1);
    assert_string_equal(f.catalog->portal.approval_keys[0],
                        "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3");
    const struct odp_dataset *d = odp_catalog_find(f.catalog, "a");
    assert_string_equal(d->deprecated, "2024-01-01");
    assert_string_equal(d->sunset, "2024-12-31");
    assert_string_equal(d->replaced_by, "lain");
    assert_int_equal(d->nformer, 2);
    assert_string_equal(d->former[1].slug, "kuno");
    assert_string_equal(d->former[1].sunset, "2024-01-01");
    assert_string_equal(odp_text_get(&d->correction, ODP_LANG_EN), "Wrong");
    assert_true(d->retention.present);
    assert_int_equal(d->retention.all, 24);
    assert_int_equal(d->retention.hourly, 168);
    assert_int_equal(d->retention.daily, -1);
    const struct odp_resource *r = d->resources;
    assert_true(r[0].nslices == 2 && r[0].slices[0] == 1 && r[0].slices[1] == 0);
    assert_true(r[1].nslices == 1 && r[1].slices[0] == 0); /* y alone is there */
    assert_true(r[2].nslices == 1 && r[3].nslices == 0 && r[3].slices == NULL);
    assert_true(r[0].deprecated == NULL && r[0].schema.fields[0].deprecated == NULL &&
                r[0].schema.fields[0].nformer == 0);
    assert_string_equal(r[1].sunset, "2024-10-31");
    assert_null(r[1].replaced_by);
    const struct odp_field *y = &r[0].schema.fields[1];
    assert_string_equal(y->deprecated, "2024-02-01");
    assert_string_equal(y->sunset, "2024-11-30");
    assert_string_equal(y->replaced_by, "x");
    assert_int_equal(y->nformer, 2);
    assert_string_equal(y->former[1], "yi");
    const struct odp_dataset *plain = odp_catalog_find(f.catalog, "lain");
    assert_true(!plain->retention.present && plain->deprecated == NULL && plain->nformer == 1 &&
                plain->correction.in[0] == NULL);
    folder_release(&f);
}

/* Durations of odp:notifyEvery in seconds; 0: refused. */
TEST(notices)
{
    static const struct {
        const char *text;
        int64_t seconds;
    } every[] = {
        {"PT1M", 60},
        {"PT60S", 60},
        {"PT90S", 90},
        {"PT1H", 3600},
        {"PT1H30M", 5400},
        {"P1D", 86400},
        {"P1DT2H3M4S", 93784},
        {"P1W", 604800},
        {"P31D", 2678400},
        {"PT744H", 2678400},
        {"P4W", 2419200},
        {"PT59S", 0},
        {"P31DT1S", 0},
        {"P5W", 0},
        {"P1M", 0},
        {"P1Y", 0},
        {"P", 0},
        {"PT", 0},
        {"P1DT", 0},
        {"1H", 0},
        {"P1H", 0},
        {"PT1D", 0},
        {"PT1M1H", 0},
        {"PT1H1H", 0},
        {"P1W1D", 0},
        {"P1D1W", 0},
        {"PT1.5H", 0},
        {"-PT1H", 0},
        {"PT-1H", 0},
        {"pt1h", 0},
        {" PT1H", 0},
        {"PT1H ", 0},
        {"PT1HT1M", 0},
        {"PTT1H", 0},
        {"", 0},
        {"P1", 0},
        {"P999999999W", 0},
        {"PT9999999999S", 0},
        {"PT0S", 0},
    };
    for (size_t i = 0; i < ODP_COUNT(every); i++) {
        char text[512];
        FOLDER(f);
        folder_json(
            &f, "portal.json",
            "{'title': 'P', 'publisher': 'K', 'baseUrl': 'https://data.example.go.id/', 'odp:severity': "
            "{'catalog-undescribed': 'off'}}");
        snprintf(text, sizeof text, "%s%s%s", HEAD("a") ",\n'odp:notifyEvery': '", every[i].text,
                 "',\n'resources': [" TABLE("a", X) "}]}");
        folder_json(&f, "a/dataset.json", text);
        bool good = folder_open(&f) == ODP_OK;
        if (good != (every[i].seconds > 0))
            fail_msg("%s: %s", every[i].text, folder_faults(&f));
        if (good)
            assert_int_equal(f.catalog->datasets[0].notify_every, every[i].seconds);
        else
            assert_string_equal(folder_faults(&f), "C24 a 2:20 odp:notifyEvery|PT1M … P31D\n");
    }
}

/* How many webhooks a tier allows. */
TEST(subscriptions)
{
    static const struct {
        const char *value, *faults;
    } values[] = {
        {"0", ""},
        {"5", ""},
        {"null", ""},
        {"-1", "C05 2:14 webhooks|0 … 1000000\n"},
        {"1.5", "C04 2:14 webhooks|integer\n"},
        {"'5'", "C04 2:14 webhooks|integer\n"},
        {"true", "C04 2:14 webhooks|integer\n"},
    };
    for (size_t i = 0; i < ODP_COUNT(values); i++) {
        char text[512];
        FOLDER(f);
        snprintf(text, sizeof text, "%s%s%s",
                 "{'title': 'P', 'publisher': 'K', 'baseUrl': 'https://data.example.go.id/', "
                 "'odp:severity': {'catalog-undescribed': 'off'}, 'tiers': [{'name': 'a', 'daily': 1, "
                 "'burst': 1, 'concurrent': 1,\n 'webhooks': ",
                 values[i].value, "}]}");
        folder_json(&f, "portal.json", text);
        (void)!folder_open(&f);
        assert_string_equal(folder_faults(&f), values[i].faults);
    }
}

TEST(approval)
{
#define WITH(more)                                                                                           \
    "{'title': 'P', 'publisher': 'K', 'baseUrl': 'https://data.example.go.id/', 'odp:severity': "            \
    "{'catalog-undescribed': 'off'},\n'approval': " more "}"
#define KEY "'RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3'"
    static const struct {
        const char *portal, *faults;
    } wrong[] = {
        {WITH("{'keys': [" KEY "]}"), ""},
        {WITH("[]"), "C04 2:13 approval|{…}\n"},
        {WITH("{}"), "C03 2:13 keys|[\"RW…\"]\n"},
        {WITH("{'keys': []}"), "C04 2:22 keys|[1 … 100]\n"},
        {WITH("{'keys': ['RWQf6']}"), "C04 2:23 keys|RW… (minisign, 56)\n"},
        {WITH("{'keys': [" KEY ", " KEY "]}"),
         "C08 2:83 RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3|\n"},
        {WITH("{'keys': [" KEY "], 'kyes': 1}"), "C12 2:84 kyes|keys\n"},
    };
    FOLDER(f);
    for (size_t i = 0; i < ODP_COUNT(wrong); i++) {
        folder_json(&f, "portal.json", wrong[i].portal);
        (void)!folder_open(&f);
        assert_string_equal(folder_faults(&f), wrong[i].faults);
        folder_close(&f);
    }
}
