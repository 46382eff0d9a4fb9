/* odp-sample: parse, run, report. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "sample.h"

enum { EXIT_CLEAN = 0, EXIT_USAGE = 2, EXIT_MACHINE = 3, SHARES = 64, SLUGS = 64 };

struct options {
    const char *catalog, *out, *manifest;
    const char *slug[SLUGS];
    size_t nslugs;
    uint64_t rows, seed, points, zone;
    double share; /* --faults, divided among all kinds that fit; < 0: not given */
    const char *kind[SHARES];
    double kind_share[SHARES];
    size_t nkinds;
    bool all, csv, descriptor, list, list_faults, help;
};

extern const unsigned char sample_usage[]; /* usage.txt */

static bool whole_number(const char *s, uint64_t least, uint64_t most, uint64_t *out)
{
    char *end;
    if (*s < '0' || *s > '9')
        return false;
    *out = strtoull(s, &end, 10);
    return *end == '\0' && *out >= least && *out <= most;
}

static bool share_of(const char *s, double *out)
{
    char *end;
    *out = strtod(s, &end);
    return end != s && *end == '\0' && *out >= 0 && *out <= 1;
}

static bool kind_of(struct options *o, char *arg)
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
    enum takes { NOTHING, TEXT, NUMBER, SHARE, KIND };
    const struct row {
        const char *name;
        enum takes takes;
        void *to;
        uint64_t least, most;
    } rows[] = {{"rows", NUMBER, &o->rows, 1, UINT64_MAX},
                {"seed", NUMBER, &o->seed, 0, UINT64_MAX},
                {"points", NUMBER, &o->points, 4, SHAPE_POINTS},
                {"zone", NUMBER, &o->zone, 0, 60},
                {"out", TEXT, &o->out, 0, 0},
                {"catalog", TEXT, &o->catalog, 0, 0},
                {"manifest", TEXT, &o->manifest, 0, 0},
                {"faults", SHARE, &o->share, 0, 0},
                {"fault", KIND, o, 0, 0},
                {"csv", NOTHING, &o->csv, 0, 0},
                {"descriptor", NOTHING, &o->descriptor, 0, 0},
                {"list", NOTHING, &o->list, 0, 0},
                {"list-faults", NOTHING, &o->list_faults, 0, 0},
                {"help", NOTHING, &o->help, 0, 0}};
    enum { ROWS = ODP_COUNT(rows) };
    struct option names[ROWS + 1] = {{0}};
    for (int i = 0; i < ROWS; i++)
        names[i] = (struct option){rows[i].name, rows[i].takes != NOTHING, NULL, i};
    for (int c; (c = getopt_long(argc, argv, "", names, NULL)) != -1;) {
        const struct row *r = &rows[c < ROWS ? c : 0];
        bool good = true;
        if (c >= ROWS)
            return false; /* getopt has reported the fault */
        if (r->takes == NOTHING)
            *(bool *)r->to = true;
        else if (r->takes == TEXT)
            *(const char **)r->to = optarg;
        else if (r->takes == NUMBER)
            good = whole_number(optarg, r->least, r->most, r->to);
        else
            good = r->takes == SHARE ? share_of(optarg, r->to) : kind_of(o, optarg);
        if (!good) {
            (void)fprintf(stderr, "odp-sample: not a value for this option: %s\n", optarg);
            return false;
        }
    }
    for (; optind < argc && o->nslugs < SLUGS; optind++) {
        o->all |= strcmp(argv[optind], "all") == 0;
        o->slug[o->nslugs++] = argv[optind];
    }
    return o->nslugs > 0 || o->list || o->list_faults || o->help;
}

static bool wanted(const struct options *o, const char *slug)
{
    bool found = o->all;
    for (size_t i = 0; i < o->nslugs && !found; i++)
        found = strcmp(o->slug[i], slug) == 0;
    return found;
}

static void known_slugs(struct sample_context *c, const struct options *o)
{
    for (size_t i = 0; i < o->nslugs; i++) {
        bool found = strcmp(o->slug[i], "all") == 0;
        for (size_t k = 0; k < sample_nrecipes && !found; k++)
            found = strcmp(sample_recipes[k].slug, o->slug[i]) == 0;
        if (!found)
            sample_bad(c, "no dataset is called %s; --list names them", o->slug[i]);
    }
}

/* The shares for one table: --faults is divided among the kinds that fit it; --fault says them one by one. */
static void shares(struct sample_context *c, const struct options *o, const struct sample_table *t)
{
    size_t n = 0;
    for (size_t k = 0; k < sample_nfault_kinds; k++)
        n += sample_fault_fits(t, &sample_fault_kinds[k]);
    for (size_t k = 0; k < sample_nfault_kinds; k++) {
        bool among = o->share >= 0 && sample_fault_fits(t, &sample_fault_kinds[k]);
        double share = among ? o->share / (double)n : 0;
        for (size_t i = 0; i < o->nkinds; i++)
            if (strcmp(o->kind[i], sample_fault_kinds[k].name) == 0)
                share = o->kind_share[i];
        c->threshold[k] = (uint64_t)(share * 4294967296.0);
    }
    for (size_t i = 0; i < o->nkinds; i++) {
        bool known = false;
        for (size_t k = 0; k < sample_nfault_kinds && !known; k++)
            known = strcmp(o->kind[i], sample_fault_kinds[k].name) == 0;
        if (!known)
            sample_bad(c, "no kind of fault is called %s; --list-faults names them", o->kind[i]);
    }
}

