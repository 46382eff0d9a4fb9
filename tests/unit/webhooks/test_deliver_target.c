/* The address of a subscription: what is taken and how it is then written, and a long list of spellings that
 * would lead somewhere else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "service/webhooks/deliver/address.h"

static const struct odp_address_policy none, loopback = {.loopback = true};

static enum odp_status parse(struct odp_target *t, const char *url, const struct odp_address_policy *p,
                             const struct odp_text **why)
{
    enum odp_status status = odp_target_parse(t, odp_slice_of(url), p, why);
    if (status == ODP_BAD) { /* nothing is left of what was refused */
        static const struct odp_target empty;
        assert_memory_equal(t, &empty, sizeof empty);
        assert_non_null(*why);
        assert_true(strlen((*why)->in[ODP_LANG_ID]) > 0 && strlen((*why)->in[ODP_LANG_EN]) > 0);
    } else {
        assert_int_equal(status, ODP_OK);
        assert_null(*why);
    }
    return status;
}

/* ---- what is taken ---- */

/* URL: NULL is the same as IN. */
static const struct taken {
    const char *in, *url, *host;
    int port;
    bool literal;
} taken[] = {
    {"https://contoh.go.id/hook", NULL, "contoh.go.id", 443, false},
    {"https://contoh.go.id", "https://contoh.go.id/", "contoh.go.id", 443, false},
    {"https://contoh.go.id?a=b", "https://contoh.go.id/?a=b", "contoh.go.id", 443, false},
    {"https://contoh.go.id:443/x", "https://contoh.go.id/x", "contoh.go.id", 443, false},
    {"https://contoh.go.id:8443/x?y=z&q=%41+b", NULL, "contoh.go.id", 8443, false},
    {"HTTPS://Contoh.GO.id/Hook", "https://contoh.go.id/Hook", "contoh.go.id", 443, false},
    {"https://contoh.go.id:80/", NULL, "contoh.go.id", 80, false},
    {"https://contoh.go.id:65535/", NULL, "contoh.go.id", 65535, false},
    {"https://contoh.go.id/a/../b/./c", "https://contoh.go.id/b/c", "contoh.go.id", 443, false},
    {"https://contoh.go.id/../../x", "https://contoh.go.id/x", "contoh.go.id", 443, false},
    {"https://contoh.go.id/a@b:c", NULL, "contoh.go.id", 443, false},
    {"https://contoh.go.id?@127.0.0.1/", "https://contoh.go.id/?@127.0.0.1/", "contoh.go.id", 443, false},
    {"https://contoh.go.id/%0d%0aHost:%20x", NULL, "contoh.go.id", 443, false},
    {"https://contoh.go.id/http://127.0.0.1", NULL, "contoh.go.id", 443, false},
    {"https://xn--strae-oqa.example/x", NULL, "xn--strae-oqa.example", 443, false},
    {"https://1e100.net/", NULL, "1e100.net", 443, false},
    {"https://0x7f.example/", NULL, "0x7f.example", 443, false},
    {"https://127.0.0.1.example.org/", NULL, "127.0.0.1.example.org", 443, false},
    {"https://a.b.c.d.e.f/", NULL, "a.b.c.d.e.f", 443, false},
    {"https://localhost.example.org/", NULL, "localhost.example.org", 443, false},
    {"https://notlocalhost.org/", NULL, "notlocalhost.org", 443, false},
    {"https://mylocal.xlocal/", NULL, "mylocal.xlocal", 443, false},
    {"https://hook.example/", NULL, "hook.example", 443, false},
    {"https://8.8.8.8/x", NULL, "8.8.8.8", 443, true},
    {"https://8.8.8.8:9443", "https://8.8.8.8:9443/", "8.8.8.8", 9443, true},
    {"https://[2606:4700:4700::1111]/x", NULL, "2606:4700:4700::1111", 443, true},
    {"https://[2606:4700:4700:0:0:0:0:1111]:8443/", "https://[2606:4700:4700::1111]:8443/",
     "2606:4700:4700::1111", 8443, true},
    {"https://[2606:4700:4700::8.8.8.8]", "https://[2606:4700:4700::808:808]/", "2606:4700:4700::808:808",
     443, true},
    {"https://[2404:6800::ABCD]/", "https://[2404:6800::abcd]/", "2404:6800::abcd", 443, true},
};

