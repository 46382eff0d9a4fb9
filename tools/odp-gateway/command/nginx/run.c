/* nginx as a program: whether it takes our configuration, and in whose words it does not. */
#include "command/nginx/run.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/file.h"
#include "command/messages.h"
#include "words/gateway_command.h"

enum { PATH_LEN = 4096, TEST_SECONDS = 30 };

static bool has_patience(void *left)
{
    return --*(int *)left > 0;
}

int nginx_test(const struct gateway *g, const char *conf, struct odp_buffer *output)
{
    char prefix[PATH_LEN];
    (void)snprintf(prefix, sizeof prefix, "%s/nginx/", g->state);
    const char *const argv[] = {g->nginx, "-t", "-q", "-e", "stderr", "-p", prefix, "-c", conf, NULL};
    int left = TEST_SECONDS * 1000 / ODP_CHILD_WATCH_MS;
    struct odp_child child = {.argv = argv, .watch = has_patience, .ctx = &left};
    enum odp_status status = odp_child_run(&child);
    *output = child.errors;
    if (status != ODP_OK || child.code == 0)
        return status != ODP_OK ? -1 : 0;
    const char *text = odp_buffer_cstr(output);
    bool module = strstr(text, "binary compatible") != NULL || strstr(text, "dlopen()") != NULL ||
                  strstr(text, "dlsym()") != NULL ||
                  (strstr(text, "module \"") != NULL && strstr(text, "instead of") != NULL);
    return module && g->config.module != NULL ? 2 : 1;
}

static void warn_fallback(const struct gateway *g, const char *why)
{
    fprintf(stderr, say(g->inv, W_gwc_warning_nginx_module_used), why);
}

/* The line of nginx's words that says it, without its own prefix. */
static const char *first_error(struct odp_arena *a, struct odp_buffer *output)
{
    const char *text = odp_buffer_cstr(output), *at = strstr(text, "[emerg]");
    at = at != NULL ? at + 7 : text;
    while (isspace((unsigned char)*at))
        at++;
    const char *line = odp_arena_printf(a, "%.*s", (int)strcspn(at, "\n"), at);
    return line;
}

static int fall_back(struct gateway *g, const char *why)
{
    if (g->inv->serve.content.mode != CONTENT_LOCAL)
        return complain(EXIT_USAGE, say(g->inv, W_gwc_content_needs_nginx_module_2),
                        g->inv->serve.content.text, why);
    warn_fallback(g, why);
    g->module = g->config.module = NULL;
    return EXIT_CLEAN;
}

static int put_config(struct gateway *g, const char *path)
{
    struct odp_buffer text = {0};
    (void)unlink(path);
    enum odp_status status = nginx_config_write(&text, &g->config);
    if (status == ODP_OK)
        status = odp_file_put(path, odp_buffer_slice(&text), 0600, NULL);
    odp_buffer_release(&text);
    return status == ODP_OK ? EXIT_CLEAN : machine_failed(g->inv);
}

int nginx_write_config(struct gateway *g)
{
    struct odp_buffer output;
    const char *fresh = odp_arena_printf(&g->arena, "%s.new", g->conf);
    const char *named = g->inv->serve.module;
    int code = EXIT_CLEAN;
    if (g->config.module == NULL)
        code = fall_back(g, named == NULL               ? say(g->inv, W_gwc_ngx_http_module_so_found)
                            : strcmp(named, "off") == 0 ? "--module off"
                                                        : say(g->inv, W_gwc_file_module_there_cannot_read));
    for (int round = 0; code == EXIT_CLEAN; round++) {
        odp_buffer_init(&output);
        code = put_config(g, fresh);
        int tested = code == EXIT_CLEAN ? nginx_test(g, fresh, &output) : 0;
        const char *why = first_error(&g->arena, &output);
        if (tested < 0)
            code = complain(EXIT_MACHINE, "%s: %s", g->nginx, reason_of(g->inv, errno));
        else if (tested == 2 && round == 0)
            code = fall_back(g, why);
        else if (tested != 0)
            code = complain(EXIT_USAGE, say(g->inv, W_gwc_nginx_refuses_configuration), fresh,
                            odp_buffer_cstr(&output));
        odp_buffer_release(&output);
        if (tested == 0)
            break;
    }
    if (code == EXIT_CLEAN && odp_file_rename(fresh, g->conf) != ODP_OK)
        code = machine_failed(g->inv);
    return code;
}
