#include "command/gateway.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "command/messages.h"
#include "command/nginx/find.h"
#include "command/values.h"
#include "words/gateway_command.h"

enum { STATE_PATH_MAX = 85, PATH_LEN = 4096 };

/* PATH with this folder before it, without a slash at its end; links in it stay as they are. NULL: out of
 * memory. */
static const char *absolute(struct odp_arena *a, const char *path)
{
    char cwd[PATH_LEN];
    if (path == NULL)
        return NULL;
    if (*path != '/' && getcwd(cwd, sizeof cwd) == NULL)
        return odp_arena_str(a, path);
    while (strncmp(path, "./", 2) == 0)
        path += 2;
    char *full = *path == '/' ? odp_arena_str(a, path)
                              : odp_arena_printf(a, "%s/%s", strcmp(cwd, "/") == 0 ? "" : cwd, path);
    for (size_t n = strlen(full); n > 1 && full[n - 1] == '/'; n--)
        full[n - 1] = '\0';
    return full;
}

/* The user: --user; else the owner of the state folder; else this one. Only root can choose. */
static int find_user(struct gateway *g)
{
    const char *named = g->inv->serve.user;
    struct passwd *p = NULL;
    struct stat st;
    g->uid = geteuid();
    g->gid = getegid();
    if (g->uid != 0) {
        p = named != NULL ? getpwnam(named) : NULL;
        if (named != NULL && (p == NULL || p->pw_uid != g->uid))
            return complain(EXIT_USAGE, say(g->inv, W_gwc_user_used_root_only), named);
        return EXIT_CLEAN;
    }
    if (named != NULL) {
        p = getpwnam(named);
        if (p == NULL)
            return complain(EXIT_USAGE, say(g->inv, W_gwc_machine_no_user_make_useradd), named, named);
    } else {
        p = getpwuid(stat(g->state, &st) == 0 ? st.st_uid : 0);
    }
    if (p != NULL) {
        g->uid = p->pw_uid;
        g->gid = p->pw_gid;
    }
    g->user = odp_arena_str(&g->arena, p != NULL ? p->pw_name : "root");
    return EXIT_CLEAN;
}

/* "name group": without the group nginx looks for one of the user's name. */
static const char *nginx_user(struct gateway *g)
{
    const struct group *group = g->user != NULL ? getgrgid(g->gid) : NULL;
    return group != NULL ? odp_arena_printf(&g->arena, "%s %s", g->user, group->gr_name) : g->user;
}

static unsigned long file_limit(void)
{
    struct rlimit l;
    unsigned long n =
        getrlimit(RLIMIT_NOFILE, &l) == 0 && l.rlim_max != RLIM_INFINITY ? (unsigned long)l.rlim_max : 65536;
    return n > 65536 ? 65536 : n;
}