static void takes(const struct taken *w, const struct odp_address_policy *policy)
{
    struct odp_target t, again;
    const struct odp_text *why;
    char place[300];
    const bool v6 = strchr(w->host, ':') != NULL;
    assert_int_equal(parse(&t, w->in, policy, &why), ODP_OK);
    assert_string_equal(t.url, w->url != NULL ? w->url : w->in);
    assert_string_equal(t.host, w->host);
    snprintf(place, sizeof place, "%s%s%s:%d", v6 ? "[" : "", w->host, v6 ? "]" : "", w->port);
    assert_string_equal(t.place, place);
    assert_int_equal(t.port, w->port);
    assert_int_equal(t.https, strncasecmp(w->in, "https:", 6) == 0);
    assert_int_equal(t.literal, w->literal);
    assert_int_equal(parse(&again, t.url, policy, &why), ODP_OK); /* as kept, it reads the same */
    assert_memory_equal(&again, &t, sizeof t);
}

static void test_taken(void **state)
{
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        takes(&taken[i], &none);
}

/* ---- what is refused ---- */

static const char *const refused[] = {
    /* no address at all */
    "", " ", "https", "https:", "https:/", "https://", "https:///", "https:///contoh.go.id/",
    "https:////contoh.go.id/", "https:/contoh.go.id/", "https:contoh.go.id/", "//contoh.go.id/",
    "contoh.go.id", "contoh.go.id/hook", "https://?x",
    /* other protocols */
    "http://contoh.go.id/", "HTTP://contoh.go.id/", "http://127.0.0.1/", "http://8.8.8.8/",
    "ftp://contoh.go.id/", "file:///etc/passwd", "file://contoh.go.id/etc/passwd",
    "gopher://127.0.0.1:6379/_INFO", "dict://127.0.0.1:11211/stat", "ldap://127.0.0.1/", "tftp://127.0.0.1/x",
    "smtp://contoh.go.id/", "jar:https://contoh.go.id/!/", "javascript:alert(1)", "data:text/plain,x",
    "unix:/run/docker.sock", "httpss://contoh.go.id/", "https+unix://run/",
    "view-source:https://contoh.go.id/", "url:https://contoh.go.id/", "\"https://contoh.go.id/\"",
    "<https://contoh.go.id/>",
    /* white space and control characters */
    " https://contoh.go.id/", "https://contoh.go.id/ ", "https://contoh.go.id/\n",
    "https://contoh.go.id/\r\nHost: x", "https://contoh.go.id/a b", "ht\ntps://contoh.go.id/",
    "https://contoh.go.id/\x7f", "\x01https://contoh.go.id/",
    /* another host behind the first */
    "https://contoh.go.id#127.0.0.1", "https://127.0.0.1#contoh.go.id", "https://127.0.0.1?contoh.go.id",
    "https://contoh.go.id/#x", "https://contoh.go.id/#", "https:\\\\contoh.go.id\\", "https:/\\contoh.go.id/",
    /* loopback and all else that is not public, plainly */
    "https://169.254.169.254/latest/meta-data/", "https://169.254.170.2/v2/credentials",
    "https://100.100.100.200/latest/meta-data/", "https://168.63.129.16/metadata",
    "https://192.0.0.192/latest/",
    /* the same in decimal, octal, hexadecimal, shortened, mixed, overflowing */
    "https://127.0.0.1e0/a@b/../x:y z",
    /* percent-encoded */
    "https://contoh.go.id/%", "https://contoh.go.id/%4", "https://contoh.go.id/%zz",
    "https://contoh.go.id/?%g0",
    /* beyond ASCII: what some readers would make into digits, dots, slashes and letters */
    "https://contoh.go.id/ä", "\xef\xbb\xbfhttps://contoh.go.id/",
    /* names of one's own network */
    "https://metadata.google.internal/computeMetadata/v1/"};
