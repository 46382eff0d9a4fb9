/* Sealed values and the key file. tests/e2e/deliver.py opens them with another AES-256-GCM. */
#include "one_folder.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "service/webhooks/deliver/seal.h"

#define KEY_A "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=" /* 00 01 … 1f */
#define KEY_B "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=" /* 20 21 … 3f */

static int set_up(void **state)
{
    umask(022);
    return make_folder(state);
}

/* A key file of TEXT at "key", in place of the one before. */
static const char *key_file(const char *text)
{
    const char *p = at("key");
    (void)unlink(p);
    must(odp_file_put(p, odp_slice_of(text), 0600, NULL));
    return p;
}

static struct odp_seal *sound(const char *path, bool make)
{
    struct odp_seal *s = NULL;
    char why[ODP_SEAL_WHY];
    must(odp_seal_new(&s, path, make, ODP_LANG_EN, why));
    assert_string_equal(why, "");
    return s;
}

static struct odp_seal *open_with(const char *text)
{
    return sound(key_file(text), false);
}

/* The reason, which must not quote what the file holds. */
static void refuses(const char *p, bool make, const char *reason)
{
    struct odp_seal *s = (struct odp_seal *)folder;
    char why[ODP_SEAL_WHY];
    enum odp_status status = odp_seal_new(&s, p, make, ODP_LANG_EN, why);
    assert_null(s);
    must_refuse(status);
    if (strstr(why, reason) == NULL)
        fail_msg("%s: expected %s", why, reason);
    assert_null(strstr(why, "AAECAwQF"));
    assert_string_equal(odp_failure_text(), "");
}

/* ---- values ---- */

static void opens(const struct odp_seal *s, const char *context, const struct odp_buffer *sealed,
                  struct odp_slice want)
{
    struct odp_buffer clear = {0};
    odp_buffer_add_str(&clear, "what was there before");
    must(odp_seal_unwrap(s, context, odp_buffer_slice(sealed), &clear));
    assert_true(odp_slice_eq(odp_buffer_slice(&clear), want));
    odp_buffer_release(&clear);
}

static void stays_shut(const struct odp_seal *s, const char *context, struct odp_slice sealed)
{
    struct odp_buffer clear = {0};
    odp_buffer_add_str(
        &clear, "what was there before, a secret that is longer than the value that is opened into it now");
    must_refuse(odp_seal_unwrap(s, context, sealed, &clear));
    assert_int_equal(clear.len, 0);
    for (size_t i = 0; i < 32; i++)
        assert_int_equal(clear.ptr[i], 0); /* nothing of either is left */
    odp_buffer_release(&clear);
}

TEST(round_trip)
{
    static const size_t sizes[] = {0, 1, 15, 16, 17, 32, 64, 2048, 100000};
    struct odp_seal *s = open_with(KEY_A "\n");
    struct odp_buffer sealed = {0}, again = {0};
    char *text = malloc(100000);
    assert_non_null(text);
    memset(text, 'x', 100000);
    for (size_t i = 0; i < ODP_COUNT(sizes); i++) {
        struct odp_slice clear = {text, sizes[i]};
        must(odp_seal_wrap(s, "secret wh_1", clear, &sealed));
        assert_int_equal(sealed.len, sizes[i] + ODP_SEAL_EXTRA);
        opens(s, "secret wh_1", &sealed, clear);
        assert_true(odp_seal_is_current(s, odp_buffer_slice(&sealed)));
        must(odp_seal_wrap(s, "secret wh_1", clear, &again));
        assert_memory_equal(sealed.ptr, again.ptr, 5);
        assert_memory_not_equal(sealed.ptr + 5, again.ptr + 5, 12); /* a nonce is never used again */
        if (sizes[i] >= 16)
            assert_null(memmem(sealed.ptr, sealed.len, "xxxxxxxx", 8));
    }
    struct odp_slice nothing = {NULL, 0};
    must(odp_seal_wrap(s, "", nothing, &sealed));
    opens(s, "", &sealed, nothing);
    odp_buffer_release(&sealed);
    odp_buffer_release(&again);
    odp_seal_free(s);
    free(text);
}

/* Made by another implementation (tests/e2e/deliver.py) with KEY_A: form 1, id 630dcd29, nonce 0 to 11,
 * context "url wh_x", "https://contoh.go.id/". */
