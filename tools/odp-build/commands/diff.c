/* odp-build diff SLUG [A [B]]: what changed between two published versions. */
#include <string.h>
#include <unistd.h>

#include "base/json_load.h"
#include "base/temporary.h"
#include "catalog/catalog.h"
#include "commands/outcome.h"
#include "published/history.h"
#include "published/doc.h"
#include "published/version_reading.h"
#include "site/differences/changes.h"
#include "site/metadata/metadata.h"
#include "words/commands.h"

enum { SHOWN_ON_TERMINAL = 200, VERSIONS_NAMED = 5 };

struct difference {
    struct odp_changes_page page;
    const struct invocation *inv;
    struct odp_arena *arena; /* of the invocation's run, like the diagnostics */
    struct odp_diags *diags;
    struct odp_site *site;
    struct odp_history history;
    const char *slug, *resource; /* RESOURCE: of "slug/resource", or NULL */
    enum odp_changes_form form;
    const struct odp_version *from, *to;
    const char *scratch;   /* a folder of our own, or NULL */
    struct odp_file *file; /* output; NULL: the terminal's form on standard output */
    const char *path;      /* of file */
    size_t written;        /* documents written */
    int code;              /* if something was refused */
};

/* ---- what is asked for ---- */

static bool choose_form(struct difference *d)
{
    static const char *const names[] = {[ODP_CHANGES_JSON] = "json",
                                        [ODP_CHANGES_CSV] = "csv",
                                        [ODP_CHANGES_HTML] = "html",
                                        [ODP_CHANGES_TEXT] = "text"};
    const char *format = d->inv->format != NULL ? d->inv->format : "text";
    for (unsigned form = 0; form < ODP_COUNT(names); form++) {
        d->form = (enum odp_changes_form)form;
        if (strcmp(format, names[form]) == 0)
            return true;
    }
    return false;
}

static void split_slug(struct difference *d, const char *word)
{
    const char *slash = strchr(word, '/');
    d->slug = slash != NULL ? odp_arena_printf(d->arena, "%.*s", (int)(slash - word), word) : word;
    d->resource = slash != NULL ? slash + 1 : NULL;
}

static int unknown_slug(const struct difference *d)
{
    const struct invocation *inv = d->inv;
    if (odp_site_entry(d->site, d->slug) != NULL)
        return outcome_refuse(EXIT_USAGE, say(inv, W_cmd_site_keeps_no_history_dataset), d->slug);
    const char *near = odp_site_nearest(d->site, d->slug);
    return outcome_refuse(EXIT_USAGE, say(inv, W_cmd_there_no_dataset_2), d->slug, odp_site_shown(d->site),
                          near != NULL ? say(inv, W_cmd_perhaps) : "", near != NULL ? near : "");
}

static int unknown_version(struct difference *d, const char *name)
{
    const struct invocation *inv = d->inv;
    const struct odp_history *h = &d->history;
    struct odp_slice *names = odp_arena_array(d->arena, h->n + 1, sizeof *names);
    struct odp_buffer list = {0};
    for (size_t i = 0; i < h->n; i++) {
        names[i] = odp_slice_of(h->versions[i].name);
        if (i < VERSIONS_NAMED)
            odp_buffer_printf(&list, "%s%s", i > 0 ? ", " : "", h->versions[i].name);
    }
    odp_buffer_add_str(&list, h->n > VERSIONS_NAMED ? ", …" : "");
    int near = odp_meant(odp_slice_of(name), names, h->n);
    int code = outcome_refuse(EXIT_USAGE, say(inv, W_cmd_has_no_version_there), d->slug, name,
                              near >= 0 ? say(inv, W_cmd_perhaps) : "", near >= 0 ? names[near].ptr : "",
                              odp_buffer_cstr(&list));
    odp_buffer_release(&list);
    return code;
}

/* A tombstone cannot be compared. */
static int gone_version(const struct difference *d, const struct odp_version *v)
{
    const struct invocation *inv = d->inv;
    const char *stands_in = odp_json_text(v->json, "stands_in");
    const char *reason = odp_json_text(v->json, "reason");
    if (v->state == ODP_VERSION_THINNED)
        return outcome_refuse(EXIT_REJECTED, say(inv, W_cmd_version_no_longer_kept_odp), v->name, d->slug,
                              stands_in != NULL ? stands_in : "—");
    return outcome_refuse(EXIT_REJECTED, say(inv, W_cmd_version_withdrawn), v->name, d->slug,
                          reason != NULL ? reason : "—");
}

