/* odp-gateway serve SITE: everything an operator needs in one foreground process. odp-gateway config SITE:
 * its nginx configuration.
 *
 * The map of a start, file by file, from the command line to the first answered request:
 *
 *   ../main.c           the command line is read (options.c), the command found and run
 *   serve.c             the steps of `serve`:
 *     gateway.c         folders, user, nginx and module are found (nginx/find.c); nothing is touched yet
 *     serve_secrets.c   files of secrets exist and are closed to others; the site is one (gateway.c)
 *     gateway.c         the state folder is made, STATE/site leads to the site
 *     nginx/ports.c     each --listen can be bound
 *     nginx/run.c       the configuration is written (nginx/config.c, templates/nginx), tried with `nginx
 *                       -t`, and put in its place; without a module that fits, without it
 *     supervise.c       starts the service, waits until it is ready, starts nginx, looks after both until a
 *                       signal comes
 *     service_body.c    in the service's process: store and key table are opened (service/state), the site is
 *                       read, other machines are asked (service/cluster), sockets listen (service/server.c)
 *   module/module.c     in each of nginx's workers: table, meter and site are opened (module/place.c)
 *
 * The first request: nginx calls module/redact.c, then module/access.c (the key: module/key.c,
 * core/quota/quota.c; the file: module/cache.c, core/control/ask.c), then module/content.c sends the file,
 * and module/meter.c counts it. A query goes from module/query.c to the service (service/http,
 * service/queries). */
#include <sys/stat.h>
#include <unistd.h>

#include "command/messages.h"
#include "command/nginx/ports.h"
#include "command/nginx/run.h"
#include "command/serve_secrets.h"
#include "command/supervise.h"
#include "words/gateway_command.h"

static int check_files(struct gateway *g)
{
    const struct serve_options *o = &g->inv->serve;
    const char *const files[] = {o->tls_cert, o->service.webhook_ca};
    for (size_t i = 0; i < ODP_COUNT(files); i++)
        if (files[i] != NULL && access(files[i], R_OK) != 0)
            return complain(EXIT_USAGE, say(g->inv, W_gwc_there_cannot_read), files[i]);
    return serve_check_secrets(g);
}

static int check_nginx(const struct gateway *g)
{
    const char *named = g->inv->serve.nginx;
    if (g->nginx != NULL || (named != NULL && strcmp(named, "off") == 0))
        return EXIT_CLEAN;
    return complain(EXIT_MACHINE, say(g->inv, W_gwc_nginx_found_install_apt), named != NULL ? ": " : "",
                    odp_or_empty(named));
}

static void warn_root(const struct gateway *g)
{
    if (geteuid() == 0 && g->uid == 0)
        complain(0, "%s", say(g->inv, W_gwc_warning_runs_root_use_user));
    else if (geteuid() == 0 && g->inv->serve.user == NULL)
        complain(0, say(g->inv, W_gwc_working_who_owns_state_folder), g->user);
}

static void warn_loopback(const struct gateway *g)
{
    if (g->inv->serve.service.webhook_loopback)
        complain(0, "%s", say(g->inv, W_gwc_warning_webhook_loopback));
}

static int serve(struct gateway *g)
{
    int code = check_files(g);
    if (code == EXIT_CLEAN)
        code = gateway_check_site(g);
    if (code == EXIT_CLEAN)
        code = check_nginx(g);
    if (code != EXIT_CLEAN)
        return code;
    warn_root(g);
    warn_loopback(g);
    (void)umask(077); /* logs name clients: they are the operator's alone, as is all of the state folder */
    code = gateway_prepare(g);
    if (code == EXIT_CLEAN && g->nginx != NULL)
        code = nginx_check_ports(g);
    if (code == EXIT_CLEAN && g->nginx != NULL)
        code = nginx_write_config(g);
    return code == EXIT_CLEAN ? supervise(g) : code;
}

static int run_serve(struct invocation *inv)
{
    struct gateway g;
    int code = gateway_init(&g, inv);
    if (code == EXIT_CLEAN)
        code = serve(&g);
    gateway_release(&g);
    return code;
}

static int run_config(struct invocation *inv)
{
    struct gateway g;
    struct odp_buffer text = {0};
    int code = gateway_init(&g, inv);
    if (code == EXIT_CLEAN) {
        g.config.http_only = strcmp(inv->part, "http") == 0;
        if (g.config.module == NULL && inv->serve.content.mode != CONTENT_LOCAL)
            code = complain(EXIT_USAGE, say(inv, W_gwc_content_needs_nginx_module), inv->serve.content.text);
        else if (nginx_config_write(&text, &g.config) != ODP_OK)
            code = machine_failed(inv);
        else if (g.config.module == NULL)
            complain(0, "%s", say(inv, W_gwc_warning_without_nginx_module));
    }
    if (code == EXIT_CLEAN)
        fwrite(text.ptr, 1, text.len, stdout);
    odp_buffer_release(&text);
    gateway_release(&g);
    return code;
}

const struct command command_serve = {"serve", "SITE", {{W_gwc_serve_site_nginx_service_keys}}, run_serve};
const struct command command_config = {"config", "SITE", {{W_gwc_print_same_configuration}}, run_config};