/* Between "https://" and "/". */
static const char *const refused_hosts[] = {
    /* no address at all */
    ":443", ".", "..", "%",
    /* white space and control characters */
    "con toh.go.id", "con\ttoh.go.id", "con\ntoh.go.id", "con\rtoh.go.id", "contoh.go.id\x01",
    /* another host behind the first */
    "user@contoh.go.id", "user:password@contoh.go.id", "@contoh.go.id", ":@contoh.go.id",
    "contoh.go.id@127.0.0.1", "contoh.go.id:443@127.0.0.1", "127.0.0.1@contoh.go.id",
    "contoh.go.id%40127.0.0.1", "a@b@127.0.0.1", "contoh.go.id\\@127.0.0.1", "127.0.0.1\\@contoh.go.id",
    "contoh.go.id#@127.0.0.1", "contoh.go.id\\.evil.example", "contoh.go.id;127.0.0.1",
    "contoh.go.id,127.0.0.1", "contoh.go.id&127.0.0.1", "contoh.go.id|127.0.0.1", "contoh.go.id'",
    "contoh.go.id\"", "contoh.go.id`id`", "$(id).contoh.go.id", "{contoh}.go.id", "contoh.go.id*", "*.go.id",
    "contoh!go.id", "contoh~go.id", "(contoh.go.id)", "contoh=go.id", "contoh_go.id",
    /* loopback and all else that is not public, plainly */
    "127.0.0.1", "127.0.0.1:8443", "127.1.2.3", "127.255.255.254", "0.0.0.0", "0.1.2.3", "10.0.0.1",
    "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "169.254.1.1", "192.0.0.1", "192.0.2.1",
    "192.88.99.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.250", "240.0.0.1",
    "255.255.255.255",
    /* the same in decimal, octal, hexadecimal, shortened, mixed, overflowing */
    "2130706433", "2130706433:443", "017700000001", "0x7f000001", "0X7F000001", "0x7f.1", "0x7f.0x0.0x0.0x1",
    "0x7F.0x00.0x00.0x01", "0177.0.0.1", "0177.0.0.01", "0177.0x0.0.1", "00000177.0.0.1", "127.1", "127.0.1",
    "127.0.0.1.2", "127.0.0", "127", "127.00.00.01", "127.0.0.001", "127.000.000.001", "0127.0.0.1", "0",
    "00", "0x0", "0x", "0x.0x.0", "0.0", "4294967295", "4294967296", "6425673729", "0x100000000",
    "0xffffffff", "256.256.256.256", "383.256.256.257", "8.8.8.8.8", "8.8.8", "8.8.8.256", "08.8.8.8",
    "8.8.8.08", "134744072", "0x8080808", "010.010.010.010", "3232235777", "2852039166", "0xa9fea9fe",
    "0xa9.0xfe.0xa9.0xfe", "0251.0376.0251.0376", "0251.254.169.254", "169.254.43518", "169.16689662",
    "425.510.425.510", "7147006462", "0xA9FEA9FE", "0xdeadbeefa9fea9fe",
    "0000000000000000000000000000000000177.1", "contoh.1", "contoh.go.0x1", "contoh.go.0x", "a.b.c.123",
    "-127.0.0.1", "+127.0.0.1", "127.0.0.-1",
    /* with a dot too many */
    "127.0.0.1.", "127.0.0.1..", ".127.0.0.1", "127..0.0.1", "contoh.go.id.", "contoh.go.id.:443",
    ".contoh.go.id", "contoh..go.id", "localhost.", "8.8.8.8.",
    /* percent-encoded */
    "127.0.0.%31", "%31%32%37.0.0.1", "127%2e0%2e0%2e1", "127.0.0.1%2f.contoh.go.id",
    "127.0.0.1%00.contoh.go.id", "127.0.0.1%23.contoh.go.id", "127.0.0.1%3f.contoh.go.id",
    "127.0.0.1%5c.contoh.go.id", "localhos%74", "contoh%2ego.id", "contoh.go.id%2f@127.0.0.1",
    "contoh.go.id%09", "contoh.go.id%0d%0a", "%6c%6f%63%61%6c%68%6f%73%74", "%5b::1%5d",
    /* beyond ASCII: what some readers would make into digits, dots, slashes and letters */
    "１２７.０.０.１", "①②⑦.⓪.⓪.①", "127。0。0。1", "127．0．0．1", "127｡0｡0｡1", "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
    "loc\302\255alhost", "localhoſt", "contoh.go.id／evil", "contoh.go.id＠127.0.0.1", "contoh.go.id：443",
    "contoh.go.id＃", "contoh.go.id⁄x", "münchen.example", "例え.example", "contoh.go.id\xe2\x80\xae",
    "contoh.go.id\xff", "contoh.go.id\xc0\xaf",
    /* IPv6 */
    "[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[0000:0000:0000:0000:0000:0000:0000:0001]", "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]", "[::FFFF:7F00:0001]", "[0:0:0:0:0:ffff:127.0.0.1]", "[::ffff:169.254.169.254]",
    "[::ffff:a9fe:a9fe]", "[::ffff:8.8.8.8]", "[::127.0.0.1]", "[::7f00:1]", "[::ffff:0:127.0.0.1]",
    "[64:ff9b::127.0.0.1]", "[64:ff9b::a9fe:a9fe]", "[64:ff9b:1::10.0.0.1]", "[2002:7f00:1::]",
    "[2002:a9fe:a9fe::1]", "[2001:0:4136:e378:8000:63bf:80ff:fffe]", "[2001::1]", "[2001:db8::1]",
    "[2001:10::1]", "[2001:20::1]", "[3fff::1]", "[100::1]", "[5f00::1]", "[fc00::1]", "[fd00:ec2::254]",
    "[fd20:ce::254]", "[fe80::1]", "[fe80::1%25eth0]", "[fe80::1%eth0]", "[fe80::1%251]", "[fe80::a9fe:a9fe]",
    "[fec0::1]", "[ff02::1]", "[2606:4700::1%25eth0]", "[2606:4700::1%]", "[4000::1]", "[]", "[:]", "[:::1]",
    "[1:2:3:4:5:6:7]", "[1:2:3:4:5:6:7:8:9]", "[2606:4700::12345]", "[2606:4700::8.8.8]", "[2606:4700::0x1]",
    "[8.8.8.8]", "[127.0.0.1]", "[contoh.go.id]", "[v1.x]", "[2606:4700::1", "2606:4700::1]", "2606:4700::1",
    "::1", "[[2606:4700::1]]", "[2606:4700::1]x", "[2606:4700::1].contoh.go.id", "x[2606:4700::1]",
    "[2606:4700::1]443", "[2606:4700::1]:", "[2606:4700::1]:443:443", "[2606:4700::1][2606:4700::1]",
    /* ports */
    "contoh.go.id:", "contoh.go.id:0", "contoh.go.id:00", "contoh.go.id:0443", "contoh.go.id:65536",
    "contoh.go.id:65979", "contoh.go.id:99999", "contoh.go.id:4294967739", "contoh.go.id:-1",
    "contoh.go.id:+443", "contoh.go.id: 443", "contoh.go.id:443 ", "contoh.go.id:0x1bb", "contoh.go.id:https",
    "contoh.go.id:44a", "contoh.go.id:443:80", "contoh.go.id::443", "contoh.go.id:%34%34%33",
    "contoh.go.id:22", "contoh.go.id:25", "contoh.go.id:465", "contoh.go.id:587", "contoh.go.id:993",
    "contoh.go.id:6667", "contoh.go.id:10080",
    /* names of one's own network */
    "localhost", "LocalHost", "localhost:8443", "a.localhost", "localhost.localdomain", "printer.local",
    "local", "instance-data.ec2.internal", "svc.cluster.local", "router.home.arpa", "1.0.0.127.in-addr.arpa",
    "ipv4only.arpa", "abcdefghij234567.onion", "x.alt", "x.test", "x.invalid", "x.lan", "x.home", "x.corp",
    "x.intranet", "x.private", "X.INTERNAL", "kubernetes", "kubernetes.default.svc.cluster.local", "redis",
    "db:5432", "id", "com",
    /* labels */
    "-contoh.go.id", "contoh-.go.id", "contoh.-go.id", "contoh.go.id-",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.go.id"};

static void refuse(const char *url)
{
    const struct odp_text *why;
    struct odp_target t;
    if (parse(&t, url, &none, &why) != ODP_BAD || parse(&t, url, NULL, &why) != ODP_BAD)
        fail_msg("taken: %s", url);
}

static void test_refused(void **state)
{
    char url[128];
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        refuse(refused[i]);
    for (size_t i = 0; i < sizeof refused_hosts / sizeof refused_hosts[0]; i++) {
        assert_true(snprintf(url, sizeof url, "https://%s/", refused_hosts[i]) < (int)sizeof url);
        refuse(url);
    }
}

/* What an owner is told: by a part of the English text. */
static void test_reasons(void **state)
{
    static const struct {
        const char *url, *why;
    } rows[] = {
        {"http://contoh.go.id/", "begin with https://"},
        {"https://user@contoh.go.id/", "user or a password"},
        {"https://contoh.go.id/#x", "# part"},
        {"https://contoh.go.id/ä", "beyond ASCII"},
        {"https://contoh.go.id/a b", "space"},
        {"https://contoh.go.id:25/", "port"},
        {"https://contoh.go.id:0/", "port"},
        {"https://contoh.go.id./", "dot at its end"},
        {"https://contoh_a.go.id/", "letters, digits and hyphens"},
        {"https://0x7f.1/", "in full"},
        {"https://[fe80::1%25eth0]/", "zone"},
        {"https://10.0.0.1/", "not a public one"},
        {"https://[::1]/", "not a public one"},
        {"https://localhost/", "inside a network"},
        {"https://x.internal/", "inside a network"},
        {"https://kubernetes/", "must have a dot"},
        {"https://contoh.go.id/%4", "two hexadecimal digits"},
    };
    const struct odp_text *why;
    struct odp_target t;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(parse(&t, rows[i].url, &none, &why), ODP_BAD);
        if (strstr(why->in[ODP_LANG_EN], rows[i].why) == NULL)
            fail_msg("%s: %s", rows[i].url, why->in[ODP_LANG_EN]);
    }
}

