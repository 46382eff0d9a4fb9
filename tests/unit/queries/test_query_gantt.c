/* view=gantt: exact bodies. */
#include "query_views_fixture.h"

#define CELLS 9
/* proyek, urutan, tonggak, rencana, aktual; nama, status; tanggal, terlambat */
static const char *const rows[] = {
    /* reached late, then in time: 2 is furthest along */
    "\"P1\"",
    "1",
    "\"Tender\"",
    "\"2023-01-10\"",
    "\"2023-02-09\"",
    "\"Jalan, A\"",
    "\"KONSTRUKSI\"",
    "\"2023-02-09\"",
    "30",
    "\"P1\"",
    "2",
    "\"Kontrak\"",
    "\"2023-03-01\"",
    "\"2023-02-27\"",
    "\"Jalan, A\"",
    "\"KONSTRUKSI\"",
    "\"2023-02-27\"",
    "-2",
    "\"P1\"",
    "3",
    "\"Serah\"",
    "\"2025-03-01\"",
    NULL,
    "\"Jalan, A\"",
    "\"KONSTRUKSI\"",
    "\"2025-03-01\"",
    NULL,
    /* two planned for one day */
    "\"P3\"",
    "1",
    "\"Tender\"",
    "\"2024-01-01\"",
    "\"2024-01-05\"",
    "\"Jembatan\"",
    "\"LELANG\"",
    "\"2024-01-05\"",
    "4",
    "\"P3\"",
    "2",
    "\"Kontrak\"",
    "\"2024-01-01\"",
    NULL,
    "\"Jembatan\"",
    "\"LELANG\"",
    "\"2024-01-01\"",
    "74",
    /* nothing reached, nothing overdue */
    "\"P2\"",
    "1",
    "\"Tender\"",
    "\"2026-01-01\"",
    NULL,
    "\"Waduk\"",
    "\"RENCANA\"",
    "\"2026-01-01\"",
    NULL,
    /* no project, no day */
    NULL,
    "9",
    "\"Tender\"",
    "\"2024-01-01\"",
    NULL,
    NULL,
    NULL,
    "\"2024-01-01\"",
    "1",
    "\"P2\"",
    "0",
    "\"Kontrak\"",
    NULL,
    NULL,
    "\"Waduk\"",
    "\"RENCANA\"",
    NULL,
    NULL,
};

static void make(struct vf *f)
{
    vf_start(f);
    vf_column(f, "proyek", ODP_TYPE_STRING);
    vf_column(f, "urutan", ODP_TYPE_INTEGER);
    vf_column(f, "tonggak", ODP_TYPE_STRING);
    vf_column(f, "rencana", ODP_TYPE_DATE);
    vf_column(f, "aktual", ODP_TYPE_DATE);
    vf_column(f, "nama", ODP_TYPE_STRING)->of_record = false;
    vf_column(f, "status", ODP_TYPE_STRING)->of_record = false;
    vf_column(f, "tanggal", ODP_TYPE_DATE)->of_record = false;
    vf_column(f, "terlambat", ODP_TYPE_INTEGER)->of_record = false;
    f->info.nfields = 5;
    f->info.project = 0;
    f->info.milestone = 2;
    f->info.planned = 3;
    f->info.actual = 4;
    f->info.date = 7;
    f->info.delay = 8;
    f->info.datetime[0] = f->info.datetime[1] = 7;
    vf_rows(f, rows, sizeof rows / sizeof *rows / CELLS);
}

#define P1_HEAD                                                                                                                \
    "{\"proyek\":\"P1\",\"nama\":\"Jalan, "                                                                                    \
    "A\",\"status\":\"KONSTRUKSI\",\"start\":\"2023-01-10\",\"end\":\"2025-03-01\",\"delay_days\":-2,\"milestones\":["
#define P1_1                                                                                                                   \
    "{\"urutan\":1,\"tonggak\":\"Tender\",\"rencana\":\"2023-01-10\",\"aktual\":\"2023-02-09\",\"date\":\"2023-02-09\","       \
    "\"delay_days\":30}"
