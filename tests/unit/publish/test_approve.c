/* Approvals: what is signed, and that nothing of it can be changed afterwards. */
#include "run.h"

#include <unistd.h>

#include <jansson.h>

#include "publish/publish.h"
#include "site/versions/release.h"

struct fixture {
    char dir[FRESH_FOLDER];
    struct odp_catalog catalog;
    struct odp_secret_key *key, *other;
    char public_text[80];
    const char *keys[1];
    struct odp_arena arena;
    struct odp_diags *diags;
    struct odp_approval what;
};

static void text_of(const struct odp_public_key *k, char out[80])
{
    BUFFER(text);
    odp_public_key_text(&text, k);
    assert_true(text.len < 80);
    memcpy(out, odp_buffer_cstr(&text), text.len + 1);
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct odp_public_key pub, unused;
    fresh_folder(f->dir, "approve");
    must(odp_diags_new(&f->diags, 10));
    must(odp_secret_key_generate(&f->key, &pub));
    must(odp_secret_key_generate(&f->other, &unused));
    text_of(&pub, f->public_text);
    f->keys[0] = f->public_text;
    f->catalog.dir = f->dir;
    f->catalog.portal.approval_keys = f->keys;
    f->catalog.portal.napproval_keys = 1;
    f->what = (struct odp_approval){
        .slug = "kumuh", .version = "2024-03-15", .by = "Sari Dewi", .ref = "B-12/2024"};
    memset(f->what.digest, 0xab, sizeof f->what.digest);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    must(odp_dir_remove(f->dir));
    odp_secret_key_free(f->key);
    odp_secret_key_free(f->other);
    odp_diags_free(f->diags);
    odp_arena_release(&f->arena);
    free(f);
    return 0;
}

static const char *path_of(struct fixture *f)
{
    return odp_arena_printf(&f->arena, "%s/approvals/kumuh.json", f->dir);
}

static enum odp_status approved(struct fixture *f)
{
    return odp_approved(&f->catalog, "kumuh", f->what.digest, &f->arena, f->diags);
}

static void approve(struct fixture *f)
{
    must(odp_approve(&f->catalog, &f->what, f->key, &f->arena, f->diags));
}

/* Member KEY of the first approval becomes VALUE. */
static void tamper(struct fixture *f, const char *key, const char *value)
{
    json_t *list = json_load_file(path_of(f), 0, NULL);
    assert_int_equal(json_object_set_new(json_array_get(list, 0), key, json_string(value)), 0);
    assert_int_equal(json_dump_file(list, path_of(f), 0), 0);
    json_decref(list);
}

TEST(approved_content_only)
{
    struct fixture *f = *state;
    assert_int_equal(approved(f), ODP_DONE);
    approve(f);
    must(approved(f));
    f->what.digest[31] ^= 1;
    assert_int_equal(approved(f), ODP_DONE);
    assert_int_equal(odp_diags_count(f->diags, ODP_SEVERITY_ERROR), 0);
}

TEST(a_portal_that_asks_for_none)
{
    struct fixture *f = *state;
    f->catalog.portal.napproval_keys = 0;
    must(approved(f));
}

TEST(bytes_that_are_signed)
{
    struct fixture *f = *state;
    struct odp_public_key pub;
    char message[512], hex[ODP_SHA256_HEX];
    struct odp_signers signers = {.keys = &pub, .nkeys = 1};
    approve(f);
    odp_digest_hex(f->what.digest, hex);
    snprintf(message, sizeof message, "odp-approval 1\nkumuh\n2024-03-15\nsha256:%s\nSari Dewi\nB-12/2024\n",
             hex);
    json_t *list = json_load_file(path_of(f), 0, NULL);
    const char *signature = json_string_value(json_object_get(json_array_get(list, 0), "signature"));
    assert_non_null(signature);
    odp_secret_key_public(f->key, &pub);
    must(odp_verify(odp_slice_of(message), odp_slice_of(signature), &signers, &f->arena));
    json_decref(list);
}

TEST(every_member_is_signed)
{
    static const char *const changes[][2] = {{"by", "Budi"}, {"ref", "B-13/2024"}, {"version", "2024-03-16"}};
    struct fixture *f = *state;
    for (size_t i = 0; i < 3; i++) {
        approve(f); /* takes the place of the one that was changed, or stands beside it: then the digest has a
                       valid one */
        assert_int_equal(unlink(path_of(f)), 0);
        approve(f);
        must(approved(f));
        tamper(f, changes[i][0], changes[i][1]);
        must_refuse(approved(f));
        assert_int_equal(odp_diags_code_count(f->diags, ODP_V84), i + 1);
        assert_int_equal(unlink(path_of(f)), 0);
    }
}