static const uint8_t known[] = {
    0x01, 0x63, 0x0d, 0xcd, 0x29, 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
    0x09, 0x0a, 0x0b, 0x2f, 0x76, 0xa2, 0x6b, 0xb6, 0xdf, 0xed, 0x34, 0xee, 0x2e, 0xf9,
    0xff, 0xde, 0x81, 0x56, 0x0a, 0xec, 0xf8, 0xee, 0x50, 0xdf, 0xe7, 0xc4, 0xc6, 0xed,
    0xf3, 0x71, 0xc2, 0x7d, 0xda, 0x65, 0x28, 0x01, 0xb4, 0x41, 0x8e, 0xa8,
};

TEST(known_value)
{
    struct odp_seal *s = open_with(KEY_B "\n" KEY_A "\n");
    struct odp_buffer sealed = {0};
    odp_buffer_add(&sealed, known, sizeof known);
    opens(s, "url wh_x", &sealed, ODP_LIT("https://contoh.go.id/"));
    assert_false(odp_seal_is_current(s, odp_buffer_slice(&sealed)));
    odp_buffer_release(&sealed);
    odp_seal_free(s);
}

/* Each bit of a value, each length less than its own, each other context. */
TEST(changed_values)
{
    struct odp_seal *s = open_with(KEY_A "\n" KEY_B "\n");
    struct odp_buffer sealed = {0};
    must(odp_seal_wrap(s, "secret wh_1", ODP_LIT("thirty-two bytes of a secret, ok."), &sealed));
    for (size_t i = 0; i < sealed.len * 8; i++) {
        sealed.ptr[i / 8] = (char)(sealed.ptr[i / 8] ^ 1 << i % 8);
        stays_shut(s, "secret wh_1", odp_buffer_slice(&sealed));
        sealed.ptr[i / 8] = (char)(sealed.ptr[i / 8] ^ 1 << i % 8);
    }
    for (size_t n = 0; n < sealed.len; n++) {
        char *exact = malloc(n > 0 ? n : 1); /* so that a read beyond it is seen */
        assert_non_null(exact);
        memcpy(exact, sealed.ptr, n);
        stays_shut(s, "secret wh_1", (struct odp_slice){exact, n});
        free(exact);
    }
    stays_shut(s, "secret wh_1", (struct odp_slice){NULL, 0});
    static const char *const contexts[] = {"",         "secret wh_2", "secret wh_", "secret wh_11",
                                           "url wh_1", "Secret wh_1"};
    for (size_t i = 0; i < ODP_COUNT(contexts); i++)
        stays_shut(s, contexts[i], odp_buffer_slice(&sealed));
    odp_buffer_add_char(&sealed, 'x');
    stays_shut(s, "secret wh_1", odp_buffer_slice(&sealed));
    sealed.len--;
    /* with the id of the other key on it */
    struct odp_buffer other = {0};
    odp_seal_free(s);
    s = open_with(KEY_B "\n" KEY_A "\n");
    must(odp_seal_wrap(s, "secret wh_1", ODP_LIT("x"), &other));
    memcpy(sealed.ptr + 1, other.ptr + 1, 4);
    stays_shut(s, "secret wh_1", odp_buffer_slice(&sealed));
    odp_buffer_release(&other);
    odp_buffer_release(&sealed);
    odp_seal_free(s);
}

/* A key is replaced: a new first line; then the old one goes. */
TEST(replacing_a_key)
{
    struct odp_buffer sealed = {0}, anew = {0};
    struct odp_seal *s = open_with("# mine\n" KEY_A "\n");
    must(odp_seal_wrap(s, "c", ODP_LIT("clear"), &sealed));
    odp_seal_free(s);
    s = open_with(KEY_B "\n" KEY_A "\n");
    opens(s, "c", &sealed, ODP_LIT("clear"));
    assert_false(odp_seal_is_current(s, odp_buffer_slice(&sealed)));
    must(odp_seal_wrap(s, "c", ODP_LIT("clear"), &anew));
    assert_true(odp_seal_is_current(s, odp_buffer_slice(&anew)));
    odp_seal_free(s);
    s = open_with(KEY_B);
    opens(s, "c", &anew, ODP_LIT("clear"));
    stays_shut(s, "c", odp_buffer_slice(&sealed));
    assert_false(odp_seal_is_current(s, odp_buffer_slice(&sealed)));
    assert_false(odp_seal_is_current(s, (struct odp_slice){NULL, 0}));
    odp_seal_free(s);
    odp_buffer_release(&sealed);
    odp_buffer_release(&anew);
}

