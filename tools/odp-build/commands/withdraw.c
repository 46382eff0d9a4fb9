/* odp-build withdraw SLUG VERSION… --reason privacy|legal|error --note TEXT: a version leaves the site and this machine for
 * good. */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "commands/outcome.h"
#include "commands/person.h"
#include "run/site_pages.h"
#include "publish/publish.h"

static int usage(const struct invocation *inv)
{
    fputs(say(inv,
              "odp-build: pemakaian: odp-build withdraw SLUG VERSI… --reason privacy|legal|error --note TEKS\n"
              "  --note diterbitkan bersama tanda penarikan: satu baris, tanpa data yang ditarik\n",
              "odp-build: usage: odp-build withdraw SLUG VERSION… --reason privacy|legal|error --note TEXT\n"
              "  --note is published with the mark of the withdrawal: one line, without what is withdrawn\n"),
          stderr);
    return EXIT_USAGE;
}

static bool asked_well(const struct invocation *inv)
{
    static const char *const reasons[] = {"privacy", "legal", "error"};
    bool known = false;
    for (size_t i = 0; inv->reason != NULL && i < sizeof reasons / sizeof *reasons; i++)
        known = known || strcmp(inv->reason, reasons[i]) == 0;
    return inv->nwords >= 2 && known && inv->note != NULL && odp_utf8_is_line(odp_slice_of(inv->note), ODP_LINE_MOST);
}

static void tell(const struct invocation *inv, const struct odp_withdrawn *done)
{
    printf(say(inv, "%s: %zu versi ditarik, %zu berkas dihapus dari situs, %zu build lama dihapus\n",
               "%s: %zu versions withdrawn, %zu files removed from the site, %zu earlier builds removed\n"),
           inv->words[0], done->versions, done->files, done->builds);
    printf("%s → %s\n", inv->options.out, done->build);
    if (done->newest)
        fputs(say(inv, "versi terbaru ditarik: API dan latest/ menjawab 410 sampai versi baru dibangun\n",
                  "the newest version was withdrawn: the API and latest/ answer 410 until a new version is built\n"),
              stdout);
    fputs(say(inv,
              "masih perlu: odp-build publish TUJUAN (menghapusnya di sana), membersihkan CDN, dan menghapus data itu dari "
              "sumbernya\n",
              "still to do: odp-build publish DEST (removes it there), purge the CDN, and remove the data from its source\n"),
          stdout);
}

static enum odp_status withdraw(const struct invocation *inv, struct odp_run *run, struct odp_withdrawn *done)
{
    struct odp_pool *pool = NULL;
    enum odp_status status = odp_pool_new(&pool, inv->options.jobs);
    const struct odp_withdraw_options o = {.catalog = run->catalog,
                                           .out = inv->options.out,
                                           .slug = inv->words[0],
                                           .versions = inv->words + 1,
                                           .nversions = inv->nwords - 1,
                                           .reason = inv->reason,
                                           .note = inv->note,
                                           .by = person_name(inv),
                                           .pool = pool,
                                           .pages = odp_site_pages};
    if (status == ODP_OK)
        status = odp_withdraw(&o, &run->arena, done, run->diags);
    odp_pool_free(pool);
    return status;
}

static int run_withdraw(struct invocation *inv)
{
    struct odp_run run = {0};
    struct odp_withdrawn done = {0};
    if (!asked_well(inv))
        return usage(inv);
    enum odp_status status = odp_run_catalog(&run, &inv->options);
    bool catalog_wrong = status == ODP_BAD;
    if (status == ODP_OK)
        status = withdraw(inv, &run, &done);
    int code = outcome_show(inv, run.diags, status);
    if (catalog_wrong && code == EXIT_REJECTED)
        code = EXIT_USAGE;
    if (status == ODP_OK && !inv->style.quiet)
        tell(inv, &done);
    else if (status == ODP_DONE && done.builds > 0 && !inv->style.quiet)
        printf(
            say(inv, "%zu build lama yang masih memuatnya dihapus\n", "%zu earlier builds that still held it were removed\n"),
            done.builds);
    odp_run_release(&run);
    return code;
}

const struct command command_withdraw = {"withdraw",
                                         "SLUG VERSION…",
                                         {{"tarik versi yang tidak boleh terbit lagi, dari semua tempat",
                                           "take back versions that may not be published any more, everywhere"}},
                                         run_withdraw};