static void test_loopback(void **state)
{
    static const struct taken rows[] = {
        {"http://127.0.0.1:8080/x", NULL, "127.0.0.1", 8080, true},
        {"http://127.0.0.1", "http://127.0.0.1/", "127.0.0.1", 80, true},
        {"https://127.9.9.9:8443/", NULL, "127.9.9.9", 8443, true},
        {"http://[::1]:8080/", NULL, "::1", 8080, true},
        {"http://localhost:8080/", NULL, "localhost", 8080, false},
        {"https://a.localhost/", NULL, "a.localhost", 443, false},
        {"https://contoh.go.id/", NULL, "contoh.go.id", 443, false},
    };
    static const char *const still[] = {
        "http://contoh.go.id/",   "http://8.8.8.8/",         "http://10.0.0.1/",
        "https://10.0.0.1/",      "http://0.0.0.0/",         "http://[::]/",
        "http://127.1/",          "http://2130706433/",      "http://[::ffff:127.0.0.1]/",
        "http://[2606:4700::1]/", "http://localhost./",      "http://x.internal/",
        "https://x.internal/",    "http://localhost.local/", "http://notlocalhost/",
        "http://localhost@x.y/",  "http://169.254.169.254/", "https://127.0.0.1@10.0.0.1/",
        "http://kubernetes/",
    };
    const struct odp_text *why;
    struct odp_target t;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        takes(&rows[i], &loopback);
    for (size_t i = 0; i < sizeof still / sizeof still[0]; i++)
        if (parse(&t, still[i], &loopback, &why) != ODP_BAD)
            fail_msg("taken: %s", still[i]);
}

