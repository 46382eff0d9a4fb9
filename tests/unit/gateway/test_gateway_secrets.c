/* Files of secrets: their content, which of several signs and which are accepted when, replacement, and
 * files that are refused. */
#include "one_folder.h"

#include <unistd.h>

#include "base/digest.h"
#include "base/file.h"
#include "core/secrets/secret.h"

#define KEY_A "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
#define KEY_B "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8="
enum { T = 1772323200 }; /* 2026-03-01T00:00:00Z */

static enum odp_status parse(struct odp_secrets *s, const char *text, size_t least, char why[ODP_SECRET_WHY])
{
    why[0] = '\0';
    return odp_secrets_parse(s, odp_slice_of(text), least, "FILE", ODP_LANG_EN, why);
}

static void takes(struct odp_secrets *s, const char *text)
{
    char why[ODP_SECRET_WHY];
    must(parse(s, text, 1, why));
    assert_string_equal(why, "");
}

static void refuses(const char *text, size_t least, const char *reason)
{
    struct odp_secrets s;
    char why[ODP_SECRET_WHY];
    must_refuse(parse(&s, text, least, why));
    if (strstr(why, reason) == NULL)
        fail_msg("%s: expected %s", why, reason);
    assert_null(strstr(why, "rahasia-sekali")); /* never quoted */
    must_refuse(odp_secrets_parse(&s, odp_slice_of(text), least, "FILE", ODP_LANG_ID, why));
    assert_non_null(strstr(why, "FILE"));
    assert_null(strstr(why, "rahasia-sekali"));
}

TEST(lines)
{
    struct odp_secrets s;
    takes(&s, "# words\n\n  " KEY_A
              "  \r\nrahasia-sekali since 2026-03-01T00:00:00Z until 2026-03-02T00:00:00Z\n");
    assert_int_equal(s.n, 2);
    assert_string_equal(s.items[0].word, KEY_A);
    for (int i = 0; i < ODP_SECRET_BYTES; i++)
        assert_int_equal(s.items[0].bytes[i], i);
    assert_string_equal(s.items[0].id, "630dcd29"); /* printf '%b' '\x00…\x1f' | sha256sum */
    assert_string_equal(s.items[1].word, "rahasia-sekali");
    assert_int_equal(s.items[1].since, T);
    assert_int_equal(s.items[1].until, T + 86400);
    uint8_t digest[ODP_SHA256_SIZE];
    must(odp_digest_of("rahasia-sekali", 14, digest));
    assert_memory_equal(s.items[1].bytes, digest, sizeof digest);
    refuses("", 1, "empty secret");
    refuses("# nothing\n", 1, "empty secret");
    refuses("rahasia-sekali\n", 32, "line 1 ");
    refuses("aaaaaaaa\n", 1, "line 1 ");
    refuses(KEY_A "\nrahasia-sekali rahasia-sekali\n", 1, "line 2 ");
    refuses(KEY_A "\n" KEY_B "\n" KEY_A "\n", 1, "line 3 ");
    refuses("rahasia-sekali until 2026-03-01T00:00:00Z\n", 1, "must have none");
    static const char *const times[] = {
        "2026-03-01",
        "2026-02-30T00:00:00Z",
        "2026-03-01T00:00:00",
        "2026-03-01T00:00:00z",
        "2026-03-01 00:00:00Z",
        "1969-12-31T23:59:59Z",
        "2026-13-01T00:00:00Z",
        "2026-03-01T24:00:00Z",
        "+026-03-01T00:00:00Z",
        "",
        "soon",
    };
    for (size_t i = 0; i < ODP_COUNT(times); i++) {
        char text[200];
        snprintf(text, sizeof text, KEY_A "\nrahasia-sekali until %s\n", times[i]);
        refuses(text, 1, "line 2 ");
    }
    refuses(KEY_A " until 2026-03-01T00:00:00Z until 2026-03-02T00:00:00Z\n", 1, "line 1 ");
    refuses(KEY_A " since 2026-03-02T00:00:00Z until 2026-03-01T00:00:00Z\n", 1, "line 1 ");
    char many[1000] = "";
    for (int i = 0; i <= ODP_SECRET_KEYS; i++)
        snprintf(many + strlen(many), sizeof many - strlen(many), "rahasia-sekali-%d\n", i);
    refuses(many, 1, "more than 8");
}

