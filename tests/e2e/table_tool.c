/* A helper of the gateway's tests: key tables and meters without the service.
 *
 *   table_tool create TABLE CAPACITY BASE_URL NAME:DAILY:BURST…   a new table of these tiers, at +07:00
 *   table_tool put TABLE < lines "KEY TIER STATE [UNTIL [FIRST]]" tier by number; state active rotated
 *                                                                 suspended revoked; FIRST: whose account counts
 *   table_tool fill TABLE N TIER                                  N new keys, printed one a line
 *   table_tool make N                                             N keys that are nowhere
 *   table_tool used TABLE < lines "KEY"                           each key's requests of today
 *   table_tool sum TABLE                                          the sum of all keys
 *   table_tool meter FILE                                         totals and usage, one "name value" a line */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/keys/keytable.h"
#include "core/quota/meter.h"
#include "core/quota/quota.h"

static int fail(const char *what)
{
    fprintf(stderr, "table_tool: %s %s\n", what, odp_failure_text());
    return 1;
}

static struct odp_keytable *open_table(const char *path)
{
    struct odp_keytable *t = NULL;
    const char *why = "";
    if (odp_keytable_open(&t, path, &why) != ODP_OK) {
        (void)fail(why);
        exit(1);
    }
    return t;
}

static uint32_t today(const struct odp_keytable *t)
{
    struct odp_settings s;
    odp_keytable_settings(t, &s);
    return odp_quota_day((int64_t)time(NULL), s.zone_minutes);
}

static int create(int argc, char **argv)
{
    static struct odp_settings s;
    s.zone_minutes = 420;
    if (argc < 6 || argc - 5 > ODP_TIERS_MAX)
        return fail("usage");
    (void)snprintf(s.base_url, sizeof s.base_url, "%s", argv[4]);
    for (int i = 5; i < argc; i++) {
        struct odp_tier_limits *l = &s.tiers[s.ntiers++];
        if (sscanf(argv[i], "%31[^:]:%" SCNd64 ":%" SCNd64, l->name, &l->daily, &l->burst) != 3)
            return fail("tier");
    }
    return odp_keytable_create(argv[2], (uint32_t)atoi(argv[3]), &s) == ODP_OK ? 0 : fail("create");
}

static int put_key(struct odp_keytable *t, const char *key, unsigned tier, enum odp_key_state state,
                   long long until, const char *first)
{
    uint8_t digest[ODP_SHA256_SIZE];
    struct odp_key_record r = {
        .id = odp_keytable_count(t) + 1u, .until = until, .state = (uint8_t)state, .tier = (uint8_t)tier};
    int64_t n;
    r.account = r.id;
    if (odp_key_digest(odp_slice_of(key), r.digest) != ODP_OK)
        return fail("digest");
    if ((n = odp_keytable_find(t, r.digest)) >= 0)
        r.id = r.account = (uint64_t)n + 1;
    if (*first != '\0') {
        if (odp_key_digest(odp_slice_of(first), digest) != ODP_OK || (n = odp_keytable_find(t, digest)) < 0)
            return fail("account");
        r.account = (uint64_t)n + 1;
    }
    odp_key_shown(odp_slice_of(key), r.shown);
    return odp_keytable_put(t, &r) == ODP_OK ? 0 : fail("put");
}

static int put(struct odp_keytable *t)
{
    static const char *const states[] = {"", "active", "rotated", "suspended", "revoked"};
    char line[256], key[64], state[16], first[64];
    int bad = 0;
    while (bad == 0 && fgets(line, sizeof line, stdin) != NULL) {
        unsigned tier = 0, s = 1;
        long long until = 0;
        first[0] = '\0';
        if (sscanf(line, "%63s %u %15s %lld %63s", key, &tier, state, &until, first) < 3)
            return fail("line");
        while (s < 4 && strcmp(states[s], state) != 0)
            s++;
        bad = put_key(t, key, tier, (enum odp_key_state)s, until, first);
    }
    return bad;
}

static int fill(struct odp_keytable *t, int n, unsigned tier)
{
    char key[ODP_KEY_LENGTH + 1];
    int bad = 0;
    for (int i = 0; i < n && bad == 0; i++) {
        if (odp_key_make(key) != ODP_OK)
            return fail("make");
        if (t != NULL)
            bad = put_key(t, key, tier, ODP_KEY_ACTIVE, 0, "");
        puts(key);
    }
    return bad;
}

static int used(const struct odp_keytable *t)
{
    char line[256];
    uint8_t digest[ODP_SHA256_SIZE];
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (odp_key_digest(odp_slice_of(line), digest) != ODP_OK)
            return fail("digest");
        int64_t n = odp_keytable_find(t, digest);
        printf("%" PRId64 "\n", n < 0 ? (int64_t)-1 : (int64_t)odp_keytable_used(t, (uint32_t)n, today(t)));
    }
    return 0;
}

static int sum(const struct odp_keytable *t)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < odp_keytable_count(t); i++)
        total += odp_keytable_used(t, i, today(t));
    printf("%" PRIu64 "\n", total);
    return 0;
}

static enum odp_status print_usage(void *ctx, const struct odp_meter_usage *u)
{
    printf("use/%s/%s/%s %" PRIu64 "\n", u->dataset, u->format, u->tier, u->count);
    return ODP_OK;
}

static int meter(const char *path)
{
    static struct odp_meter_totals t;
    struct odp_meter *m = NULL;
    if (odp_meter_open(&m, path) != ODP_OK)
        return fail("meter");
    odp_meter_totals(m, &t);
    for (int i = 0; i < 600; i++) {
        if (t.status[i] != 0)
            printf("status/%d %" PRIu64 "\n", i, t.status[i]);
    }
    for (int i = 0; i < ODP_PROBLEM_COUNT; i++) {
        if (t.refused[i] != 0)
            printf("refused/%s %" PRIu64 "\n", odp_problem_info((enum odp_problem)i)->code, t.refused[i]);
    }
    uint64_t timed = 0;
    for (int i = 0; i < ODP_METER_BUCKETS; i++)
        timed += t.bucket[i];
    printf("timed %" PRIu64 "\nbytes %" PRIu64 "\nmemory %" PRIu64 "\ndisk %" PRIu64 "\nnot_modified %" PRIu64
           "\ntable_missing %" PRIu64 "\n",
           timed, t.bytes, t.from_memory, t.from_disk, t.not_modified, t.table_missing);
    enum odp_status st = odp_meter_each(m, NULL, print_usage);
    odp_meter_close(m);
    return st == ODP_OK ? 0 : fail("usage");
}

int main(int argc, char **argv)
{
    const char *verb = argc > 1 ? argv[1] : "";
    if (argc > 2 && strcmp(verb, "create") == 0)
        return create(argc, argv);
    if (argc > 2 && strcmp(verb, "make") == 0)
        return fill(NULL, atoi(argv[2]), 0);
    if (argc > 2 && strcmp(verb, "meter") == 0)
        return meter(argv[2]);
    if (argc < 3)
        return fail("usage");
    struct odp_keytable *t = open_table(argv[2]);
    int code = 2;
    if (strcmp(verb, "put") == 0)
        code = put(t);
    else if (strcmp(verb, "fill") == 0 && argc > 4)
        code = fill(t, atoi(argv[3]), (unsigned)atoi(argv[4]));
    else if (strcmp(verb, "used") == 0)
        code = used(t);
    else if (strcmp(verb, "sum") == 0)
        code = sum(t);
    odp_keytable_close(t);
    return code;
}
