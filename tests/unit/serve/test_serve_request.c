/* Which requests the preview answers, and which part of a file they get. */
#include "answer_lines.h"

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

/* Questions of requests.txt: "headers LIST": what may be asked with them of port 8000; "range VALUE": what it
 * gets of 100 bytes. */
static void answer(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    const char *text = strchr(question.ptr, ' ') + 1;
    char room[400];
    uint64_t from, len;
    if (*question.ptr == 'h') {
        const struct serve_headers h = headers(text, room);
        const bool may = serve_may(&h, 8000, false), may_post = serve_may(&h, 8000, true);
        odp_buffer_add_str(out, may_post ? "all" : may ? "read" : "nothing");
        assert_true(may || !may_post);
        return;
    }
    const enum odp_status status = serve_range(odp_slice_of(text), 100, &from, &len);
    if (status == ODP_OK)
        odp_buffer_printf(out, "%d from %d", (int)len, (int)from);
    else
        odp_buffer_add_str(out, status == ODP_BAD ? "none of it" : "all");
}

TEST(requests)
{
    char room[400];
    const struct serve_headers h = headers("Host: localhost", room);
    assert_true(serve_may(&h, 80, false));
    answer_lines("serve/requests.txt", answer, NULL);
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
