/* odp-build intake SLUG FILE: shows what is certain about a file as a whole, how many faults remain, asks
 * once, and puts it in the source's place. Also: `check --as SLUG FILE --intake`. */
#include "commands/intake.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/temporary.h"
#include "base/utf8.h"
#include "commands/ask.h"
#include "commands/failure.h"
#include "commands/fix_text.h"
#include "commands/outcome.h"
#include "repair/intake/intake.h"
#include "repair/rewrite/place.h"
#include "words/intake.h"

enum { WIDE = 100, INDENT = 20 }; /* columns of the summary */

struct taking {
    struct invocation *inv;
    struct odp_arena *arena;
    const struct odp_resource *resource;
    const char *file;                  /* that came */
    const char *target;                /* where it goes */
    const char *model;                 /* the source that stands */
    struct odp_place place;            /* TARGET; its temporary name, or one in TMPDIR when dry */
    struct odp_file_state before, own; /* of TARGET and of FILE */
    struct odp_intake *intake;
    struct fix_text text;
};

/* ---- words ---- */

/* {b}, {a}: BEFORE and AFTER; {k}, {n}: numbers of columns and cells. */
static void add_words(const struct invocation *inv, struct odp_buffer *out, const char *words,
                      const struct odp_intake_change *c)
{
    for (const char *p = words; *p != '\0'; p++) {
        if (*p != '{' || p[1] == '\0' || p[2] != '}') {
            odp_buffer_add_char(out, *p);
            continue;
        }
        if (p[1] == 'b' || p[1] == 'a')
            odp_buffer_add_slice(out, p[1] == 'b' ? c->before : c->after);
        else
            odp_text_number(out, p[1] == 'k' ? c->columns : c->cells, inv->style.lang);
        p += 2;
    }
}

static void print_words(const struct invocation *inv, const char *words, const struct odp_intake_change *c)
{
    struct odp_buffer out = {0};
    add_words(inv, &out, words, c);
    fputs(odp_buffer_cstr(&out), stdout);
    odp_buffer_release(&out);
}

static const char *words_of(const struct invocation *inv, const struct odp_intake_change *c)
{
    static const struct {
        struct odp_text text;
    } words[] = {
#define WORDS(kind, ...) [ODP_INTAKE_##kind] = {__VA_ARGS__},
#include "words/intake_changes.h"
#undef WORDS
    };
    if (c->kind == ODP_INTAKE_BOM && c->after.len > 0)
        return say(inv, W_intake_bom_added);
    if (c->kind == ODP_INTAKE_GROUP && c->after.len == 0)
        return say(inv, W_intake_group_dropped);
    return odp_text_get(&words[c->kind].text, inv->style.lang);
}

static void print_changes(const struct taking *t)
{
    const struct invocation *inv = t->inv;
    struct odp_buffer item = {0};
    size_t n, column = INDENT;
    const struct odp_intake_change *changes = odp_intake_changes(t->intake, &n);
    outcome_pad(odp_path_last(t->file), INDENT);
    for (size_t i = 0; i < n; i++) {
        odp_buffer_clear(&item);
        add_words(inv, &item, words_of(inv, &changes[i]), &changes[i]);
        size_t width = odp_utf8_width(odp_buffer_slice(&item)) + 4;
        if (column > INDENT && column + width > WIDE) {
            printf("\n%*s", INDENT, "");
            column = INDENT;
        } else if (column > INDENT) {
            fputs("    ", stdout);
        }
        fputs(odp_buffer_cstr(&item), stdout);
        column += width;
    }
    puts(n == 0 ? say(inv, W_intake_clean) : "");
    odp_buffer_release(&item);
}

/* ---- steps ---- */

