/* Which requests the preview answers, and which part of a file they get. */
#include "run.h"

#include "serve/reload.h"
#include "serve/request.h"

/* "Name: value|Name: value" */
static struct serve_headers headers(const char *list, char room[static 400])
{
    struct serve_headers h = {0};
    char *rest = NULL;
    strcpy(room, list);
    for (char *line = strtok_r(room, "|", &rest); line != NULL; line = strtok_r(NULL, "|", &rest)) {
        char *value = strstr(line, ": ");
        *value = '\0';
        serve_header(&h, line, value + 2);
    }
    return h;
}

TEST(who_may)
{
    static const struct {
        const char *headers;
        bool may, may_post;
    } rows[] = {
        {"Host: 127.0.0.1:8000", true, false},
        {"host: localhost:8000", true, false},
        {"Host: 127.0.0.1:8000|Origin: http://127.0.0.1:8000", true, true},
        {"Host: 127.0.0.1:8000|Origin: http://127.0.0.1:8000|Sec-Fetch-Site: same-origin", true, true},
        /* another port, name, scheme; a name made to lead here */
        {"Host: 127.0.0.1", false, false},
        {"Host: 127.0.0.1:80", false, false},
        {"Host: 127.0.0.1:8000.evil.example", false, false},
        {"Host: evil.example:8000", false, false},
        {"Host: evil.example:8000|Origin: http://evil.example:8000", false, false},
        {"Host: [::1]:8000", false, false},
        {"Origin: http://127.0.0.1:8000", false, false},
        {"Host: 127.0.0.1:8000|Host: 127.0.0.1:8000", false, false},
        /* pages of others */
        {"Host: 127.0.0.1:8000|Origin: http://localhost:8000", false, false},
        {"Host: 127.0.0.1:8000|Origin: https://127.0.0.1:8000", false, false},
        {"Host: 127.0.0.1:8000|Origin: http://127.0.0.1:3000", false, false},
        {"Host: 127.0.0.1:8000|Origin: null", false, false},
        {"Host: 127.0.0.1:8000|Origin: ", false, false},
        {"Host: 127.0.0.1:8000|Sec-Fetch-Site: cross-site", false, false},
        {"Host: 127.0.0.1:8000|Sec-Fetch-Site: same-site", false, false},
        {"Host: 127.0.0.1:8000|Sec-Fetch-Site: cross-site|Sec-Fetch-Mode: no-cors", false, false},
        {"Host: 127.0.0.1:8000|Origin: http://127.0.0.1:8000|Sec-Fetch-Site: same-site|Sec-Fetch-Mode: "
         "navigate",
         true, false},
        /* a link that somebody follows, an address that somebody types */
        {"Host: 127.0.0.1:8000|Sec-Fetch-Site: cross-site|Sec-Fetch-Mode: navigate", true, false},
        {"Host: 127.0.0.1:8000|Sec-Fetch-Site: none|Sec-Fetch-Mode: navigate", true, false},
    };
    for (size_t i = 0; i < ODP_COUNT(rows); i++) {
        char room[400];
        struct serve_headers h = headers(rows[i].headers, room);
        if (serve_may(&h, 8000, false) != rows[i].may || serve_may(&h, 8000, true) != rows[i].may_post)
            fail_msg("%s", rows[i].headers);
    }
    char room[400];
    struct serve_headers h = headers("Host: localhost", room);
    assert_true(serve_may(&h, 80, false));
}

TEST(range)
{
    static const struct {
        const char *range;
        enum odp_status status;
        uint64_t from, len;
    } rows[] = {
        {"bytes=0-9", ODP_OK, 0, 10},     {"bytes=90-", ODP_OK, 90, 10},
        {"bytes=90-200", ODP_OK, 90, 10}, {"bytes=-5", ODP_OK, 95, 5},
        {"bytes=-200", ODP_OK, 0, 100},   {"bytes=99-99", ODP_OK, 99, 1},
        {"bytes=100-", ODP_BAD, 0, 0},    {"bytes=-0", ODP_BAD, 0, 0},
        {"bytes=9-0", ODP_DONE, 0, 0},    {"bytes=0-1,3-4", ODP_DONE, 0, 0},
        {"bytes=-", ODP_DONE, 0, 0},      {"bytes=", ODP_DONE, 0, 0},
        {"items=0-1", ODP_DONE, 0, 0},    {"bytes=99999999999999999999-", ODP_DONE, 0, 0},
        {"bytes=0-0x", ODP_DONE, 0, 0},   {"", ODP_DONE, 0, 0},
    };
    for (size_t i = 0; i < ODP_COUNT(rows); i++) {
        uint64_t from = 0, len = 0;
        enum odp_status status = serve_range(odp_slice_of(rows[i].range), 100, &from, &len);
        if (status != rows[i].status || (status == ODP_OK && (from != rows[i].from || len != rows[i].len)))
            fail_msg("%s", rows[i].range);
    }
}

TEST(stream)
{
    char text[100];
    struct serve_reload r;
    serve_reload_init(&r);
    struct serve_stream s = {.reload = &r};
    assert_int_equal(serve_stream_read(&s, 0, text, sizeof text), 12);
    assert_string_equal(text, "retry: 500\n\n");
    serve_reload_next(&r);
    uint64_t first = serve_reload_number(&r);
    assert_true(first > 0);
    assert_true(serve_stream_read(&s, 12, text, sizeof text) > 0);
    assert_memory_equal(text, "event: build\ndata: ", 19);
    assert_true(strtoull(text + 19, NULL, 10) == first);
    serve_reload_next(&r);
    assert_true(serve_reload_number(&r) == first + 1);
    serve_reload_end(&r);
    assert_int_equal(serve_stream_read(&s, 50, text, sizeof text), -1);
    assert_true(serve_reload_number(&r) == 0);
    serve_reload_release(&r);
}
