/* Which addresses may be called. tests/e2e/deliver.py compares the same function with Python's ipaddress. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

#include <cmocka.h>

#include "service/webhooks/deliver/address.h"

static struct sockaddr_storage address_of(const char *text)
{
    struct sockaddr_storage s = {0};
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    if (inet_pton(AF_INET, text, &v4.sin_addr) == 1) {
        memcpy(&s, &v4, sizeof v4);
    } else {
        assert_int_equal(inet_pton(AF_INET6, text, &v6.sin6_addr), 1);
        memcpy(&s, &v6, sizeof v6);
    }
    return s;
}

static const char *refused(const struct odp_address_policy *p, const char *text)
{
    struct sockaddr_storage s = address_of(text);
    const char *why = odp_address_refused(p, (struct sockaddr *)&s);
    return why != NULL ? why : "";
}

struct judged {
    const char *why, *addresses; /* WHY "": allowed; ADDRESSES joined by ' ' */
};

/* The next of ADDRESSES; false: there is none. */
static bool next_address(const char **addresses, char out[80])
{
    size_t n = strcspn(*addresses, " ");
    snprintf(out, 80, "%.*s", (int)n, *addresses);
    *addresses += n + ((*addresses)[n] == ' ');
    return n > 0;
}

static void judge_all(const struct odp_address_policy *p, const struct judged *rows, size_t n)
{
    char text[80];
    for (size_t i = 0; i < n; i++)
        for (const char *rest = rows[i].addresses; next_address(&rest, text);)
            if (strcmp(refused(p, text), rows[i].why) != 0)
                fail_msg("%s: \"%s\", not \"%s\"", text, refused(p, text), rows[i].why);
}
#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

/* The first and the last of each range, and their neighbours outside. */
static const struct judged v4[] = {
    {"unspecified", "0.0.0.0 0.0.0.1 0.255.255.255"},
    {"", "1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 "
         "168.63.129.15 168.63.129.17 169.253.255.255 169.255.0.0 172.15.255.255 172.32.0.0 "
         "191.255.255.255 192.0.1.0 192.0.3.0 192.31.195.255 192.31.197.0 192.52.194.0 "
         "192.88.98.255 192.88.100.0 192.167.255.255 192.169.0.0 192.175.49.0 198.17.255.255 "
         "198.20.0.0 198.51.99.255 198.51.101.0 203.0.112.255 203.0.114.0 223.255.255.255 8.8.8.8 "
         "103.28.12.1"},
    {"private", "10.0.0.0 10.255.255.255 172.16.0.0 172.31.255.255 192.168.0.0 192.168.255.255"},
    {"shared", "100.64.0.0 100.100.100.199 100.127.255.255"},
    {"metadata", "100.100.100.200 168.63.129.16 169.254.0.23 169.254.42.42 169.254.169.123 "
                 "169.254.169.253 169.254.169.254 169.254.170.2 169.254.170.23 192.0.0.192"},
    {"loopback", "127.0.0.0 127.0.0.1 127.255.255.255"},
    {"link-local", "169.254.0.0 169.254.169.255 169.254.255.255"},
    {"reserved", "192.0.0.0 192.0.0.9 192.0.0.10 192.0.0.170 192.0.0.255 192.31.196.0 192.31.196.255 "
                 "192.52.193.0 192.52.193.255 192.88.99.0 192.88.99.2 192.88.99.255 192.175.48.0 "
                 "192.175.48.255 240.0.0.0 255.255.255.254"},
    {"documentation", "192.0.2.0 192.0.2.255 198.51.100.0 198.51.100.255 203.0.113.0 203.0.113.255"},
    {"benchmark", "198.18.0.0 198.19.255.255"},
    {"multicast", "224.0.0.0 239.255.255.255"},
    {"broadcast", "255.255.255.255"},
};

