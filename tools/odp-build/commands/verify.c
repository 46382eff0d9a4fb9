/* odp-build verify: proves a site, wherever it is. */
#include <stdlib.h>

#include "base/file.h"
#include "commands/outcome.h"
#include "commands/progress_bar.h"
#include "commands/public_keys.h"
#include "publish/publish.h"
#include "words/commands.h"

enum { KEYS_MAX = 64 };

static void print_count(const struct invocation *inv, uint64_t n, const char *id, const char *one,
                        const char *many)
{
    outcome_number(inv, n);
    printf(" %s", say(inv, id, n == 1 ? one : many));
}

static void print_result(const struct invocation *inv, const char *address, const struct odp_verify_result *r)
{
    printf("%s: %s\n  ", address, say(inv, W_cmd_sound));
    print_count(inv, r->files, W_cmd_file, "files");
    fputs(" (", stdout);
    print_count(inv, r->bytes, "byte", "byte", "bytes");
    fputs("), ", stdout);
    print_count(inv, r->twins, W_cmd_compressed_twin, "compressed twins");
    fputs(", ", stdout);
    print_count(inv, r->versions, W_cmd_version, "versions");
    fputs(", ", stdout);
    print_count(inv, r->distributions, W_cmd_distribution_read_back, "distributions read back");
    putchar('\n');
    if (r->absent > 0) {
        fputs("  ", stdout);
        print_count(inv, r->absent, W_cmd_file_only_at_site_came,
                    "files are only at the site they came from, not verified");
        putchar('\n');
    }
    if (r->signed_by == NULL)
        printf("  %s\n", say(inv, W_cmd_not_signed));
    else
        printf("  %s %s (%s)\n", say(inv, W_cmd_signed_with_key), r->signed_by,
               r->trusted ? say(inv, W_cmd_trusted_keys) : say(inv, W_cmd_key_site_itself_declares));
}

static bool is_public(const struct invocation *inv, const char *address)
{
    if (inv->public_only || inv->origin)
        return inv->public_only;
    return odp_remote_kind_of(address) ==
           ODP_REMOTE_URL; /* the API would need a key, and internal files are never served */
}

static enum odp_status verify(const struct invocation *inv, struct odp_verify_options *o,
                              struct odp_verify_result *result, struct odp_run *run)
{
    /* for fetched files and applied deltas */
    const char *scratch = outcome_scratch("odp-verify", &run->arena);
    struct progress_bar bar;
    if (scratch == NULL)
        return ODP_FAIL;
    progress_bar_init(&bar, inv);
    o->scratch = scratch;
    o->progress = &bar.progress;
    odp_diags_set_strict(run->diags, inv->options.strict);
    enum odp_status status = odp_verify_site(result, o, &run->arena, run->diags);
    progress_bar_finish(&bar);
    if (odp_dir_remove(scratch) != ODP_OK)
        status = ODP_FAIL;
    return status == ODP_OK ? odp_memory_status() : status;
}

static int run_verify(struct invocation *inv)
{
    struct odp_verify_result result = {0};
    struct odp_public_key keys[KEYS_MAX];
    struct odp_verify_options o = {.address = inv->nwords == 1 ? inv->words[0] : inv->options.out,
                                   .keys = keys,
                                   .need_signature = inv->need_signature,
                                   .jobs = inv->options.jobs};
    if (inv->nwords > 1 || (inv->public_only && inv->origin))
        return outcome_usage(inv, W_cmd_usage_verify);
    o.audience = is_public(inv, o.address) ? ODP_AUDIENCE_PUBLIC : ODP_AUDIENCE_ORIGIN;
    enum odp_status status = public_keys_read(inv, keys, KEYS_MAX, &o.nkeys);
    if (status == ODP_BAD)
        return EXIT_USAGE;
    if (status == ODP_OK)
        status = outcome_begin(inv);
    if (status == ODP_OK)
        status = verify(inv, &o, &result, &inv->run);
    int code = outcome_end(inv, status);
    if (code == EXIT_CLEAN && outcome_prints(inv))
        print_result(inv, o.address, &result);
    return code;
}

const struct command command_verify = {
    "verify", "[SITE]", {{W_cmd_prove_site_every_file_version}}, run_verify};
