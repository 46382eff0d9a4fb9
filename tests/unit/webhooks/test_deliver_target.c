/* The address of a subscription: what is taken and how it is then written, and a long list of spellings that would lead
 * somewhere else. */
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

static const struct {
    const char *in, *url, *host, *place;
    bool literal;
} taken[] = {
    {"https://contoh.go.id/hook", "https://contoh.go.id/hook", "contoh.go.id", "contoh.go.id:443", false},
    {"https://contoh.go.id", "https://contoh.go.id/", "contoh.go.id", "contoh.go.id:443", false},
    {"https://contoh.go.id?a=b", "https://contoh.go.id/?a=b", "contoh.go.id", "contoh.go.id:443", false},
    {"https://contoh.go.id:443/x", "https://contoh.go.id/x", "contoh.go.id", "contoh.go.id:443", false},
    {"https://contoh.go.id:8443/x?y=z&q=%41+b", "https://contoh.go.id:8443/x?y=z&q=%41+b", "contoh.go.id", "contoh.go.id:8443",
     false},
    {"HTTPS://Contoh.GO.id/Hook", "https://contoh.go.id/Hook", "contoh.go.id", "contoh.go.id:443", false},
    {"https://contoh.go.id:80/", "https://contoh.go.id:80/", "contoh.go.id", "contoh.go.id:80", false},
    {"https://contoh.go.id:65535/", "https://contoh.go.id:65535/", "contoh.go.id", "contoh.go.id:65535", false},
    {"https://contoh.go.id/a/../b/./c", "https://contoh.go.id/b/c", "contoh.go.id", "contoh.go.id:443", false},
    {"https://contoh.go.id/../../x", "https://contoh.go.id/x", "contoh.go.id", "contoh.go.id:443", false},
    {"https://contoh.go.id/a@b:c", "https://contoh.go.id/a@b:c", "contoh.go.id", "contoh.go.id:443", false},
    {"https://contoh.go.id?@127.0.0.1/", "https://contoh.go.id/?@127.0.0.1/", "contoh.go.id", "contoh.go.id:443", false},
    {"https://contoh.go.id/%0d%0aHost:%20x", "https://contoh.go.id/%0d%0aHost:%20x", "contoh.go.id", "contoh.go.id:443", false},
    {"https://contoh.go.id/http://127.0.0.1", "https://contoh.go.id/http://127.0.0.1", "contoh.go.id", "contoh.go.id:443",
     false},
    {"https://xn--strae-oqa.example/x", "https://xn--strae-oqa.example/x", "xn--strae-oqa.example", "xn--strae-oqa.example:443",
     false},
    {"https://1e100.net/", "https://1e100.net/", "1e100.net", "1e100.net:443", false},
    {"https://0x7f.example/", "https://0x7f.example/", "0x7f.example", "0x7f.example:443", false},
    {"https://127.0.0.1.example.org/", "https://127.0.0.1.example.org/", "127.0.0.1.example.org", "127.0.0.1.example.org:443",
     false},
    {"https://a.b.c.d.e.f/", "https://a.b.c.d.e.f/", "a.b.c.d.e.f", "a.b.c.d.e.f:443", false},
    {"https://localhost.example.org/", "https://localhost.example.org/", "localhost.example.org", "localhost.example.org:443",
     false},
    {"https://notlocalhost.org/", "https://notlocalhost.org/", "notlocalhost.org", "notlocalhost.org:443", false},
    {"https://mylocal.xlocal/", "https://mylocal.xlocal/", "mylocal.xlocal", "mylocal.xlocal:443", false},
    {"https://hook.example/", "https://hook.example/", "hook.example", "hook.example:443", false},
    {"https://8.8.8.8/x", "https://8.8.8.8/x", "8.8.8.8", "8.8.8.8:443", true},
    {"https://8.8.8.8:9443", "https://8.8.8.8:9443/", "8.8.8.8", "8.8.8.8:9443", true},
    {"https://[2606:4700:4700::1111]/x", "https://[2606:4700:4700::1111]/x", "2606:4700:4700::1111",
     "[2606:4700:4700::1111]:443", true},
    {"https://[2606:4700:4700:0:0:0:0:1111]:8443/", "https://[2606:4700:4700::1111]:8443/", "2606:4700:4700::1111",
     "[2606:4700:4700::1111]:8443", true},
    {"https://[2606:4700:4700::8.8.8.8]", "https://[2606:4700:4700::808:808]/", "2606:4700:4700::808:808",
     "[2606:4700:4700::808:808]:443", true},
    {"https://[2404:6800::ABCD]/", "https://[2404:6800::abcd]/", "2404:6800::abcd", "[2404:6800::abcd]:443", true},
};

