/* odp-build list and show: the catalogue for people. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "catalog/cross.h"
#include "commands/outcome.h"
#include "site/score/scorecard.h"
#include "words/commands.h"

/* Reads the catalogue and shows its faults as the human report does. */
static int open_catalog(struct invocation *inv)
{
    enum odp_status status = odp_run_catalog(&inv->run, &inv->options);
    if (status == ODP_FAIL)
        return outcome_code(inv, status, NULL);
    outcome_faults(inv, &inv->run);
    return status == ODP_OK ? EXIT_CLEAN : EXIT_USAGE;
}

static void print_formats(const struct odp_dataset *d)
{
    for (size_t i = 0; i < d->formats.n; i++)
        printf("%s%s", i > 0 ? " " : "", d->formats.item[i].ptr);
}

static int run_list(struct invocation *inv)
{
    int code = open_catalog(inv);
    for (size_t i = 0; code == EXIT_CLEAN && i < inv->run.catalog->ndatasets; i++) {
        const struct odp_dataset *d = &inv->run.catalog->datasets[i];
        outcome_pad(d->slug, 22);
        outcome_pad(d->last_update != NULL ? d->last_update : "—", 12);
        outcome_pad(odp_text_get(&d->title, inv->style.lang), 44);
        print_formats(d);
        putchar('\n');
    }
    return code;
}

static void show_constraints(const struct invocation *inv, const struct odp_field *f)
{
    const struct odp_constraints *c = &f->constraints;
    if (c->required)
        printf(" %s", say(inv, W_cmd_required));
    if (c->unique)
        printf(" %s", say(inv, W_cmd_unique));
    if (c->minimum.ptr != NULL)
        printf(" ≥ %s", c->minimum.ptr);
    if (c->maximum.ptr != NULL)
        printf(" ≤ %s", c->maximum.ptr);
    if (c->pattern.ptr != NULL)
        printf(" /%s/", c->pattern.ptr);
    for (size_t i = 0; i < f->ncategories; i++)
        printf("%s%s", i == 0 ? " {" : " | ", f->categories[i].value.ptr);
    if (f->ncategories > 0)
        putchar('}');
    if (!f->is_public)
        printf(" %s", say(inv, W_cmd_not_published));
}

static void show_key(const struct odp_schema *s, const struct odp_key *key)
{
    for (uint32_t i = 0; i < key->n; i++)
        printf("%s%s", i > 0 ? ", " : "", s->fields[key->fields[i]].name);
}

static void show_print(const struct invocation *inv, const struct odp_resource *r)
{
    for (uint32_t i = 0; i < r->nslices; i++)
        printf("%s%s", i > 0 ? ", " : say(inv, W_cmd_slices), r->schema.fields[r->slices[i]].name);
    if (r->nslices > 0)
        putchar('\n');
    for (uint32_t i = 0; i < r->schema.n; i++)
        if (r->schema.fields[i].document != NULL)
            printf("  %s %s: %s/*.pdf\n", say(inv, W_cmd_documents), r->schema.fields[i].name,
                   r->schema.fields[i].document->folder);
    for (size_t i = 0; i < r->ncharts; i++)
        printf("  %s %s (%s): %s\n", say(inv, W_cmd_chart), r->charts[i].name,
               odp_chart_type_names[r->charts[i].type], odp_text_get(&r->charts[i].title, inv->style.lang));
    if (r->print.layout == ODP_PRINT_ENTRIES)
        printf("  %s\n", say(inv, W_cmd_print_one_entry_record));
}

static void show_resource(const struct invocation *inv, const struct odp_resource *r)
{
    printf("\n%s  (%s)\n", r->name, r->path);
    for (uint32_t i = 0; i < r->schema.n; i++) {
        const struct odp_field *f = &r->schema.fields[i];
        const char *unit = odp_text_get(&f->unit, inv->style.lang);
        fputs("  ", stdout);
        outcome_pad(f->name, 24);
        outcome_pad(odp_type_name(f->type), 10);
        printf("%s%s%s%s", odp_text_get(&f->title, inv->style.lang), *unit != '\0' ? " (" : "", unit,
               *unit != '\0' ? ")" : "");
        show_constraints(inv, f);
        putchar('\n');
    }
    if (r->geometry.present)
        printf("  %s\n", say(inv, W_cmd_geometry));
    if (r->schema.primary.n > 0) {
        printf("  %s ", say(inv, W_cmd_primary_key));
        show_key(&r->schema, &r->schema.primary);
        putchar('\n');
    }
    for (size_t k = 0; k < r->nforeign; k++) {
        printf("  %s ", say(inv, W_cmd_foreign_key));
        show_key(&r->schema, &r->foreign[k].local);
        printf(" → %s\n", r->foreign[k].label);
    }
    for (size_t k = 0; k < r->nrules; k++)
        printf("  %s %s: %.*s — %s\n", say(inv, W_cmd_rule), r->rules[k].code, (int)r->rules[k].expr.len,
               r->rules[k].expr.ptr, odp_text_get(&r->rules[k].message, inv->style.lang));
    show_print(inv, r);
}

/* Shows the rules across datasets that involve D: "  bobot-tonggak: proyek ↔ proyek/timeline: tonggak.bobot
 * = 100 — …". */