/* One seal, many threads (what tsan looks at). */
static void *wrap_and_unwrap(void *arg)
{
    const struct odp_seal *s = arg;
    struct odp_buffer sealed = {0}, clear = {0};
    bool ok = true;
    for (int i = 0; i < 300 && ok; i++)
        ok = odp_seal_wrap(s, "c", ODP_LIT("clear"), &sealed) == ODP_OK &&
             odp_seal_unwrap(s, "c", odp_buffer_slice(&sealed), &clear) == ODP_OK &&
             odp_slice_is(odp_buffer_slice(&clear), "clear");
    odp_buffer_release(&sealed);
    odp_buffer_release(&clear);
    return ok ? arg : NULL;
}

TEST(threads)
{
    struct odp_seal *s = open_with(KEY_A "\n");
    pthread_t threads[4];
    void *done;
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, wrap_and_unwrap, s), 0);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], &done), 0);
        assert_ptr_equal(done, s);
    }
    odp_seal_free(s);
}

/* ---- the file ---- */

TEST(forms_of_the_file)
{
    static const char *const good[] = {
        KEY_A,
        KEY_A "\n",
        "\n\n  " KEY_A "  \n\n",
        "# a\r\n" KEY_A "\r\n",
        "#" KEY_B "\n" KEY_A "\n# end",
        "\t# indented\n" KEY_A "\n" KEY_B "\n",
    };
    for (size_t i = 0; i < ODP_COUNT(good); i++) {
        struct odp_seal *s = open_with(good[i]);
        struct odp_buffer sealed = {0};
        must(odp_seal_wrap(s, "c", ODP_LIT("clear"), &sealed));
        odp_seal_free(s);
        s = open_with(KEY_A "\n");
        opens(s, "c", &sealed, ODP_LIT("clear"));
        odp_seal_free(s);
        odp_buffer_release(&sealed);
    }
    static const struct {
        const char *text, *why;
    } wrong[] = {
        {"", "empty secret"},
        {"\n\n", "empty secret"},
        {"# nothing but words\n", "empty secret"},
        {"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8\n", "line 1 "}, /* without its padding */
        {KEY_A "=\n", "line 1 "},
        {KEY_B "\n# x\n\n" KEY_A KEY_A "\n", "line 4 "},
        {KEY_B "\nAAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9=\n",
         "line 2 "},                                                   /* bits that are not part of it */
        {"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh==\n", "line 1 "}, /* 31 bytes */
        {"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8A\n", "line 1 "}, /* 33 */
        {"AAECAwQFBgcICQoL DA0ODxAREhMUFRYXGBkaGxwdHh=\n", "line 1 "},
        {"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8= # mine\n", "line 1 "},
        {"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwd_h8=\n", "line 1 "},
        {"\xef\xbb\xbf" KEY_A "\n", "is not text"},
        {"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n", "line 1 "}, /* zeros */
        {"//////////////////////////////////////////8=\n", "line 1 "},
        {"whsec_" KEY_A "\n", "line 1 "},
        {KEY_A "\n" KEY_B "\n" KEY_A "\n", "line 3 "},
    };
    for (size_t i = 0; i < ODP_COUNT(wrong); i++)
        refuses(key_file(wrong[i].text), true, wrong[i].why);
    const char *p = at("key");
    assert_int_equal(unlink(p), 0);
    must(odp_file_put(p, (struct odp_slice){KEY_A "\0\n", 46}, 0600, NULL));
    refuses(p, false, "is not text");
}

TEST(how_many_keys)
{
    char text[16 * 45 + 1];
    for (int n = 8; n <= 9; n++) {
        size_t at = 0;
        for (int i = 0; i < n; i++)
            at += (size_t)snprintf(text + at, sizeof text - at,
                                   "AA%cCAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=\n", 'E' + i);
        if (n == 8)
            odp_seal_free(open_with(text));
        else
            refuses(key_file(text), false, "more than 8");
    }
    char *large = malloc(10001);
    assert_non_null(large);
    memset(large, '#', 10000);
    large[10000] = '\0';
    refuses(key_file(large), false, "too large");
    free(large);
}