int gateway_init(struct gateway *g, struct invocation *inv)
{
    struct serve_options *o = &inv->serve;
    bool serves = strstr(SERVE, inv->line.command->name) != NULL;
    *g = (struct gateway){.inv = inv, .given = inv->serve};
    g->state = absolute(&g->arena, inv->state);
    g->site = serves && inv->line.nwords > 0 ? absolute(&g->arena, inv->line.words[0]) : NULL;
    const char **const paths[] = {&o->tls_cert,
                                  &o->tls_key,
                                  &o->service.redis_secret,
                                  &o->service.cursor_secret,
                                  &o->service.webhook_key,
                                  &o->service.webhook_ca};
    for (size_t i = 0; i < ODP_COUNT(paths); i++)
        *paths[i] = absolute(&g->arena, *paths[i]);
    if (o->access_log != NULL && strcmp(o->access_log, "off") != 0)
        o->access_log = absolute(&g->arena, o->access_log);
    if (g->state == NULL)
        return machine_failed(inv);
    if (strlen(g->state) > STATE_PATH_MAX)
        return complain(EXIT_USAGE, say(inv, W_gwc_state_folder_path_too_long), STATE_PATH_MAX, g->state);
    g->site_link = odp_path_join(&g->arena, g->state, "site");
    g->conf = odp_path_join(&g->arena, g->state, "nginx.conf");
    if (g->site_link == NULL)
        return machine_failed(inv);
    int code = find_user(g);
    g->service = o->service;
    g->service.state_dir = g->state;
    g->service.site = g->site_link;
    g->service.webhook_allow = o->webhook_allow.item;
    g->service.nwebhook_allow = o->webhook_allow.n;
    if (code != EXIT_CLEAN || !serves)
        return code;
    if (o->nginx == NULL || strcmp(o->nginx, "off") != 0)
        g->nginx = nginx_find(&g->arena, o->nginx);
    if (o->module == NULL || strcmp(o->module, "off") != 0)
        g->module = absolute(&g->arena, nginx_find_module(&g->arena, o->module));
    g->config = (struct nginx_config){.serve = o,
                                      .state = g->state,
                                      .module = g->module,
                                      .user = nginx_user(g),
                                      .resolver = nginx_resolver(&g->arena),
                                      .files = file_limit()};
    if (g->config.resolver == NULL)
        return machine_failed(inv);
    const char *bad = nginx_config_refuses(&g->config);
    if (bad != NULL)
        return complain(EXIT_USAGE, say(inv, W_gwc_path_characters_nginx), bad);
    return EXIT_CLEAN;
}

void gateway_release(struct gateway *g)
{
    if (g->inv != NULL)
        g->inv->serve = g->given;
    odp_arena_release(&g->arena);
}

const char *gateway_url(const struct gateway *g, size_t i, char out[300])
{
    const struct option_list *l = &g->inv->serve.listen;
    const char *text = l->n > 0 ? l->item[i] : "127.0.0.1:8080", *path;
    bool tls = g->inv->serve.tls_cert != NULL;
    char host[256];
    unsigned port;
    (void)snprintf(out, 300, "%s", text);
    if (!value_address(text, host, &port, &path) || path != NULL)
        return out;
    const char *shown = strcmp(host, "*") == 0 || strcmp(host, "0.0.0.0") == 0 ? "localhost"
                        : strcmp(host, "[::]") == 0                            ? "[::1]"
                                                                               : host;
    if (port == (tls ? 443u : 80u))
        (void)snprintf(out, 300, "http%s://%.255s/", tls ? "s" : "", shown);
    else
        (void)snprintf(out, 300, "http%s://%.255s:%u/", tls ? "s" : "", shown, port);
    return out;
}

int gateway_check_site(const struct gateway *g)
{
    static const char *const files[] = {"control", "manifest.json", "gateway.json"};
    struct stat st;
    char path[PATH_LEN];
    if (stat(g->site, &st) != 0 || !S_ISDIR(st.st_mode))
        return complain(EXIT_REFUSED, say(g->inv, W_gwc_there_no_site_build_one_first), g->site, g->site);
    for (size_t i = 0; i < ODP_COUNT(files); i++) {
        (void)snprintf(path, sizeof path, "%s/%s", g->site, files[i]);
        if (access(path, R_OK) == 0)
            continue;
        if (errno == EACCES)
            return complain(EXIT_REFUSED, say(g->inv, W_gwc_cannot_read_look_permissions), path);
        return complain(EXIT_REFUSED, say(g->inv, W_gwc_site_built_build_no_build), g->site, files[i]);
    }
    return EXIT_CLEAN;
}

/* A folder with mode 0700 that belongs to the gateway's user. */
static int make_folder(const struct gateway *g, const char *path)
{
    if (mkdir(path, 0700) == 0) {
        if (geteuid() == 0 && chown(path, g->uid, g->gid) != 0)
            return complain(EXIT_MACHINE, "chown %s: %s", path, reason_of(g->inv, errno));
        return EXIT_CLEAN;
    }
    struct stat st;
    if (errno != EEXIST || stat(path, &st) != 0 || !S_ISDIR(st.st_mode))
        return complain(EXIT_MACHINE, say(g->inv, W_gwc_folder_cannot_made), path,
                        reason_of(g->inv, errno == EEXIST ? ENOTDIR : errno));
    if (st.st_uid != g->uid)
        return complain(EXIT_REFUSED, say(g->inv, W_gwc_folder_belongs_another_user), path,
                        g->user != NULL ? g->user : "…", g->state);
    if ((st.st_mode & 0077) != 0 && chmod(path, 0700) != 0)
        return complain(EXIT_MACHINE, "chmod %s: %s", path, reason_of(g->inv, errno));
    return EXIT_CLEAN;
}

