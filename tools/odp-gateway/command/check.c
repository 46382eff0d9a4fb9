/* odp-gateway check [SITE]: is this machine fit to serve? A line each, with what to do. */
#include <errno.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/datetime.h"
#include "base/file.h"
#include "base/json_load.h"
#include "base/refusal.h"
#include "command/control_client.h"
#include "command/messages.h"
#include "command/nginx/run.h"
#include "command/table.h"
#include "service/state/site_settings.h"
#include "words/gateway_command.h"

enum { PATH_LEN = 4096, GIB = 1 << 30 };
enum grade { GRADE_OK, GRADE_WARNING, GRADE_ERROR };

struct check {
    struct invocation *inv;
    enum grade worst;
    json_t *rows; /* for --json */
};

static void line(struct check *c, enum grade grade, const char *what, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* What an operator reads for a NAME of a grade or a check, which is its English word. */
static const char *shown(const struct check *c, const char *name)
{
    static const struct odp_text names[] = {
        {{W_gwc_check_ok}},          {{W_gwc_check_warning}},    {{W_gwc_check_error}},
        {{W_gwc_check_state}},       {{W_gwc_check_disk}},       {{W_gwc_check_clock}},
        {{W_gwc_check_permissions}}, {{W_gwc_check_zone}},       {{W_gwc_check_site}},
        {{W_gwc_check_module}},      {{W_gwc_check_table}},      {{W_gwc_check_fill}},
        {{W_gwc_check_store}},       {{W_gwc_check_queries}},    {{W_gwc_check_counts}},
        {{W_gwc_check_agreement}},   {{W_gwc_check_webhook_key}}};
    for (size_t i = 0; i < ODP_COUNT(names); i++)
        if (strcmp(names[i].in[ODP_LANG_EN], name) == 0)
            return names[i].in[c->inv->line.lang];
    return name;
}

static void line(struct check *c, enum grade grade, const char *what, const char *fmt, ...)
{
    static const char *const grades[] = {"ok", "warning", "error"};
    char text[1024];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    c->worst = grade > c->worst ? grade : c->worst;
    if (c->inv->json)
        (void)json_array_append_new(
            c->rows, json_pack("{s:s, s:s, s:s}", "check", what, "result", grades[grade], "detail", text));
    else
        printf("%-10s  %-14s %s\n", shown(c, grades[grade]), shown(c, what), text);
}

static void check_folder(struct check *c, const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0 && errno == ENOENT)
        line(c, GRADE_ERROR, "state", say(c->inv, W_gwc_there_no_state_folder_name), path);
    else if (stat(path, &st) != 0)
        line(c, GRADE_ERROR, "state", "%s: %s", path, reason_of(c->inv, errno));
    else if ((st.st_mode & 0077) != 0)
        line(c, GRADE_ERROR, "state", say(c->inv, W_gwc_open_other_users_chmod_700), path, path);
    else
        line(c, GRADE_OK, "state", say(c->inv, W_gwc_owner_alone), path);
}

static void check_file_modes(struct check *c, const char *state)
{
    static const char *const files[] = {"store.sqlite", "store.sqlite-wal", "keys.table",
                                        "cursor.key",   "webhook.key",      "run/control.sock"};
    char path[PATH_LEN];
    struct stat st;
    for (size_t i = 0; i < ODP_COUNT(files); i++) {
        (void)snprintf(path, sizeof path, "%.3000s/%s", state, files[i]);
        if (stat(path, &st) == 0 && (st.st_mode & 0077) != 0)
            line(c, GRADE_ERROR, "permissions", say(c->inv, W_gwc_open_other_users_chmod_600), path, path);
    }
}

static void check_disk(struct check *c, const char *state)
{
    struct statvfs v;
    if (statvfs(state, &v) != 0) {
        line(c, GRADE_ERROR, "disk", "%s: %s", state, reason_of(c->inv, errno));
        return;
    }
    double room = (double)v.f_bavail * (double)v.f_frsize / GIB;
    double inodes = v.f_files > 0 ? (double)v.f_favail / (double)v.f_files : 1;
    if (room < 0.1 || inodes < 0.005)
        line(c, GRADE_ERROR, "disk", say(c->inv, W_gwc_only_gib_left_new_keys_refused), room);
    else if (room < 1 || inodes < 0.05)
        line(c, GRADE_WARNING, "disk", say(c->inv, W_gwc_gib_left_least_1_gib), room);
    else
        line(c, GRADE_OK, "disk", say(c->inv, W_gwc_gib_left), room);
}

/* A clock before this program was made counts into wrong days. Whether it is kept right is for the machine's
 * time service to say. */
static void check_clock(struct check *c)
{
    static const struct timespec made = {.tv_sec = 1767225600}; /* 2026-01-01 */
    time_t now = time(NULL);
    char text[ODP_DATETIME_SIZE];
    (void)odp_moment_utc(now, text);
    if (now < made.tv_sec)
        line(c, GRADE_ERROR, "clock", say(c->inv, W_gwc_machine_clock_says_set), text);
    else
        line(c, GRADE_OK, "clock", "%s", text);
}

