/* odp-build init FILE [SLUG]: drafts dataset.json for an unknown file, then checks the draft on that file.
 * On a terminal it asks about doubts, with evidence and a default; with --yes, or without a terminal, it
 * takes the defaults and lists the doubts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/temporary.h"
#include "commands/ask.h"
#include "commands/outcome.h"
#include "metadata/metadata.h"
#include "repair/draft/draft.h"
#include "words/commands.h"

enum { MADE = 24 }; /* the parts of a shapefile, and the draft */

struct init {
    struct invocation *inv;
    struct odp_diags *diags; /* of the invocation's run, like the arena */
    struct odp_arena *arena;
    struct odp_run catalog; /* its code lists are compared */
    bool has_catalog, asks;
    struct odp_draft *draft;
    const char *folder;       /* where the draft goes */
    const char *json, *notes; /* files to write */
    const char *made[MADE];   /* files of this run, removed if the machine fails: half a draft would block the
                                 next run */
    size_t nmade;
    bool made_folder;
    struct odp_metadata_gaps gaps; /* of the draft */
    const char *scratch;           /* a catalogue for checking a draft that lies elsewhere; or NULL */
};

static enum odp_status fault(struct init *x, enum odp_code code, const char *file, const char *a0,
                             const char *a1)
{
    struct odp_diag d = {.code = code, .file = file};
    d.args[0] = odp_slice_of(a0 != NULL ? a0 : "");
    d.args[1] = odp_slice_of(a1 != NULL ? a1 : "");
    return odp_diags_refuse(x->diags, &d);
}

/* ---- questions ---- */

static bool ask(struct init *x, const char *question, const char *fallback, char *line, size_t size)
{
    return ask_line(&x->asks, question, fallback, line, size);
}

static enum odp_status ask_doubt(struct init *x, size_t i, bool *again)
{
    size_t n;
    const struct odp_doubt *q = &odp_draft_doubts(x->draft, &n)[i];
    enum odp_lang lang = x->inv->style.lang;
    char line[64];
    *again = false;
    fprintf(stderr, "\n%s\n  %s\n", odp_text_get(&q->title, lang), odp_text_get(&q->evidence, lang));
    for (unsigned k = 0; k < q->noptions; k++)
        fprintf(stderr, "  %u  %s\n", k + 1, odp_text_get(&q->option[k], lang));
    unsigned chosen = q->chosen;
    while (ask(x, say(x->inv, W_cmd_choice), "1", line, sizeof line)) {
        if (line[1] == '\0' && line[0] >= '1' && line[0] < (char)('1' + (int)q->noptions)) {
            chosen = (unsigned)(line[0] - '1');
            break;
        }
        fputs(say(x->inv, W_cmd_write_one_numbers_enter), stderr);
    }
    return odp_draft_choose(x->draft, i, chosen, again);
}

/* Asks doubts that have options and are not settled. *AGAIN: stop, the columns must be read again. */
static enum odp_status ask_doubts(struct init *x, bool *again)
{
    enum odp_status status = ODP_OK;
    size_t n = 1;
    *again = false;
    for (size_t i = 0; i < n && status == ODP_OK && x->asks && !*again; i++) {
        const struct odp_doubt *q = odp_draft_doubts(x->draft, &n);
        if (i < n && q[i].noptions > 0 && !q[i].settled)
            status = ask_doubt(x, i, again);
    }
    return status;
}

static void ask_names(struct init *x, bool slug_given)
{
    char line[200], english[200];
    if (!x->asks)
        return;
    if (!slug_given)
        while (ask(x, say(x->inv, W_cmd_slug_address_on_site_name), odp_draft_slug(x->draft), line,
                   sizeof line)) {
            if (odp_draft_slug_ok(line)) {
                odp_draft_set_slug(x->draft, line);
                break;
            }
            fputs(say(x->inv, W_cmd_lower_case_letters_digits), stderr);
        }
    const struct odp_text *title = odp_draft_title(x->draft);
    if (!x->asks)
        return;
    bool id = ask(x, say(x->inv, W_cmd_title_indonesian), title->in[ODP_LANG_ID], line, sizeof line);
    bool en = x->asks && ask(x, say(x->inv, W_cmd_title_english), "", english, sizeof english);
    if (id || en)
        odp_draft_set_title(x->draft, id ? line : title->in[ODP_LANG_ID], en ? english : "");
}

/* ---- the draft ---- */