/* As older versions made it: 32 random bytes, or any text of 32 characters and more. */
TEST(older_files)
{
    struct odp_secrets s;
    char why[ODP_SECRET_WHY];
    uint8_t digest[ODP_SHA256_SIZE];
    char bytes[33] = "\xff\x01";
    for (int i = 2; i < 32; i++)
        bytes[i] = (char)(i * 7);
    must(odp_secrets_parse(&s, (struct odp_slice){bytes, 32}, 32, "FILE", ODP_LANG_EN, why));
    must(odp_digest_of(bytes, 32, digest));
    assert_memory_equal(s.items[0].bytes, digest, sizeof digest);
    assert_int_equal(s.n, 1);
    assert_string_equal(s.items[0].word, "");
    must_refuse(odp_secrets_parse(&s, (struct odp_slice){bytes, 31}, 32, "FILE", ODP_LANG_EN, why));
    must_refuse(odp_secrets_parse(&s, (struct odp_slice){bytes, 32}, 1, "FILE", ODP_LANG_EN,
                                  why)); /* a password is text */
    /* Replaced, the old one is a line like any other, of the same bytes. */
    must(odp_secrets_parse(&s, (struct odp_slice){bytes, 32}, 32, "FILE", ODP_LANG_EN, why));
    const struct odp_secret_change change = {.comment = "words", .now = T, .grace = 10};
    char text[ODP_SECRET_FILE];
    size_t len;
    must(odp_secrets_replace(&s, &change, "FILE", ODP_LANG_EN, why));
    must(odp_secrets_compose(&s, &change, text, &len));
    must(odp_secrets_parse(&s, (struct odp_slice){text, len}, 32, "FILE", ODP_LANG_EN, why));
    assert_int_equal(s.n, 2);
    assert_memory_equal(s.items[1].bytes, digest, sizeof digest);
    assert_int_equal(s.items[1].until, T + 10);
}

TEST(who_signs)
{
    struct odp_secrets s;
    takes(&s, "baru-sekali since 2026-03-02T00:00:00Z\nlama-sekali until 2026-03-03T00:00:00Z\n");
    const struct odp_secret *anew = &s.items[0], *old = &s.items[1];
    assert_ptr_equal(odp_secrets_signs(&s, T), old);
    assert_ptr_equal(odp_secrets_signs(&s, T + 86399), old);
    assert_ptr_equal(odp_secrets_signs(&s, T + 86400), anew);
    assert_ptr_equal(odp_secrets_signs(&s, T + 10 * 86400), anew);
    assert_false(odp_secret_ended(old, T + 2 * 86400 - 1));
    assert_true(odp_secret_ended(old, T + 2 * 86400));
    assert_false(odp_secret_ended(anew, T)); /* it does not sign yet, and is accepted */
    /* The old one was taken out too early: better the new one than none. */
    takes(&s, "baru-sekali since 2026-03-02T00:00:00Z\n");
    assert_ptr_equal(odp_secrets_signs(&s, T), &s.items[0]);
}

TEST(replacing)
{
    struct odp_secrets s;
    char why[ODP_SECRET_WHY], text[ODP_SECRET_FILE], old[ODP_SECRET_ID];
    size_t len;
    takes(&s, "# words\n" KEY_A
              "\nsudah-berakhir until 2026-02-01T00:00:00Z\nsebentar-lagi until 2026-03-01T00:00:30Z\n");
    snprintf(old, sizeof old, "%s", s.items[0].id);
    struct odp_secret_change change = {.comment = "words", .now = T, .after = 60, .grace = 3600};
    must(odp_secrets_replace(&s, &change, "FILE", ODP_LANG_EN, why));
    assert_int_equal(s.n, 3); /* what had ended is gone */
    assert_int_equal(s.items[0].since, T + 60);
    assert_int_equal(s.items[0].until, 0);
    assert_string_equal(s.items[1].id, old);
    assert_int_equal(s.items[1].until, T + 3660);
    assert_int_equal(s.items[2].until, T + 30); /* an end is never put off */
    assert_ptr_equal(odp_secrets_signs(&s, T), &s.items[1]);
    must(odp_secrets_compose(&s, &change, text, &len));
    assert_int_equal(text[len - 1], '\n');
    struct odp_secrets again;
    must(odp_secrets_parse(&again, (struct odp_slice){text, len}, 1, "FILE", ODP_LANG_EN, why));
    assert_int_equal(again.n, 3);
    for (size_t i = 0; i < again.n; i++) {
        assert_string_equal(again.items[i].word, s.items[i].word);
        assert_string_equal(again.items[i].id, s.items[i].id);
        assert_int_equal(again.items[i].since, s.items[i].since);
        assert_int_equal(again.items[i].until, s.items[i].until);
    }
    change.word = KEY_A;
    must_refuse(odp_secrets_replace(&again, &change, "FILE", ODP_LANG_EN, why));
    assert_non_null(strstr(why, "already"));
    change.word = NULL;
    for (int i = 0; i < 5; i++)
        must(odp_secrets_replace(&s, &change, "FILE", ODP_LANG_EN, why));
    must_refuse(odp_secrets_replace(&s, &change, "FILE", ODP_LANG_EN, why));
    assert_non_null(strstr(why, "8 secrets"));
    /* Words alone, for sealed values: nothing of them ends by time. */
    takes(&s, KEY_A "\n");
    change.plain = true;
    must(odp_secrets_replace(&s, &change, "FILE", ODP_LANG_EN, why));
    must(odp_secrets_compose(&s, &change, text, &len));
    assert_null(strstr(text, "until"));
    assert_null(strstr(text, "since"));
    assert_non_null(strstr(text, "=\n" KEY_A "\n"));
}

