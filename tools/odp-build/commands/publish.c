/* odp-build publish, headers and restore: sends a site, describes how to serve it, brings it back. */
#include <string.h>

#include "base/file.h"
#include "commands/failure.h"
#include "commands/outcome.h"
#include "commands/progress_bar.h"
#include "commands/public_keys.h"
#include "publish/publish.h"
#include "words/commands.h"

enum { KEYS_MAX = 16, CONTROL_MAX = 1 << 28 };

/* The network is a machine too: 3. A destination that can only be read: 2. */
static int exit_code(int code, const struct odp_diags *diags)
{
    if (code != EXIT_REJECTED)
        return code;
    if (odp_diags_code_count(diags, ODP_V41) > 0)
        return EXIT_MACHINE;
    return odp_diags_code_count(diags, ODP_V46) > 0 ? EXIT_USAGE : EXIT_REJECTED;
}

/* "12 berkas ditulis" */
static void print_count(const struct invocation *inv, const char *before, uint64_t n, const char *id,
                        const char *en)
{
    fputs(before, stdout);
    outcome_number(inv, n);
    printf(" %s", say(inv, id, en));
}

static void print_paths(const char *mark, const char *const *paths, size_t n)
{
    for (size_t i = 0; i < n; i++)
        printf("%s%s\n", mark, paths[i]);
}

static void print_plan(const struct invocation *inv, const struct odp_publish_plan *plan)
{
    if (plan->up_to_date) {
        printf("%s: %s\n", plan->shown, say(inv, W_cmd_same_already_nothing_write));
        return;
    }
    if (inv->dry_run) {
        print_paths("+ ", plan->put, plan->nput);
        print_paths("- ", plan->remove, plan->nremove);
    }
    if (plan->npurge > 0)
        printf("%s\n", say(inv, W_cmd_purged_from_cdn));
    print_paths("  /", plan->purge, plan->npurge);
    printf("%s → %s", inv->options.out, plan->build != NULL ? plan->build : plan->shown);
    if (inv->dry_run)
        print_count(inv, "   ", plan->nput, W_cmd_files_to_be_written);
    else
        print_count(inv, "   ", plan->nput, W_cmd_files_written);
    print_count(inv, " (", plan->bytes, W_cmd_bytes_2);
    if (inv->dry_run)
        print_count(inv, ", ", plan->nremove, W_cmd_to_be_removed);
    else
        print_count(inv, ", ", plan->nremove, W_cmd_removed);
    print_count(inv, ", ", plan->same, W_cmd_there_already);
    putchar('\n');
}

/* Whether each of --format's names, separated by commas, is a form. */
static bool forms_ok(const char *names)
{
    char form[32];
    while (names != NULL && *names != '\0') {
        size_t len = strcspn(names, ",");
        int n = snprintf(form, sizeof form, "%.*s", (int)len, names);
        if (n < 0 || (size_t)n >= sizeof form || odp_headers_file(form) == NULL)
            return false;
        names += len + (names[len] == ',');
    }
    return true;
}

/* STANDS: the site was in place before the machine failed; AFTER says so. */
static int finish(const struct invocation *inv, enum odp_status status, bool stands, const char *after)
{
    if (status == ODP_OK)
        status = odp_memory_status();
    bool late = status == ODP_FAIL && stands;
    int code = exit_code(outcome_end(inv, late ? ODP_OK : status), inv->run.diags);
    if (!late)
        return code;
    failure_say(inv, after);
    return EXIT_MACHINE;
}