/* SLUG or SLUG/RESOURCE. */
static const struct odp_resource *find_resource(const struct odp_catalog *c, const char *name,
                                                struct odp_arena *a)
{
    const struct odp_dataset *d = odp_catalog_find(c, name);
    const char *slash = strrchr(name, '/');
    if (d != NULL)
        return &d->resources[0];
    if (slash == NULL)
        return NULL;
    d = odp_catalog_find(c, odp_arena_copy(a, (struct odp_slice){name, (size_t)(slash - name)}).ptr);
    for (size_t i = 0; d != NULL && i < d->nresources; i++)
        if (strcmp(odp_resource_said(&d->resources[i]), slash + 1) == 0)
            return &d->resources[i];
    return NULL;
}

static enum odp_status open_intake(struct taking *t, odp_edit_show *show, struct odp_diags *diags)
{
    const struct odp_intake_options o = {.resource = t->resource,
                                         .path = t->file,
                                         .file = t->file,
                                         .model = t->model,
                                         .show = show,
                                         .ctx = &t->text,
                                         .most = t->inv->shown};
    return odp_intake_open(&t->intake, &o, diags);
}

/* Makes the file at the temporary name; once more with SHOW, to see what it changes. */
static enum odp_status make(struct taking *t, odp_edit_show *show, struct odp_diags *diags)
{
    odp_intake_free(t->intake);
    t->intake = NULL;
    enum odp_status status = open_intake(t, show, diags);
    return status == ODP_OK ? odp_intake_write(t->intake, t->place.temporary, diags) : status;
}

/* Shows the first changes of each column. */
static enum odp_status show_differences(struct taking *t, struct odp_diags *diags)
{
    (void)unlink(t->place.temporary);
    t->text = (struct fix_text){
        .inv = t->inv, .resource = t->resource, .color = outcome_colors(t->inv, STDOUT_FILENO)};
    return make(t, fix_text_show, diags);
}

static enum odp_status check_fresh(const struct taking *t, struct odp_run *run)
{
    const struct invocation *inv = t->inv;
    struct odp_options o = inv->options;
    o.as_skipped = odp_intake_skipped(t->intake);
    o.as_slug = inv->options.as_slug != NULL ? inv->options.as_slug : inv->words[0];
    o.as_shown = inv->options.as_file;
    o.as_file = t->place.temporary;
    o.slugs = &o.as_slug;
    o.nslugs = 1;
    return odp_run_check(run, &o);
}

/* ---- the question ---- */

enum answer { ANSWER_SEE, ANSWER_APPLY, ANSWER_CANCEL };

static enum answer ask(const struct invocation *inv)
{
    static const struct {
        const char *letters;
        enum answer answer;
    } letters[] = {{"ls", ANSWER_SEE}, {"tay", ANSWER_APPLY}, {"bcn", ANSWER_CANCEL}};
    char line[64];
    while (ask_word(say(inv, W_intake_question), line, sizeof line)) {
        for (size_t i = 0; i < 3; i++)
            if (*line != '\0' && strchr(letters[i].letters, *line | 0x20) != NULL)
                return letters[i].answer;
        fputs(say(inv, W_intake_answers), stdout);
    }
    return ANSWER_CANCEL;
}

/* Whether the file goes into its place. */
static enum odp_status decide(struct taking *t, struct odp_diags *diags, bool *apply)
{
    const struct invocation *inv = t->inv;
    bool asks = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1 && !inv->dry_run && !inv->yes;
    enum odp_status status = ODP_OK;
    *apply = inv->yes && !inv->dry_run;
    if (inv->dry_run)
        status = show_differences(t, diags);
    if (!asks) {
        if (outcome_prints(inv) && !*apply)
            fputs(inv->dry_run ? say(inv, W_intake_dry) : say(inv, W_intake_not_asked), stdout);
        return status;
    }
    enum answer answer;
    while ((answer = ask(inv)) == ANSWER_SEE && status == ODP_OK)
        status = show_differences(t, diags);
    *apply = answer == ANSWER_APPLY;
    if (!*apply)
        fputs(say(inv, W_intake_cancelled), stdout);
    return status;
}

/* ---- all of it ---- */

