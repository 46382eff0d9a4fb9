/* Which addresses may be called (answers/addresses.txt). tests/e2e/deliver.py compares the same function with
 * Python's ipaddress. */
#include "answer_lines.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/un.h>

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

/* The next of WORDS; false: no more. */
static bool next_word(const char **words, char out[80])
{
    size_t n = strcspn(*words += strspn(*words, " "), " ");
    snprintf(out, 80, "%.*s", (int)n, *words);
    *words += n;
    return n > 0;
}

static void set_policy(struct odp_address_policy *p, const char *words)
{
    char word[80];
    *p = (struct odp_address_policy){0};
    while (next_word(&words, word))
        if (strcmp(word, "loopback") == 0)
            p->loopback = true;
        else
            assert_true(odp_prefix_parse(&p->allow[p->nallow++], odp_slice_of(word)));
}

static void answer_prefix(struct odp_slice text, struct odp_buffer *out)
{
    struct odp_prefix p;
    if (!odp_prefix_parse(&p, text))
        odp_buffer_add_str(out, "none");
    else
        odp_buffer_printf(out, "%u bits of %02x…%02x", p.bits, p.bytes[0], p.bytes[15]);
}

static void answer_text(const char *word, struct odp_buffer *out)
{
    struct sockaddr_storage s = address_of(word);
    char text[ODP_ADDRESS_TEXT];
    odp_address_text((struct sockaddr *)&s, text);
    odp_buffer_printf(out, "%s%s\n", text, odp_address_is_loopback((struct sockaddr *)&s) ? " loopback" : "");
}

static void answer(void *ctx, struct odp_slice line, struct odp_buffer *out)
{
    struct odp_address_policy *p = ctx;
    const char *colon = strstr(line.ptr, ":"), *words = line.ptr;
    char word[80];
    if (strncmp(line.ptr, "policy:", 7) == 0) {
        set_policy(p, colon + 1);
        return;
    }
    if (strncmp(line.ptr, "prefix:", 7) == 0) {
        answer_prefix((struct odp_slice){line.ptr + 7, line.len - 7}, out);
        return;
    }
    bool texts = strncmp(line.ptr, "text:", 5) == 0;
    for (words += texts ? 5 : 0; next_word(&words, word);)
        if (texts)
            answer_text(word, out);
        else
            odp_buffer_printf(out, "%s %s\n", word,
                              refused(p, word)[0] != '\0' ? refused(p, word) : "public");
}

TEST(answers)
{
    struct odp_address_policy policy = {0};
    struct odp_prefix p;
    answer_lines("webhooks/answers/addresses.txt", answer, &policy);
    assert_false(odp_prefix_parse(&p, (struct odp_slice){NULL, 0}));
    assert_false(odp_prefix_parse(&p, (struct odp_slice){"10.0.0.0\0/8", 11}));
    assert_string_equal(refused(NULL, "10.0.0.1"), "private");
    assert_string_equal(refused(NULL, "8.8.8.8"), "");
}

/* Every IPv4 address that is refused is refused in each of its IPv6 forms, too. */
TEST(every_form_of_ipv4)
{
    static const char *const heads[] = {"::ffff:0:", "64:ff9b::", "64:ff9b:1::"};
    const char *all =
        "0.0.0.1 10.255.255.255 100.100.100.200 127.0.0.1 168.63.129.16 169.254.169.254 172.16.0.0"
        " 192.0.2.255 192.168.0.0 198.18.0.0 224.0.0.0 240.0.0.0 255.255.255.255 8.8.8.8 11.0.0.0";
    char text[160], own[80];
    while (next_word(&all, own)) {
        const char *why = refused(NULL, own);
        uint8_t b[4];
        assert_int_equal(inet_pton(AF_INET, own, b), 1);
        snprintf(text, sizeof text, "::ffff:%s", own);
        assert_string_equal(refused(NULL, text), *why != '\0' ? why : "mapped");
        for (size_t k = 0; k < 3; k++) {
            snprintf(text, sizeof text, "%s%s", heads[k], own);
            assert_string_equal(refused(NULL, text), "translated");
        }
        snprintf(text, sizeof text, "2002:%02x%02x:%02x%02x::1", b[0], b[1], b[2], b[3]);
        assert_string_equal(refused(NULL, text), "translated");
        snprintf(text, sizeof text, "2001:0:%02x%02x:%02x%02x::", b[0], b[1], b[2], b[3]);
        assert_string_equal(refused(NULL, text), "translated");
        snprintf(text, sizeof text, "2400:cb00::5efe:%s", own);
        assert_string_equal(refused(NULL, text), *why != '\0' ? "translated" : "");
    }
}

TEST(other_families)
{
    struct sockaddr_un local = {.sun_family = AF_UNIX, .sun_path = "/run/x"};
    struct sockaddr_storage none = {0};
    char text[ODP_ADDRESS_TEXT] = "x";
    struct odp_address_policy p;
    set_policy(&p, "loopback 0.0.0.0/0 ::/0");
    assert_string_equal(odp_address_refused(&p, (struct sockaddr *)&local), "unknown");
    assert_string_equal(odp_address_refused(&p, (struct sockaddr *)&none), "unknown");
    assert_string_equal(odp_address_refused(&p, NULL), "unknown");
    assert_false(odp_address_is_loopback((struct sockaddr *)&local));
    odp_address_text((struct sockaddr *)&local, text);
    assert_string_equal(text, "");
}