static void test_taken(void **state)
{
    (void)state;
    const struct odp_text *why;
    struct odp_target t, again;
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        assert_int_equal(parse(&t, taken[i].in, &none, &why), ODP_OK);
        assert_string_equal(t.url, taken[i].url);
        assert_string_equal(t.host, taken[i].host);
        assert_string_equal(t.place, taken[i].place);
        assert_int_equal(t.port, atoi(strrchr(taken[i].place, ':') + 1));
        assert_true(t.https);
        assert_int_equal(t.literal, taken[i].literal);
        assert_int_equal(parse(&again, t.url, &none, &why), ODP_OK); /* as kept, it reads the same */
        assert_memory_equal(&again, &t, sizeof t);
    }
}

/* ---- what is refused ---- */

static const char *const refused[] = {
    /* no address at all */
    "", " ", "https", "https:", "https:/", "https://", "https:///", "https:///contoh.go.id/", "https:////contoh.go.id/",
    "https:/contoh.go.id/", "https:contoh.go.id/", "//contoh.go.id/", "contoh.go.id", "contoh.go.id/hook", "https://?x",
    "https://:443/", "https://./", "https://../", "https://%/",
    /* other protocols */
    "http://contoh.go.id/", "HTTP://contoh.go.id/", "http://127.0.0.1/", "http://8.8.8.8/", "ftp://contoh.go.id/",
    "file:///etc/passwd", "file://contoh.go.id/etc/passwd", "gopher://127.0.0.1:6379/_INFO", "dict://127.0.0.1:11211/stat",
    "ldap://127.0.0.1/", "tftp://127.0.0.1/x", "smtp://contoh.go.id/", "jar:https://contoh.go.id/!/", "javascript:alert(1)",
    "data:text/plain,x", "unix:/run/docker.sock", "httpss://contoh.go.id/", "https+unix://run/",
    "view-source:https://contoh.go.id/", "url:https://contoh.go.id/", "\"https://contoh.go.id/\"", "<https://contoh.go.id/>",
    /* white space and control characters */
    " https://contoh.go.id/", "https://contoh.go.id/ ", "https://contoh.go.id/\n", "https://contoh.go.id/\r\nHost: x",
    "https://contoh.go.id/a b", "https://con toh.go.id/", "https://con\ttoh.go.id/", "https://con\ntoh.go.id/",
    "https://con\rtoh.go.id/", "ht\ntps://contoh.go.id/", "https://contoh.go.id\x01/", "https://contoh.go.id/\x7f",
    "\x01https://contoh.go.id/",
    /* another host behind the first */
    "https://user@contoh.go.id/", "https://user:password@contoh.go.id/", "https://@contoh.go.id/", "https://:@contoh.go.id/",
    "https://contoh.go.id@127.0.0.1/", "https://contoh.go.id:443@127.0.0.1/", "https://127.0.0.1@contoh.go.id/",
    "https://contoh.go.id%40127.0.0.1/", "https://a@b@127.0.0.1/", "https://contoh.go.id\\@127.0.0.1/",
    "https://127.0.0.1\\@contoh.go.id/", "https://contoh.go.id#@127.0.0.1/", "https://contoh.go.id#127.0.0.1",
    "https://127.0.0.1#contoh.go.id", "https://127.0.0.1?contoh.go.id", "https://contoh.go.id/#x", "https://contoh.go.id/#",
    "https:\\\\contoh.go.id\\", "https:/\\contoh.go.id/", "https://contoh.go.id\\.evil.example/",
    "https://contoh.go.id;127.0.0.1/", "https://contoh.go.id,127.0.0.1/", "https://contoh.go.id&127.0.0.1/",
    "https://contoh.go.id|127.0.0.1/", "https://contoh.go.id'/", "https://contoh.go.id\"/", "https://contoh.go.id`id`/",
    "https://$(id).contoh.go.id/", "https://{contoh}.go.id/", "https://contoh.go.id*/", "https://*.go.id/",
    "https://contoh!go.id/", "https://contoh~go.id/", "https://(contoh.go.id)/", "https://contoh=go.id/",
    "https://contoh_go.id/",
    /* loopback and all else that is not public, plainly */
    "https://127.0.0.1/", "https://127.0.0.1:8443/", "https://127.1.2.3/", "https://127.255.255.254/", "https://0.0.0.0/",
    "https://0.1.2.3/", "https://10.0.0.1/", "https://172.16.0.1/", "https://172.31.255.255/", "https://192.168.1.1/",
    "https://100.64.0.1/", "https://169.254.1.1/", "https://169.254.169.254/latest/meta-data/",
    "https://169.254.170.2/v2/credentials", "https://100.100.100.200/latest/meta-data/", "https://168.63.129.16/metadata",
    "https://192.0.0.192/latest/", "https://192.0.0.1/", "https://192.0.2.1/", "https://192.88.99.1/", "https://198.18.0.1/",
    "https://198.51.100.1/", "https://203.0.113.1/", "https://224.0.0.1/", "https://239.255.255.250/", "https://240.0.0.1/",
    "https://255.255.255.255/",
    /* the same in decimal, octal, hexadecimal, shortened, mixed, overflowing */
    "https://2130706433/", "https://2130706433:443/", "https://017700000001/", "https://0x7f000001/", "https://0X7F000001/",
    "https://0x7f.1/", "https://0x7f.0x0.0x0.0x1/", "https://0x7F.0x00.0x00.0x01/", "https://0177.0.0.1/",
    "https://0177.0.0.01/", "https://0177.0x0.0.1/", "https://00000177.0.0.1/", "https://127.1/", "https://127.0.1/",
    "https://127.0.0.1.2/", "https://127.0.0/", "https://127/", "https://127.00.00.01/", "https://127.0.0.001/",
    "https://127.000.000.001/", "https://0127.0.0.1/", "https://0/", "https://00/", "https://0x0/", "https://0x/",
    "https://0x.0x.0/", "https://0.0/", "https://4294967295/", "https://4294967296/", "https://6425673729/",
    "https://0x100000000/", "https://0xffffffff/", "https://256.256.256.256/", "https://383.256.256.257/", "https://8.8.8.8.8/",
    "https://8.8.8/", "https://8.8.8.256/", "https://08.8.8.8/", "https://8.8.8.08/", "https://134744072/",
    "https://0x8080808/", "https://010.010.010.010/", "https://3232235777/", "https://2852039166/", "https://0xa9fea9fe/",
    "https://0xa9.0xfe.0xa9.0xfe/", "https://0251.0376.0251.0376/", "https://0251.254.169.254/", "https://169.254.43518/",
    "https://169.16689662/", "https://425.510.425.510/", "https://7147006462/", "https://0xA9FEA9FE/",
    "https://0xdeadbeefa9fea9fe/", "https://0000000000000000000000000000000000177.1/", "https://contoh.1/",
    "https://contoh.go.0x1/", "https://contoh.go.0x/", "https://a.b.c.123/", "https://-127.0.0.1/", "https://+127.0.0.1/",
    "https://127.0.0.-1/", "https://127.0.0.1e0/a@b/../x:y z",
    /* with a dot too many */
    "https://127.0.0.1./", "https://127.0.0.1../", "https://.127.0.0.1/", "https://127..0.0.1/", "https://contoh.go.id./",
    "https://contoh.go.id.:443/", "https://.contoh.go.id/", "https://contoh..go.id/", "https://localhost./",
    "https://8.8.8.8./",
    /* percent-encoded */
    "https://127.0.0.%31/", "https://%31%32%37.0.0.1/", "https://127%2e0%2e0%2e1/", "https://127.0.0.1%2f.contoh.go.id/",
    "https://127.0.0.1%00.contoh.go.id/", "https://127.0.0.1%23.contoh.go.id/", "https://127.0.0.1%3f.contoh.go.id/",
    "https://127.0.0.1%5c.contoh.go.id/", "https://localhos%74/", "https://contoh%2ego.id/",
    "https://contoh.go.id%2f@127.0.0.1/", "https://contoh.go.id%09/", "https://contoh.go.id%0d%0a/",
    "https://%6c%6f%63%61%6c%68%6f%73%74/", "https://%5b::1%5d/", "https://contoh.go.id/%", "https://contoh.go.id/%4",
    "https://contoh.go.id/%zz", "https://contoh.go.id/?%g0",
    /* beyond ASCII: what some readers would make into digits, dots, slashes and letters */
    "https://１２７.０.０.１/", "https://①②⑦.⓪.⓪.①/", "https://127。0。0。1/", "https://127．0．0．1/", "https://127｡0｡0｡1/",
    "https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/", "https://loc\302\255alhost/", "https://localhoſt/", "https://contoh.go.id／evil/",
    "https://contoh.go.id＠127.0.0.1/", "https://contoh.go.id：443/", "https://contoh.go.id＃/", "https://contoh.go.id⁄x/",
    "https://münchen.example/", "https://例え.example/", "https://contoh.go.id/ä", "https://contoh.go.id\xe2\x80\xae/",
    "https://contoh.go.id\xff/", "https://contoh.go.id\xc0\xaf/", "\xef\xbb\xbfhttps://contoh.go.id/",
    /* IPv6 */
    "https://[::1]/", "https://[::]/", "https://[0:0:0:0:0:0:0:1]/", "https://[0000:0000:0000:0000:0000:0000:0000:0001]/",
    "https://[::ffff:127.0.0.1]/", "https://[::ffff:7f00:1]/", "https://[::FFFF:7F00:0001]/",
    "https://[0:0:0:0:0:ffff:127.0.0.1]/", "https://[::ffff:169.254.169.254]/", "https://[::ffff:a9fe:a9fe]/",
    "https://[::ffff:8.8.8.8]/", "https://[::127.0.0.1]/", "https://[::7f00:1]/", "https://[::ffff:0:127.0.0.1]/",
    "https://[64:ff9b::127.0.0.1]/", "https://[64:ff9b::a9fe:a9fe]/", "https://[64:ff9b:1::10.0.0.1]/",
    "https://[2002:7f00:1::]/", "https://[2002:a9fe:a9fe::1]/", "https://[2001:0:4136:e378:8000:63bf:80ff:fffe]/",
    "https://[2001::1]/", "https://[2001:db8::1]/", "https://[2001:10::1]/", "https://[2001:20::1]/", "https://[3fff::1]/",
    "https://[100::1]/", "https://[5f00::1]/", "https://[fc00::1]/", "https://[fd00:ec2::254]/", "https://[fd20:ce::254]/",
    "https://[fe80::1]/", "https://[fe80::1%25eth0]/", "https://[fe80::1%eth0]/", "https://[fe80::1%251]/",
    "https://[fe80::a9fe:a9fe]/", "https://[fec0::1]/", "https://[ff02::1]/", "https://[2606:4700::1%25eth0]/",
    "https://[2606:4700::1%]/", "https://[4000::1]/", "https://[]/", "https://[:]/", "https://[:::1]/",
    "https://[1:2:3:4:5:6:7]/", "https://[1:2:3:4:5:6:7:8:9]/", "https://[2606:4700::12345]/", "https://[2606:4700::8.8.8]/",
    "https://[2606:4700::0x1]/", "https://[8.8.8.8]/", "https://[127.0.0.1]/", "https://[contoh.go.id]/", "https://[v1.x]/",
    "https://[2606:4700::1/", "https://2606:4700::1]/", "https://2606:4700::1/", "https://::1/", "https://[[2606:4700::1]]/",
    "https://[2606:4700::1]x/", "https://[2606:4700::1].contoh.go.id/", "https://x[2606:4700::1]/",
    "https://[2606:4700::1]443/", "https://[2606:4700::1]:/", "https://[2606:4700::1]:443:443/",
    "https://[2606:4700::1][2606:4700::1]/",
    /* ports */
    "https://contoh.go.id:/", "https://contoh.go.id:0/", "https://contoh.go.id:00/", "https://contoh.go.id:0443/",
    "https://contoh.go.id:65536/", "https://contoh.go.id:65979/", "https://contoh.go.id:99999/",
    "https://contoh.go.id:4294967739/", "https://contoh.go.id:-1/", "https://contoh.go.id:+443/", "https://contoh.go.id: 443/",
    "https://contoh.go.id:443 /", "https://contoh.go.id:0x1bb/", "https://contoh.go.id:https/", "https://contoh.go.id:44a/",
    "https://contoh.go.id:443:80/", "https://contoh.go.id::443/", "https://contoh.go.id:%34%34%33/", "https://contoh.go.id:22/",
    "https://contoh.go.id:25/", "https://contoh.go.id:465/", "https://contoh.go.id:587/", "https://contoh.go.id:993/",
    "https://contoh.go.id:6667/", "https://contoh.go.id:10080/",
    /* names of one's own network */
    "https://localhost/", "https://LocalHost/", "https://localhost:8443/", "https://a.localhost/",
    "https://localhost.localdomain/", "https://printer.local/", "https://local/",
    "https://metadata.google.internal/computeMetadata/v1/", "https://instance-data.ec2.internal/", "https://svc.cluster.local/",
    "https://router.home.arpa/", "https://1.0.0.127.in-addr.arpa/", "https://ipv4only.arpa/", "https://abcdefghij234567.onion/",
    "https://x.alt/", "https://x.test/", "https://x.invalid/", "https://x.lan/", "https://x.home/", "https://x.corp/",
    "https://x.intranet/", "https://x.private/", "https://X.INTERNAL/", "https://kubernetes/",
    "https://kubernetes.default.svc.cluster.local/", "https://redis/", "https://db:5432/", "https://id/", "https://com/",
    /* labels */
    "https://-contoh.go.id/", "https://contoh-.go.id/", "https://contoh.-go.id/", "https://contoh.go.id-/",
    "https://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.go.id/", /* 64 */
};