static enum odp_status open_catalog(struct init *x)
{
    const char *portal = odp_path_join(x->arena, x->inv->options.catalog, "portal.json");
    x->has_catalog = odp_file_kind_of(portal) == ODP_FILE_REGULAR;
    if (!x->has_catalog && x->inv->output == NULL)
        return fault(x, ODP_I06, x->inv->options.catalog, x->inv->options.catalog, NULL);
    if (!x->has_catalog)
        return ODP_OK;
    enum odp_status status = odp_run_catalog(&x->catalog, &x->inv->options);
    return status == ODP_FAIL ? ODP_FAIL : ODP_OK; /* the check at the end reports what is wrong */
}

/* Chooses the folder before the file is read: nothing is overwritten. */
static enum odp_status choose_folder(struct init *x)
{
    const char *slug = odp_draft_slug(x->draft);
    if (!odp_draft_slug_ok(slug))
        return fault(x, ODP_I04, slug, slug, odp_draft_slug_of(slug, x->arena));
    x->folder =
        x->inv->output != NULL ? x->inv->output : odp_path_join(x->arena, x->inv->options.catalog, slug);
    x->json = odp_path_join(x->arena, x->folder, "dataset.json");
    x->notes = odp_path_join(x->arena, x->folder, say(x->inv, W_cmd_dataset_notes_md));
    enum odp_file_kind kind = odp_file_kind_of(x->folder);
    if (kind != ODP_FILE_NONE && kind != ODP_FILE_FOLDER)
        return fault(x, ODP_I03, x->folder, x->folder, NULL);
    if (odp_file_kind_of(x->json) != ODP_FILE_NONE)
        return fault(x, ODP_I03, x->json, x->json, NULL);
    return odp_file_kind_of(x->notes) != ODP_FILE_NONE ? fault(x, ODP_I03, x->notes, x->notes, NULL) : ODP_OK;
}

static enum odp_status draft_file(struct init *x)
{
    struct odp_draft_options o = {.path = x->inv->words[0],
                                  .file = x->inv->words[0],
                                  .slug = x->inv->nwords > 1 ? x->inv->words[1] : NULL,
                                  .catalog = x->has_catalog ? x->catalog.catalog : NULL};
    bool again = true;
    enum odp_status status = odp_draft_open(&x->draft, &o, x->diags);
    if (status == ODP_OK) {
        ask_names(x, o.slug != NULL);
        status = choose_folder(x);
    }
    while (status == ODP_OK && again) {
        status = ask_doubts(x, &again);
        if (status != ODP_OK || again)
            continue;
        status = odp_draft_survey(x->draft, x->diags);
        if (status == ODP_OK)
            status = ask_doubts(x, &again);
    }
    if (status == ODP_OK)
        status = odp_draft_settle(x->draft, x->diags);
    if (status == ODP_OK)
        status = ask_doubts(x, &again);
    return status;
}

/* ---- writing ---- */

/* TO is never there in part: a killed run leaves the whole file or another name. */
static enum odp_status copy_file(struct init *x, const char *from, const char *to)
{
    const char *fresh = odp_temporary_of(x->arena, to, ".tmp");
    enum odp_status status = fresh != NULL ? odp_file_copy(from, fresh, 0644, NULL) : ODP_FAIL;
    if (status == ODP_BAD)
        status = odp_failure_set("open", from, errno);
    return status == ODP_OK ? odp_file_place(fresh, to) : status;
}

/* Notes a new file, so that it is removed if the machine fails. */
static void note_made(struct init *x, const char *path)
{
    if (x->nmade < MADE)
        x->made[x->nmade++] = path;
}

static void remove_made(struct init *x)
{
    for (size_t i = 0; i < x->nmade; i++)
        (void)unlink(x->made[i]);
    if (x->made_folder)
        (void)rmdir(x->folder);
}

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* OK: TO has the same bytes as FROM; BAD: others. */
static enum odp_status same_bytes(const char *from, const char *to)
{
    struct odp_file_info x, y;
    enum odp_status status = odp_file_kind_of(to) == ODP_FILE_REGULAR ? odp_file_digest(from, &x) : ODP_BAD;
    if (status == ODP_OK)
        status = odp_file_digest(to, &y);
    return status != ODP_OK || (x.size == y.size && memcmp(x.sha256, y.sha256, sizeof x.sha256) == 0)
               ? status
               : ODP_BAD;
}

/* Copies the source next to its descriptor, unless the file or its bytes are there already (from a run that
 * was killed). */
