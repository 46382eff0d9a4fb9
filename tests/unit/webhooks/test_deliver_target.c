/* The address of a subscription: what is taken and how it is then written, and a long list of spellings that
 * would lead somewhere else (answers/targets.txt). */
#include "answer_lines.h"

#include "base/diag.h"
#include "service/webhooks/deliver/address.h"

static const struct odp_address_policy none;

static enum odp_status parse(struct odp_target *t, struct odp_slice url, const struct odp_address_policy *p,
                             const struct odp_text **why)
{
    enum odp_status status = odp_target_parse(t, url, p, why);
    if (status == ODP_BAD) { /* nothing is left of what was refused */
        static const struct odp_target empty;
        assert_memory_equal(t, &empty, sizeof empty);
        assert_true((*why)->in[ODP_LANG_ID][0] != '\0' && (*why)->in[ODP_LANG_EN][0] != '\0');
    } else {
        must(status);
        assert_null(*why);
    }
    return status;
}

/* "policy: loopback", or networks that are allowed. */
static void set_policy(struct odp_address_policy *p, const char *words)
{
    *p = none;
    for (size_t n; words += strspn(words, " "), (n = strcspn(words, " ")) > 0; words += n) {
        struct odp_slice word = {words, n};
        if (odp_slice_is(word, "loopback"))
            p->loopback = true;
        else
            assert_true(odp_prefix_parse(&p->allow[p->nallow++], word));
    }
}

static void answer(void *ctx, struct odp_slice url, struct odp_buffer *out)
{
    struct odp_address_policy *p = ctx;
    const struct odp_text *why;
    struct odp_target t, again;
    if (strncmp(url.ptr, "policy:", 7) == 0) {
        set_policy(p, url.ptr + 7);
        return;
    }
    if (parse(&t, url, p, &why) == ODP_BAD) {
        odp_buffer_printf(out, "refused: %s", why->in[ODP_LANG_EN]);
        return;
    }
    odp_buffer_printf(out, "%s at %s, %s %s", t.url, t.place, t.literal ? "address" : "name", t.host);
    assert_int_equal(t.https, strncmp(t.url, "https:", 6) == 0);
    assert_non_null(strstr(t.place, t.host));
    assert_int_equal(t.port, strtoul(strrchr(t.place, ':') + 1, NULL, 10));
    must(parse(&again, odp_slice_of(t.url), p, &why)); /* as kept, it reads the same */
    assert_memory_equal(&again, &t, sizeof t);
}

TEST(answers)
{
    struct odp_address_policy policy = none;
    struct odp_target t;
    const struct odp_text *why;
    answer_lines("webhooks/answers/targets.txt", answer, &policy);
    must_refuse(parse(&t, ODP_LIT(""), &none, &why));
    must_refuse(parse(&t, ODP_LIT("https://127.0.0.1/"), NULL, &why));
}

/* Exactly as long as may be, and a character more: of the whole, of the host, of a label. */
TEST(lengths)
{
    static const char head[] = "https://contoh.go.id/";
    const struct odp_text *why;
    struct odp_target t;
    char url[ODP_TARGET_URL + 200];
    memset(url, 'a', sizeof url);
    memcpy(url, head, sizeof head - 1);
    url[ODP_TARGET_URL] = '\0';
    must(parse(&t, odp_slice_of(url), &none, &why));
    assert_string_equal(t.url, url);
    url[ODP_TARGET_URL] = 'a';
    url[ODP_TARGET_URL + 1] = '\0';
    must_refuse(parse(&t, odp_slice_of(url), &none, &why));
    assert_non_null(strstr(why->in[ODP_LANG_EN], "too long"));
    for (int n = 253; n <= 254; n++) { /* 63 letters and a dot, three times; then the rest */
        int at = snprintf(url, sizeof url, "https://"), from = at;
        for (int i = 0; i < n; i++)
            url[at++] = i % 64 == 63 ? '.' : 'b';
        snprintf(url + at, sizeof url - (size_t)at, ":65535/");
        assert_int_equal(parse(&t, odp_slice_of(url), &none, &why), n == 253 ? ODP_OK : ODP_BAD);
        if (n == 253) {
            assert_int_equal(strlen(t.host), 253);
            assert_memory_equal(t.host, url + from, 253);
            assert_int_equal(strlen(t.place), 259);
        }
    }
    /* as long as may be, but a '/' longer once it is written properly */
    memset(url, 'a', sizeof url);
    memcpy(url, "https://contoh.go.id?", 21);
    url[ODP_TARGET_URL] = '\0';
    must_refuse(parse(&t, odp_slice_of(url), &none, &why));
    assert_non_null(strstr(why->in[ODP_LANG_EN], "too long"));
}

/* Any byte anywhere in the host: it is part of a name, ends the host, or is refused; it never makes another
 * host of it. */
TEST(every_byte)
{
    const struct odp_text *why;
    struct odp_target t;
    for (int c = 0; c < 256; c++) {
        for (size_t at = 8; at <= 20; at++) {
            char url[] = "https://contoh.go.id/x@127.0.0.1/", want[64] = "contoh.go.id";
            url[at] = (char)c;
            bool ok = odp_target_parse(&t, (struct odp_slice){url, sizeof url - 1}, &none, &why) == ODP_OK;
            size_t host = strcspn(url + 8, "/?");
            bool plain = true;
            for (size_t i = 0; i < host; i++)
                plain =
                    plain && (strchr("abcdefghijklmnopqrstuvwxyz0123456789.-",
                                     url[8 + i] | (url[8 + i] >= 'A' && url[8 + i] <= 'Z' ? 32 : 0)) != NULL);
            if (!ok)
                continue;
            assert_true(plain && c != 0);
            memcpy(want, url + 8, host);
            want[host] = '\0';
            for (size_t i = 0; i < host; i++)
                want[i] = (char)(want[i] >= 'A' && want[i] <= 'Z' ? want[i] | 32 : want[i]);
            assert_string_equal(t.host, want);
        }
    }
    must_refuse(odp_target_parse(&t, (struct odp_slice){"https://contoh.go.id/\0x", 23}, &none, &why));
    must_refuse(
        odp_target_parse(&t, (struct odp_slice){"https://contoh.go.id\0.evil.example/", 35}, &none, &why));
    must_refuse(odp_target_parse(&t, (struct odp_slice){NULL, 0}, &none, &why));
}
