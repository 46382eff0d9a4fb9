/* Any bytes as a key table.
 *
 * First byte 0: the rest is the file. Else a sound table of 8 records, 5 of them used, with patches (offset:
 * 2 bytes, length: 1 byte, that many bytes); bit 1 then mends the header's checksum and those of the
 * settings, bit 2 the records'. What opens is checked, looked up, taken from, inserted into; what check calls
 * right must be right. */
#include <sys/mman.h>
#include <zlib.h>

#include "core/keys/keytable_internal.h"
#include "core/quota/quota.h"
#include "fuzz.h"

enum { CAPACITY = 8, KEYS = 5, NOW = 1710460800, LARGEST = 1 << 24 };

static struct odp_buffer sound;

static struct odp_key_record key(uint64_t n)
{
    struct odp_key_record r = {
        .id = n,
        .account = n == 3 ? 1 : n,
        .state = (uint8_t)(n % 4 + 1),
        .tier = (uint8_t)(n % 2),
        .shown = "odp_live_abcde",
    };
    NEED(odp_digest_of(&n, sizeof n, r.digest) == ODP_OK);
    return r;
}

static void make_sound(void)
{
    static const struct odp_settings settings = {
        .tiers = {{"public", 2, 1, 1}, {"government", -1, 0, 0}},
        .ntiers = 2,
        .zone_minutes = 420,
        .base_url = "https://example.go.id/",
    };
    const char *path = fuzz_path("sound.table");
    struct odp_keytable *t;
    NEED(odp_keytable_create(path, CAPACITY, &settings) == ODP_OK &&
         odp_keytable_open(&t, path, NULL) == ODP_OK);
    for (uint64_t n = 1; n <= KEYS; n++) {
        struct odp_key_record r = key(n);
        NEED(odp_keytable_put(t, &r) == ODP_OK);
    }
    odp_keytable_close(t);
    odp_buffer_init(&sound);
    NEED(odp_file_read(path, LARGEST, &sound, NULL) == ODP_OK);
}

static void patch(char *file, size_t file_size, const uint8_t *data, size_t size)
{
    while (size > 3) {
        size_t at = (size_t)(data[0] | data[1] << 8) % file_size, len = data[2];
        data += 3;
        size -= 3;
        len = len < size ? len : size;
        len = len < file_size - at ? len : file_size - at;
        memcpy(file + at, data, len);
        data += len;
        size -= len;
    }
}

static void mend_header(char *file)
{
    struct table_header *h = (struct table_header *)(void *)file;
    h->check = crc32(0, (const Bytef *)h, offsetof(struct table_header, check));
    for (int i = 0; i < 2; i++)
        h->settings[i].check = crc32(0, (const Bytef *)h->settings[i].words, sizeof h->settings[i].words);
}

static void mend_records(char *file)
{
    struct table_record *r = (struct table_record *)(void *)(file + sound.len - CAPACITY * sizeof *r);
    for (uint32_t n = 0; n < CAPACITY; n++, r++) {
        struct table_fixed f = {
            .id = r->id, .shown = {r->shown[0], r->shown[1]}, .account = (uint32_t)r->link};
        for (int i = 0; i < 4; i++)
            f.digest[i] = r->digest[i];
        r->link = table_link(&f, n);
        r->status = (r->status & ~UINT64_C(0xFF)) | status_check(r->status);
    }
}

static bool check(const struct odp_keytable *t)
{
    char why[160];
    struct odp_key_record r;
    enum odp_status status = odp_keytable_check(t, why);
    NEED(status != ODP_FAIL && (status == ODP_BAD) == (why[0] != '\0') && strlen(why) < sizeof why);
    uint32_t count = odp_keytable_count(t);
    for (uint32_t n = 0; n < count; n++) {
        enum odp_status at = odp_keytable_at(t, n, &r);
        NEED(at == ODP_OK || at == ODP_BAD);
        NEED(strlen(r.shown) <= ODP_KEY_SHOWN);
        if (status == ODP_OK)
            NEED(at == ODP_OK && (n + 1 == count || odp_keytable_find(t, r.digest) == (int64_t)n));
    }
    NEED(odp_keytable_at(t, count, &r) == ODP_DONE);
    return status == ODP_OK;
}