static enum odp_status copy_sources(struct init *x)
{
    size_t n;
    const char *const *from = odp_draft_sources(x->draft, &n);
    enum odp_status status = ODP_OK;
    for (int pass = 0; pass < 2; pass++) /* the first pass only looks: half a shapefile is useless */
        for (size_t i = 0; i < n && status == ODP_OK; i++) {
            char *to = odp_path_join(x->arena, x->folder, odp_path_last(from[i]));
            if (same_file(from[i], to))
                continue;
            if (odp_file_kind_of(to) != ODP_FILE_NONE) {
                status = same_bytes(from[i], to);
                status = status == ODP_BAD ? fault(x, ODP_I03, to, to, NULL) : status;
            } else if (pass == 1) {
                note_made(x, to);
                status = copy_file(x, from[i], to);
            }
        }
    return status;
}

static enum odp_status put(const char *path, enum odp_status status, struct odp_buffer *bytes)
{
    if (status == ODP_OK)
        status = odp_buffer_status(bytes);
    if (status == ODP_OK)
        status = odp_file_replace(path, odp_buffer_slice(bytes), 0644);
    odp_buffer_clear(bytes);
    return status;
}

static enum odp_status write_draft(struct init *x)
{
    struct odp_buffer bytes = {0};
    x->made_folder = odp_file_kind_of(x->folder) == ODP_FILE_NONE;
    enum odp_status status = odp_dir_make(x->folder);
    if (status == ODP_OK)
        status = copy_sources(x);
    if (status == ODP_OK)
        note_made(x, x->json);
    if (status == ODP_OK)
        status = put(x->json, odp_draft_json(x->draft, &bytes), &bytes);
    odp_buffer_release(&bytes);
    return status;
}

/* ---- the check ---- */

static char *absolute(struct init *x, const char *path)
{
    char *real = realpath(path, NULL);
    char *copy = real != NULL ? odp_arena_str(x->arena, real) : NULL;
    if (real == NULL)
        (void)odp_failure_set("realpath", path, errno);
    free(real);
    return copy;
}

static enum odp_status link_in(struct init *x, const char *target, const char *name)
{
    char *full = absolute(x, target), *at = odp_path_join(x->arena, x->scratch, name);
    if (full == NULL)
        return ODP_FAIL;
    return symlink(full, at) == 0 ? ODP_OK : odp_failure_set("symlink", at, errno);
}

/* Makes a catalogue of links, or an empty one, to check a draft that lies outside the catalogue. */
static enum odp_status make_scratch(struct init *x)
{
    static const char portal[] = "{\"title\": {\"id\": \"Draf\", \"en\": \"Draft\"}, \"publisher\": {\"id\": "
                                 "\"-\", \"en\": \"-\"}, \"baseUrl\": \"https://data.example.go.id/\"}";
    const char *slug = odp_draft_slug(x->draft);
    const char **names;
    size_t n;
    if ((x->scratch = outcome_scratch("odp-init", x->arena)) == NULL)
        return ODP_FAIL;
    enum odp_status status = link_in(x, x->folder, slug);
    if (status == ODP_OK && !x->has_catalog) {
        char *path = odp_path_join(x->arena, x->scratch, "portal.json");
        return odp_file_put(path, odp_slice_of(portal), 0600, NULL);
    }
    if (status == ODP_OK)
        status = odp_dir_list(x->inv->options.catalog, x->arena, &names, &n);
    for (size_t i = 0; status == ODP_OK && i < n; i++) {
        char *path = odp_path_join(x->arena, x->inv->options.catalog, names[i]);
        if (strcmp(names[i], slug) != 0)
            status = link_in(x, path, names[i]);
    }
    return status;
}

