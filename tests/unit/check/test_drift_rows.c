/* Records against those before: what columns show, whatever the batches; memory that does not suffice; keys
 * that repeat or are empty; spellings. */
#include "run.h"

#include "check/drift/drift.h"

enum { MOST = 700, FIELDS = 3 };
static const char *const names[FIELDS] = {"id", "jiwa", "nama"};
static const enum odp_type types[FIELDS] = {ODP_TYPE_STRING, ODP_TYPE_NUMBER, ODP_TYPE_STRING};

struct table {
    char text[MOST][FIELDS][40]; /* "": null */
    uint32_t n;
};

static struct odp_field fields[FIELDS];
static struct odp_dataset dataset = {.slug = "uji", .last_update_field = -1};
static uint32_t key[] = {0};
static struct odp_resource resource = {
    .dataset = &dataset,
    .name = "uji",
    .primary = true,
    .schema = {.fields = fields, .n = FIELDS, .primary = {.fields = key, .n = 1}}};

static const struct odp_drift usual = {
    .bound = {[ODP_DRIFT_ROWS] = 0.3, [ODP_DRIFT_CELLS] = 0.5, [ODP_DRIFT_GROUP] = 4}};

static int set_up(void **state)
{
    resource.drift = usual;
    for (int f = 0; f < FIELDS; f++)
        fields[f] = (struct odp_field){.name = names[f], .type = types[f], .is_public = true};
    return 0;
}

static void fill(struct table *t, uint32_t n)
{
    t->n = n;
    for (uint32_t i = 0; i < n; i++) {
        snprintf(t->text[i][0], 40, "Kab. %c%c%c-%03u", 'a' + i % 26, 'f' + i / 40, 'a' + i % 7, i);
        snprintf(t->text[i][1], 40, "%u.5", (i * 7919 + 13) % 1009 + 12);
        snprintf(t->text[i][2], 40, "Kampung %u", i * 31 % 701);
    }
}

static struct odp_slice slice(const char *text)
{
    return *text != '\0' ? odp_slice_of(text) : (struct odp_slice){NULL, 0};
}

static void take_now(struct odp_drift_rows *w, const struct table *t, uint32_t from, uint32_t n)
{
    static struct odp_slice text[FIELDS][MOST];
    static uint8_t states[FIELDS][MOST], bad[MOST];
    static struct odp_record records[MOST];
    int columns_of[FIELDS] = {-1, -1, -1};
    struct odp_column columns[FIELDS];
    const struct odp_source_info info = {.column_of_field = columns_of};
    for (int f = 0; f < FIELDS; f++) {
        for (uint32_t i = 0; i < n; i++) {
            text[f][i] = slice(t->text[from + i][f]);
            states[f][i] = text[f][i].ptr != NULL ? ODP_VALUE_OK : ODP_VALUE_NULL;
            records[i].row = records[i].line = from + i + 1;
        }
        columns[f] = (struct odp_column){text[f], states[f]};
    }
    const struct odp_batch b = {
        .resource = &resource, .records = records, .nrecords = n, .columns = columns, .record_bad = bad};
    must(odp_drift_rows_now(w, &b, &info));
}

static void take_before(struct odp_drift_rows *w, const struct table *t, bool again)
{
    enum odp_status status = ODP_OK;
    for (uint32_t i = 0; i < t->n && status == ODP_OK; i++) {
        const struct odp_slice text[FIELDS] = {slice(t->text[i][0]), slice(t->text[i][1]),
                                               slice(t->text[i][2])};
        status = again ? odp_drift_rows_again(w, text) : odp_drift_rows_before(w, text);
    }
    assert_true(status != ODP_FAIL);
}

/* "Q11 jiwa 1 Q12 id 3 ": code, field, count. */
static const char *compare(const struct table *before, const struct table *now, uint32_t batch, size_t memory)
{
    static char found[400];
    struct odp_drift_rows *w;
    struct odp_diags *diags;
    const struct odp_drift_columns columns = {names, types, FIELDS, before->n};
    struct odp_profile_field old[FIELDS] = {
        {.name = "nama", .type = ODP_TYPE_STRING, .distinct = before->n, .changed = -1}};
    const struct odp_drift_before version = {{.rows = before->n, .fields = old, .n = 1}, "2024-03-15"};
    struct odp_profile profile = {.rows = now->n};
    size_t n, at = 0;
    must(odp_drift_rows_new(&w, &resource, &columns, memory));
    take_before(w, before, false);
    for (uint32_t i = 0; i < now->n; i += batch)
        take_now(w, now, i, now->n - i < batch ? now->n - i : batch);
    if (odp_drift_rows_asks(w))
        take_before(w, before, true);
    must(odp_diags_new(&diags, 2));
    must(odp_drift_compare(&resource, &version, &(struct odp_drift_now){&profile, w, "uji.csv"}, diags));
    const struct odp_diag_group *const *groups = odp_diags_groups(diags, &n);
    found[0] = '\0';
    for (size_t i = 0; i < n; i++)
        at += (size_t)snprintf(found + at, sizeof found - at, "%s %s %d ",
                               odp_code_info(groups[i]->code)->code + 4,
                               groups[i]->field != NULL ? groups[i]->field : "-", (int)groups[i]->count);
    odp_diags_free(diags);
    odp_drift_rows_shrink(w);
    odp_drift_rows_free(w);
    return found;
}