static void take(struct odp_keytable *t, const struct odp_key_record *r, const struct odp_settings *s)
{
    char text[128];
    struct odp_grant g;
    enum odp_verdict looked = odp_quota_look(t, s, r->digest, NOW * INT64_C(1000), &g);
    enum odp_verdict v = odp_quota_take(t, s, r->digest, NOW * INT64_C(1000), &g);
    NEED(v == looked || (looked == ODP_PASS && v == ODP_BURST_EXCEEDED) ||
         (looked == ODP_QUOTA_EXCEEDED && v == ODP_BURST_EXCEEDED));
    NEED(g.tier < ODP_TIERS_MAX && g.reset >= 1 && strlen(g.shown) <= ODP_KEY_SHOWN &&
         (v == ODP_PASS) == g.counted);
    NEED(g.record == UINT32_MAX ? v == ODP_KEY_UNKNOWN : g.record < odp_keytable_count(t));
    NEED(odp_quota_header(&g, text, sizeof text) == strlen(text));
    NEED(odp_quota_policy_header(&s->tiers[g.tier], text, sizeof text) == strlen(text));
    odp_quota_give_back(t, &g);
}

static void use(struct odp_keytable *t)
{
    struct odp_settings s;
    bool right = check(t);
    odp_keytable_settings(t, &s);
    NEED(s.ntiers <= ODP_TIERS_MAX && strlen(s.base_url) < sizeof s.base_url);
    for (uint64_t n = 1; n <= CAPACITY + 2; n++) {
        struct odp_key_record r = key(n), got;
        int64_t at = odp_keytable_find(t, r.digest);
        NEED(at < (int64_t)odp_keytable_count(t));
        NEED((at < 0) == (odp_keytable_get(t, r.digest, &got) == ODP_DONE));
        take(t, &r, &s);
        odp_keytable_raise(t, (uint32_t)n, odp_quota_day(NOW, s.zone_minutes), n);
        odp_keytable_set_elsewhere(t, (uint32_t)n, odp_quota_day(NOW, s.zone_minutes), n);
        if (odp_keytable_put(t, &r) == ODP_OK)
            NEED(odp_keytable_get(t, r.digest, &got) == ODP_OK && got.state == r.state &&
                 got.tier == r.tier && got.id == r.id);
        odp_failure_clear();
    }
    NEED(!right || check(t)); /* what was right stays right */
    odp_keytable_set_settings(t, &s);
    NEED(odp_keytable_count(t) <= odp_keytable_capacity(t));
}

void fuzz_one(struct odp_slice in)
{
    const char *path = fuzz_path("keys.table"), *why;
    struct odp_keytable *t;
    if (sound.len == 0)
        make_sound();
    if (in.len == 0)
        return;
    char how = *in.ptr;
    in = (struct odp_slice){in.ptr + 1, in.len - 1};
    if (how == 0) {
        fuzz_write(path, in);
    } else {
        char *file = malloc(sound.len);
        NEED(file != NULL);
        memcpy(file, sound.ptr, sound.len);
        patch(file, sound.len, (const uint8_t *)in.ptr, in.len);
        if ((how & 1) != 0)
            mend_header(file);
        if ((how & 2) != 0)
            mend_records(file);
        fuzz_write(path, (struct odp_slice){file, sound.len});
        free(file);
    }
    enum odp_status status = odp_keytable_open(&t, path, &why);
    NEED(status != ODP_FAIL && (status == ODP_OK) == (why == NULL) && (status == ODP_OK) == (t != NULL));
    if (status == ODP_OK)
        use(t);
    odp_keytable_close(t);
}
