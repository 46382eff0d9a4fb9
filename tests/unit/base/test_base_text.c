/* UTF-8, arena, buffer, status, JSON strings and places. */
#include "answer_lines.h"

#include <pthread.h>
#include <sys/resource.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/json.h"
#include "base/odd_sign.h"
#include "base/text.h"
#include "base/utf8.h"

TEST(utf8_every_code_point)
{
    for (uint32_t cp = 0; cp < 0x110000; cp++) {
        char bytes[4];
        uint32_t back;
        if (cp >= 0xD800 && cp < 0xE000)
            continue;
        size_t n = odp_utf8_encode(cp, bytes);
        assert_int_equal(odp_utf8_valid((struct odp_slice){bytes, n}), n);
        assert_int_equal(odp_utf8_decode(bytes, n, &back), n);
        assert_int_equal(back, cp);
    }
}

TEST(arena_blocks)
{
    ARENA(a);
    for (int round = 0; round < 3; round++) {
        for (size_t size = 0; size < 3000; size += 7) {
            char *p = odp_arena_alloc(&a, size);
            assert_non_null(p);
            assert_int_equal((uintptr_t)p % 16, 0);
            memset(p, 0x5A, size);
        }
        char *big = odp_arena_alloc(&a, 3 << 20);
        assert_non_null(big);
        memset(big, 1, 3 << 20);
        odp_arena_reset(&a);
    }
    int *zeros = odp_arena_zero(&a, 1000, sizeof *zeros);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(zeros[i], 0);
    assert_string_equal(odp_arena_printf(&a, "%s-%d", "x", 42), "x-42");
    assert_string_equal(odp_arena_str(&a, "text"), "text");
    struct odp_slice s = odp_arena_copy(&a, ODP_LIT("slice"));
    assert_string_equal(s.ptr, "slice");
    assert_null(odp_realloc_array(NULL, SIZE_MAX / 2, 3));
    odp_failure_clear();
}

/* Memory refused by the system: arenas live on the reserve, say so, and give it back. */
TEST(arena_latches)
{
    struct odp_arena a;
    struct rlimit before;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* a sanitizer's allocator ends the program where it is refused memory */
#endif
    odp_arena_init(&a);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    const struct rlimit none = {0, before.rlim_max};
    for (int round = 0; round < 3; round++) {
        assert_int_equal(setrlimit(RLIMIT_AS, &none), 0);
        char *big = odp_arena_alloc(&a, ODP_ARENA_RESERVE / 2);
        assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
        memset(big, 1, ODP_ARENA_RESERVE / 2);
        assert_int_equal(odp_arena_status_of_all(), ODP_FAIL);
        assert_string_equal(odp_failure_text(), "allocate memory: Cannot allocate memory");
        odp_failure_clear();
        odp_arena_release(&a);
        must(odp_arena_status(&a));
        must(odp_arena_status_of_all());
    }
}

TEST(failure_first_wins)
{
    odp_failure_clear();
    assert_string_equal(odp_failure_text(), "");
    assert_int_equal(odp_failure_set("write", "build/x.json", 28), ODP_FAIL);
    (void)odp_failure_set("close", "other", 5);
    assert_string_equal(odp_failure_text(), "write build/x.json: No space left on device");
    odp_failure_clear();
}

static void *fail_elsewhere(void *text)
{
    (void)odp_failure_set("sync", "other", 0);
    (void)snprintf(text, 64, "%s", odp_failure_text());
    return NULL;
}

/* A thread tells what it failed at itself; who waited for one and did not fail tells what that failed at. */
TEST(failure_by_thread)
{
    char text[64];
    pthread_t thread;
    (void)odp_failure_set("write", "mine", 0);
    for (int round = 0; round < 2; round++) {
        assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, text), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_string_equal(text, "sync other");
        assert_string_equal(odp_failure_text(), round == 0 ? "write mine" : "sync other");
        odp_failure_clear();
    }
    assert_string_equal(odp_failure_text(), "");
}

TEST(buffer_appends)
{
    BUFFER(b);
    assert_string_equal(odp_buffer_cstr(&b), "");
    odp_buffer_add_str(&b, "a");
    odp_buffer_add_u64(&b, 0);
    odp_buffer_add_u64(&b, UINT64_MAX);
    odp_buffer_printf(&b, "[%d]", 7);
    odp_buffer_add(&b, NULL, 0);
    assert_string_equal(odp_buffer_cstr(&b), "a018446744073709551615[7]");
    odp_buffer_clear(&b);
    for (int i = 0; i < 100000; i++)
        odp_buffer_add_char(&b, (char)('a' + i % 26));
    assert_int_equal(b.len, 100000);
    must(odp_buffer_status(&b));
    assert_null(odp_buffer_reserve(&b, SIZE_MAX - 5));
    odp_buffer_add_char(&b, 'x');
    assert_int_equal(b.len, 100000);
    assert_int_equal(odp_buffer_status(&b), ODP_FAIL);
    assert_string_equal(odp_buffer_cstr(&b), "");
    odp_buffer_clear(&b); /* the next text of many: what looks once, at the end, still learns of it */
    odp_buffer_add_str(&b, "next");
    assert_int_equal(odp_buffer_status(&b), ODP_FAIL);
    odp_buffer_reset(&b);
    odp_buffer_add_str(&b, "anew");
    must(odp_buffer_status(&b));
    assert_string_equal(odp_buffer_cstr(&b), "anew");
    odp_failure_clear();
}