static void check_zone(struct check *c, const char *state)
{
    char path[PATH_LEN], why[ODP_WHY];
    struct odp_site_settings site = {0};
    struct odp_buffer text = {0};
    (void)snprintf(path, sizeof path, "%.3000s/gateway.json", state);
    bool known = odp_site_settings_read(&text, state, why) == ODP_OK &&
                 odp_site_settings_parse(&site, odp_buffer_slice(&text), why) == ODP_OK;
    const char *zone = odp_json_text(site.doc, "time_zone");
    if (!known)
        line(c, GRADE_WARNING, "time zone", say(c->inv, W_gwc_known_yet_there_no_serve_makes), path);
    else if (zone != NULL)
        line(c, GRADE_OK, "time zone", say(c->inv, W_gwc_day_turns_midnight), zone);
    else
        line(c, GRADE_OK, "time zone", say(c->inv, W_gwc_day_turns_midnight_utc_minutes),
             (int)site.shared.zone_minutes);
    odp_site_settings_release(&site);
    odp_buffer_release(&text);
}

/* The generated configuration, as nginx itself sees it. It is tested under another name and removed. */
static void check_nginx(struct check *c)
{
    struct gateway g;
    struct odp_buffer text = {0}, output = {0};
    char path[PATH_LEN], words[ODP_FAILURE_WORDS];
    if (gateway_init(&g, c->inv) != EXIT_CLEAN) {
        line(c, GRADE_ERROR, "options", "%s", say(c->inv, W_gwc_see_above));
    } else if (g.nginx == NULL) {
        line(c, GRADE_ERROR, "nginx", "%s", say(c->inv, W_gwc_found_apt_install_nginx));
    } else {
        (void)snprintf(path, sizeof path, "%.3000s/nginx/check-%ld.conf", g.state, (long)getpid());
        int code = -1;
        if (nginx_config_write(&text, &g.config) == ODP_OK &&
            odp_file_put(path, odp_buffer_slice(&text), 0600, NULL) == ODP_OK)
            code = nginx_test(&g, path, &output);
        (void)unlink(path);
        if (g.module == NULL)
            line(c, GRADE_WARNING, "module", "%s", say(c->inv, W_gwc_nginx_module_found_auth));
        else if (code == 2)
            line(c, GRADE_WARNING, "module", say(c->inv, W_gwc_does_fit_nginx_install_package), g.module);
        else
            line(c, GRADE_OK, "module", "%s", g.module);
        if (code == 0)
            line(c, GRADE_OK, "nginx", say(c->inv, W_gwc_takes_configuration), g.nginx);
        else if (code != 2)
            line(c, GRADE_ERROR, "nginx", say(c->inv, W_gwc_refuses_configuration), g.nginx,
                 code > 0 ? odp_buffer_cstr(&output) : odp_failure_words(c->inv->line.lang, words));
    }
    odp_buffer_release(&text);
    odp_buffer_release(&output);
    gateway_release(&g);
}

static void check_site(struct check *c)
{
    struct gateway g;
    char now[PATH_LEN];
    if (gateway_init(&g, c->inv) == EXIT_CLEAN) {
        ssize_t n = readlink(g.site_link, now, sizeof now - 1);
        now[n > 0 ? n : 0] = '\0';
        if (g.site == NULL && n <= 0) {
            line(c, GRADE_WARNING, "site", "%s", say(c->inv, W_gwc_there_none_yet_serve_site_says));
        } else {
            g.site = g.site != NULL ? g.site : now;
            bool good = gateway_check_site(&g) == EXIT_CLEAN;
            line(c, good ? GRADE_OK : GRADE_ERROR, "site", "%s", g.site);
        }
    }
    gateway_release(&g);
}

/* Table, store, audit: as the service or, when it does not run, this process sees them. */
static int check_store(struct check *c)
{
    json_t *rows, *row;
    size_t i;
    int code = admin_once(c->inv, json_pack("{s:s}", "command", "check"), &rows);
    if (code != EXIT_CLEAN)
        return code;
    json_array_foreach(rows, i, row)
    {
        const char *name = odp_json_text(row, "check");
        struct odp_buffer text = {0};
        table_cell(&text, json_object_get(row, "detail"), c->inv->line.lang);
        line(c, json_is_true(json_object_get(row, "ok")) ? GRADE_OK : GRADE_ERROR, name != NULL ? name : "?",
             "%s", odp_buffer_cstr(&text));
        odp_buffer_release(&text);
    }
    json_decref(rows);
    return EXIT_CLEAN;
}

static int run_check(struct invocation *inv)
{
    struct check c = {.inv = inv, .rows = json_array()};
    struct gateway g;
    int code = gateway_init(&g, inv);
    if (code == EXIT_CLEAN) {
        check_folder(&c, g.state);
        check_file_modes(&c, g.state);
        bool there = access(g.state, F_OK) == 0;
        check_disk(&c, there ? g.state : ".");
        check_clock(&c);
        check_zone(&c, g.state);
        check_site(&c);
        if (there && (inv->serve.nginx == NULL || strcmp(inv->serve.nginx, "off") != 0))
            check_nginx(&c);
        if (there && check_store(&c) != EXIT_CLEAN)
            line(&c, GRADE_ERROR, "store", "%s", say(inv, W_gwc_cannot_checked_see_message));
        if (inv->json)
            table_json(stdout, c.rows);
        code = c.worst == GRADE_ERROR ? EXIT_REFUSED : printed(inv);
    }
    json_decref(c.rows);
    gateway_release(&g);
    return code;
}

const struct command command_check = {"check", "[SITE]", {{W_gwc_check_configuration_table}}, run_check};
