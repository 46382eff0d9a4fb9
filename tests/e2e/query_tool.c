/* For tests: asks a query index by itself, without a service.
 *
 *   query_tool [options] INDEX 'a=b&c=d' [envelope|geojson|csv|html]
 *       the body on the output, exit 0; a fault on stderr, exit 1
 *   query_tool [options] INDEX
 *       questions on the input, one a line: FORM TAB QUERY [TAB KEY]; each answer is
 *       "ok BYTES TOTAL RETURNED LOOKED_AT NEXT" LF body LF, or
 *       "bad PROBLEM PARAMETER POSITION LENGTH DETAIL" LF
 *
 * Options: --item KEY, --ogc, --lang id|en, --self TEXT, --root URL, --body FILE (JSON, as by POST), --page N,
 * --page-max N, --time MS (of records and count), --count MS, --rows N, --bytes N (of a page), --etag (one
 * more line before the body), --repeat N (asks so often; the median's microseconds on stderr).
 *
 * The query, and KEY of a line, are as in an address: percent-encoded, '+' is a space. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "service/queries/engine/query.h"

enum { PARAMS_MAX = 64 };

struct asking {
    struct odp_query_call call;
    struct odp_query_limits limits;
    struct odp_query_param params[PARAMS_MAX];
    bool etag;
    long repeat;
};

static const char *const forms[] = {"envelope", "geojson", "csv", "html"};
static const char *const problems[] = {
    "parameter-unknown", "parameter-invalid", "filter-invalid",      "cursor-invalid",
    "record-not-found",  "not-acceptable",    "query-too-expensive",
};

static int hex(char c)
{
    const char *digits = "0123456789abcdef", *at = c != '\0' ? strchr(digits, c | 0x20) : NULL;
    return at != NULL && (c < 'G' || c > 'Z') ? (int)(at - digits) : -1;
}

/* S decoded in its place. */
static struct odp_slice decode(char *s)
{
    char *w = s;
    struct odp_slice out = {s, 0};
    for (const char *p = s; *p != '\0'; p++) {
        if (*p == '%' && hex(p[1]) >= 0 && hex(p[2]) >= 0) {
            *w++ = (char)(hex(p[1]) * 16 + hex(p[2]));
            p += 2;
        } else {
            *w++ = *p == '+' ? ' ' : *p;
        }
    }
    out.len = (size_t)(w - s);
    return out;
}

/* Takes TEXT apart, which is changed. */
static void read_params(struct asking *a, char *text)
{
    a->call.nparams = 0;
    a->call.params = a->params;
    char *rest = text, *part;
    while ((part = strsep(&rest, "&")) != NULL && a->call.nparams < PARAMS_MAX) {
        char *value = strchr(part, '=');
        if (*part == '\0')
            continue;
        if (value != NULL)
            *value++ = '\0';
        struct odp_query_param *p = &a->params[a->call.nparams++];
        p->name = decode(part);
        p->value = value != NULL ? decode(value) : (struct odp_slice){"", 0};
    }
}

static int find_form(const char *name)
{
    for (int k = 0; k < 4; k++)
        if (strcmp(forms[k], name) == 0)
            return k;
    fprintf(stderr, "query_tool: no such form: %s\n", name);
    exit(2);
}

static void print_fault(FILE *to, const struct odp_query_fault *f)
{
    fprintf(to, "bad %s %s %u %u %s\n", problems[f->problem],
            f->parameter != NULL ? f->parameter
            : f->pointer != NULL ? f->pointer
                                 : "-",
            f->position, f->length, odp_text_get(&f->detail, ODP_LANG_EN));
}

/* One question; TO_LINES: with a line before it. */
static enum odp_status ask(struct asking *a, bool to_lines)
{
    struct odp_arena arena;
    struct odp_query *q = NULL;
    struct odp_query_fault fault = {0};
    struct odp_query_result r = {0};
    uint8_t key[ODP_SHA256_SIZE];
    char etag[ODP_QUERY_ETAG + 1];
    odp_arena_init(&arena);
    odp_buffer_init(&r.body);
    enum odp_status status = odp_query_new(&q, &a->call, &arena, &fault);
    if (status == ODP_OK)
        status = odp_query_run(q, &r, &fault);
    if (status == ODP_BAD)
        print_fault(to_lines ? stdout : stderr, &fault);
    if (status == ODP_OK && to_lines)
        printf("ok %zu %lld %llu %llu %s\n", r.body.len, (long long)r.total, (unsigned long long)r.returned,
               (unsigned long long)r.looked_at, r.next != NULL ? r.next : "-");
    if (status == ODP_OK && a->etag && (status = odp_query_etag(q, key, etag)) == ODP_OK)
        printf("%s\n", etag);
    if (status == ODP_OK && a->repeat <= 1)
        fwrite(r.body.ptr, 1, r.body.len, stdout);
    if (status == ODP_OK && to_lines)
        putchar('\n');
    odp_query_free(q);
    odp_buffer_release(&r.body);
    odp_arena_release(&arena);
    return status;
}

static int by_size(const void *a, const void *b)
{
    long long x = *(const long long *)a, y = *(const long long *)b;
    return (x > y) - (x < y);
}