static enum odp_status refuse(const struct taking *t, enum odp_code code, const char *arg)
{
    struct odp_diag d = {.code = code,
                         .dataset = t->resource->dataset->slug,
                         .resource = t->resource->name,
                         .file = t->file,
                         .args = {odp_slice_of(arg)}};
    return odp_diags_refuse(t->inv->run.diags, &d);
}

static enum odp_status switch_in(struct taking *t)
{
    const char *original = NULL;
    enum odp_status status = odp_place_switch(&t->place, &t->before, t->arena, &original);
    if (status == ODP_BAD)
        return refuse(t, ODP_A09, "");
    if (status == ODP_OK && outcome_prints(t->inv)) {
        struct odp_intake_change c = {.before = odp_slice_of(t->target)};
        c.after = odp_slice_of(original != NULL ? odp_path_last(original) : "");
        print_words(t->inv, original != NULL ? say(t->inv, W_intake_original) : say(t->inv, W_intake_written),
                    &c);
        putchar('\n');
    }
    return status;
}

/* How many rows there are, and how many faults remain. */
static void print_rows(const struct taking *t, const struct odp_diags *left)
{
    struct odp_intake_change c = {.cells = odp_intake_records(t->intake)};
    c.columns = odp_diags_count(left, ODP_SEVERITY_ERROR);
    outcome_pad(odp_path_last(t->target), INDENT);
    print_words(t->inv, say(t->inv, W_intake_rows), &c);
    putchar('\n');
}

/* Settles where it goes, and where it is made. */
static enum odp_status prepare(struct taking *t)
{
    const struct invocation *inv = t->inv;
    t->model = odp_resource_source(t->resource, inv->options.sources, t->arena);
    t->target = inv->output != NULL ? inv->output : t->model;
    t->before = odp_file_state_of(t->target);
    if (odp_place_find(&t->place, t->target, t->arena) != ODP_OK)
        return ODP_FAIL;
    if (inv->dry_run) {
        const char *dir = outcome_scratch("odp-intake", t->arena);
        if (dir == NULL)
            return ODP_FAIL;
        t->place.folder = dir;
        t->place.temporary = odp_path_join(t->arena, dir, odp_path_last(t->target));
    }
    return odp_place_may_write(&t->place) ? ODP_OK : refuse(t, ODP_A04, t->place.folder);
}

static bool is_same_file(const struct taking *t)
{
    struct odp_file_state came = odp_file_state_of(t->file);
    return odp_file_state_same(&came, &t->before) && !odp_intake_mends(t->intake);
}

static enum odp_status take(struct taking *t, struct odp_run *after)
{
    struct invocation *inv = t->inv;
    bool apply = false;
    enum odp_status status = prepare(t), checked = ODP_OK;
    if (status == ODP_OK)
        status = make(t, NULL, inv->run.diags);
    if (status != ODP_OK)
        return status;
    if (t->resource->primary && !t->resource->dataset->reference)
        status = checked = check_fresh(t, after);
    if (status == ODP_FAIL)
        return status;
    if (outcome_prints(inv)) {
        print_changes(t);
        if (after->diags != NULL)
            print_rows(t, after->diags);
    }
    if (is_same_file(t)) {
        struct odp_intake_change c = {.before = odp_slice_of(t->target)};
        if (outcome_prints(inv)) {
            print_words(inv, say(inv, W_intake_same), &c);
            putchar('\n');
        }
        return checked;
    }
    status = decide(t, inv->run.diags, &apply);
    if (status == ODP_OK && apply)
        status = switch_in(t);
    return status == ODP_OK ? (apply ? checked : ODP_BAD) : status;
}