/* An approval moved to other content: it is signed, but not for this. */
TEST(the_digest_is_signed)
{
    struct fixture *f = *state;
    char digest[8 + ODP_SHA256_HEX] = "sha256:";
    approve(f);
    f->what.digest[0] ^= 0x10;
    odp_digest_hex(f->what.digest, digest + 7);
    tamper(f, "digest", digest);
    must_refuse(approved(f));
    assert_int_equal(odp_diags_code_count(f->diags, ODP_V84), 1);
}

TEST(another_dataset)
{
    struct fixture *f = *state;
    approve(f);
    const char *to = odp_arena_printf(&f->arena, "%s/approvals/perumahan.json", f->dir);
    must(odp_file_rename(path_of(f), to));
    must_refuse(odp_approved(&f->catalog, "perumahan", f->what.digest, &f->arena, f->diags));
}

TEST(a_key_that_is_not_listed)
{
    struct fixture *f = *state;
    must_refuse(odp_approve(&f->catalog, &f->what, f->other, &f->arena, f->diags));
    assert_int_equal(odp_diags_code_count(f->diags, ODP_V85), 1);
    assert_int_equal(odp_file_kind_of(path_of(f)), ODP_FILE_NONE);
}

TEST(a_key_that_was_taken_out)
{
    struct fixture *f = *state;
    struct odp_public_key other;
    char text[80];
    approve(f);
    odp_secret_key_public(f->other, &other);
    text_of(&other, text);
    f->keys[0] = text;
    must_refuse(approved(f));
    assert_int_equal(odp_diags_code_count(f->diags, ODP_V84), 1);
}

TEST(extends_and_replaces)
{
    struct fixture *f = *state;
    approve(f);
    f->what.version = "2024-06-01";
    f->what.digest[0] = 1;
    approve(f);
    f->what.by = "Budi";
    approve(f);
    json_t *list = json_load_file(path_of(f), 0, NULL);
    assert_int_equal(json_array_size(list), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(list, 0), "version")), "2024-03-15");
    assert_string_equal(json_string_value(json_object_get(json_array_get(list, 1), "by")), "Budi");
    json_decref(list);
    must(approved(f));
    f->what.digest[0] = 0xab;
    must(approved(f));
}

/* One void approval does not spoil a valid one of the same content. */
TEST(one_valid_is_enough)
{
    struct fixture *f = *state;
    approve(f);
    tamper(f, "version", "2024-03-14");
    approve(f);
    json_t *list = json_load_file(path_of(f), 0, NULL);
    assert_int_equal(json_array_size(list), 2);
    json_decref(list);
    must(approved(f));
}

static void put(struct fixture *f, const char *text)
{
    (void)unlink(path_of(f));
    must(odp_dir_make(odp_arena_printf(&f->arena, "%s/approvals", f->dir)));
    must(odp_file_put(path_of(f), odp_slice_of(text), 0644, NULL));
}

TEST(files_that_are_none)
{
    static const char *const texts[] = {"",    "{}", "[", "null", "[{\"digest\":\"sha256:\",\"digest\":1}]",
                                        "\xff"};
    struct fixture *f = *state;
    for (size_t i = 0; i < ODP_COUNT(texts); i++) {
        put(f, texts[i]);
        must_refuse(approved(f));
        must_refuse(odp_approve(&f->catalog, &f->what, f->key, &f->arena, f->diags));
    }
    put(f, "[1, null, {\"digest\": 5}, {\"digest\": \"sha256:00\"}, []]");
    assert_int_equal(approved(f), ODP_DONE);
}

TEST(members_that_are_missing)
{
    static const char *const members[] = {"version", "by", "ref", "signature"};
    struct fixture *f = *state;
    for (size_t i = 0; i < 4; i++) {
        approve(f);
        json_t *list = json_load_file(path_of(f), 0, NULL);
        json_object_del(json_array_get(list, 0), members[i]);
        assert_int_equal(json_dump_file(list, path_of(f), 0), 0);
        json_decref(list);
        must_refuse(approved(f));
        assert_int_equal(unlink(path_of(f)), 0);
    }
}

/* A line feed in a name could be read as the next line. */
TEST(names_of_one_line)
{
    struct fixture *f = *state;
    const struct odp_approval good = f->what;
    const char *const bad[] = {"", "a\nb", "a\r", "\x7f", "\xc3"};
    for (size_t i = 0; i < ODP_COUNT(bad); i++) {
        f->what = good;
        f->what.by = bad[i];
        must_refuse(odp_approve(&f->catalog, &f->what, f->key, &f->arena, f->diags));
        f->what = good;
        f->what.ref = bad[i];
        must_refuse(odp_approve(&f->catalog, &f->what, f->key, &f->arena, f->diags));
    }
    assert_int_equal(odp_file_kind_of(path_of(f)), ODP_FILE_NONE);
}

EACH(setup, teardown)