static enum odp_status ask_often(struct asking *a)
{
    long long *took = calloc((size_t)a->repeat, sizeof *took);
    enum odp_status status = took != NULL ? ODP_OK : ODP_FAIL;
    for (long k = 0; k < a->repeat && status == ODP_OK; k++) {
        struct timespec from, to;
        clock_gettime(CLOCK_MONOTONIC, &from);
        status = ask(a, false);
        clock_gettime(CLOCK_MONOTONIC, &to);
        took[k] = (to.tv_sec - from.tv_sec) * 1000000LL + (to.tv_nsec - from.tv_nsec) / 1000;
    }
    if (status == ODP_OK) {
        qsort(took, (size_t)a->repeat, sizeof *took, by_size);
        fprintf(stderr, "%ld times, microseconds: median %lld, least %lld, most %lld\n", a->repeat,
                took[a->repeat / 2], took[0], took[a->repeat - 1]);
    }
    free(took);
    return status;
}

static enum odp_status ask_lines(struct asking *a)
{
    char *line = NULL;
    size_t cap = 0;
    enum odp_status status = ODP_OK;
    while (status != ODP_FAIL && getline(&line, &cap, stdin) > 0) {
        char *rest = line;
        rest[strcspn(rest, "\n")] = '\0';
        char *form = strsep(&rest, "\t"), *query = strsep(&rest, "\t"), *key = strsep(&rest, "\t"),
             none[1] = "";
        a->call.form = (enum odp_query_form)find_form(form);
        a->call.kind = key != NULL ? ODP_QUERY_ITEM : ODP_QUERY_ITEMS;
        a->call.key = key != NULL ? decode(key) : odp_slice_of(NULL);
        read_params(a, query != NULL ? query : none);
        status = ask(a, true);
        fflush(stdout);
    }
    free(line);
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK;
}

static const char *value_of(int argc, char **argv, int *i)
{
    if (++*i < argc)
        return argv[*i];
    fprintf(stderr, "query_tool: %s needs a value\n", argv[*i - 1]);
    exit(2);
}

/* Reads options; returns the first other argument. */
static int read_options(struct asking *a, int argc, char **argv)
{
    int i = 1;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        const char *o = argv[i];
        if (strcmp(o, "--ogc") == 0) {
            a->call.ogc = true;
            continue;
        }
        if (strcmp(o, "--etag") == 0) {
            a->etag = true;
            continue;
        }
        const char *v = value_of(argc, argv, &i);
        if (strcmp(o, "--item") == 0)
            a->call.kind = ODP_QUERY_ITEM, a->call.key = odp_slice_of(v);
        else if (strcmp(o, "--lang") == 0)
            a->call.lang = strcmp(v, "en") == 0 ? ODP_LANG_EN : ODP_LANG_ID;
        else if (strcmp(o, "--self") == 0)
            a->call.self = v;
        else if (strcmp(o, "--root") == 0)
            a->call.root = v;
        else if (strcmp(o, "--body") == 0)
            a->call.body = json_load_file(v, JSON_DECODE_ANY, NULL);
        else if (strcmp(o, "--page") == 0)
            a->limits.page = a->limits.page_file = (uint32_t)strtoul(v, NULL, 10);
        else if (strcmp(o, "--page-max") == 0)
            a->limits.page_max = (uint32_t)strtoul(v, NULL, 10);
        else if (strcmp(o, "--time") == 0)
            a->limits.time_ms = a->limits.count_ms = (uint32_t)strtoul(v, NULL, 10);
        else if (strcmp(o, "--count") == 0)
            a->limits.count_ms = (uint32_t)strtoul(v, NULL, 10);
        else if (strcmp(o, "--rows") == 0)
            a->limits.rows = strtoull(v, NULL, 10);
        else if (strcmp(o, "--bytes") == 0)
            a->limits.bytes = strtoull(v, NULL, 10);
        else if (strcmp(o, "--repeat") == 0)
            a->repeat = strtol(v, NULL, 10);
        else
            fprintf(stderr, "query_tool: no such option: %s\n", o), exit(2);
    }
    return i;
}

int main(int argc, char **argv)
{
    static const uint8_t secret[32] = "a secret of the tests' own, 32 b";
    static struct asking a = {
        .limits =
            {
                .time_ms = 60000,
                .count_ms = 60000,
                .rows = 1000000000,
                .page = 100,
                .page_file = 100,
                .page_max = 1000000,
                .bytes = 1 << 30,
            },
    };
    a.call = (struct odp_query_call){
        .self = "search",
        .root = "https://data.example.go.id/v1/",
        .release = "2.5.0",
        .secret = secret,
        .limits = &a.limits,
    };
    int i = read_options(&a, argc, argv);
    const char *why = "";
    char *query = i + 1 < argc ? strdup(argv[i + 1]) : NULL;
    if (i >= argc || argc - i > 3) {
        fprintf(stderr, "usage: query_tool [options] INDEX ['a=b&c=d' [envelope|geojson|csv|html]]\n");
        return 2;
    }
    a.call.form = i + 2 < argc ? (enum odp_query_form)find_form(argv[i + 2]) : ODP_QUERY_ENVELOPE;
    enum odp_status status = odp_index_open(&a.call.index, argv[i], 1, &why);
    if (status == ODP_BAD)
        fprintf(stderr, "query_tool: %s: %s\n", argv[i], why);
    if (status == ODP_OK && query != NULL) {
        read_params(&a, query);
        status = a.repeat > 1 ? ask_often(&a) : ask(&a, false);
    } else if (status == ODP_OK) {
        status = ask_lines(&a);
    }
    if (status == ODP_FAIL)
        fprintf(stderr, "query_tool: %s\n", odp_failure_text());
    odp_index_close(a.call.index);
    json_decref((json_t *)a.call.body);
    free(query);
    return status == ODP_OK ? 0 : status == ODP_BAD ? 1 : 3;
}
