/* The table of problems, the documents, the challenges, and which language an answer is in. */

#include "run.h"

#include <jansson.h>

#include "core/accept.h"
#include "core/problem.h"

#define BASE "https://data.example.go.id/"

TEST(table)
{
    for (int i = 0; i < ODP_PROBLEM_COUNT; i++) {
        const struct odp_problem_info *p = odp_problem_info((enum odp_problem)i);
        assert_int_equal(strspn(p->code, "abcdefghijklmnopqrstuvwxyz-"), strlen(p->code));
        assert_in_range(p->status, 400, 599);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(p->code, odp_problem_info((enum odp_problem)k)->code);
        for (int lang = 0; lang < ODP_LANGS; lang++)
            assert_true(p->words.title.in[lang][0] != '\0');
        assert_string_not_equal(p->words.title.in[ODP_LANG_ID], p->words.title.in[ODP_LANG_EN]);
        assert_true((p->words.detail.in[ODP_LANG_ID] == NULL) == (p->words.detail.in[ODP_LANG_EN] == NULL));
    }
    assert_ptr_equal(odp_problem_info(ODP_PROBLEM_COUNT), odp_problem_info(ODP_PROBLEM_INTERNAL));
}

/* The document as JSON; its bytes are compact and end with one newline. */
static json_t *document(enum odp_problem p, enum odp_lang lang, const char *detail, const char *more)
{
    struct odp_buffer out = {0};
    odp_problem_write(&out, p, lang, BASE, detail, more);
    must(odp_buffer_status(&out));
    assert_int_equal(out.ptr[out.len - 1], '\n');
    json_t *doc = json_loadb(out.ptr, out.len, JSON_REJECT_DUPLICATES, NULL);
    odp_buffer_release(&out);
    assert_non_null(doc);
    return doc;
}

static const char *text_of(const json_t *doc, const char *key)
{
    return json_string_value(json_object_get(doc, key));
}

TEST(documents)
{
    for (int i = 0; i < ODP_PROBLEM_COUNT; i++)
        for (int lang = 0; lang < ODP_LANGS; lang++) {
            const struct odp_problem_info *p = odp_problem_info((enum odp_problem)i);
            json_t *doc = document((enum odp_problem)i, (enum odp_lang)lang, NULL, NULL);
            char type[128];
            snprintf(type, sizeof type, BASE "galat/%s", p->code);
            assert_string_equal(text_of(doc, "type"), type);
            assert_string_equal(text_of(doc, "code"), p->code);
            assert_string_equal(text_of(doc, "title"), p->words.title.in[lang]);
            assert_int_equal(json_integer_value(json_object_get(doc, "status")), p->status);
            if (p->words.detail.in[lang] == NULL)
                assert_null(json_object_get(doc, "detail"));
            else
                assert_string_equal(text_of(doc, "detail"), p->words.detail.in[lang]);
            assert_int_equal(json_object_size(doc), p->words.detail.in[lang] == NULL ? 4 : 5);
            json_decref(doc);
        }
}

TEST(whole_document)
{
    struct odp_buffer out = {0};
    odp_problem_write(&out, ODP_PROBLEM_KEY_MISSING, ODP_LANG_ID, BASE, NULL, NULL);
    assert_string_equal(
        odp_buffer_cstr(&out),
        "{\"type\":\"https://data.example.go.id/galat/key-missing\",\"title\":\"Kunci API tidak "
        "disertakan\",\"status\":401,"
        "\"code\":\"key-missing\",\"detail\":\"Kirim header Authorization: Bearer <kunci>. Kunci gratis: "
        "POST /auth/register.\"}\n");
    odp_buffer_release(&out);
}

TEST(detail_and_more)
{
    json_t *doc = document(ODP_PROBLEM_FIELD_INVALID, ODP_LANG_EN, "a \"b\"\\\n\x01 é",
                           "\"field\":\"email\",\"n\":[1]");
    assert_string_equal(text_of(doc, "detail"), "a \"b\"\\\n\x01 é");
    assert_string_equal(text_of(doc, "field"), "email");
    assert_int_equal(json_object_size(doc), 7);
    json_decref(doc);
    doc = document(ODP_PROBLEM_NOT_FOUND, ODP_LANG_EN, "", ""); /* an empty one takes the table's away */
    assert_int_equal(json_object_size(doc), 4);
    json_decref(doc);
    doc = document(ODP_PROBLEM_BAD_REQUEST, ODP_LANG_EN, "caf\xc3\xa9 \xff rest",
                   NULL); /* no UTF-8 from there on */
    assert_string_equal(text_of(doc, "detail"), "caf\xc3\xa9 ");
    json_decref(doc);
}