#define P1_2                                                                                                                   \
    "{\"urutan\":2,\"tonggak\":\"Kontrak\",\"rencana\":\"2023-03-01\",\"aktual\":\"2023-02-27\",\"date\":\"2023-02-27\","      \
    "\"delay_days\":-2}"
#define P1_3                                                                                                                   \
    "{\"urutan\":3,\"tonggak\":\"Serah\",\"rencana\":\"2025-03-01\",\"aktual\":null,\"date\":\"2025-03-01\",\"delay_days\":"   \
    "null}"
#define P1 P1_HEAD P1_1 "," P1_2 "," P1_3 "]}"
#define P2                                                                                                                     \
    "{\"proyek\":\"P2\",\"nama\":\"Waduk\",\"status\":\"RENCANA\",\"start\":\"2026-01-01\",\"end\":\"2026-01-01\",\"delay_"    \
    "days\":null,"                                                                                                             \
    "\"milestones\":[{\"urutan\":1,\"tonggak\":\"Tender\",\"rencana\":\"2026-01-01\",\"aktual\":null,\"date\":\"2026-01-01\"," \
    "\"delay_days\":null},{\"urutan\":0,\"tonggak\":\"Kontrak\",\"rencana\":null,\"aktual\":null,\"date\":null,\"delay_"       \
    "days\":null}]}"
#define P3                                                                                                                     \
    "{\"proyek\":\"P3\",\"nama\":\"Jembatan\",\"status\":\"LELANG\",\"start\":\"2024-01-01\",\"end\":\"2024-01-05\",\"delay_"  \
    "days\":74,"                                                                                                               \
    "\"milestones\":[{\"urutan\":2,\"tonggak\":\"Kontrak\",\"rencana\":\"2024-01-01\",\"aktual\":null,\"date\":\"2024-01-"     \
    "01\","                                                                                                                    \
    "\"delay_days\":74},{\"urutan\":1,\"tonggak\":\"Tender\",\"rencana\":\"2024-01-01\",\"aktual\":\"2024-01-05\","            \
    "\"date\":\"2024-01-05\",\"delay_days\":4}]}"

static void test_projects_with_their_milestones(void **state)
{
    (void)state;
    struct vf f;
    make(&f);
    vf_check(&f, ODP_QUERY_ENVELOPE, "view=gantt", "{\"data\":[\n" P1 ",\n" P2 ",\n" P3 "\n]");
    assert_int_equal(f.r.total, 3);
    assert_int_equal(f.r.returned, 3);
    assert_null(f.r.next);
    vf_finish(&f);
}

static void test_filters_choose_milestones_not_what_the_project_is(void **state)
{
    (void)state;
    struct vf f;
    make(&f);
    vf_check(&f, ODP_QUERY_ENVELOPE, "view=gantt&tonggak=Kontrak&status=KONSTRUKSI", "{\"data\":[\n" P1_HEAD P1_2 "]}\n]");
    assert_int_equal(f.r.total, 1);
    vf_check(&f, ODP_QUERY_ENVELOPE, "view=gantt&datetime=2023-02-01/2023-02-20&proyek=P1",
             "{\"data\":[\n" P1_HEAD P1_1 "]}\n]");
    vf_check(&f, ODP_QUERY_ENVELOPE, "view=gantt&proyek=P9", "{\"data\":[]");
    assert_int_equal(f.r.total, 0);
    vf_finish(&f);
}

