/* Parts of packages: words, names, the tree of files, archives. tests/e2e/clients_packages.py: others can
 * read the archives. */
#include "answer_lines.h"

#include "site/clients/clients_internal.h"

static struct odp_arena arena;
static struct odp_buffer out;

static int begin(void **state)
{
    odp_arena_init(&arena);
    odp_buffer_init(&out);
    odp_failure_clear();
    return 0;
}

static int end(void **state)
{
    odp_buffer_release(&out);
    odp_arena_release(&arena);
    odp_failure_clear();
    return 0;
}

static void assert_said(const char *expected)
{
    assert_string_equal(odp_buffer_cstr(&out), expected);
    odp_buffer_clear(&out);
}

/* ---- words ---- */

TEST(after_text)
{
    odp_buffer_add_str(&out, "x9"); /* the text before it is not part of it */
    client_identifier(&out, "a-7", CLIENT_CAMEL);
    assert_said("x9a7");
}

/* ---- names ---- */

static void names_of(struct odp_client_names *names, const char *npm, const char *python,
                     const char *composer)
{
    struct odp_catalog c = {.portal = {.clients = {npm, python, composer}}};
    *names = odp_client_names(&c, &arena);
}

TEST(names)
{
    struct odp_client_names n;
    names_of(&n, NULL, NULL, NULL);
    assert_string_equal(n.package[ODP_CLIENT_JAVASCRIPT], "@odp/client");
    assert_string_equal(n.module[ODP_CLIENT_JAVASCRIPT], "@odp/client");
    assert_string_equal(n.package[ODP_CLIENT_PYTHON], "odp-client");
    assert_string_equal(n.module[ODP_CLIENT_PYTHON], "odp_client");
    assert_string_equal(n.package[ODP_CLIENT_PHP], "odp/client");
    assert_string_equal(n.module[ODP_CLIENT_PHP], "Odp\\Client");
    names_of(&n, "pu-data", "PU.Data--Terbuka", "pu-pr/data.terbuka-2");
    assert_string_equal(n.module[ODP_CLIENT_JAVASCRIPT], "pu-data");
    assert_string_equal(n.package[ODP_CLIENT_PYTHON], "PU.Data--Terbuka");
    assert_string_equal(n.module[ODP_CLIENT_PYTHON], "pu_data_terbuka");
    assert_string_equal(n.module[ODP_CLIENT_PHP], "PuPr\\DataTerbuka2");
}

/* Questions of packages.txt: "identifier TEXT", "prose TEXT", and a language and a text with our names in
 * it. */
static void answer(void *ctx, struct odp_slice question, struct odp_buffer *to)
{
    static const char *const languages[ODP_CLIENT_LANGUAGES] = {
        [ODP_CLIENT_JAVASCRIPT] = "javascript", [ODP_CLIENT_PYTHON] = "python", [ODP_CLIENT_PHP] = "php"};
    const size_t verb = strcspn(question.ptr, " ");
    const char *text = question.ptr + verb + 1;
    struct client_model m = {.arena = &arena};
    names_of(&m.names, "@pu/data", "pu-data", "pu/data");
    if (*question.ptr == 'i') {
        client_identifier(to, text, CLIENT_SNAKE);
        odp_buffer_add_str(to, ", ");
        client_identifier(to, text, CLIENT_CAMEL);
        odp_buffer_add_str(to, ", ");
        client_identifier(to, text, CLIENT_STUDLY);
    } else if (strncmp(question.ptr, "prose", verb) == 0) {
        client_prose(to, text);
    }
    for (enum odp_client_language l = 0; l < ODP_CLIENT_LANGUAGES; l++)
        if (strncmp(question.ptr, languages[l], verb) == 0)
            odp_buffer_add_str(to, client_rename(&m, l, odp_slice_of(text)));
}

TEST(texts)
{
    answer_lines("site/packages.txt", answer, NULL);
}

/* ---- the tree ---- */

static void add(struct client_tree *t, const char *path, const char *text)
{
    must(client_tree_add(t, path, odp_slice_of(text)));
}

TEST(tree)
{
    struct client_tree t = {.arena = &arena};
    char path[32], text[] = "isi";
    for (int i = 0; i < 200; i++) {
        snprintf(path, sizeof path, "folder/%d", i);
        add(&t, path, text);
    }
    memset(text, 'x', 3); /* copied */
    assert_int_equal(t.n, 200);
    assert_true(odp_slice_is(client_tree_find(&t, "folder/7")->bytes, "isi"));
    assert_null(client_tree_find(&t, "folder/"));
    must_fail(client_tree_add(&t, "folder/7", ODP_LIT("lain")), "folder/7");
}

