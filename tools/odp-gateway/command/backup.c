/* odp-gateway backup, restore, promote. A backup is the store, consistent while the service runs; the table
 * is made from it. */
#include <errno.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "base/file.h"
#include "command/control_client.h"
#include "command/messages.h"
#include "service/webhooks/webhooks.h"
#include "words/gateway_command.h"

enum { PATH_LEN = 4096, PIECE = 1 << 30 };

static int copy_bytes(int from, int to)
{
    ssize_t n;
    do
        n = sendfile(to, from, NULL, PIECE);
    while (n > 0 || (n < 0 && errno == EINTR));
    return n == 0 && fsync(to) == 0 ? 0 : errno;
}

/* The service writes into its own folder as its own user; the caller then takes the file to where he may
 * write. */
static int take_backup(struct admin *a, const char *kept, int out, int64_t *webhooks)
{
    json_t *rows = NULL;
    int code = admin_rows(a, json_pack("{s:s, s:s}", "command", "backup", "path", kept), &rows);
    *webhooks = json_integer_value(json_object_get(json_array_get(rows, 0), "webhooks"));
    json_decref(rows);
    if (code != EXIT_CLEAN)
        return code;
    int from = open(kept, O_RDONLY | O_CLOEXEC);
    int e = from >= 0 ? copy_bytes(from, out) : errno;
    if (from >= 0)
        close(from);
    if (unlink(kept) != 0 && e == 0)
        e = errno;
    return e == 0 ? EXIT_CLEAN : complain(EXIT_MACHINE, "%s: %s", kept, reason_of(a->inv, e));
}

static int run_backup(struct invocation *inv)
{
    struct admin a = {0};
    char part[PATH_LEN], kept[PATH_LEN];
    const char *target = inv->line.words[0];
    int64_t webhooks = 0;
    (void)snprintf(part, sizeof part, "%.4000s.part", target);
    (void)unlink(part);
    int out = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (out < 0)
        return complain(EXIT_MACHINE, say(inv, W_gwc_cannot_made), part, reason_of(inv, errno));
    int code = admin_begin(&a, inv);
    if (code == EXIT_CLEAN) {
        (void)snprintf(kept, sizeof kept, "%.3000s/run/backup-%ld", a.gateway.state, (long)getpid());
        code = take_backup(&a, kept, out, &webhooks);
    }
    admin_end(&a);
    close(out);
    if (code == EXIT_CLEAN && odp_file_rename(part, target) != ODP_OK)
        code = machine_failed(inv);
    if (code == EXIT_CLEAN)
        complain(0, say(inv, W_gwc_backup_holds_personal_data), target);
    else
        (void)unlink(part);
    if (code == EXIT_CLEAN && webhooks > 0)
        complain(0, say(inv, W_gwc_webhooks_sealed_their_key), (long long)webhooks);
    return code;
}

/* Root puts back what belongs to the gateway's user: the copy is made as root, then owned. */
static int put_back(struct gateway *g, const char *backup, bool promote)
{
    char copy[PATH_LEN], why[ODP_WHY] = "";
    (void)snprintf(copy, sizeof copy, "%.3000s/run/restore-%ld", g->state, (long)getpid());
    int from = open(backup, O_RDONLY | O_CLOEXEC);
    if (from < 0)
        return complain(EXIT_REFUSED, "%s: %s", backup, reason_of(g->inv, errno));
    (void)unlink(copy);
    int to = open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int e = to >= 0 ? copy_bytes(from, to) : errno;
    if (e == 0 && geteuid() == 0 && fchown(to, g->uid, g->gid) != 0)
        e = errno;
    close(from);
    if (to >= 0)
        close(to);
    int code = e == 0 ? EXIT_CLEAN : complain(EXIT_MACHINE, "%s: %s", copy, reason_of(g->inv, e));
    if (code == EXIT_CLEAN && !gateway_become_user(g))
        code = complain(EXIT_MACHINE, "setuid %s: %s", g->user, reason_of(g->inv, errno));
    if (code == EXIT_CLEAN) {
        enum odp_status status = odp_state_restore(g->state, copy, promote, why);
        if (status != ODP_OK)
            code = status == ODP_BAD ? complain(EXIT_REFUSED, "%s: %s", backup, why) : machine_failed(g->inv);
    }
    (void)unlink(copy);
    return code;
}

/* Addresses and secrets of webhooks are sealed with a key that no backup has. */
static void warn_key(const struct gateway *g)
{
    char path[PATH_LEN], why[ODP_WHY];
    int64_t n = 0;
    (void)snprintf(path, sizeof path, "%.3000s/store.sqlite", g->state);
    if (odp_webhooks_in_store(path, &n, why) != ODP_OK)
        odp_failure_clear(); /* the store was verified a moment ago: serve reports its faults */
    (void)snprintf(path, sizeof path, "%.3000s/webhook.key", g->state);
    if (n == 0 || access(path, F_OK) == 0)
        return;
    complain(0, say(g->inv, W_gwc_warning_webhooks_sealed_key), (long long)n, path);
}

static int restore(struct invocation *inv, bool promote)
{
    struct gateway g;
    int code = gateway_init(&g, inv);
    if (code == EXIT_CLEAN)
        code = gateway_prepare(&g);
    if (code == EXIT_CLEAN)
        code = put_back(&g, inv->line.words[0], promote);
    if (code == EXIT_CLEAN)
        complain(0, say(inv, W_gwc_restored_start_serve_site), inv->line.words[0], g.state);
    if (code == EXIT_CLEAN)
        warn_key(&g);
    gateway_release(&g);
    return code;
}

static int run_restore(struct invocation *inv)
{
    return restore(inv, false);
}

static int run_promote(struct invocation *inv)
{
    return restore(inv, true);
}

const struct command command_backup = {"backup", "FILE", {{W_gwc_copy_keys_counts_file_also}}, run_backup};
const struct command command_restore = {"restore", "FILE", {{W_gwc_put_backup_back_into_state}}, run_restore};
const struct command command_promote = {
    "promote", "FILE", {{W_gwc_make_replica_writer_backup_old}}, run_promote};