/* Somebody's home or /tmp is not ours to close: a folder that is there already must be empty or a state
 * folder. */
static int check_folder(const struct gateway *g)
{
    static const char *const ours[] = {"store.sqlite", "lock", "nginx.d", "keys.table", "role"};
    /* A first start makes these before the others: after a loss of power some may be alone. */
    static const char *const begun[] = {"nginx",          "run",      "indexes", "site", "nginx.conf",
                                        "nginx.conf.new", "role.part"};
    struct odp_arena a = {0};
    const char **names;
    size_t n = 0;
    bool is_ours = false, only_begun = true;
    enum odp_status status = odp_dir_list(g->state, &a, &names, &n);
    for (size_t i = 0; status == ODP_OK && i < n; i++) {
        bool known = strncmp(names[i], "site.", 5) == 0; /* a link that was not in place yet */
        for (size_t k = 0; k < ODP_COUNT(ours); k++)
            is_ours = is_ours || strcmp(names[i], ours[k]) == 0;
        for (size_t k = 0; k < ODP_COUNT(begun); k++)
            known = known || strcmp(names[i], begun[k]) == 0;
        only_begun = only_begun && known;
    }
    odp_arena_release(&a);
    if (status == ODP_OK && n > 0 && !is_ours && !only_begun)
        return complain(EXIT_REFUSED, say(g->inv, W_gwc_holds_other_things_no_state), g->state);
    return EXIT_CLEAN;
}

static int link_site(const struct gateway *g)
{
    char fresh[PATH_LEN], now[PATH_LEN];
    ssize_t n = readlink(g->site_link, now, sizeof now - 1);
    if (strcmp(g->site, g->site_link) == 0 ||
        (n > 0 && (size_t)n == strlen(g->site) && memcmp(now, g->site, (size_t)n) == 0))
        return EXIT_CLEAN;
    (void)snprintf(fresh, sizeof fresh, "%s.new", g->site_link);
    if ((unlink(fresh) != 0 && errno != ENOENT) || symlink(g->site, fresh) != 0 ||
        rename(fresh, g->site_link) != 0)
        return complain(EXIT_MACHINE, "link %s: %s", g->site_link, reason_of(g->inv, errno));
    return EXIT_CLEAN;
}

int gateway_prepare(struct gateway *g)
{
    static const char *const folders[] = {"nginx.d", "run", "nginx", "nginx/cache"};
    char path[PATH_LEN];
    int code = check_folder(g);
    char *parent = odp_arena_str(&g->arena, g->state), *slash = strrchr(parent, '/');
    if (slash != NULL && slash != parent) {
        *slash = '\0';
        if (code == EXIT_CLEAN && odp_dir_make(parent) != ODP_OK)
            code = machine_failed(g->inv);
    }
    if (code == EXIT_CLEAN)
        code = make_folder(g, g->state);
    for (size_t i = 0; i < ODP_COUNT(folders) && code == EXIT_CLEAN; i++) {
        (void)snprintf(path, sizeof path, "%s/%s", g->state, folders[i]);
        code = make_folder(g, path);
    }
    if (code == EXIT_CLEAN && g->site != NULL)
        code = link_site(g);
    return code;
}

bool gateway_become_user(const struct gateway *g)
{
    if (geteuid() != 0 || g->uid == 0)
        return true;
    if (initgroups(g->user, g->gid) != 0 || setgid(g->gid) != 0 || setuid(g->uid) != 0)
        return false;
    errno = EPERM;
    return setuid(0) != 0; /* there is no way back */
}
