/* Values that parts keep: made of a dataset's entry and of what changes seldom of the others. */
#include "site_fixture.h"

#include "site/versions/among.h"

static unsigned made;

static enum odp_status fails(void *ctx, const struct odp_site_job *job, const json_t *entry, json_t **out)
{
    *out = json_null();
    return ODP_BAD;
}

/* A part may know these, among them a number that needs its last digit. */
static enum odp_status make(void *ctx, const struct odp_site_job *job, const json_t *entry, json_t **out)
{
    made++;
    *out = json_pack("{s:O, s:O, s:O, s:f}", "own", entry, "all", job->entries, "searches", job->searches,
                     "share", 0.1 + 0.2);
    return *out != NULL ? ODP_OK : ODP_FAIL;
}

/* The value of the first of ENTRIES in one more build, which is switched in. */
static const char *build(struct site *s, const char *entries, const char *searches)
{
    struct odp_site *before = site_open_parts(s, 1);
    json_t *value, *none;
    struct odp_site_job job = site_job(s, entries);
    job.searches = site_json(s, searches);
    must(odp_among_open(&job.among, &job, site_json(s, "{}")));
    must(odp_among_value(&job, "nilai", json_array_get(job.entries, 0), make, &value));
    assert_int_equal(odp_among_value(&job, "gagal", json_array_get(job.entries, 0), fails, &none), ODP_BAD);
    assert_null(none);
    const char *text = site_json_at(s, value, "");
    assert_true(json_real_value(json_object_get(value, "share")) == 0.1 + 0.2);
    json_decref(value);
    odp_among_close(job.among);
    site_switch_parts(s, before);
    return text;
}

TEST(a_value_is_made_again_when_what_it_may_know_is_another)
{
    static const char both[] = "[{'slug':'satu','n':1},{'slug':'dua','title':'Dua','n':1}]",
                      own[] = "{'resources':[{'slug':'satu','rows':1},{'slug':'dua','rows':1}]}";
    static const struct {
        const char *entries, *searches;
        bool again;
    } rows[] = {
        {both, own, false},
        {"[{'slug':'satu','n':1},{'slug':'dua','title':'Dua','n':2}]", own, false}, /* changes often */
        {both, "{'resources':[{'slug':'satu','rows':1},{'slug':'dua','rows':2}]}", false},
        {both, "{'resources':[{'slug':'satu','rows':2},{'slug':'dua','rows':1}]}", true},
        {"[{'slug':'satu','n':2},{'slug':'dua','title':'Dua','n':1}]", own, true},
        {"[{'slug':'satu','n':1},{'slug':'dua','title':'Tiga','n':1}]", own, true},
        {"[{'slug':'satu','n':1}]", own, true},
    };
    for (size_t i = 0; i < ODP_COUNT(rows); i++) {
        SITE(s);
        const char *first = build(&s, both, own);
        made = 0;
        const char *second = build(&s, rows[i].entries, rows[i].searches);
        if (made != rows[i].again || (strcmp(first, second) == 0) == rows[i].again)
            fail_msg("row %zu: made %u times: %s, then %s", i, made, first, second);
    }
}

TEST(an_entry_is_found_by_its_slug_with_a_map_and_without)
{
    SITE(s);
    struct odp_site_job job = site_job(&s, "[{'slug':'satu'},{'slug':'dua'}]");
    struct odp_map numbers;
    odp_map_init(&numbers);
    for (int mapped = 0; mapped < 2; mapped++) {
        assert_int_equal(odp_job_number(&job, "dua"), 1);
        assert_ptr_equal(odp_job_entry(&job, "satu"), json_array_get(job.entries, 0));
        assert_null(odp_job_entry(&job, "tiga"));
        (void)odp_map_put(&numbers, ODP_LIT("satu"), &(bool){false});
        (void)odp_map_put(&numbers, ODP_LIT("dua"), &(bool){false});
        job.numbers = &numbers;
    }
    odp_map_release(&numbers);
}
