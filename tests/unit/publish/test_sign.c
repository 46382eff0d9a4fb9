/* Keys and signatures. tests/e2e/signatures.py compares them with minisign. */
#include "one_folder.h"

#include "publish/sign/keys.h"

/* Made by minisign 0.11. */
static const char minisigns[] = "RWRyZG8VhhznmsP+13R3B0Dx1GI/T/wVDJ2xTIrU0U52+Luqus2BKCiO";
static const char minisigns_signature[] =
    "untrusted comment: signature from minisign secret key\n"
    "RURyZG8VhhznmhN0P7oEUM7kzAzQj+PnFAdkE+irc9dpX7go3yaNlvkl3A+89Su7bv7jE08Vob/i3qkcr6yw2rf3uFChBy4spwk=\n"
    "trusted comment: timestamp:1795320620\tfile:m\thashed\n"
    "88lTZ/0tWuz64dLCcjJ+wZ1BqEC7U1nKWKNAvRyGfUay2rgiRkfXKKtTtP/HXPHojC9Bqj8SRD28MlB1cLOKCg==\n";

TEST(public_keys)
{
    struct odp_public_key k;
    BUFFER(text);
    must(odp_public_key_parse(&k, odp_slice_of(minisigns)));
    odp_public_key_text(&text, &k);
    assert_string_equal(odp_buffer_cstr(&text), minisigns);
    odp_buffer_clear(&text);
    assert_string_equal(odp_key_id(&k).text, "9AE71C86156F6472");
    odp_public_key_file(&text, &k);
    assert_string_equal(odp_buffer_cstr(&text),
                        "untrusted comment: minisign public key "
                        "9AE71C86156F6472\nRWRyZG8VhhznmsP+13R3B0Dx1GI/T/wVDJ2xTIrU0U52+Luqus2BKCiO\n");
    memcpy(k.id, "\x11\x22\x33\x44\x55\x66\x07\x00", sizeof k.id);
    assert_string_equal(odp_key_id(&k).text, "7665544332211");
    must(odp_public_key_parse(&k, ODP_LIT("  RWRyZG8VhhznmsP+13R3B0Dx1GI/T/wVDJ2xTIrU0U52+Luqus2BKCiO\r\n")));
    static const char *const bad[] = {
        "",
        "RW",
        "RWRyZG8VhhznmsP+13R3B0Dx1GI/T/wVDJ2xTIrU0U52+Luqus2BKCi",
        "RWRyZG8VhhznmsP+13R3B0Dx1GI/T/wVDJ2xTIrU0U52+Luqus2BKCiOAA",
        "RWRyZG8VhhznmsP+13R3B0Dx1GI/T/wVDJ2xTIrU0U52+Luqus2BKC!O",
        "RURyZG8VhhznmsP+13R3B0Dx1GI/T/wVDJ2xTIrU0U52+Luqus2BKCiO",
        "RWRyZG8VhhznmsP_13R3B0Dx1GI_T_wVDJ2xTIrU0U52-Luqus2BKCiO",
        "RWRyZG8VhhznmsP+13R3B0Dx1GI/T/wVDJ2 TIrU0U52+Luqus2BKCiO",
    };
    for (size_t i = 0; i < ODP_COUNT(bad); i++)
        must_refuse(odp_public_key_parse(&k, odp_slice_of(bad[i])));
}

TEST(minisigns_signature_is_right)
{
    ARENA(a);
    struct odp_public_key k;
    struct odp_signers s = {.keys = &k, .nkeys = 1};
    must(odp_public_key_parse(&k, odp_slice_of(minisigns)));
    must(odp_verify(ODP_LIT("hello\n"), odp_slice_of(minisigns_signature), &s, &a));
    assert_string_equal(s.trusted, "timestamp:1795320620\tfile:m\thashed");
    assert_int_equal(s.which, 0);
    must_refuse(odp_verify(ODP_LIT("hello"), odp_slice_of(minisigns_signature), &s, &a));
    assert_null(s.trusted);
    assert_string_equal(s.why.in[ODP_LANG_EN], "the signature does not fit the content");
    s.nkeys = 0;
    must_refuse(odp_verify(ODP_LIT("hello\n"), odp_slice_of(minisigns_signature), &s, &a));
    EXPECT(s.why.in[ODP_LANG_EN], "9AE71C86156F6472");
}