static int run_publish(struct invocation *inv)
{
    struct odp_publish_plan plan = {0};
    struct progress_bar bar;
    if (inv->nwords != 1 || (inv->public_only && inv->origin))
        return outcome_refuse(EXIT_USAGE, "%s", say(inv, W_cmd_usage_publish));
    if (!forms_ok(inv->format))
        return outcome_refuse(EXIT_USAGE, "%s", say(inv, W_cmd_format_nginx_netlify_s3_several));
    struct odp_publish_options o = {.site = inv->options.out,
                                    .destination = inv->words[0],
                                    .audience = inv->public_only ? ODP_AUDIENCE_PUBLIC : ODP_AUDIENCE_ORIGIN,
                                    .dry_run = inv->dry_run,
                                    .first = inv->first,
                                    .header_files = inv->format};
    progress_bar_init(&bar, inv);
    o.progress = &bar.progress;
    enum odp_status status = outcome_begin(inv);
    if (status == ODP_OK)
        status = odp_publish(&plan, &o, &inv->run.arena, inv->run.diags);
    progress_bar_finish(&bar);
    int code = finish(inv, status, plan.build != NULL, say(inv, W_cmd_site_published_there_then_machine));
    if (code == EXIT_CLEAN && !inv->style.quiet)
        print_plan(inv, &plan);
    return code;
}

/* ---- headers ---- */

static int run_headers(struct invocation *inv)
{
    struct odp_buffer control = {0}, out = {0};
    if (inv->nwords > 1 || inv->format == NULL || odp_headers_file(inv->format) == NULL)
        return outcome_refuse(EXIT_USAGE, "%s", say(inv, W_cmd_usage_headers));
    const char *site = inv->nwords == 1 ? inv->words[0] : inv->options.out;
    enum odp_status status = outcome_begin(inv);
    if (status == ODP_OK)
        status = odp_file_read(odp_path_join(&inv->run.arena, site, "control"), CONTROL_MAX, &control, NULL);
    if (status == ODP_OK)
        status = odp_headers(&out, inv->format, odp_buffer_slice(&control));
    if (status == ODP_OK && inv->output != NULL)
        status = outcome_write_file(inv->output, odp_buffer_slice(&out));
    else if (status == ODP_OK && out.len > 0)
        fwrite(out.ptr, 1, out.len, stdout);
    int code = outcome_show(inv, NULL, status == ODP_BAD ? ODP_OK : status);
    if (status == ODP_BAD) {
        fprintf(stderr, say(inv, W_cmd_there_no_control_file_made), site);
        code = EXIT_REJECTED;
    }
    odp_buffer_release(&control);
    odp_buffer_release(&out);
    return code;
}

/* ---- restore ---- */

static void print_restored(const struct invocation *inv, const struct odp_restored *done)
{
    printf("%s → %s", done->shown, done->build);
    print_count(inv, "   ", done->files, W_cmd_files);
    print_count(inv, " (", done->bytes, W_cmd_bytes_all_verified);
    if (done->signed_by != NULL)
        printf("   %s %s", say(inv, W_cmd_signed_with_key), done->signed_by);
    putchar('\n');
}

static int run_restore(struct invocation *inv)
{
    struct odp_public_key keys[KEYS_MAX];
    struct odp_restored done = {0};
    struct progress_bar bar;
    if (inv->nwords != 1)
        return outcome_refuse(EXIT_USAGE, "%s", say(inv, W_cmd_usage_restore));
    struct odp_restore_options o = {.from = inv->words[0], .out = inv->options.out, .keys = keys};
    enum odp_status status = public_keys_read(inv, keys, KEYS_MAX, &o.nkeys);
    if (status == ODP_BAD)
        return EXIT_USAGE;
    progress_bar_init(&bar, inv);
    o.progress = &bar.progress;
    if (status == ODP_OK)
        status = outcome_begin(inv);
    if (status == ODP_OK)
        status = odp_restore(&done, &o, &inv->run.arena, inv->run.diags);
    progress_bar_finish(&bar);
    int code = finish(inv, status, done.build != NULL, say(inv, W_cmd_site_restored_then_machine_failed));
    if (code == EXIT_CLEAN && !inv->style.quiet)
        print_restored(inv, &done);
    return code;
}

const struct command command_publish = {
    "publish", "DEST", {{W_cmd_send_site_folder_store_rclone}}, run_publish};
const struct command command_headers = {
    "headers", "[SITE]", {{W_cmd_cache_headers_for_nginx_netlify}}, run_headers};
const struct command command_restore = {"restore", "FROM", {{W_cmd_make_lost_out_again_from}}, run_restore};