static void test_pages_of_projects(void **state)
{
    (void)state;
    struct vf f;
    char cursor[512];
    make(&f);
    vf_check(&f, ODP_QUERY_ENVELOPE, "view=gantt&limit=1", "{\"data\":[\n" P1 "\n]");
    assert_int_equal(f.r.total, 3);
    assert_memory_equal(f.r.next, "uji?", 4);
    (void)snprintf(cursor, sizeof cursor, "view=gantt&limit=1&%s", strstr(f.r.next, "cursor="));
    vf_check(&f, ODP_QUERY_ENVELOPE, cursor, "{\"data\":[\n" P2 "\n]");
    (void)snprintf(cursor, sizeof cursor, "view=gantt&limit=5&%s", strstr(f.r.next, "cursor="));
    vf_check(&f, ODP_QUERY_ENVELOPE, cursor, "{\"data\":[\n" P3 "\n]");
    assert_null(f.r.next);
    assert_int_equal(f.r.total, 3);
    vf_finish(&f);
}

static void test_a_page_ends_when_it_is_large(void **state)
{
    (void)state;
    struct vf f;
    char cursor[512];
    make(&f);
    f.limits.bytes = 10;
    vf_check(&f, ODP_QUERY_ENVELOPE, "view=gantt", "{\"data\":[\n" P1 "\n]");
    (void)snprintf(cursor, sizeof cursor, "view=gantt&%s", strstr(f.r.next, "cursor="));
    vf_check(&f, ODP_QUERY_ENVELOPE, cursor, "{\"data\":[\n" P2 "\n]");
    (void)snprintf(cursor, sizeof cursor, "view=gantt&%s", strstr(f.r.next, "cursor="));
    vf_check(&f, ODP_QUERY_ENVELOPE, cursor, "{\"data\":[\n" P3 "\n]");
    assert_null(f.r.next);
    vf_finish(&f);
}

static void test_cursors_of_other_views_are_refused(void **state)
{
    (void)state;
    struct vf f;
    char cursor[512];
    make(&f);
    assert_int_equal(vf_ask(&f, ODP_QUERY_ENVELOPE, "limit=1"), ODP_OK);
    (void)snprintf(cursor, sizeof cursor, "view=gantt&limit=1&%s", strstr(f.r.next, "cursor="));
    assert_int_equal(vf_ask(&f, ODP_QUERY_ENVELOPE, cursor), ODP_BAD);
    assert_int_equal(f.fault.problem, ODP_QUERY_CURSOR_INVALID);
    vf_finish(&f);
}

static void test_csv_has_a_line_for_each_milestone(void **state)
{
    (void)state;
    struct vf f;
    make(&f);
    vf_check(&f, ODP_QUERY_CSV, "view=gantt&tonggak=Tender",
             "proyek,nama,status,start,end,project_delay_days,urutan,tonggak,rencana,aktual,date,delay_days\r\n"
             "P1,\"Jalan, A\",KONSTRUKSI,2023-01-10,2025-03-01,-2,1,Tender,2023-01-10,2023-02-09,2023-02-09,30\r\n"
             "P2,Waduk,RENCANA,2026-01-01,2026-01-01,,1,Tender,2026-01-01,,2026-01-01,\r\n"
             "P3,Jembatan,LELANG,2024-01-01,2024-01-05,74,1,Tender,2024-01-01,2024-01-05,2024-01-05,4\r\n");
    vf_finish(&f);
}

static void test_there_is_none_without_a_timeline(void **state)
{
    (void)state;
    struct vf f;
    vf_start(&f);
    vf_column(&f, "x", ODP_TYPE_STRING);
    vf_rows(&f, NULL, 0);
    assert_int_equal(vf_ask(&f, ODP_QUERY_ENVELOPE, "view=gantt"), ODP_BAD);
    assert_string_equal(f.fault.parameter, "view");
    vf_finish(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_projects_with_their_milestones),
        cmocka_unit_test(test_filters_choose_milestones_not_what_the_project_is),
        cmocka_unit_test(test_pages_of_projects),
        cmocka_unit_test(test_a_page_ends_when_it_is_large),
        cmocka_unit_test(test_cursors_of_other_views_are_refused),
        cmocka_unit_test(test_csv_has_a_line_for_each_milestone),
        cmocka_unit_test(test_there_is_none_without_a_timeline),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
