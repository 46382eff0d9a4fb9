/* odp-sample: parse, run, report. */
#include "sample.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

enum { EXIT_CLEAN = 0, EXIT_USAGE = 2, EXIT_MACHINE = 3, SHARES = 64 };

struct options {
    const char *catalog, *out, *manifest;
    const char *slug[64];
    size_t nslugs;
    uint64_t rows, seed, points, zone;
    double share; /* --faults, divided among all kinds that fit; < 0: not given */
    const char *kind[SHARES];
    double kind_share[SHARES];
    size_t nkinds;
    bool all, csv, descriptor, list, list_faults, help, has_zone;
};

extern const unsigned char sample_usage[]; /* usage.txt */

static bool whole_number(const char *s, uint64_t *out)
{
    char *end;
    if (*s < '0' || *s > '9')
        return false;
    *out = strtoull(s, &end, 10);
    return *end == '\0';
}

static bool share_of(const char *s, double *out)
{
    char *end;
    *out = strtod(s, &end);
    return end != s && *end == '\0' && *out >= 0 && *out <= 1;
}

static bool fault_option(struct options *o, char *arg)
{
    char *equals = strchr(arg, '=');
    if (equals == NULL || o->nkinds == SHARES || !share_of(equals + 1, &o->kind_share[o->nkinds]))
        return false;
    *equals = '\0';
    o->kind[o->nkinds++] = arg;
    return true;
}

static bool parse(struct options *o, int argc, char **argv)
{
    static const struct option names[] = {
        {"rows", 1, NULL, 'n'},        {"seed", 1, NULL, 's'},   {"out", 1, NULL, 'o'},
        {"catalog", 1, NULL, 'c'},     {"faults", 1, NULL, 'f'}, {"fault", 1, NULL, 'k'},
        {"manifest", 1, NULL, 'm'},    {"csv", 0, NULL, 'v'},    {"descriptor", 0, NULL, 'd'},
        {"points", 1, NULL, 'p'},      {"zone", 1, NULL, 'z'},   {"list", 0, NULL, 'l'},
        {"list-faults", 0, NULL, 'L'}, {"help", 0, NULL, 'h'},   {NULL, 0, NULL, 0}};
    *o = (struct options){.catalog = "catalog", .out = "build/sample", .seed = 1, .share = -1};
    for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1;) {
        bool good = true;
        switch (c) {
        case 'n':
            good = whole_number(optarg, &o->rows) && o->rows > 0;
            break;
        case 's':
            good = whole_number(optarg, &o->seed);
            break;
        case 'o':
            o->out = optarg;
            break;
        case 'c':
            o->catalog = optarg;
            break;
        case 'f':
            good = share_of(optarg, &o->share);
            break;
        case 'k':
            good = fault_option(o, optarg);
            break;
        case 'm':
            o->manifest = optarg;
            break;
        case 'v':
            o->csv = true;
            break;
        case 'p':
            good = whole_number(optarg, &o->points) && o->points >= 4 && o->points <= SHAPE_POINTS;
            break;
        case 'z':
            good = o->has_zone = whole_number(optarg, &o->zone) && o->zone <= 60;
            break;
        case 'd':
            o->descriptor = true;
            break;
        case 'l':
            o->list = true;
            break;
        case 'L':
            o->list_faults = true;
            break;
        case 'h':
            o->help = true;
            break;
        default:
            return false;
        }
        if (!good) {
            (void)fprintf(stderr, "odp-sample: not a value for this option: %s\n", optarg);
            return false;
        }
    }
    for (; optind < argc && o->nslugs < 64; optind++) {
        o->all |= strcmp(argv[optind], "all") == 0;
        o->slug[o->nslugs++] = argv[optind];
    }
    return o->nslugs > 0 || o->list || o->list_faults || o->help;
}

static bool wanted(const struct options *o, const char *slug)
{
    for (size_t i = 0; i < o->nslugs; i++)
        if (o->all || strcmp(o->slug[i], slug) == 0)
            return true;
    return false;
}

static enum odp_status known_slugs(struct sample_context *c, const struct options *o)
{
    for (size_t i = 0; i < o->nslugs; i++) {
        bool found = strcmp(o->slug[i], "all") == 0;
        for (size_t k = 0; k < sample_nrecipes; k++)
            found |= strcmp(sample_recipes[k].slug, o->slug[i]) == 0;
        if (!found)
            return sample_bad(c, "no dataset is called %s; --list names them", o->slug[i]);
    }
    return ODP_OK;
}

/* The shares for one table: --faults is divided among the kinds that fit it. */
static enum odp_status shares(struct sample_context *c, const struct options *o, const struct sample_table *t,
                              struct sample_faults *f)
{
    memset(f->threshold, 0, sizeof f->threshold);
    size_t n = 0;
    for (size_t k = 0; k < sample_nfault_kinds; k++)
        n += sample_fault_fits(t, &sample_fault_kinds[k]);
    enum odp_status s = ODP_OK;
    for (size_t k = 0; k < sample_nfault_kinds && o->share >= 0 && s == ODP_OK; k++)
        if (sample_fault_fits(t, &sample_fault_kinds[k]))
            s = sample_faults_share(c, f, sample_fault_kinds[k].name, o->share / (double)n);
    for (size_t k = 0; k < o->nkinds && s == ODP_OK; k++)
        s = sample_faults_share(c, f, o->kind[k], o->kind_share[k]);
    return s;
}