static int run_intake(struct invocation *inv)
{
    struct odp_run *run = &inv->run, after = {0};
    struct taking t = {.inv = inv};
    if (inv->nwords != 2)
        return outcome_usage(inv, W_intake_usage);
    inv->options.as_file = inv->words[1];
    t.file = inv->words[1];
    enum odp_status status = odp_run_catalog(run, &inv->options);
    t.arena = &run->arena;
    if (status != ODP_OK)
        return outcome_end(inv, status);
    t.resource = find_resource(run->catalog, inv->words[0], t.arena);
    if (t.resource == NULL)
        return outcome_no_dataset(inv, run->catalog, inv->words[0]);
    status = take(&t, &after);
    fflush(stdout); /* what was changed comes before what remains */
    if (t.place.temporary != NULL)
        (void)unlink(t.place.temporary);
    if (inv->dry_run && t.place.folder != NULL)
        (void)rmdir(t.place.folder);
    odp_intake_free(t.intake);
    if (status != ODP_FAIL && after.diags != NULL && odp_diags_merge(run->diags, after.diags) != ODP_OK)
        status = ODP_FAIL;
    int code = outcome_show(inv, run->diags, status);
    odp_run_release(&after);
    return code;
}

/* ---- check --as ---- */

/* DONE: no such dataset, as the check says. */
static enum odp_status prepare_check(struct taking *t, const struct odp_catalog *c)
{
    struct invocation *inv = t->inv;
    t->resource = find_resource(c, inv->options.as_slug, t->arena);
    if (t->resource == NULL)
        return ODP_DONE;
    t->file = inv->options.as_file;
    t->model = odp_resource_source(t->resource, inv->options.sources, t->arena);
    return ODP_OK;
}

void intake_hint(const struct invocation *inv, const struct odp_run *run)
{
    struct invocation own = *inv;
    struct odp_arena arena = {0};
    struct odp_diags *diags = NULL;
    struct odp_buffer file = {0};
    if (inv->style.quiet || run->catalog == NULL || odp_diags_count(run->diags, ODP_SEVERITY_ERROR) == 0)
        return;
    struct taking t = {.inv = &own, .arena = &arena};
    if (odp_diags_new(&diags, 0) == ODP_OK && prepare_check(&t, run->catalog) == ODP_OK &&
        open_intake(&t, NULL, diags) == ODP_OK && odp_intake_would_mend(t.intake)) {
        odp_text_shell(&file, odp_slice_of(inv->options.as_file));
        fprintf(stderr, say(inv, W_intake_hint), inv->options.as_slug, odp_buffer_cstr(&file));
    }
    odp_buffer_release(&file);
    odp_intake_free(t.intake);
    odp_failure_clear(); /* it was only a hint */
    odp_diags_free(diags);
    odp_arena_release(&arena);
}

int intake_check_open(struct invocation *inv, struct taking **out)
{
    struct taking *t = *out = NULL;
    enum odp_status status = odp_run_catalog(&inv->run, &inv->options);
    if (status == ODP_OK)
        t = odp_arena_zero(&inv->run.arena, 1, sizeof *t);
    if (t == NULL)
        return outcome_end(inv, status == ODP_OK ? ODP_FAIL : status);
    *t = (struct taking){.inv = inv, .arena = &inv->run.arena};
    if (prepare_check(t, inv->run.catalog) == ODP_DONE)
        return EXIT_CLEAN;
    *out = t;
    t->place.folder = outcome_scratch("odp-intake", t->arena);
    if (t->place.folder == NULL)
        return outcome_end(inv, ODP_FAIL);
    t->place.temporary = odp_path_join(t->arena, t->place.folder, odp_path_last(t->model));
    status = make(t, NULL, inv->run.diags);
    if (status != ODP_OK)
        return outcome_end(inv, status);
    if (outcome_prints(inv))
        print_changes(t);
    fflush(stdout);
    inv->options.as_skipped = odp_intake_skipped(t->intake);
    inv->options.as_shown = inv->options.as_file;
    inv->options.as_file = t->place.temporary;
    return EXIT_CLEAN;
}

void intake_check_close(struct taking *t)
{
    if (t == NULL)
        return;
    if (t->place.temporary != NULL)
        (void)unlink(t->place.temporary);
    if (t->place.folder != NULL)
        (void)rmdir(t->place.folder);
    odp_intake_free(t->intake);
}

const struct command command_intake = {"intake", "SLUG FILE", {{W_intake_about}}, run_intake};