static int find_version(struct difference *d, const char *word, const struct odp_version **out)
{
    const char *name = strcmp(word, "latest") == 0 ? NULL : odp_version_name(word, d->arena);
    *out = odp_history_find(&d->history, word);
    if (*out == NULL)
        *out = name != NULL ? odp_history_find(&d->history, name) : odp_history_current(&d->history);
    if (*out == NULL)
        return unknown_version(d, word);
    return (*out)->state == ODP_VERSION_PUBLISHED ? EXIT_CLEAN : gone_version(d, *out);
}

/* The published version before V, or NULL. */
static const struct odp_version *version_before(const struct odp_history *h, const struct odp_version *v)
{
    for (const struct odp_version *w = v + 1; w < h->versions + h->n; w++)
        if (w->state == ODP_VERSION_PUBLISHED)
            return w;
    return NULL;
}

/* By default the newest two versions; with one name, that and the newest; with two, both. FROM stays NULL
 * without an earlier one. */
static int choose_versions(struct difference *d)
{
    const struct invocation *inv = d->inv;
    int code = EXIT_CLEAN;
    d->to = odp_history_current(&d->history);
    if (inv->nwords > 2)
        code = find_version(d, inv->words[2], &d->to);
    if (code == EXIT_CLEAN && inv->nwords > 1)
        code = find_version(d, inv->words[1], &d->from);
    if (code == EXIT_CLEAN && d->to == NULL)
        code = outcome_refuse(EXIT_REJECTED, say(inv, W_cmd_all_versions_withdrawn), d->slug);
    if (code == EXIT_CLEAN && (d->from == NULL || (inv->nwords == 2 && d->from == d->to)))
        d->from = version_before(&d->history, d->to);
    return code;
}

/* ---- where it goes ---- */

static enum odp_status open_output(struct difference *d)
{
    if ((d->scratch = outcome_scratch("odp-diff", d->arena)) == NULL)
        return ODP_FAIL;
    if (d->inv->output == NULL && d->form == ODP_CHANGES_TEXT)
        return ODP_OK;
    d->path = d->inv->output != NULL ? odp_temporary_of(d->arena, d->inv->output, ".tmp")
                                     : odp_arena_printf(d->arena, "%s/output", d->scratch);
    return d->path != NULL ? odp_file_create(&d->file, d->path, 0644) : ODP_FAIL;
}

static enum odp_status copy_to_stdout(const char *path)
{
    char bytes[1 << 16];
    struct odp_reader *reader;
    size_t got = 0;
    enum odp_status status = odp_reader_open(&reader, path, NULL);
    if (status != ODP_OK)
        return status == ODP_BAD ? odp_failure_set("open", path, 0) : status;
    while ((status = odp_reader_read(reader, bytes, sizeof bytes, &got)) == ODP_OK)
        fwrite(bytes, 1, got, stdout); /* main looks at stdout's state */
    odp_reader_close(reader);
    return status == ODP_DONE ? ODP_OK : status;
}

static enum odp_status close_output(struct difference *d)
{
    struct odp_file *file = d->file;
    d->file = NULL;
    if (file == NULL)
        return ODP_OK;
    if (odp_file_close(file, NULL) != ODP_OK)
        return ODP_FAIL;
    if (d->inv->output == NULL)
        return copy_to_stdout(d->path);
    return odp_file_place(d->path, d->inv->output);
}

static enum odp_status put_text(void *ctx, struct odp_slice text)
{
    const struct difference *d = ctx;
    if (d->file != NULL)
        return odp_file_write(d->file, text.ptr, text.len);
    fwrite(text.ptr, 1, text.len, stdout);
    return ODP_OK;
}

static enum odp_status put_str(struct difference *d, const char *s)
{
    return put_text(d, odp_slice_of(s));
}

/* ---- one resource ---- */

/* One side of a comparison, as versions.json describes it. */
struct version_side {
    const json_t *resource;
    struct odp_changes_side side;
    struct odp_layout *layout;
    uint8_t digest[ODP_SHA256_SIZE];
};

static enum odp_status open_side(struct difference *d, struct version_side *s, const struct odp_version *v)
{
    const struct odp_version_source source = {d->site, s->resource, .need_geometry = true};
    enum odp_status status =
        odp_version_reading_open(&s->side.reading, &s->layout, &source, d->arena, d->diags);
    s->side.version = v->name;
    s->side.layout = s->layout;
    s->side.digest = s->digest;
    (void)odp_doc_read_digest(s->resource, "digest", s->digest); /* only shown: zeros without one */
    return status;
}