TEST(sign_and_verify)
{
    ARENA(a);
    struct odp_secret_key *key = NULL, *again = NULL;
    struct odp_public_key pub[2], own;
    struct odp_buffer text = {0}, second = {0};
    struct odp_secret_key_file file;
    struct odp_text both;
    struct odp_signers s = {.keys = pub, .nkeys = 2};
    must(odp_secret_key_generate(&key, &pub[1]));
    must(odp_public_key_parse(&pub[0], odp_slice_of(minisigns)));
    must(odp_secret_key_write(key, at("k"), NULL, "a test"));
    must_fail(odp_secret_key_write(key, at("k"), NULL, "a test"), "");
    must_fail(odp_secret_key_write(key, at("k2"), NULL, "two\nlines"), "");
    must(odp_secret_key_look(&file, at("k"), &a, &both));
    assert_false(file.encrypted);
    assert_false(file.exposed);
    assert_int_equal(chmod(at("k"), 0640), 0);
    must(odp_secret_key_look(&file, at("k"), &a, &both));
    assert_true(file.exposed);
    must(odp_secret_key_read(&again, at("k"), NULL, &a, &both));
    odp_secret_key_public(again, &own);
    assert_memory_equal(&own, &pub[1], sizeof own);
    must(odp_sign(&text, key, ODP_LIT("isi"), "u", "satu baris"));
    must(odp_sign(&second, again, ODP_LIT("isi"), "u", "satu baris"));
    assert_true(odp_slice_eq(odp_buffer_slice(&text), odp_buffer_slice(&second)));
    must(odp_verify(ODP_LIT("isi"), odp_buffer_slice(&text), &s, &a));
    assert_int_equal(s.which, 1);
    assert_string_equal(s.trusted, "satu baris");
    odp_buffer_clear(&second);
    must_fail(odp_sign(&second, key, ODP_LIT("isi"), "u", "dua\nbaris"), "");
    must_fail(odp_sign(&second, key, ODP_LIT("isi"), "u\r", "x"), "");
    must_refuse(odp_secret_key_read(&again, at("none"), NULL, &a, &both));
    assert_null(again);
    EXPECT(both.in[ODP_LANG_ID], "tidak dapat dibuka");
    odp_secret_key_free(key);
    odp_secret_key_free(NULL);
    odp_buffer_release(&text);
    odp_buffer_release(&second);
}

TEST(keys_of_a_site)
{
    ARENA(a);
    struct odp_secret_key *signing, *recovery, *next;
    struct odp_public_key signing_pub, recovery_pub, next_pub;
    struct odp_buffer first = {0}, second = {0};
    struct odp_site_keys keys;
    struct odp_diags *diags;
    struct odp_text why;
    must(odp_diags_new(&diags, 5));
    must(odp_secret_key_generate(&signing, &signing_pub));
    must(odp_secret_key_generate(&recovery, &recovery_pub));
    must(odp_secret_key_generate(&next, &next_pub));
    must(odp_site_keys_make(&first, signing, &recovery_pub));
    must(odp_site_keys_read(&keys, odp_buffer_slice(&first), NULL, 0, &a, &why));
    assert_true(keys.first_use);
    assert_int_equal(keys.nsigning, 1);
    assert_int_equal(keys.nrecovery, 1);
    assert_true(odp_site_keys_signs(&keys, &signing_pub));
    assert_false(odp_site_keys_signs(&keys, &recovery_pub));
    must_refuse(odp_site_keys_read(&keys, odp_buffer_slice(&first), &next_pub, 1, &a, &why));

    const struct odp_rotation rotation = {.signer = recovery, .to = &next_pub};
    must(odp_site_keys_rotate(&second, odp_buffer_slice(&first), &rotation, &a, &why));
    must(odp_site_keys_read(&keys, odp_buffer_slice(&second), &signing_pub, 1, &a, &why));
    assert_false(keys.first_use);
    assert_true(odp_site_keys_signs(&keys, &next_pub));
    assert_false(odp_site_keys_signs(&keys, &signing_pub));
    odp_buffer_clear(&first);
    must_refuse(odp_site_keys_rotate(&first, odp_buffer_slice(&second), &rotation, &a,
                                     &why)); /* the key was there before */
    must(odp_site_keys_check(&keys, odp_buffer_slice(&second), "keys.json", &a, diags));
    must_refuse(odp_site_keys_check(&keys, ODP_LIT("{\"keys\":[]}"), "keys.json", &a, diags));
    assert_int_equal(odp_diags_code_count(diags, ODP_V31), 1);
    odp_secret_key_free(signing);
    odp_secret_key_free(recovery);
    odp_secret_key_free(next);
    odp_diags_free(diags);
    odp_buffer_release(&first);
    odp_buffer_release(&second);
}

AROUND(make_folder, remove_folder)