/* What the file and its folder must be; tests/unit/gateway/test_gateway_secrets.c has each mode. */
TEST(whose_file)
{
    static const struct {
        const char *name;
        bool make;
        const char *reason;
    } rows[] = {
        {"link", true, "symbolic link"},          {"dangling", true, "symbolic link"},
        {"fifo", true, "not a regular file"}, /* and is not waited for */
        {"folder", true, "not a regular file"},   {"folder/none", false, "there is no secret file"},
        {"none/key", true, "cannot be examined"}, {"key/key", true, "cannot be opened"},
        {"shared/key", true, "others may write"},
    };
    char key[600];
    snprintf(key, sizeof key, "%s", key_file(KEY_A "\n"));
    assert_int_equal(symlink(key, at("link")), 0);
    assert_int_equal(symlink("nowhere", at("dangling")), 0);
    assert_int_equal(mkfifo(at("fifo"), 0600), 0);
    assert_int_equal(mkdir(at("folder"), 0700), 0);
    assert_int_equal(mkdir(at("shared"), 0700), 0);
    assert_int_equal(chmod(at("shared"), 0770), 0);
    for (size_t i = 0; i < ODP_COUNT(rows); i++)
        refuses(at(rows[i].name), rows[i].make, rows[i].reason);
    assert_int_equal(access(at("nowhere"), F_OK), -1);
    refuses("/dev/null", false, "not a regular file");
    assert_int_equal(chmod(key, 0640), 0);
    refuses(key, true, "open to others");
    assert_int_equal(chmod(key, 0600), 0);
    if (geteuid() == 0) {
        assert_int_equal(chown(key, 12345, (gid_t)-1), 0);
        refuses(key, true, "belongs to user 12345");
        assert_int_equal(chown(key, 0, (gid_t)-1), 0);
        assert_int_equal(chown(at("folder"), 12345, (gid_t)-1), 0);
        refuses(at("folder/key"), true, "belongs to user 12345");
        assert_int_equal(chown(at("folder"), 0, (gid_t)-1), 0);
    }
    assert_int_equal(chmod(at("shared"), 01777), 0);
    odp_seal_free(sound(at("shared/key"), true));
}

TEST(making)
{
    struct odp_buffer sealed = {0};
    struct odp_arena arena = {0};
    struct stat st;
    const char **names;
    size_t n;
    assert_int_equal(mkdir(at("made"), 0700), 0);
    umask(0);
    struct odp_seal *a = sound(at("made/key"), true);
    umask(022);
    assert_int_equal(lstat(at("made/key"), &st), 0);
    assert_true(S_ISREG(st.st_mode));
    assert_int_equal(st.st_mode & 07777, 0600);
    struct odp_seal *b = sound(at("made/key"), true); /* not made again */
    must(odp_seal_wrap(a, "c", ODP_LIT("clear"), &sealed));
    opens(b, "c", &sealed, ODP_LIT("clear"));
    odp_seal_free(b);
    assert_int_equal(mkdir(at("made/other"), 0700), 0);
    b = sound(at("made/other/key"), true); /* another one */
    stays_shut(b, "c", odp_buffer_slice(&sealed));
    must(odp_dir_list(at("made"), &arena, &names, &n));
    assert_int_equal(n, 2); /* nothing temporary is left */
    odp_arena_release(&arena);
    odp_seal_free(a);
    odp_seal_free(b);
    odp_seal_free(NULL);
    odp_buffer_release(&sealed);
}

/* Several at once: whoever is first, all have the same key. */
TEST(made_by_many)
{
    enum { MANY = 8 };
    pid_t pids[MANY];
    struct odp_buffer sealed;
    char why[ODP_SEAL_WHY], name[32];
    struct odp_seal *s = NULL;
    assert_int_equal(mkdir(at("race"), 0700), 0);
    for (int i = 0; i < MANY; i++) {
        pids[i] = fork();
        assert_true(pids[i] >= 0);
        if (pids[i] == 0) {
            struct odp_buffer out = {0};
            snprintf(name, sizeof name, "race/%d", i);
            bool ok = odp_seal_new(&s, at("race/key"), true, ODP_LANG_EN, why) == ODP_OK &&
                      odp_seal_wrap(s, "c", ODP_LIT("clear"), &out) == ODP_OK &&
                      odp_file_put(at(name), odp_buffer_slice(&out), 0600, NULL) == ODP_OK;
            odp_buffer_release(&out);
            odp_seal_free(s);
            _exit(ok ? 0 : 1);
        }
    }
    for (int i = 0; i < MANY; i++) {
        int status = -1;
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_int_equal(status, 0);
    }
    s = sound(at("race/key"), false);
    for (int i = 0; i < MANY; i++) {
        odp_buffer_init(&sealed);
        snprintf(name, sizeof name, "race/%d", i);
        must(odp_file_read(at(name), 1000, &sealed, NULL));
        opens(s, "c", &sealed, ODP_LIT("clear"));
        odp_buffer_release(&sealed);
    }
    odp_seal_free(s);
}

AROUND(set_up, remove_folder)