static enum odp_status make(struct sample_context *c, const struct options *o, const struct recipe_table *r,
                            struct sample_faults *f)
{
    struct sample_table *t;
    enum odp_status s = sample_table_open(c, r, &t);
    uint64_t rows = r->rows;
    if (o->rows != 0)
        rows = r->per != 0 ? o->rows * r->per : o->rows;
    if (s == ODP_OK && r->max != 0 && rows > r->max && o->all)
        rows = r->max;
    if (s == ODP_OK && r->max != 0 && rows > r->max)
        s = sample_bad(c, "%s has a composite key of at most %llu rows", r->slug, (unsigned long long)r->max);
    if (s == ODP_OK)
        s = shares(c, o, t, f);
    if (s != ODP_OK)
        return s;
    char *dir = odp_arena_printf(&c->arena, "%s/%s", o->out, r->slug),
         *path = odp_arena_printf(&c->arena, "%s/%s", dir, t->path);
    s = odp_dir_make(dir);
    if (s != ODP_OK)
        return s;
    size_t n = strlen(path);
    bool shape = n > 4 && strcmp(path + n - 4, ".shp") == 0;
    s = shape ? sample_write_shape(c, t, rows, path, f) : sample_write_csv(c, t, rows, path, f);
    return s == ODP_OK ? sample_write_documents(c, t, rows, dir) : s;
}

/* Codes that a recipe only names ("provinsi" for nama_satker) are read beforehand. */
static enum odp_status code_lists(struct sample_context *c)
{
    static const char *const lists[] = {"kabkota", "provinsi", "jenis-infrastruktur"};
    const struct sample_code_list *l;
    enum odp_status s = ODP_OK;
    for (size_t i = 0; i < 3 && s == ODP_OK; i++)
        s = sample_code_list(c, lists[i], &l);
    return s;
}

static enum odp_status manifest_open(const struct options *o, struct sample_faults *f)
{
    static const char head[] = "dataset,resource,line,row,field,kind,code\n";
    if (o->manifest == NULL)
        return ODP_OK;
    (void)remove(o->manifest);
    enum odp_status s = odp_file_create(&f->manifest, o->manifest, 0644);
    return s == ODP_OK ? odp_file_write(f->manifest, head, sizeof head - 1) : s;
}

static enum odp_status run(struct sample_context *c, const struct options *o)
{
    struct sample_faults f = {.any = o->share > 0 || o->nkinds > 0};
    const char *made[64];
    size_t n = 0;
    odp_buffer_init(&f.line);
    enum odp_status s = known_slugs(c, o);
    if (s == ODP_OK)
        s = code_lists(c);
    if (s == ODP_OK)
        s = manifest_open(o, &f);
    for (size_t i = 0; i < sample_nrecipes && s == ODP_OK; i++) {
        const struct recipe_table *r = &sample_recipes[i];
        if (!wanted(o, r->slug))
            continue;
        s = make(c, o, r, &f);
        if (n == 0 || strcmp(made[n - 1], r->slug) != 0)
            made[n++] = r->slug;
    }
    if (s == ODP_OK && o->descriptor)
        s = sample_write_catalogue(c, made, n, o->out);
    if (s == ODP_OK && f.manifest != NULL)
        s = odp_file_close(f.manifest, NULL);
    else
        odp_file_discard(f.manifest);
    odp_buffer_release(&f.line);
    return s;
}

static int listing(const struct options *o)
{
    for (size_t i = 0; i < sample_nrecipes && o->list; i++)
        (void)printf("%-20s %-20s %llu\n", sample_recipes[i].slug, sample_recipes[i].resource,
                     (unsigned long long)sample_recipes[i].rows);
    for (size_t i = 0; i < sample_nfault_kinds && o->list_faults; i++)
        (void)printf("%-18s %-8s %s\n", sample_fault_kinds[i].name,
                     sample_fault_kinds[i].code != NULL ? sample_fault_kinds[i].code : "",
                     sample_fault_kinds[i].help);
    if (o->help)
        (void)fputs((const char *)sample_usage, stdout);
    return fflush(stdout) == 0 && ferror(stdout) == 0 ? EXIT_CLEAN : EXIT_MACHINE;
}

int main(int argc, char **argv)
{
    struct options o;
    if (!parse(&o, argc, argv)) {
        (void)fputs((const char *)sample_usage, stderr);
        return EXIT_USAGE;
    }
    struct sample_context c;
    enum odp_status s = sample_context_init(&c, o.catalog, o.seed);
    if (s == ODP_OK && (o.list || o.list_faults || o.help)) {
        int code = listing(&o);
        sample_context_release(&c);
        return code;
    }
    c.parent_limit = o.all ? o.rows : 0;
    c.csv = o.csv;
    c.points = (int)o.points;
    c.zone = o.has_zone ? (int)o.zone : -1;
    if (s == ODP_OK)
        s = run(&c, &o);
    if (s == ODP_BAD)
        (void)fprintf(stderr, "odp-sample: %s\n", c.fault);
    if (s == ODP_FAIL)
        (void)fprintf(stderr, "odp-sample: %s\n", odp_failure_text());
    sample_context_release(&c);
    return s == ODP_OK ? EXIT_CLEAN : s == ODP_BAD ? EXIT_USAGE : EXIT_MACHINE;
}