/* Checks the draft, shows the report, and sets CHECK to a paragraph for the notes. OK: it passes; BAD. */
static enum odp_status check_draft(struct init *x, const char **check)
{
    const char *slug = odp_draft_slug(x->draft);
    struct odp_run run = {0};
    struct odp_options o = x->inv->options;
    const struct report_request human = {.report = odp_report_find("human")};
    enum odp_status status = x->inv->output != NULL ? make_scratch(x) : ODP_OK;
    if (status != ODP_OK)
        return status;
    if (x->scratch != NULL) {
        o.catalog = x->scratch;
        o.links = true;
    }
    o.slugs = &slug;
    o.nslugs = 1;
    o.previous = NULL;
    o.out = "/nonexistent"; /* a draft has no published version */
    status = odp_run_check(&run, &o);
    uint64_t errors = run.diags != NULL ? odp_diags_count(run.diags, ODP_SEVERITY_ERROR) : 0;
    uint64_t warnings = run.diags != NULL ? odp_diags_count(run.diags, ODP_SEVERITY_WARNING) : 0;
    if (status == ODP_BAD && run.diags != NULL &&
        outcome_report(x->inv, &human, run.diags, &run.summary, true) == ODP_FAIL)
        status = ODP_FAIL;
    if (run.catalog != NULL && odp_catalog_find(run.catalog, slug) != NULL)
        x->gaps = odp_metadata_count(run.catalog, odp_catalog_find(run.catalog, slug));
    if (status != ODP_FAIL) {
        *check = status == ODP_OK
                     ? odp_arena_printf(x->arena, say(x->inv, W_cmd_check_draft_on_file_came),
                                        (unsigned long long)warnings)
                     : odp_arena_printf(x->arena, say(x->inv, W_cmd_check_draft_on_file_came_2),
                                        (unsigned long long)errors, (unsigned long long)warnings, slug);
    }
    if (status == ODP_BAD) {
        char text[24];
        snprintf(text, sizeof text, "%llu", (unsigned long long)errors);
        if (fault(x, ODP_I07, x->json, text, slug) == ODP_FAIL)
            status = ODP_FAIL;
    }
    odp_run_release(&run);
    return status;
}

static enum odp_status write_notes(struct init *x, const char *check)
{
    struct odp_buffer bytes = {0};
    note_made(x, x->notes);
    enum odp_status status =
        put(x->notes, odp_draft_notes(x->draft, x->inv->style.lang, check, &bytes), &bytes);
    odp_buffer_release(&bytes);
    return status;
}

/* ---- the command ---- */

static void print_result(const struct init *x, const char *check)
{
    enum { MOST = 24 }; /* doubts shown; all are in the notes */
    size_t n;
    const struct odp_doubt *q = odp_draft_doubts(x->draft, &n);
    enum odp_lang lang = x->inv->style.lang;
    if (!outcome_prints(x->inv))
        return;
    size_t shown = 0, open = 0;
    for (size_t i = 0; i < n; i++) {
        if (q[i].settled || ++open > MOST)
            continue;
        shown++;
        printf("? %s: %s", odp_text_get(&q[i].title, lang), odp_text_get(&q[i].evidence, lang));
        if (q[i].noptions > 0)
            printf(" → %s", odp_text_get(&q[i].option[q[i].chosen], lang));
        putchar('\n');
    }
    if (open > shown)
        printf(say(x->inv, W_cmd_more_see_notes), open - shown);
    printf(say(x->inv, W_cmd_draft_from_records), x->json, x->inv->words[0],
           (unsigned long long)odp_draft_rows(x->draft));
    printf(say(x->inv, W_cmd_what_found_evidence_what_still), x->notes);
    puts(check);
    if (x->gaps.members > 0 && x->inv->output == NULL)
        printf(say(x->inv, W_cmd_draft_lacks), (unsigned long long)x->gaps.fields, odp_draft_slug(x->draft));
}

static int run_init(struct invocation *inv)
{
    struct init x = {.inv = inv,
                     .arena = &inv->run.arena,
                     .asks = !inv->yes && isatty(STDIN_FILENO) && isatty(STDERR_FILENO)};
    const char *check = "";
    if (inv->nwords < 1 || inv->nwords > 2)
        return outcome_usage(inv, W_cmd_usage_init);
    enum odp_status status = outcome_begin(inv);
    x.diags = inv->run.diags;
    if (status == ODP_OK)
        status = open_catalog(&x);
    if (status == ODP_OK)
        status = draft_file(&x);
    if (status == ODP_OK)
        status = write_draft(&x);
    bool written = status == ODP_OK;
    if (written)
        status = check_draft(&x, &check);
    if (x.scratch != NULL && odp_dir_remove(x.scratch) == ODP_FAIL)
        status = ODP_FAIL;
    if (written && status != ODP_FAIL && write_notes(&x, check) == ODP_FAIL)
        status = ODP_FAIL;
    if (written && status != ODP_FAIL)
        print_result(&x, check);
    if (status == ODP_FAIL)
        remove_made(&x);
    int code = outcome_end(inv, status);
    odp_draft_free(x.draft);
    odp_run_release(&x.catalog);
    return code == EXIT_REJECTED && !written ? EXIT_USAGE : code;
}

const struct command command_init = {"init", "FILE [SLUG]", {{W_cmd_draft_dataset_json_from_csv}}, run_init};