static void not_taken(const char *path, struct odp_secret_owner owner, const char *id, const char *en)
{
    struct odp_secrets s;
    char why[ODP_SECRET_WHY];
    must_refuse(odp_secrets_read(&s, path, owner, 1, ODP_LANG_EN, why));
    assert_non_null(strstr(why, en));
    assert_non_null(strstr(why, path));
    assert_int_equal(s.n, 0);
    must_refuse(odp_secrets_read(&s, path, owner, 1, ODP_LANG_ID, why));
    assert_non_null(strstr(why, id));
}

TEST(whose_file)
{
    struct odp_secrets s;
    char why[ODP_SECRET_WHY], other[300];
    const struct odp_secret_owner ours = {.user = geteuid()},
                                  shared = {.user = geteuid(), .group_reads = true};
    const char *path = at("secret");
    must(odp_secret_file_write(path, ODP_LIT(KEY_A "\n"), false, ours, ODP_LANG_EN, why));
    struct stat st;
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    for (unsigned mode = 0; mode < 01000; mode++) {
        assert_int_equal(chmod(path, mode | 0400), 0);
        bool closed = (mode & 077) == 0;
        assert_int_equal(odp_secrets_read(&s, path, ours, 1, ODP_LANG_EN, why), closed ? ODP_OK : ODP_BAD);
        bool readable = (mode & 037) == 0;
        assert_int_equal(odp_secrets_read(&s, path, shared, 1, ODP_LANG_EN, why),
                         readable ? ODP_OK : ODP_BAD);
    }
    assert_int_equal(chmod(path, 0644), 0);
    not_taken(path, ours, "terbuka bagi pengguna lain (mode 0644)", "open to others (mode 0644)");
    assert_int_equal(chmod(path, 0600), 0);
    if (geteuid() != 0)
        not_taken(path, (struct odp_secret_owner){.user = geteuid() + 1}, "milik pengguna",
                  "belongs to user");
    snprintf(other, sizeof other, "%s.link", path);
    assert_int_equal(symlink(path, other), 0);
    not_taken(other, ours, "tautan simbolik", "symbolic link");
    not_taken(folder, ours, "bukan berkas biasa", "not a regular file");
    not_taken(at("none"), ours, "tidak ada berkas rahasia", "there is no secret file");
    /* Create: an existing file wins. Replace: it is replaced, and nothing else is left in the folder. */
    path = at("secret");
    must(odp_secret_file_write(path, ODP_LIT(KEY_B "\n"), false, ours, ODP_LANG_EN, why));
    must(odp_secrets_read(&s, path, ours, 1, ODP_LANG_EN, why));
    assert_string_equal(s.items[0].word, KEY_A);
    must(odp_secret_file_write(path, ODP_LIT(KEY_B "\n"), true, ours, ODP_LANG_EN, why));
    must(odp_secrets_read(&s, path, ours, 1, ODP_LANG_EN, why));
    assert_string_equal(s.items[0].word, KEY_B);
    assert_int_equal(chmod(folder, 0777), 0);
    must_refuse(odp_secret_file_write(path, ODP_LIT(KEY_A "\n"), true, ours, ODP_LANG_EN, why));
    assert_non_null(strstr(why, "others may write"));
    assert_int_equal(chmod(folder, 0700), 0);
}

AROUND(make_folder, remove_folder)