/* ---- archives ---- */

enum { SECONDS = 1710460800 }; /* 2024-03-15 */

static void fill(struct client_tree *t, bool backwards)
{
    static const char *const files[][2] = {
        {"a/kosong", ""},
        {"a/satu.txt", "satu\n"},
        {"b.txt", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
    };
    *t = (struct client_tree){.arena = &arena};
    for (size_t i = 0; i < 3; i++)
        add(t, files[backwards ? 2 - i : i][0], files[backwards ? 2 - i : i][1]);
}

/* The same bytes from the same files, however they came; other bytes from others. */
static void check_same(enum odp_status (*pack)(struct odp_buffer *, const struct client_tree *, int64_t))
{
    struct client_tree t;
    struct odp_buffer again = {0};
    fill(&t, false);
    odp_buffer_add_str(&out, "depan"); /* appended */
    must(pack(&out, &t, SECONDS));
    fill(&t, true);
    must(pack(&again, &t, SECONDS));
    assert_int_equal(out.len, again.len + 5);
    assert_memory_equal(out.ptr + 5, again.ptr, again.len);
    odp_buffer_clear(&again);
    add(&t, "c", "c");
    must(pack(&again, &t, SECONDS));
    assert_int_not_equal(out.len - 5, again.len);
    odp_buffer_release(&again);
    odp_buffer_clear(&out);
}

TEST(same_bytes)
{
    check_same(client_pack_tgz);
    check_same(client_pack_zip);
    assert_int_equal(setenv("TZ", "Asia/Jayapura", 1), 0);
    check_same(client_pack_zip);
}

/* A path goes into two fields, parted at a slash. */
TEST(tar_paths)
{
    static const struct {
        size_t slash, len; /* 0: no slash */
        enum odp_status status;
    } cases[] = {{0, 100, ODP_OK}, {155, 256, ODP_OK}, {155, 257, ODP_FAIL}, {0, 101, ODP_FAIL}};
    for (size_t i = 0; i < ODP_COUNT(cases); i++) {
        struct client_tree t = {.arena = &arena};
        char path[300];
        memset(path, 'a', sizeof path);
        path[cases[i].len] = '\0';
        if (cases[i].slash > 0)
            path[cases[i].slash] = '/';
        add(&t, path, "x");
        assert_int_equal(client_pack_tgz(&out, &t, SECONDS), cases[i].status);
        odp_failure_clear();
    }
}

TEST(wheel)
{
    struct client_tree t = {.arena = &arena};
    add(&t, "uji/__init__.py", "abc");
    add(&t, "uji-1.0.0.dist-info/METADATA", "");
    add(&t, "uji/koma,\"kutip\".py", "");
    must(client_pack_wheel(&out, &t, "uji-1.0.0.dist-info/", SECONDS));
    const struct client_file *record = client_tree_find(&t, "uji-1.0.0.dist-info/RECORD");
    assert_non_null(record);
    static const char expected[] =
        "uji-1.0.0.dist-info/METADATA,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\n"
        "uji/__init__.py,sha256=ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0,3\n"
        "\"uji/koma,\"\"kutip\"\".py\",sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\n"
        "uji-1.0.0.dist-info/RECORD,,\n";
    assert_int_equal(record->bytes.len, sizeof expected - 1);
    assert_memory_equal(record->bytes.ptr, expected, sizeof expected - 1);
    odp_buffer_clear(&out);
    assert_int_equal(client_pack_wheel(&out, &t, "uji-1.0.0.dist-info/", SECONDS),
                     ODP_FAIL); /* it has one already */
}

TEST(digests)
{
    struct client_tree t, u;
    uint8_t a[ODP_SHA256_SIZE], b[ODP_SHA256_SIZE];
    fill(&t, false);
    fill(&u, true);
    must(client_tree_digest(&t, a));
    must(client_tree_digest(&u, b));
    assert_memory_equal(a, b, sizeof a);
    add(&u, "b.txta", ""); /* what parts a path from its bytes is no part of either */
    must(client_tree_digest(&u, b));
    assert_memory_not_equal(a, b, sizeof a);
    assert_string_equal(client_digest_hex("SHA1", ODP_LIT("abc"), &arena),
                        "a9993e364706816aba3e25717850c26c9cd0d89d"); /* FIPS 180-4 */
    assert_string_equal(client_digest_hex("SHA256", ODP_LIT("abc"), &arena),
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_string_equal(
        client_digest_base64("SHA512", ODP_LIT("abc"), false, &arena),
        "3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw==");
}

EACH(begin, end)