static enum odp_status make_writer(struct difference *d, struct odp_changes_writer **writer,
                                   struct odp_changes_sink *sink)
{
    const struct invocation *inv = d->inv;
    d->page = (struct odp_changes_page){d->diags, odp_metadata_changes};
    bool terminal = d->file == NULL && isatty(STDOUT_FILENO);
    const struct odp_changes_text text = {.lang = inv->style.lang,
                                          .color = terminal && outcome_colors(inv, STDOUT_FILENO),
                                          .limit = terminal ? SHOWN_ON_TERMINAL : 0,
                                          .ctx = d,
                                          .flush = put_text};
    return d->form == ODP_CHANGES_TEXT ? odp_changes_text_new(writer, &text, sink)
                                       : odp_changes_writer_new(writer, d->form, d->file, &d->page, sink);
}

static struct odp_text title_of(const struct difference *d)
{
    const json_t *title = json_object_get(odp_site_entry(d->site, d->slug), "title");
    return (struct odp_text){{odp_json_text(title, "id"), odp_json_text(title, "en")}};
}

static enum odp_status compare(struct difference *d, const char *name, struct version_side *from,
                               struct version_side *to)
{
    struct odp_schema_changes schema;
    struct odp_changes_writer *writer = NULL;
    struct odp_changes_sink sink;
    struct odp_changes_counts counts;
    const struct odp_changes_options options = {.scratch = d->scratch};
    enum odp_status status = open_side(d, from, d->from);
    if (status == ODP_OK)
        status = open_side(d, to, d->to);
    if (status == ODP_OK)
        status = odp_schema_compare(&schema, from->layout, to->layout, d->arena);
    if (status == ODP_OK)
        status = make_writer(d, &writer, &sink);
    if (status == ODP_OK && d->written++ > 0)
        status = put_str(d, d->form == ODP_CHANGES_JSON ? ",\n" : "\n");
    if (status == ODP_OK) {
        const struct odp_changes_job job = {.dataset = d->slug,
                                            .resource = name,
                                            .title = title_of(d),
                                            .from = &from->side,
                                            .to = &to->side,
                                            .schema = &schema,
                                            .keyed = schema.comparable};
        status = odp_changes_run(&job, &options, &sink, 1, &counts);
        for (int i = 0; i < 2 && status == ODP_BAD; i++) {
            struct version_side *s = i == 0 ? from : to;
            if (odp_version_reading_complain(s->side.reading, d->site, s->resource, d->diags) == ODP_FAIL)
                status = ODP_FAIL;
        }
    }
    odp_changes_writer_free(writer);
    return status;
}

static const json_t *find_resource(const struct odp_version *v, const char *name)
{
    return odp_json_find(json_object_get(v->json, "resources"), "name", name);
}

/* Reports a table that only one of the versions has; on standard error if the output is not text. */
static enum odp_status report_single(struct difference *d, const char *name, bool added)
{
    const struct invocation *inv = d->inv;
    const char *line = odp_arena_printf(d->arena, "%s/%s: %s\n", d->slug, name,
                                        added ? say(inv, W_cmd_new_table) : say(inv, W_cmd_table_removed));
    if (d->form == ODP_CHANGES_TEXT)
        return put_str(d, line);
    fputs(line, stderr);
    return ODP_OK;
}

/* Refuses a version that is left only in forms for people. */
static enum odp_status check_readable(struct difference *d, const char *name, const struct odp_version *v,
                                      bool *readable)
{
    const struct invocation *inv = d->inv;
    enum odp_status status =
        odp_version_is_readable(d->site, find_resource(v, name), d->arena, d->diags, readable);
    if (status == ODP_OK && !*readable)
        d->code = outcome_refuse(EXIT_REJECTED, say(inv, W_cmd_version_not_there_json_geojson), v->name,
                                 d->slug, name);
    return status;
}

static enum odp_status compare_named(struct difference *d, const char *name)
{
    bool readable = true;
    struct version_side from = {.resource = find_resource(d->from, name)},
                        to = {.resource = find_resource(d->to, name)};
    if (d->resource != NULL && strcmp(d->resource, name) != 0)
        return ODP_OK;
    if (from.resource == NULL || to.resource == NULL)
        return report_single(d, name, from.resource == NULL);
    enum odp_status status = check_readable(d, name, d->from, &readable);
    if (status == ODP_OK && readable)
        status = check_readable(d, name, d->to, &readable);
    if (status == ODP_OK && readable)
        status = compare(d, name, &from, &to);
    odp_version_reading_close(from.side.reading, from.layout);
    odp_version_reading_close(to.side.reading, to.layout);
    return status;
}