static void test_operators_prefixes(void **state)
{
    const struct odp_text *why;
    struct odp_target t;
    struct odp_address_policy p = {.nallow = 1};
    assert_true(odp_prefix_parse(&p.allow[0], ODP_LIT("10.20.0.0/16")));
    assert_int_equal(parse(&t, "https://10.20.1.1/", &p, &why), ODP_OK);
    assert_int_equal(parse(&t, "http://10.20.1.1/", &p, &why), ODP_BAD);
    assert_int_equal(parse(&t, "https://10.21.1.1/", &p, &why), ODP_BAD);
    assert_int_equal(parse(&t, "https://10.20.257/", &p, &why), ODP_BAD);
    assert_int_equal(parse(&t, "https://[::ffff:10.20.1.1]/", &p, &why), ODP_BAD);
    assert_int_equal(parse(&t, "https://x.internal/", &p, &why), ODP_BAD);
}

/* Exactly as long as may be, and a character more: of the whole, of the host, of a label. */
static void test_lengths(void **state)
{
    static const char head[] = "https://contoh.go.id/";
    const struct odp_text *why;
    struct odp_target t;
    char url[ODP_TARGET_URL + 200];
    memset(url, 'a', sizeof url);
    memcpy(url, head, sizeof head - 1);
    url[ODP_TARGET_URL] = '\0';
    assert_int_equal(parse(&t, url, &none, &why), ODP_OK);
    assert_string_equal(t.url, url);
    url[ODP_TARGET_URL] = 'a';
    url[ODP_TARGET_URL + 1] = '\0';
    assert_int_equal(parse(&t, url, &none, &why), ODP_BAD);
    assert_non_null(strstr(why->in[ODP_LANG_EN], "too long"));
    for (int n = 253; n <= 254; n++) { /* 63 letters and a dot, three times; then the rest */
        int at = snprintf(url, sizeof url, "https://"), from = at;
        for (int i = 0; i < n; i++)
            url[at++] = i % 64 == 63 ? '.' : 'b';
        snprintf(url + at, sizeof url - (size_t)at, ":65535/");
        assert_int_equal(parse(&t, url, &none, &why), n == 253 ? ODP_OK : ODP_BAD);
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
    assert_int_equal(parse(&t, url, &none, &why), ODP_BAD);
    assert_non_null(strstr(why->in[ODP_LANG_EN], "too long"));
}

/* Any byte anywhere in the host: it is part of a name, ends the host, or is refused; it never makes another
 * host of it. */
static void test_every_byte(void **state)
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
    assert_int_equal(odp_target_parse(&t, (struct odp_slice){"https://contoh.go.id/\0x", 23}, &none, &why),
                     ODP_BAD);
    assert_int_equal(
        odp_target_parse(&t, (struct odp_slice){"https://contoh.go.id\0.evil.example/", 35}, &none, &why),
        ODP_BAD);
    assert_int_equal(odp_target_parse(&t, (struct odp_slice){NULL, 0}, &none, &why), ODP_BAD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_taken),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_loopback),
        cmocka_unit_test(test_operators_prefixes),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_every_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