TEST(json_strings)
{
    BUFFER(b);
    odp_json_add_string(&b, (struct odp_slice){NULL, 0});
    assert_string_equal(odp_buffer_cstr(&b), "\"\"");
    /* every byte at every place of a word */
    for (int c = 1; c < 128; c++) {
        for (size_t place = 0; place < 17; place++) {
            char text[17], first;
            memset(text, 'x', sizeof text);
            text[place] = (char)c;
            odp_buffer_clear(&b);
            odp_json_add_string(&b, (struct odp_slice){text, sizeof text});
            assert_true(odp_json_valid(odp_buffer_slice(&b), &first));
            bool plain = c >= 0x20 && c != '"' && c != '\\' && c != 0x7F;
            assert_true(plain == (b.len == sizeof text + 2));
        }
    }
}

TEST(json_validity)
{
    char first, deep[402];
    assert_true(odp_json_valid(ODP_LIT(" [1]"), &first));
    assert_int_equal(first, '[');
    memset(deep, '[', 201);
    memset(deep + 200, ']', 200);
    assert_true(odp_json_valid((struct odp_slice){deep, 400}, &first));
    memset(deep, '[', 201);
    memset(deep + 201, ']', 201);
    assert_false(odp_json_valid((struct odp_slice){deep, 402}, &first));
}

static void add_json(struct odp_buffer *out, struct odp_slice raw)
{
    char meant[64];
    size_t len;
    memcpy(meant, raw.ptr, raw.len); /* in place */
    if (odp_json_unescape((struct odp_slice){meant, raw.len}, meant, &len))
        odp_json_add_string(out, (struct odp_slice){meant, len});
    else
        odp_buffer_add_str(out, "nothing");
}

static void add_odd(struct odp_buffer *out, struct odp_slice text)
{
    BUFFER(english);
    const bool odd = odp_odd_say(out, text, ODP_LANG_ID);
    assert_int_equal(odp_odd_say(&english, text, ODP_LANG_EN), odd);
    odp_buffer_add_str(out, odd ? "\n" : "none");
    odp_buffer_add_slice(out, odp_buffer_slice(&english));
}

static void add_place(struct odp_buffer *out, struct odp_slice document, const char *pointer)
{
    uint32_t line, column;
    if (odp_json_locate(document, pointer, &line, &column)) {
        odp_buffer_printf(out, "%u:%u", line, column);
        return;
    }
    assert_true(line == 1 && column == 1);
    odp_buffer_add_str(out, "nowhere");
}

/* A question of texts.txt: a verb and a text; "document" is what "at" asks. */
static void answer(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    struct odp_buffer *document = ctx;
    const size_t len = strcspn(question.ptr, " ") + 1;
    const struct odp_slice text = {question.ptr + len, question.len - len};
    char first, name[8], *end;
    const unsigned long number = strtoul(text.ptr, &end, 10);
#define IS(verb) (strncmp(question.ptr, verb " ", sizeof verb) == 0)
    if (IS("utf8"))
        odp_buffer_add_u64(out, odp_utf8_valid(text));
    else if (IS("width"))
        odp_buffer_add_u64(out, odp_utf8_width(text));
    else if (IS("count"))
        odp_buffer_add_u64(out, odp_utf8_count(text));
    else if (IS("cut"))
        odp_buffer_add_slice(out, odp_utf8_cut(odp_slice_of(end + 1), number));
    else if (IS("string"))
        odp_json_add_string(out, text);
    else if (IS("json"))
        odp_buffer_add_str(out, odp_json_valid(text, &first) ? "yes" : "no");
    else if (IS("document"))
        odp_buffer_add_slice(document, text);
    else if (IS("at"))
        add_place(out, odp_buffer_slice(document), text.ptr);
    else if (IS("means"))
        add_json(out, text);
    else if (IS("odd"))
        add_odd(out, text);
    else
        odp_buffer_add_str(out, odp_column_name((uint32_t)number, name));
}

TEST(texts)
{
    BUFFER(document);
    answer_lines("base/texts.txt", answer, &document);
}