static enum odp_status compare_all(struct difference *d)
{
    const json_t *now = json_object_get(d->to->json, "resources"),
                 *old = json_object_get(d->from->json, "resources");
    bool list = d->form == ODP_CHANGES_JSON && d->resource == NULL && json_array_size(now) > 1;
    enum odp_status status = list ? put_str(d, "[\n") : ODP_OK;
    for (size_t i = 0; i < json_array_size(now) && status == ODP_OK; i++) {
        const char *name = odp_json_text(json_array_get(now, i), "name");
        status = name != NULL ? compare_named(d, name) : ODP_OK;
    }
    for (size_t i = 0; i < json_array_size(old) && status == ODP_OK; i++) {
        const char *name = odp_json_text(json_array_get(old, i), "name");
        if (name != NULL && find_resource(d->to, name) == NULL)
            status = compare_named(d, name);
    }
    return status == ODP_OK && list ? put_str(d, "]\n") : status;
}

/* CSV and HTML hold one resource. */
static int check_resources(const struct difference *d)
{
    const struct invocation *inv = d->inv;
    const json_t *list = json_object_get(d->to->json, "resources");
    bool single = d->form == ODP_CHANGES_CSV || d->form == ODP_CHANGES_HTML;
    const char *first = odp_json_text(json_array_get(list, 0), "name");
    if (d->resource != NULL && find_resource(d->to, d->resource) == NULL &&
        find_resource(d->from, d->resource) == NULL)
        return outcome_refuse(EXIT_USAGE, say(inv, W_cmd_has_no_table_first), d->slug, d->resource,
                              first != NULL ? first : "—");
    if (d->resource == NULL && single && json_array_size(list) > 1)
        return outcome_refuse(EXIT_USAGE, say(inv, W_cmd_has_several_tables_name_one), d->slug, d->slug,
                              first != NULL ? first : "—");
    return EXIT_CLEAN;
}

/* ---- the command ---- */

static enum odp_status read_history(struct difference *d)
{
    const struct invocation *inv = d->inv;
    const char *address = inv->options.previous != NULL ? inv->options.previous : inv->options.out;
    enum odp_status status = odp_site_open(&d->site, address, d->diags);
    if (status == ODP_DONE)
        d->code = outcome_refuse(EXIT_USAGE, say(inv, W_cmd_there_no_site_see_out), address);
    if (status != ODP_OK)
        return status;
    status = odp_history_read(&d->history, d->site, d->slug, d->arena, d->diags);
    if (status == ODP_DONE)
        d->code = unknown_slug(d);
    return status;
}

static enum odp_status work(struct difference *d)
{
    const struct invocation *inv = d->inv;
    enum odp_status status = read_history(d);
    if (status != ODP_OK)
        return status;
    d->code = choose_versions(d);
    if (d->code == EXIT_CLEAN && d->from == NULL) {
        printf(say(inv, W_cmd_there_only_one_version_nothing), d->slug, d->to->name);
        return ODP_OK;
    }
    if (d->code == EXIT_CLEAN)
        d->code = check_resources(d);
    if (d->code != EXIT_CLEAN)
        return ODP_DONE;
    status = open_output(d);
    if (status == ODP_OK)
        status = compare_all(d);
    return status == ODP_OK && d->code == EXIT_CLEAN ? close_output(d) : status;
}

static int run_diff(struct invocation *inv)
{
    struct difference d = {.inv = inv, .arena = &inv->run.arena};
    if (inv->nwords < 1 || inv->nwords > 3 || !choose_form(&d))
        return outcome_usage(inv, W_cmd_usage_diff);
    enum odp_status status = outcome_begin(inv);
    d.diags = inv->run.diags;
    split_slug(&d, inv->words[0]);
    if (status == ODP_OK)
        status = work(&d);
    int shown = outcome_end(inv, status);
    odp_file_discard(d.file);
    if (d.scratch != NULL && odp_dir_remove(d.scratch) != ODP_OK && shown == EXIT_CLEAN)
        shown = outcome_code(inv, ODP_FAIL, NULL);
    odp_history_release(&d.history);
    odp_site_close(d.site);
    return d.code != EXIT_CLEAN ? d.code : shown;
}

const struct command command_diff = {
    "diff", "SLUG [A [B]]", {{W_cmd_what_changed_between_two_versions}}, run_diff};