static void test_refused(void **state)
{
    (void)state;
    const struct odp_text *why;
    struct odp_target t;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (parse(&t, refused[i], &none, &why) != ODP_BAD || parse(&t, refused[i], NULL, &why) != ODP_BAD)
            fail_msg("taken: %s", refused[i]);
}

/* What an owner is told: by a part of the English text. */
static void test_reasons(void **state)
{
    (void)state;
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
    (void)state;
    static const struct {
        const char *in, *url, *host, *place;
        bool https, literal;
    } rows[] = {
        {"http://127.0.0.1:8080/x", "http://127.0.0.1:8080/x", "127.0.0.1", "127.0.0.1:8080", false, true},
        {"http://127.0.0.1", "http://127.0.0.1/", "127.0.0.1", "127.0.0.1:80", false, true},
        {"https://127.9.9.9:8443/", "https://127.9.9.9:8443/", "127.9.9.9", "127.9.9.9:8443", true, true},
        {"http://[::1]:8080/", "http://[::1]:8080/", "::1", "[::1]:8080", false, true},
        {"http://localhost:8080/", "http://localhost:8080/", "localhost", "localhost:8080", false, false},
        {"https://a.localhost/", "https://a.localhost/", "a.localhost", "a.localhost:443", true, false},
        {"https://contoh.go.id/", "https://contoh.go.id/", "contoh.go.id", "contoh.go.id:443", true, false},
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
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(parse(&t, rows[i].in, &loopback, &why), ODP_OK);
        assert_string_equal(t.url, rows[i].url);
        assert_string_equal(t.host, rows[i].host);
        assert_string_equal(t.place, rows[i].place);
        assert_int_equal(t.https, rows[i].https);
        assert_int_equal(t.literal, rows[i].literal);
    }
    for (size_t i = 0; i < sizeof still / sizeof still[0]; i++)
        if (parse(&t, still[i], &loopback, &why) != ODP_BAD)
            fail_msg("taken: %s", still[i]);
}

static void test_operators_prefixes(void **state)
{
    (void)state;
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
    (void)state;
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

/* Any byte anywhere in the host: it is part of a name, ends the host, or is refused; it never makes another host of it. */
static void test_every_byte(void **state)
{
    (void)state;
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
                plain = plain && (strchr("abcdefghijklmnopqrstuvwxyz0123456789.-",
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
    assert_int_equal(odp_target_parse(&t, (struct odp_slice){"https://contoh.go.id/\0x", 23}, &none, &why), ODP_BAD);
    assert_int_equal(odp_target_parse(&t, (struct odp_slice){"https://contoh.go.id\0.evil.example/", 35}, &none, &why),
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