TEST(challenges)
{
    char room[ODP_CHALLENGE_MAX];
    for (int i = 0; i < ODP_PROBLEM_COUNT; i++) {
        const char *challenge = odp_problem_challenge((enum odp_problem)i, room);
        assert_int_equal(challenge != NULL, odp_problem_info((enum odp_problem)i)->status == 401);
        size_t quotes = 0;
        for (const char *c = challenge; c != NULL && *c != '\0'; c++) {
            assert_in_range((unsigned char)*c, 0x20, 0x7e);
            assert_int_not_equal(*c, '\\');
            quotes += *c == '"';
        }
        assert_true(challenge == NULL || quotes == 2 || quotes == 6);
    }
    assert_string_equal(odp_problem_challenge(ODP_PROBLEM_KEY_MISSING, room), "Bearer realm=\"odp\"");
    assert_string_equal(
        odp_problem_challenge(ODP_PROBLEM_KEY_MALFORMED, room),
        "Bearer realm=\"odp\", error=\"invalid_token\", error_description=\"This is not an API key\"");
    assert_string_equal(
        odp_problem_challenge(ODP_PROBLEM_KEY_EXPIRED, room),
        "Bearer realm=\"odp\", error=\"invalid_token\", error_description=\"This API key has expired\"");
    assert_null(odp_problem_challenge(ODP_PROBLEM_KEY_SUSPENDED, room)); /* 403 */
    assert_null(odp_problem_challenge(ODP_PROBLEM_COUNT, room));
}

TEST(of_status)
{
    static const int known[] = {400, 401, 403, 404, 405, 408, 409, 410, 412, 413,
                                414, 415, 416, 429, 431, 500, 501, 502, 503, 504};
    for (size_t i = 0; i < ODP_COUNT(known); i++)
        assert_int_equal(odp_problem_info(odp_problem_of_status(known[i]))->status, known[i]);
    assert_int_equal(odp_problem_of_status(494), ODP_PROBLEM_HEADERS_TOO_LARGE);
    assert_int_equal(odp_problem_of_status(497), ODP_PROBLEM_BAD_REQUEST);
    static const int others[] = {0, -1, 200, 418, 505, 999};
    for (size_t i = 0; i < ODP_COUNT(others); i++)
        assert_int_equal(odp_problem_of_status(others[i]), ODP_PROBLEM_INTERNAL);
}

TEST(of_verdict)
{
    static const struct {
        enum odp_verdict verdict;
        const char *code;
    } kinds[] = {
        {ODP_KEY_UNKNOWN, "key-unknown"},        {ODP_KEY_IS_REVOKED, "key-revoked"},
        {ODP_KEY_IS_SUSPENDED, "key-suspended"}, {ODP_KEY_EXPIRED, "key-expired"},
        {ODP_BURST_EXCEEDED, "burst-exceeded"},  {ODP_QUOTA_EXCEEDED, "quota-exceeded"},
    };
    for (size_t i = 0; i < ODP_COUNT(kinds); i++)
        assert_string_equal(odp_problem_info(odp_problem_of_verdict(kinds[i].verdict))->code, kinds[i].code);
}

TEST(languages)
{
    static const struct {
        const char *header;
        enum odp_lang lang;
    } cases[] = {
        {"", ODP_LANG_ID},
        {"id", ODP_LANG_ID},
        {"en", ODP_LANG_EN},
        {"EN-us", ODP_LANG_EN},
        {"id-ID,id;q=0.9,en-US;q=0.8,en;q=0.7", ODP_LANG_ID},
        {"en-GB;q=0.9, id;q=0.8", ODP_LANG_EN},
        {"id;q=0.8,en-GB;q=0.9", ODP_LANG_EN},
        {"en, id", ODP_LANG_ID}, /* as welcome: ours */
        {"*", ODP_LANG_ID},
        {"fr", ODP_LANG_ID},
        {"fr, en;q=0.1", ODP_LANG_EN},
        {"*;q=0.5, id;q=0.1", ODP_LANG_EN},
        {"id;q=0, *", ODP_LANG_EN},
        {"en;q=0", ODP_LANG_ID},
        {"en;q=0.000, *;q=0.1", ODP_LANG_ID},
        {"english", ODP_LANG_ID}, /* a prefix of letters is not a prefix of tags */
        {"enx-GB", ODP_LANG_ID},
        {"en;q=2", ODP_LANG_ID},
        {"en;q=", ODP_LANG_ID},
        {"en;q=0.1234", ODP_LANG_ID},
        {"en;q=1.001", ODP_LANG_ID},
        {"en ; q=0.3 ,id;q=0.2", ODP_LANG_EN},
        {",,;;, en ,", ODP_LANG_EN},
        {"en;level=1;q=0.4, id;q=0.3", ODP_LANG_EN},
    };
    for (size_t i = 0; i < ODP_COUNT(cases); i++)
        if (odp_lang_accept(odp_slice_of(cases[i].header)) != cases[i].lang)
            fail_msg("Accept-Language: %s", cases[i].header);
}

TEST(weights)
{
    static const char header[] = " br;q=0.5,gzip, ;q=1, a b, \"x\", d\0e, zstd;Q=0.25;x, last;q=0.001";
    static const struct {
        const char *name;
        int q;
    } expected[] = {{"br", 500}, {"gzip", 1000}, {"zstd", 250}, {"last", 1}};
    struct odp_slice rest = {header, sizeof header - 1}, name;
    size_t n = 0;
    for (int q; odp_accept_next(&rest, &name, &q); n++) {
        assert_true(n < ODP_COUNT(expected));
        assert_true(odp_accept_is(name, expected[n].name));
        assert_int_equal(q, expected[n].q);
    }
    assert_int_equal(n, 4);
}