static void show_cross(struct invocation *inv, const struct odp_dataset *d)
{
    const struct odp_catalog *c = inv->run.catalog;
    struct odp_arena *a = &inv->run.arena;
    bool any = false;
    for (size_t i = 0; i < c->ncross; i++) {
        const struct odp_cross_rule *rule = &c->cross[i];
        bool mine = false;
        for (size_t k = 0; k < d->nresources; k++)
            mine = mine || odp_cross_involves(rule, &d->resources[k]);
        if (!mine)
            continue;
        if (!any)
            printf("\n%s\n", say(inv, W_cmd_rules_across_datasets_rules_json));
        any = true;
        const char *own = odp_cross_table_name(rule->each.resource, a);
        printf("  %s: %s", rule->code, own);
        for (size_t k = 0; k < rule->njoins; k++) {
            const char *other = odp_cross_table_name(rule->joins[k].resource, a);
            printf("%s%s", k == 0 ? " ↔ " : ", ", other);
        }
        printf(": %.*s — %s\n", (int)rule->expr.text.len, rule->expr.text.ptr,
               odp_text_get(&rule->message, inv->style.lang));
    }
}

/* Shows the files of the published versions in --out. */
static void show_files(struct invocation *inv, const struct odp_dataset *d)
{
    struct odp_arena *a = &inv->run.arena;
    char *folder = odp_arena_printf(a, "%s/data/%s", inv->options.out, d->slug);
    const char **versions = NULL, **files = NULL;
    size_t nversions = 0, nfiles = 0;
    if (odp_dir_list(folder, a, &versions, &nversions) != ODP_OK)
        return;
    for (size_t i = 0; i < nversions; i++) {
        char *version = odp_path_join(a, folder, versions[i]);
        if (odp_file_kind_of(version) != ODP_FILE_FOLDER || strcmp(versions[i], "latest") == 0 ||
            odp_dir_list(version, a, &files, &nfiles) != ODP_OK)
            continue;
        printf("\n%s %s\n", say(inv, W_cmd_version), versions[i]);
        for (size_t k = 0; k < nfiles; k++) {
            char *path = odp_path_join(a, version, files[k]);
            printf("  %s  %llu %s\n", path, (unsigned long long)odp_file_size_of(path),
                   say(inv, W_cmd_bytes));
        }
    }
}

/* "  standar data        83 %   10/12", and below it what is missing. */
static void show_principle(const struct invocation *inv, const struct odp_score_principle *p)
{
    enum odp_lang lang = inv->style.lang;
    fputs("  ", stdout);
    outcome_pad(odp_text_get(&p->title, lang), 32);
    if (p->need == 0) {
        puts(say(inv, W_cmd_does_not_apply));
        return;
    }
    printf("%3d %%   %llu/%llu\n", odp_score_percent(p), (unsigned long long)p->have,
           (unsigned long long)p->need);
    for (size_t i = 0; i < p->n; i++) {
        const struct odp_score_item *item = &p->items[i];
        if (item->have == item->need)
            continue;
        printf("    ✗ %s", odp_text_get(&item->label, lang));
        if (item->need > 1)
            printf(" %llu/%llu", (unsigned long long)item->have, (unsigned long long)item->need);
        printf(" — %s\n", odp_text_get(&item->note, lang));
    }
}

static bool show_score(struct invocation *inv, const struct odp_dataset *d)
{
    const struct odp_score *score = odp_score_make(inv->run.catalog, d, &inv->run.arena);
    if (score == NULL)
        return false;
    printf("\nSatu Data Indonesia (%s): ", say(inv, W_cmd_presidential_regulation_39_2019));
    printf(say(inv, W_cmd_of_100), odp_score_total(score) >= 0 ? odp_score_total(score) : 0);
    if (odp_score_total(score) < 100)
        printf(say(inv, W_cmd_what_to_add), d->file);
    for (int i = 0; i < ODP_PRINCIPLES; i++)
        show_principle(inv, &score->principle[i]);
    return true;
}

static int run_show(struct invocation *inv)
{
    if (inv->nwords != 1)
        return outcome_usage(inv, W_cmd_usage_show);
    int code = open_catalog(inv);
    if (code != EXIT_CLEAN)
        return code;
    const struct odp_dataset *d = odp_catalog_find(inv->run.catalog, inv->words[0]);
    if (d == NULL)
        return outcome_no_dataset(inv, inv->run.catalog, inv->words[0]);
    printf("%s — %s\n%s\n", d->slug, odp_text_get(&d->title, inv->style.lang),
           odp_text_get(&d->description, inv->style.lang));
    printf("%s ", say(inv, W_cmd_formats));
    print_formats(d);
    printf("\n%s %s\n", say(inv, W_cmd_last_update), d->last_update != NULL ? d->last_update : "—");
    for (size_t i = 0; i < d->nresources; i++)
        show_resource(inv, &d->resources[i]);
    show_cross(inv, d);
    if (!d->reference)
        code = outcome_code(inv, show_score(inv, d) ? ODP_OK : ODP_FAIL, NULL);
    show_files(inv, d);
    return code;
}

const struct command command_list = {"list", "", {{W_cmd_the_catalogue}}, run_list};
const struct command command_show = {"show", "SLUG", {{W_cmd_one_dataset_fields_keys_rules}}, run_show};
