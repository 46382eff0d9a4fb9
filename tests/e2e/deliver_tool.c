/* For tests/e2e/deliver.py: functions of deliver/, a line in, a line out; words are divided by tabs, H is
 * hexadecimal.
 *
 *   address TEXT               why it is refused, or "public"
 *   target H                   URL, host, place, "literal" or "name"; or "refused"
 *   sign ID TIME H KEY…        KEY: H
 *   id EVENT WEBHOOK           of a message
 *   challenge H WEBHOOK ROUND  H: the secret
 *   wrap FILE CONTEXT H        sealed, as H
 *   unwrap FILE CONTEXT H      clear, as H; or "shut" */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "service/webhooks/deliver/address.h"
#include "service/webhooks/deliver/seal.h"
#include "service/webhooks/deliver/standard.h"

enum { WORDS = 8, LINE = 1 << 18 };

static char line[LINE], room[WORDS][LINE / 2];

static void must(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "deliver_tool: %s: %s\n", what, odp_failure_text());
    exit(3);
}

static struct odp_slice bytes_of(const char *hex, char *out)
{
    size_t n = strlen(hex) / 2;
    for (size_t i = 0; i < n; i++) {
        unsigned v = 0;
        must(sscanf(hex + 2 * i, "%2x", &v) == 1, "hexadecimal");
        out[i] = (char)v;
    }
    return (struct odp_slice){out, n};
}

static void put_hex(struct odp_slice s)
{
    for (size_t i = 0; i < s.len; i++)
        printf("%02x", (unsigned char)s.ptr[i]);
    puts("");
}

static void address(char **v)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    const struct sockaddr *a = (const struct sockaddr *)&v4;
    if (inet_pton(AF_INET, v[0], &v4.sin_addr) != 1) {
        must(inet_pton(AF_INET6, v[0], &v6.sin6_addr) == 1, v[0]);
        a = (const struct sockaddr *)&v6;
    }
    const char *why = odp_address_refused(NULL, a);
    puts(why != NULL ? why : "public");
}

static void target(char **v)
{
    static struct odp_target t;
    const struct odp_text *why;
    enum odp_status status = odp_target_parse(&t, bytes_of(v[0], room[0]), NULL, &why);
    must(status != ODP_FAIL, "target");
    if (status == ODP_OK)
        printf("%s\t%s\t%s\t%s\n", t.url, t.host, t.place, t.literal ? "literal" : "name");
    else
        puts("refused");
}

static void sign(char **v, size_t n)
{
    char out[ODP_WEBHOOK_SIGNATURE + 1];
    struct odp_slice keys[WORDS], body = bytes_of(v[2], room[0]);
    for (size_t i = 3; i < n; i++)
        keys[i - 3] = bytes_of(v[i], room[i - 2]);
    must(odp_webhook_sign(out, v[0], strtoll(v[1], NULL, 10), body, keys, n - 3) == ODP_OK, "sign");
    puts(out);
}

static void name(char **v)
{
    char out[ODP_WEBHOOK_ID];
    must(odp_webhook_message_id(out, v[0], v[1]) == ODP_OK, "id");
    puts(out);
}

static void challenge(char **v)
{
    char out[ODP_WEBHOOK_CHALLENGE];
    struct odp_slice secret = bytes_of(v[0], room[0]);
    must(secret.len == ODP_WEBHOOK_SECRET, "secret");
    must(odp_webhook_challenge(out, (const uint8_t *)secret.ptr, v[1], strtoll(v[2], NULL, 10)) == ODP_OK,
         "challenge");
    puts(out);
}

static void seal(char **v, bool wrap)
{
    struct odp_seal *s;
    struct odp_buffer out;
    char why[ODP_SEAL_WHY];
    odp_buffer_init(&out);
    must(odp_seal_new(&s, v[0], false, ODP_LANG_EN, why) == ODP_OK, why);
    struct odp_slice in = bytes_of(v[2], room[0]);
    enum odp_status status = wrap ? odp_seal_wrap(s, v[1], in, &out) : odp_seal_unwrap(s, v[1], in, &out);
    must(status == ODP_OK || (status == ODP_BAD && !wrap), "seal");
    if (status == ODP_OK)
        put_hex(odp_buffer_slice(&out));
    else
        puts("shut");
    odp_buffer_release(&out);
    odp_seal_free(s);
}

int main(void)
{
    while (fgets(line, sizeof line, stdin) != NULL) {
        char *words[WORDS] = {NULL}, *rest = line;
        size_t n = 0;
        line[strcspn(line, "\n")] = '\0';
        while (n < WORDS && (words[n] = strsep(&rest, "\t")) != NULL)
            n++;
        if (strcmp(words[0], "address") == 0 && n == 2)
            address(words + 1);
        else if (strcmp(words[0], "target") == 0 && n == 2)
            target(words + 1);
        else if (strcmp(words[0], "sign") == 0 && n >= 5)
            sign(words + 1, n - 1);
        else if (strcmp(words[0], "id") == 0 && n == 3)
            name(words + 1);
        else if (strcmp(words[0], "challenge") == 0 && n == 4)
            challenge(words + 1);
        else if ((strcmp(words[0], "wrap") == 0 || strcmp(words[0], "unwrap") == 0) && n == 4)
            seal(words + 1, words[0][0] == 'w');
        else
            must(false, words[0]);
    }
    return fflush(stdout) == 0 ? 0 : 3;
}