static void make(struct sample_context *c, const struct options *o, const struct recipe_table *r)
{
    struct sample_table *t = sample_table_open(c, r);
    uint64_t rows = (uint64_t)r->rows, max = (uint64_t)r->max;
    if (o->rows != 0)
        rows = r->per != 0 ? o->rows * (uint64_t)r->per : o->rows;
    if (max != 0 && rows > max && !o->all)
        sample_bad(c, "%s has a composite key of at most %llu rows", r->slug, (unsigned long long)max);
    else if (max != 0 && rows > max)
        rows = max;
    const char *dir = odp_arena_printf(&c->arena, "%s/%s", o->out, r->slug);
    if (sample_going(c))
        shares(c, o, t);
    if (sample_going(c))
        sample_note(c, odp_dir_make(dir));
    if (!sample_going(c))
        return;
    const char *path = odp_arena_printf(&c->arena, "%s/%s", dir, t->path);
    if (t->is_shapefile)
        sample_write_shape(c, t, rows, path);
    else
        sample_write_csv(c, t, rows, path);
    sample_write_documents(c, t, rows, dir);
}

static void run(struct sample_context *c, const struct options *o)
{
    static const char head[] = "dataset,resource,line,row,field,kind,code\n";
    /* Codes that a recipe only names ("provinsi" for nama_satker) are read beforehand. */
    static const char *const lists[] = {"kabkota", "provinsi", "jenis-infrastruktur"};
    const char *made[SLUGS];
    size_t n = 0;
    known_slugs(c, o);
    for (size_t i = 0; i < ODP_COUNT(lists) && sample_going(c); i++)
        (void)sample_code_list(c, lists[i]);
    if (sample_going(c) && o->manifest != NULL) {
        (void)remove(o->manifest);
        sample_note(c, odp_file_create(&c->manifest, o->manifest, 0644));
        if (sample_going(c))
            sample_note(c, odp_file_write(c->manifest, head, sizeof head - 1));
    }
    for (size_t i = 0; i < sample_nrecipes && sample_going(c); i++) {
        const struct recipe_table *r = &sample_recipes[i];
        if (!wanted(o, r->slug))
            continue;
        make(c, o, r);
        if (n == 0 || strcmp(made[n - 1], r->slug) != 0)
            made[n++] = r->slug;
    }
    if (sample_going(c) && o->descriptor)
        sample_write_catalogue(c, made, n, o->out);
    if (sample_going(c) && c->manifest != NULL)
        sample_note(c, odp_file_close(c->manifest, NULL));
    else
        odp_file_discard(c->manifest);
    sample_note(c, odp_arena_status(&c->arena));
}

static void listing(struct sample_context *c, const struct options *o)
{
    for (size_t i = 0; i < sample_nrecipes && o->list; i++)
        (void)printf("%-20s %-20s %lld\n", sample_recipes[i].slug, sample_recipes[i].resource,
                     (long long)sample_recipes[i].rows);
    for (size_t i = 0; i < sample_nfault_kinds && o->list_faults; i++) {
        const struct fault_kind *k = &sample_fault_kinds[i];
        (void)printf("%-18s %-8s %s\n", k->name, k->code != NULL ? k->code : "", k->help);
    }
    if (o->help)
        (void)fputs((const char *)sample_usage, stdout);
    if (fflush(stdout) != 0 || ferror(stdout) != 0)
        sample_note(c, odp_failure_set("write", "stdout", 0));
}

int main(int argc, char **argv)
{
    struct options o = {
        .catalog = "catalog", .out = "build/sample", .seed = 1, .zone = UINT64_MAX, .share = -1};
    if (!parse(&o, argc, argv)) {
        (void)fputs((const char *)sample_usage, stderr);
        return EXIT_USAGE;
    }
    struct sample_context c = {.catalog = o.catalog,
                               .seed = o.seed,
                               .parent_limit = o.all ? o.rows : 0,
                               .csv = o.csv,
                               .points = (int)o.points,
                               .zone = o.zone <= 60 ? (int)o.zone : -1,
                               .faulty = o.share > 0 || o.nkinds > 0};
    sample_context_init(&c);
    if (o.list || o.list_faults || o.help)
        listing(&c, &o);
    else if (sample_going(&c))
        run(&c, &o);
    if (c.status == ODP_BAD)
        (void)fprintf(stderr, "odp-sample: %s\n", c.fault);
    else if (c.status == ODP_FAIL)
        (void)fprintf(stderr, "odp-sample: %s\n", odp_failure_text());
    sample_context_release(&c);
    switch (c.status) {
    case ODP_OK:
        return EXIT_CLEAN;
    case ODP_BAD:
        return EXIT_USAGE;
    default:
        return EXIT_MACHINE;
    }
}