static const struct judged v6[] = {
    {"unspecified", ":: ::ffff:0.0.0.0"},
    {"loopback", "::1 ::ffff:127.0.0.1"},
    {"translated", "::2 ::7f00:1 ::8.8.8.8 ::ffff:0:127.0.0.1 ::ffff:0:8.8.8.8 64:ff9b:: 64:ff9b::127.0.0.1 "
                   "64:ff9b::8.8.8.8 64:ff9b::ffff:ffff 64:ff9b:1:: 64:ff9b:1:ffff:ffff:ffff:ffff:ffff "
                   "2001:: 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:0:ffff:ffff:ffff:ffff:ffff:ffff 2002:: "
                   "2002:7f00:1:: 2002:808:808::1 2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff "
                   "2400:cb00::5efe:10.0.0.1 2400:cb00::200:5efe:127.0.0.1"},
    {"private", "::ffff:10.0.0.1"},
    {"metadata", "::ffff:169.254.169.254 ::ffff:168.63.129.16 fd00:42::42 fd00:ec2::254 fd00:ec2::253 "
                 "fd00:ec2::23 fd20:ce::254 fe80::a9fe:a9fe"},
    {"mapped", "::ffff:8.8.8.8"},
    {"reserved", "::1:0:0:0 64:ff9a::1 64:ff9b:0:0:0:1:: 64:ff9b:2:: 100:0:0:1:: 100:0:0:2:: "
                 "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 2001:1::1 2001:1::2 2001:1::3 2001:2:1:: "
                 "2001:3::1 2001:4:112::1 2001:10::1 2001:1f:ffff:: 2001:20::1 2001:2f:ffff:: 2001:30::1 "
                 "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff 2620:4f:8000:: "
                 "2620:4f:8000:ffff:ffff:ffff:ffff:ffff 4000:: 5f00:: 5f00:ffff::1 8000::1 fbff::1 "
                 "fe00::1 fe7f:ffff::"},
    {"discard", "100:: 100::ffff:ffff:ffff:ffff"},
    {"", "2000:: 2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff 2001:200:: "
         "2001:db7:ffff:ffff:ffff:ffff:ffff:ffff 2001:db9:: 2001:ffff:: 2003:: 2404:6800:4003::1 "
         "2606:4700:4700::1111 2620:4f:7fff:ffff:ffff:ffff:ffff:ffff 2620:4f:8001:: "
         "2400:cb00::5efe:8.8.8.8 2400:cb00::100:5efe:10.0.0.1 3ffe::1 3fff:1000:: "
         "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
    {"benchmark", "2001:2:: 2001:2:0:ffff:ffff:ffff:ffff:ffff"},
    {"documentation", "2001:db8:: 2001:db8:ffff:ffff:ffff:ffff:ffff:ffff 3fff:: "
                      "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"},
    {"unique-local", "fc00:: fd00:ec2::255 fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
    {"link-local", "fe80:: febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
    {"site-local", "fec0:: fec0:0:0:ffff::1 feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
    {"multicast", "ff00:: ff02::1 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
};

static void test_public_only(void **state)
{
    static const struct odp_address_policy none;
    judge_all(&none, v4, COUNT(v4));
    judge_all(NULL, v4, COUNT(v4));
    judge_all(&none, v6, COUNT(v6));
}

/* Every IPv4 address that is refused is refused in each of its IPv6 forms, too. */
static void test_every_form_of_ipv4(void **state)
{
    static const char *const heads[] = {"::ffff:0:", "64:ff9b::", "64:ff9b:1::"};
    char text[160], own[80];
    for (size_t i = 0; i < COUNT(v4); i++)
        for (const char *rest = v4[i].addresses; next_address(&rest, own);) {
            uint8_t b[4];
            assert_int_equal(inet_pton(AF_INET, own, b), 1);
            snprintf(text, sizeof text, "::ffff:%s", own);
            assert_string_equal(refused(NULL, text), v4[i].why[0] != '\0' ? v4[i].why : "mapped");
            for (size_t k = 0; k < 3; k++) {
                snprintf(text, sizeof text, "%s%s", heads[k], own);
                assert_string_equal(refused(NULL, text), "translated");
            }
            snprintf(text, sizeof text, "2002:%02x%02x:%02x%02x::1", b[0], b[1], b[2], b[3]);
            assert_string_equal(refused(NULL, text), "translated");
            snprintf(text, sizeof text, "2001:0:%02x%02x:%02x%02x::", b[0], b[1], b[2], b[3]);
            assert_string_equal(refused(NULL, text), "translated");
            snprintf(text, sizeof text, "2400:cb00::5efe:%s", own);
            assert_string_equal(refused(NULL, text), v4[i].why[0] != '\0' ? "translated" : "");
        }
}

static struct odp_address_policy policy_of(bool loopback, size_t n, const char *const *prefixes)
{
    struct odp_address_policy p = {.loopback = loopback, .nallow = n};
    for (size_t i = 0; i < n; i++)
        assert_true(odp_prefix_parse(&p.allow[i], odp_slice_of(prefixes[i])));
    return p;
}

static void test_operators_prefixes(void **state)
{
    static const char *const own[] = {"10.20.0.0/16", "fd12:3456::/32", "192.0.2.7", "240.0.0.0/4"};
    struct odp_address_policy p = policy_of(false, 4, own);
    assert_string_equal(refused(&p, "10.20.255.1"), "");
    assert_string_equal(refused(&p, "10.21.0.1"), "private");
    assert_string_equal(refused(&p, "fd12:3456:ffff::1"), "");
    assert_string_equal(refused(&p, "fd12:3457::1"), "unique-local");
    assert_string_equal(refused(&p, "192.0.2.7"), "");
    assert_string_equal(refused(&p, "192.0.2.8"), "documentation");
    assert_string_equal(refused(&p, "250.1.1.1"), "");
    assert_string_equal(refused(&p, "255.255.255.255"), "broadcast");
    assert_string_equal(refused(&p, "127.0.0.1"), "loopback");
    assert_string_equal(refused(&p, "::ffff:10.20.0.1"), "private"); /* in no other spelling */
    assert_string_equal(refused(&p, "::10.20.0.1"), "translated");
    assert_string_equal(refused(&p, "8.8.8.8"), "");
}

/* What no prefix opens, however wide; and what only its own address does. */
static void test_prefix_of_everything(void **state)
{
    static const char *const all[] = {"0.0.0.0/0", "::/0"};
    struct odp_address_policy p = policy_of(false, 2, all), six = policy_of(false, 1, all + 1),
                              four = policy_of(false, 1, all);
    static const struct judged want[] = {
        {"", "10.0.0.1 169.254.1.1 fd00::1"}, {"loopback", "127.0.0.1 ::1"},
        {"unspecified", "0.0.0.0 ::"},        {"multicast", "224.0.0.1 ff02::1"},
        {"broadcast", "255.255.255.255"},     {"metadata", "169.254.169.254 168.63.129.16 fd00:ec2::254"},
        {"mapped", "::ffff:8.8.8.8"},         {"translated", "64:ff9b::127.0.0.1 2002:7f00:1::"},
    };
    judge_all(&p, want, COUNT(want));
    assert_string_equal(refused(&six, "10.0.0.1"), "private"); /* "::/0" says nothing of IPv4 */
    assert_string_equal(refused(&four, "fd00::1"), "unique-local");
    static const char *const exact[] = {"169.254.169.254", "fd00:ec2::254/128", "169.254.0.0/16"};
    p = policy_of(false, 3, exact);
    assert_string_equal(refused(&p, "169.254.169.254"), "");
    assert_string_equal(refused(&p, "fd00:ec2::254"), "");
    assert_string_equal(refused(&p, "169.254.170.2"), "metadata");
    assert_string_equal(refused(&p, "169.254.170.3"), "");
}

static void test_loopback(void **state)
{
    static const char *const prefixes[] = {"127.0.0.0/8", "::1"};
    struct odp_address_policy flag = policy_of(true, 0, prefixes), prefix = policy_of(false, 2, prefixes);
    assert_string_equal(refused(&flag, "127.0.0.1"), "");
    assert_string_equal(refused(&flag, "127.255.0.1"), "");
    assert_string_equal(refused(&flag, "::1"), "");
    assert_string_equal(refused(&flag, "::ffff:127.0.0.1"), "loopback");
    assert_string_equal(refused(&flag, "0.0.0.0"), "unspecified");
    assert_string_equal(refused(&flag, "::"), "unspecified");
    assert_string_equal(refused(&flag, "10.0.0.1"), "private");
    assert_string_equal(refused(&prefix, "127.0.0.1"), "loopback");
    assert_string_equal(refused(&prefix, "::1"), "loopback");
}

/* Ways to IPv4 that the operator allows lead no further than he allows. */
static void test_translators(void **state)
{
    static const char *const nat64[] = {"64:ff9b::/96", "10.9.0.0/16"};
    struct odp_address_policy p = policy_of(true, 2, nat64);
    assert_string_equal(refused(&p, "64:ff9b::8.8.8.8"), "");
    assert_string_equal(refused(&p, "64:ff9b::10.9.1.1"), "");
    assert_string_equal(refused(&p, "64:ff9b::10.8.1.1"), "translated");
    assert_string_equal(refused(&p, "64:ff9b::169.254.169.254"), "translated");
    assert_string_equal(refused(&p, "64:ff9b::224.0.0.1"), "translated");
    /* RFC 6052, 2.4: 192.0.2.33 behind prefixes of all lengths; here of 8.8.4.4 and 10.0.0.1 */
    static const struct {
        const char *prefix, *open, *closed;
    } own[] = {
        {"64:ff9b:1::/48", "64:ff9b:1:808:4:400::", "64:ff9b:1:a00:0:100::"},
        {"64:ff9b:1:aa00::/56", "64:ff9b:1:aa08:8:404::", "64:ff9b:1:aa0a:0:1::"},
        {"64:ff9b:1:aabb::/64", "64:ff9b:1:aabb:8:804:400:0", "64:ff9b:1:aabb:a:0:100:0"},
        {"64:ff9b:1::/96", "64:ff9b:1::8.8.4.4", "64:ff9b:1::10.0.0.1"},
        {"64:ff9b:1::/96", "64:ff9b:1::8.8.4.4", "64:ff9b:1::127.0.0.1"},
        {"64:ff9b:1::808:404", "64:ff9b:1::8.8.4.4", "64:ff9b:1::8.8.4.5"},
    };
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        p = policy_of(false, 1, &own[i].prefix);
        assert_string_equal(refused(&p, own[i].open), "");
        assert_string_equal(refused(&p, own[i].closed), "translated");
    }
    static const char *const odd[] = {"64:ff9b:1::/50", "2002::/16", "2001::/32"};
    p = policy_of(false, 3, odd);
    assert_string_equal(refused(&p, "64:ff9b:1:808:4:400::"),
                        "translated"); /* of no length that a translator has */
    assert_string_equal(refused(&p, "2002:808:808::1"), "");
    assert_string_equal(refused(&p, "2002:a00:1::1"), "translated");
    assert_string_equal(refused(&p, "2001:0:4136:e378:8000:63bf:f7f7:f7f7"), ""); /* 65.54.227.120, 8.8.8.8 */
    assert_string_equal(refused(&p, "2001:0:4136:e378:8000:63bf:80ff:fffe"), "translated"); /* 127.0.0.1 */
    assert_string_equal(refused(&p, "2001:0:a00:1:8000:63bf:f7f7:f7f7"),
                        "translated"); /* its server is 10.0.0.1 */
}

static void test_other_families(void **state)
{
    struct sockaddr_un local = {.sun_family = AF_UNIX, .sun_path = "/run/x"};
    struct sockaddr_storage none = {0};
    char text[ODP_ADDRESS_TEXT] = "x";
    static const char *const all[] = {"0.0.0.0/0", "::/0"};
    struct odp_address_policy p = policy_of(true, 2, all);
    assert_string_equal(odp_address_refused(&p, (struct sockaddr *)&local), "unknown");
    assert_string_equal(odp_address_refused(&p, (struct sockaddr *)&none), "unknown");
    assert_string_equal(odp_address_refused(&p, NULL), "unknown");
    assert_false(odp_address_is_loopback((struct sockaddr *)&local));
    odp_address_text((struct sockaddr *)&local, text);
    assert_string_equal(text, "");
}

static void test_texts(void **state)
{
    static const struct {
        const char *in, *out;
        bool loopback;
    } rows[] = {
        {"203.0.113.7", "203.0.113.7", false},
        {"127.1.2.3", "127.1.2.3", true},
        {"128.0.0.1", "128.0.0.1", false},
        {"2001:DB8:0:0::1", "2001:db8::1", false},
        {"::1", "::1", true},
        {"::2", "::2", false},
        {"::ffff:127.0.0.1", "::ffff:127.0.0.1", true},
        {"::ffff:128.0.0.1", "::ffff:128.0.0.1", false},
        {"ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sockaddr_storage s = address_of(rows[i].in);
        char text[ODP_ADDRESS_TEXT];
        odp_address_text((struct sockaddr *)&s, text);
        assert_string_equal(text, rows[i].out);
        assert_int_equal(odp_address_is_loopback((struct sockaddr *)&s), rows[i].loopback);
    }
}

static void test_prefixes(void **state)
{
    static const struct {
        const char *text;
        unsigned bits;
        uint8_t first, last;
    } good[] = {
        {"10.0.0.0/8", 104, 0, 0},   {"0.0.0.0/0", 96, 0, 0},           {"192.0.2.7", 128, 0, 7},
        {"192.0.2.7/32", 128, 0, 7}, {"192.0.2.6/31", 127, 0, 6},       {"::/0", 0, 0, 0},
        {"fd00::/8", 8, 0xfd, 0},    {"2001:db8::1", 128, 0x20, 1},     {"fe80::/10", 10, 0xfe, 0},
        {"fec0::/10", 10, 0xfe, 0},  {"2001:db8::1/128", 128, 0x20, 1}, {"::ffff:10.0.0.0/104", 104, 0, 0},
    };
    struct odp_prefix p;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        assert_true(odp_prefix_parse(&p, odp_slice_of(good[i].text)));
        assert_int_equal(p.bits, good[i].bits);
        assert_int_equal(p.bytes[0], good[i].first);
        assert_int_equal(p.bytes[15], good[i].last);
    }
    static const char *const wrong[] = {
        "",
        "/",
        "/8",
        "10.0.0.0/",
        "10.0.0.0/33",
        "10.0.0.0/08",
        "10.0.0.0/-1",
        "10.0.0.0/8 ",
        " 10.0.0.0/8",
        "10.0.0.0/+8",
        "10.0.0.1/8",
        "10.0.0/8",
        "10/8",
        "010.0.0.0/8",
        "10.0.0.0/8/8",
        "10.0.0.0/1e1",
        "0x0a.0.0.0/8",
        "167772160/8",
        "fd00::/129",
        "fd00::1/8",
        "fe80::%eth0",
        "fe80::%eth0/10",
        "[fd00::]/8",
        "fd00::/008",
        "localhost",
        "fd00:::/8",
        "0.0.0.0/00",
        "192.0.2.7/31",
        "*",
        "10.0.0.0/99999999999",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(odp_prefix_parse(&p, odp_slice_of(wrong[i])));
    assert_false(odp_prefix_parse(&p, (struct odp_slice){NULL, 0}));
    assert_false(odp_prefix_parse(&p, (struct odp_slice){"10.0.0.0\0/8", 11}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_public_only),        cmocka_unit_test(test_every_form_of_ipv4),
        cmocka_unit_test(test_operators_prefixes), cmocka_unit_test(test_prefix_of_everything),
        cmocka_unit_test(test_loopback),           cmocka_unit_test(test_translators),
        cmocka_unit_test(test_other_families),     cmocka_unit_test(test_texts),
        cmocka_unit_test(test_prefixes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
