/* For tests/e2e/signatures.py: the functions of tools/odp-build/publish/sign. PASSWORD "-": none. Exit: 0 OK,
 * 1 BAD, 3 FAIL.
 *
 *   key FILE PUBLIC PASSWORD            a new secret key
 *   sign KEY PASSWORD FILE SIGNATURE TRUSTED
 *   verify PUBLIC FILE SIGNATURE        PUBLIC: "RW…", or several divided by commas; says which and the
 *                                       trusted comment
 *   keys JSON TRUSTED                   the ids that may sign, and that may recover; TRUSTED "": first use */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "publish/sign/keys.h"

enum { KEYS = 8 };

static struct odp_arena arena;
static struct odp_text why;

static const char *password(const char *s)
{
    return strcmp(s, "-") != 0 ? s : NULL;
}

static size_t parse_keys(const char *list, struct odp_public_key *keys)
{
    size_t n = 0;
    for (const char *p = list; *p != '\0' && n < KEYS; n++) {
        size_t len = strcspn(p, ",");
        if (odp_public_key_parse(&keys[n], (struct odp_slice){p, len}) != ODP_OK)
            exit(2);
        p += len + (p[len] == ',');
    }
    return n;
}

static enum odp_status new_key(char **v)
{
    struct odp_secret_key *key;
    struct odp_public_key pub;
    struct odp_buffer text;
    odp_buffer_init(&text);
    enum odp_status status = odp_secret_key_generate(&key, &pub);
    if (status == ODP_OK)
        status = odp_secret_key_write(key, v[0], password(v[2]), "test key");
    odp_public_key_file(&text, &pub);
    if (status == ODP_OK)
        status = odp_file_put(v[1], odp_buffer_slice(&text), 0644, NULL);
    odp_secret_key_free(key);
    odp_buffer_release(&text);
    return status;
}

static enum odp_status sign(char **v)
{
    struct odp_secret_key *key;
    struct odp_buffer bytes, text;
    odp_buffer_init(&bytes);
    odp_buffer_init(&text);
    enum odp_status status = odp_secret_key_read(&key, v[0], password(v[1]), &arena, &why);
    if (status == ODP_OK)
        status = odp_file_read(v[2], SIZE_MAX / 2, &bytes, NULL);
    if (status == ODP_OK)
        status = odp_sign(&text, key, odp_buffer_slice(&bytes), "made by a test", v[4]);
    if (status == ODP_OK)
        status = odp_file_put(v[3], odp_buffer_slice(&text), 0644, NULL);
    odp_secret_key_free(key);
    odp_buffer_release(&bytes);
    odp_buffer_release(&text);
    return status;
}

static enum odp_status verify(char **v)
{
    struct odp_public_key keys[KEYS];
    struct odp_buffer bytes, text;
    odp_buffer_init(&bytes);
    odp_buffer_init(&text);
    struct odp_signers s = {.keys = keys, .nkeys = parse_keys(v[0], keys)};
    enum odp_status status = odp_file_read(v[1], SIZE_MAX / 2, &bytes, NULL);
    if (status == ODP_OK)
        status = odp_file_read(v[2], SIZE_MAX / 2, &text, NULL);
    if (status == ODP_OK)
        status = odp_verify(odp_buffer_slice(&bytes), odp_buffer_slice(&text), &s, &arena);
    if (status == ODP_OK)
        printf("%zu %s\n", s.which, s.trusted);
    else if (status == ODP_BAD)
        why = s.why;
    odp_buffer_release(&bytes);
    odp_buffer_release(&text);
    return status;
}

static void print_ids(const struct odp_public_key *keys, size_t n)
{
    for (size_t i = 0; i < n; i++)
        printf("%s%s", i > 0 ? " " : "", odp_key_id(&keys[i]).text);
    putchar('\n');
}

static enum odp_status list_keys(char **v)
{
    struct odp_public_key trusted[KEYS];
    struct odp_site_keys keys;
    struct odp_buffer json;
    odp_buffer_init(&json);
    size_t n = parse_keys(v[1], trusted);
    enum odp_status status = odp_file_read(v[0], SIZE_MAX / 2, &json, NULL);
    if (status == ODP_OK)
        status = odp_site_keys_read(&keys, odp_buffer_slice(&json), trusted, n, &arena, &why);
    if (status == ODP_OK) {
        print_ids(keys.signing, keys.nsigning);
        print_ids(keys.recovery, keys.nrecovery);
    }
    odp_buffer_release(&json);
    return status;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int words;
        enum odp_status (*run)(char **words);
    } verbs[] = {{"key", 3, new_key}, {"sign", 5, sign}, {"verify", 3, verify}, {"keys", 2, list_keys}};
    odp_arena_init(&arena);
    for (size_t i = 0; i < ODP_COUNT(verbs); i++) {
        if (argc < 2 || strcmp(argv[1], verbs[i].name) != 0 || argc != verbs[i].words + 2)
            continue;
        enum odp_status status = verbs[i].run(argv + 2);
        if (status != ODP_OK)
            fprintf(stderr, "%s\n",
                    status == ODP_FAIL ? odp_failure_text() : odp_text_get(&why, ODP_LANG_EN));
        odp_arena_release(&arena);
        return status == ODP_OK ? 0 : status == ODP_FAIL ? 3 : 1;
    }
    return 2;
}