static struct table before, now;

static void start(uint32_t n)
{
    fill(&before, n);
    now = before;
}

#define ALL(want)                                                                                            \
    for (uint32_t batch = 1; batch <= MOST; batch = batch * 5 + 1)                                           \
    assert_string_equal(compare(&before, &now, batch, ODP_DRIFT_MEMORY), want)

TEST(columns)
{
    start(602);
    ALL("");
    for (uint32_t i = 601; i > 0; i--)
        memcpy(now.text[i][1], before.text[i - 1][1], 40);
    ALL("Q11 jiwa 1 ");
    start(602); /* from the middle on, two rows up */
    for (uint32_t i = 300; i < 600; i++)
        memcpy(now.text[i][1], before.text[i + 2][1], 40);
    ALL("Q11 jiwa 1 ");
    start(602); /* in another order */
    for (uint32_t i = 0; i < 602; i++)
        memcpy(now.text[i][1], before.text[601 - i][1], 40);
    ALL("Q11 jiwa 1 ");
    start(602); /* figures change, and a few rows come and go */
    for (uint32_t i = 0; i < 602; i++)
        snprintf(now.text[i][1], 40, "%u.5", (i * 104729 + 7) % 997 + 3);
    now.n = 590;
    ALL("");
    start(602); /* numbers in another form are the same */
    for (uint32_t i = 0; i < 602; i++)
        (void)strcat(now.text[i][1], "0");
    ALL("");
    start(602);
    snprintf(now.text[5][1], 40, "1234.5");
    snprintf(before.text[5][1], 40, "12.345");
    ALL("Q14 jiwa 1 ");
    start(602); /* names */
    for (uint32_t i = 0; i < 400; i++)
        snprintf(now.text[i][2], 40, "Dusun %u", i * 17 % 701);
    ALL("Q13 nama 1 ");
}

TEST(keys)
{
    start(300);
    for (uint32_t i = 0; i < 300; i += 100)
        now.text[i][0][0] = 'k';
    snprintf(now.text[7][0], 40, "Kab %.30s", before.text[7][0] + 5);
    now.text[50][0][strlen(now.text[50][0]) - 1] = '9'; /* another number is another key */
    snprintf(now.text[51][0], 40, "%s", before.text[52][0]);
    ALL("Q12 id 4 ");
    start(300); /* two that could be it: none is */
    snprintf(before.text[0][0], 40, "R-07");
    snprintf(now.text[0][0], 40, "r 7");
    snprintf(now.text[1][0], 40, "R.7");
    ALL("");
    start(300); /* empty keys, and one twice */
    now.text[3][0][0] = before.text[4][0][0] = '\0';
    memcpy(now.text[9][0], now.text[8][0], 40);
    memcpy(before.text[20][0], before.text[21][0], 40);
    ALL("");
}

/* Rows beyond the memory are neither compared nor read. */
TEST(memory)
{
    start(602);
    for (uint32_t i = 601; i > 0; i--)
        memcpy(now.text[i][1], before.text[i - 1][1], 40);
    now.text[400][0][0] = 'k';
    assert_string_equal(compare(&before, &now, 64, 10000), "Q11 jiwa 1 ");
    assert_string_equal(compare(&before, &now, 64, 100), "");
    assert_string_equal(compare(&before, &now, 64, 0), "");
    start(0);
    assert_string_equal(compare(&before, &now, 64, ODP_DRIFT_MEMORY), "");
}

TEST(bounds)
{
    start(602);
    for (uint32_t i = 601; i > 0; i--)
        memcpy(now.text[i][1], before.text[i - 1][1], 40);
    resource.drift.bound[ODP_DRIFT_MOVED] = 1;
    ALL("");
    resource.drift = usual;
    start(60);
    memcpy(now.text[5][2], "Dusun", 6);
    resource.drift.bound[ODP_DRIFT_CELLS] = 0;
    resource.drift.where[ODP_DRIFT_CELLS] = "dataset.json:1";
    ALL("Q13 nama 1 ");
    resource.drift = usual;
    start(60);
    now.text[5][0][0] = 'k';
    resource.drift.bound[ODP_DRIFT_KEYS] = 0.1;
    ALL("");
    resource.drift = usual;
}

AROUND(set_up, NULL)
