/* tools/odp-build/repair/faults.c: every fault of a run comes back whole, in the order of rows; what is
 * beyond the limits is counted. */
#include "run.h"

#include "repair/repair.h"

static struct odp_dataset dataset = {.slug = "uji"};
static const struct odp_resource first = {.dataset = &dataset, .name = "satu"},
                                 second = {.dataset = &dataset, .name = "dua"};

static void take(struct odp_faults *f, const struct odp_diag *d)
{
    const struct odp_diag_sink *sink = odp_faults_sink(f);
    must(sink->take(sink->ctx, d));
}

static struct odp_diag make(enum odp_code code, const char *resource, uint64_t row, const char *field,
                            const char *value)
{
    return (struct odp_diag){
        .code = code,
        .severity = ODP_SEVERITY_ERROR,
        .dataset = "uji",
        .resource = resource,
        .file = "uji.csv",
        .row = row,
        .line = row + 1,
        .column = 3,
        .offset = row * 100,
        .field = field,
        .value = odp_slice_of(value),
    };
}

TEST(by_row_then_arrival)
{
    const uint64_t rows[] = {5, 5, 1, 0, 9, 1, 5, 0}, sorted[] = {0, 0, 1, 1, 5, 5, 5, 9};
    const int order[] = {3, 7, 2, 5, 0, 1, 6, 4};
    struct odp_faults *f;
    const struct odp_fault_list *l;
    struct odp_diag d;
    char value[16];
    must(odp_faults_new(&f));
    for (int i = 0; i < 8; i++) {
        snprintf(value, sizeof value, "v%d", i);
        d = make(ODP_T03, i % 2 == 0 ? "satu" : "dua", rows[i], "a", value);
        d.resource = "satu";
        take(f, &d);
    }
    d = make(ODP_T03, "dua", 3, "b", "x");
    take(f, &d);
    must(odp_faults_of(f, &first, &l));
    assert_int_equal(odp_fault_list_count(l), 8);
    for (uint64_t i = 0; i < 8; i++) {
        snprintf(value, sizeof value, "v%d", order[i]);
        odp_fault_list_get(l, i, &d);
        assert_int_equal(d.row, sorted[i]);
        assert_true(odp_slice_is(d.value, value));
    }
    /* One more is found in its place. */
    d = make(ODP_T03, "satu", 4, "a", "late");
    take(f, &d);
    must(odp_faults_of(f, &first, &l));
    odp_fault_list_get(l, 4, &d);
    assert_true(odp_slice_is(d.value, "late"));
    must(odp_faults_of(f, &second, &l));
    assert_int_equal(odp_fault_list_count(l), 1);
    odp_faults_free(f);
}

TEST(all_that_a_fault_says)
{
    const struct odp_text message = {{"pesan", "message"}};
    struct odp_faults *f;
    const struct odp_fault_list *l;
    struct odp_diag d = make(ODP_L01, "satu", 7, "a", ""), out;
    d.severity = ODP_SEVERITY_WARNING;
    d.where = "dataset.json:9";
    d.rule = "aturan";
    d.message = &message;
    d.action = ODP_ACTION_DELETE_LINES;
    d.lines = 3;
    d.proposal = ODP_LIT("usul");
    d.args[0] = ODP_LIT("nol");
    d.args[3] = ODP_LIT("");
    must(odp_faults_new(&f));
    take(f, &d);
    must(odp_faults_of(f, &first, &l));
    odp_fault_list_get(l, 0, &out);
    assert_int_equal(out.code, ODP_L01);
    assert_int_equal(out.severity, ODP_SEVERITY_WARNING);
    assert_string_equal(out.dataset, "uji");
    assert_string_equal(out.file, "uji.csv");
    assert_string_equal(out.field, "a");
    assert_string_equal(out.where, "dataset.json:9");
    assert_string_equal(out.rule, "aturan");
    assert_string_equal(out.message->in[ODP_LANG_EN], "message");
    assert_int_equal(out.line, 8);
    assert_int_equal(out.column, 3);
    assert_int_equal(out.offset, 700);
    assert_int_equal(out.action, ODP_ACTION_DELETE_LINES);
    assert_int_equal(out.lines, 3);
    assert_non_null(out.value.ptr); /* an empty value is not none */
    assert_int_equal(out.value.len, 0);
    assert_true(odp_slice_is(out.proposal, "usul"));
    assert_true(odp_slice_is(out.args[0], "nol"));
    assert_null(out.args[1].ptr);
    assert_non_null(out.args[3].ptr);
    assert_null(out.source.ptr);
    odp_faults_free(f);
}

TEST(many_with_texts_of_their_own)
{
    enum { N = 200000 };
    struct odp_faults *f;
    const struct odp_fault_list *l;
    struct odp_diag d;
    char value[32] = "", proposal[32];
    must(odp_faults_new(&f));
    for (uint64_t i = 0; i < N; i++) {
        d = make(i % 3 == 0 ? ODP_T03 : ODP_B11, "satu", N - i, i % 3 == 0 ? "a" : "b", value);
        snprintf(value, sizeof value, "nilai %llu", (unsigned long long)i);
        snprintf(proposal, sizeof proposal, "usul %llu", (unsigned long long)(i % 1000));
        d.value = odp_slice_of(value);
        d.proposal = odp_slice_of(proposal);
        take(f, &d);
    }
    must(odp_faults_of(f, &first, &l));
    assert_int_equal(odp_fault_list_count(l), N);
    for (uint64_t k = 0; k < N; k++) {
        uint64_t i = N - k - 1;
        odp_fault_list_get(l, k, &d);
        snprintf(value, sizeof value, "nilai %llu", (unsigned long long)i);
        snprintf(proposal, sizeof proposal, "usul %llu", (unsigned long long)(i % 1000));
        assert_int_equal(d.row, N - i);
        assert_int_equal(d.code, i % 3 == 0 ? ODP_T03 : ODP_B11);
        assert_true(odp_slice_is(d.value, value));
        assert_true(odp_slice_is(d.proposal, proposal));
    }
    odp_faults_free(f);
}

TEST(limits)
{
    struct odp_faults *f;
    const struct odp_fault_list *l;
    char value[32] = "";
    must(odp_faults_new(&f));
    odp_faults_limit(f, 10, 1000);
    for (uint64_t i = 1; i <= 25; i++) {
        struct odp_diag d = make(ODP_T03, "satu", i, "a", "x");
        take(f, &d);
    }
    must(odp_faults_of(f, &first, &l));
    assert_int_equal(odp_fault_list_count(l), 10);
    assert_int_equal(odp_fault_list_dropped(l), 15);
    odp_faults_free(f);
    must(odp_faults_new(&f));
    odp_faults_limit(f, 1000, 720);
    for (uint64_t i = 1; i <= 100; i++) {
        struct odp_diag d = make(ODP_T03, "satu", i, "a", value);
        snprintf(value, sizeof value, "%016llu", (unsigned long long)i);
        d.value = odp_slice_of(value);
        take(f, &d);
    }
    must(odp_faults_of(f, &first, &l));
    assert_int_equal(odp_fault_list_count(l), 10); /* 64 bytes each, and for the arguments that all share */
    assert_int_equal(odp_fault_list_dropped(l), 90);
    odp_faults_free(f);
}
