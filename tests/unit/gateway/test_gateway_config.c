/* nginx's configuration as text, the command line, and the bars. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "must.h"
#include "command/commands.h"
#include "command/gateway.h"
#include "command/nginx/find.h"
#include "command/nginx/run.h"
#include "command/table.h"

struct fixture {
    struct serve_options serve;
    struct nginx_config config;
    struct odp_buffer text;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    f->serve = (struct serve_options){.metrics = "127.0.0.1:9145",
                                      .query_key = "off",
                                      .cache = "64m",
                                      .header_size = 8192,
                                      .query_size = 65536,
                                      .content = {CONTENT_LOCAL, "local"}};
    f->config = (struct nginx_config){.serve = &f->serve,
                                      .state = "/var/lib/odp",
                                      .module = "/m/ngx_http_odp_module.so",
                                      .resolver = "10.0.0.2 [::1]",
                                      .files = 65536};
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    odp_buffer_release(&f->text);
    free(f);
    return 0;
}

static const char *written(struct fixture *f)
{
    odp_buffer_clear(&f->text);
    must(nginx_config_write(&f->text, &f->config));
    return odp_buffer_cstr(&f->text);
}

static void assert_has(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("not there: %s", part);
}

static void assert_lacks(const char *text, const char *part)
{
    if (strstr(text, part) != NULL)
        fail_msg("is there: %s", part);
}

/* Braces close, and every line that is not a block ends well. */
static void assert_balanced(const char *text)
{
    int depth = 0;
    bool quoted = false, comment = false;
    for (const char *p = text; *p != '\0'; p++) {
        comment = *p == '#' && !quoted ? true : *p == '\n' ? false : comment;
        if (comment)
            continue;
        if (*p == '"' && p[-1] != '\\')
            quoted = !quoted;
        depth += !quoted && *p == '{' ? 1 : !quoted && *p == '}' ? -1 : 0;
        assert_true(depth >= 0);
    }
    assert_int_equal(depth, 0);
    assert_false(quoted);
}

static void test_defaults(void **state)
{
    const char *text = written(*state);
    assert_balanced(text);
    assert_has(text, "load_module \"/m/ngx_http_odp_module.so\";");
    assert_has(text, "listen 127.0.0.1:8080 default_server");
    assert_has(text, "worker_processes auto;");
    assert_has(text, "worker_connections 16384;");
    assert_has(text, "pid \"/var/lib/odp/nginx/nginx.pid\";");
    assert_has(text, "odp_table \"/var/lib/odp/keys.table\";");
    assert_has(text, "odp_query_key off;");
    assert_has(text, "client_max_body_size 16k;");
    assert_has(text, "upstream odp_query {\n    server \"unix:/var/lib/odp/run/query.sock\" max_fails=0;\n   "
                     " keepalive 32;");
    assert_has(text, "odp_query @odp_query;");
    assert_has(text, "proxy_pass http://odp_query$odp_query_uri;");
    assert_has(text, "proxy_set_header X-Odp-Account $odp_account;");
    assert_has(text, "reset_timedout_connection on;");
    assert_has(text, "server_tokens off;");
    assert_has(text, "gzip off;");
    assert_has(text, "include \"/var/lib/odp/nginx.d/server-*.conf\";");
    assert_lacks(text, "user ");
    assert_lacks(text, "ssl");
    assert_lacks(text, "auth_request");
    assert_lacks(text, "resolver ");
    assert_lacks(text, "real_ip");
}

/* Whatever is chosen: what could hold a key is in no log. */
static void test_logs_hold_no_secrets(void **state)
{
    struct fixture *f = *state;
    for (int round = 0; round < 2; round++) {
        const char *text = written(f), *format = strstr(text, "log_format odp");
        char line[2048];
        assert_non_null(format);
        (void)snprintf(line, sizeof line, "%.*s", (int)strcspn(format, ";"), format);
        assert_lacks(line, "$request_uri");
        assert_lacks(line, "$request\"");
        assert_lacks(line, "$args");
        assert_lacks(line, "authorization");
        assert_lacks(line, "$http_user_agent");
        assert_has(line, "escape=json");
        assert_has(line, "$odp_uri");
        f->config.module = NULL;
    }
}

static void test_addresses_and_tls(void **state)
{
    struct fixture *f = *state;
    f->serve.listen =
        (struct option_list){{"[::1]:8443", "*:443", "9000", "unix:/run/odp.sock", "10.1.2.3"}, 5};
    f->serve.tls_cert = "/etc/a b/\"cert\".pem";
    f->serve.tls_key = "/etc/key.pem";
    f->serve.trusted = (struct option_list){{"10.0.0.0/8", "fd00::/8"}, 2};
    const char *text = written(f);
    assert_balanced(text);
    assert_has(text, "listen [::1]:8443 default_server backlog=4096 ssl http2;");
    assert_has(text, "listen *:443 ");
    assert_has(text, "listen 127.0.0.1:9000 ");
    assert_has(text, "listen unix:/run/odp.sock default_server");
    assert_has(text, "listen 10.1.2.3:8080 ");
    assert_has(text, "ssl_certificate \"/etc/a b/\\\"cert\\\".pem\";");
    assert_has(text, "ssl_protocols TLSv1.2 TLSv1.3;");
    assert_has(text, "set_real_ip_from 10.0.0.0/8;");
    assert_has(text, "set_real_ip_from fd00::/8;");
    assert_has(text, "real_ip_recursive on;");
}

static void test_writer(void **state)
{
    struct fixture *f = *state;
    f->serve.writer = "https://penulis.example.go.id/gerbang/";
    const char *text = written(f);
    assert_balanced(text);
    assert_has(text, "resolver 10.0.0.2 [::1] valid=30s;");
    assert_has(text, "proxy_pass https://$odp_writer/gerbang$request_uri;");
    assert_has(text, "set $odp_writer \"penulis.example.go.id:443\";");
    assert_has(text, "proxy_ssl_verify on;");
    assert_has(text, "proxy_ssl_name penulis.example.go.id;");
    assert_has(text, "proxy_set_header X-Forwarded-For $remote_addr;");
    assert_has(text, "error_page 502 503 504 =503 /.odp/unavailable;");
    assert_lacks(text, "upstream odp_writer");
    f->serve.writer = "http://10.0.0.9:8080";
    text = written(f);
    assert_has(text, "upstream odp_writer {\n    server 10.0.0.9:8080 max_fails=0;");
    assert_has(text, "proxy_pass http://odp_writer$request_uri;");
    assert_has(text, "proxy_set_header Host 10.0.0.9:8080;");
    assert_has(text, "proxy_pass http://odp_query$odp_query_uri;"); /* its own, not the writer's */
    assert_lacks(text, "resolver ");
}

/* Webhooks are managed with the service, like keys, before anything that asks for a key or looks for files.
 */
static void test_webhooks(void **state)
{
    static const char location[] =
        "location ~ ^/(?:api/)?v1/webhooks(?:/|$) {\n        proxy_pass http://odp_service;\n";
    struct fixture *f = *state;
    assert_has(written(f), location);
    f->serve.content = (struct content){CONTENT_PROXY, "proxy=https://cdn.example.org:8443/situs"};
    assert_has(written(f), location);
    f->config.module = NULL;
    const char *text = written(f), *at = strstr(text, location),
               *files = strstr(text, "location ~ ^/(?:api/)?v1/(?<odp_rest>");
    assert_true(at != NULL && files != NULL && at < files);
    f->serve.writer = "http://10.0.0.9:8080";
    for (int i = 0; i < 2; i++) {
        text = written(f);
        assert_lacks(text, location);
        assert_has(text, "location ~ ^/(?:api/)?v1/webhooks(?:/|$) {\n        proxy_pass "
                         "http://odp_writer$request_uri;\n");
        f->config.module = "/m/ngx_http_odp_module.so";
    }
}

static void test_modes(void **state)
{
    struct fixture *f = *state;
    f->serve.content = (struct content){CONTENT_PROXY, "proxy=https://cdn.example.org:8443/situs"};
    const char *text = written(f);
    assert_balanced(text);
    assert_has(text, "odp_content control;");
    assert_has(text, "proxy_pass https://$odp_origin/situs/$odp_path;");
    assert_has(text, "proxy_set_header Authorization \"\";");
    assert_has(text, "proxy_cache odp_files;");
    assert_has(text, "proxy_set_header Host cdn.example.org:8443;");
    assert_has(text, "proxy_pass http://odp_query$odp_query_uri;");
    f->serve.content = (struct content){
        CONTENT_REDIRECT,
        "redirect=s3,https://s3.example.org/ember,region=id-1,access_key=AK,/etc/odp/secret,ttl=60s"};
    text = written(f);
    assert_balanced(text);
    assert_has(text, "odp_content redirect;");
    assert_has(text, "proxy_pass http://odp_query$odp_query_uri;");
    assert_has(
        text,
        "odp_redirect s3 https://s3.example.org/ember region=id-1 access_key=AK /etc/odp/secret ttl=60s;");
}

static void test_fallback(void **state)
{
    struct fixture *f = *state;
    f->config.module = NULL;
    f->config.user = "odp";
    const char *text = written(f);
    assert_balanced(text);
    assert_has(text, "user odp;");
    assert_has(text, "auth_request /.odp/auth;");
    assert_has(text, "etag off;");
    assert_has(text, "proxy_set_header X-Odp-Client-Kind nginx;");
    assert_lacks(text, "load_module");
    assert_lacks(text, "odp on");
    assert_has(text, "proxy_pass http://odp_query$request_uri;");
    assert_has(text, "auth_request_set $odp_account $upstream_http_x_odp_account;");
    assert_lacks(text, "odp_table");
    assert_lacks(text, "odp_cache");
}

static void test_part_for_another_nginx(void **state)
{
    struct fixture *f = *state;
    f->config.http_only = true;
    const char *text = written(f);
    assert_lacks(text, "\nevents {");
    assert_lacks(text, "\nload_module");
    assert_lacks(text, "\nhttp {");
    assert_has(text, "server {");
    assert_has(text, "#     load_module \"/m/ngx_http_odp_module.so\";");
    assert_has(text, "client_header_timeout 15s;");
}

static void test_paths_that_cannot_be_written(void **state)
{
    struct fixture *f = *state;
    assert_null(nginx_config_refuses(&f->config));
    f->config.state = "/srv/$state";
    assert_string_equal(nginx_config_refuses(&f->config), "/srv/$state");
    f->config.state = "/var/lib/odp";
    f->serve.tls_key = "/a\nuser root;";
    assert_string_equal(nginx_config_refuses(&f->config), "/a\nuser root;");
}

/* nginx itself reads it; without the module, which this test cannot count on. */
static void test_nginx_takes_it(void **state)
{
    struct fixture *f = *state;
    struct odp_arena a = {0};
    struct odp_buffer output = {0};
    char dir[] = "/tmp/odp-config-XXXXXX", path[64], command[256];
    const char *nginx = nginx_find(&a, NULL);
    if (nginx == NULL) {
        odp_arena_release(&a);
        skip();
    }
    assert_non_null(mkdtemp(dir));
    (void)snprintf(path, sizeof path, "%s/nginx", dir);
    (void)snprintf(command, sizeof command, "mkdir -p %s %s/nginx.d %s/site", path, dir, dir);
    assert_int_equal(system(command), 0);
    (void)snprintf(path, sizeof path, "%s/nginx.conf", dir);
    f->config.module = NULL;
    f->config.state = dir;
    f->serve.trusted = (struct option_list){{"10.0.0.0/8", "unix:"}, 2};
    static const char *const writers[] = {NULL, "https://penulis.example.go.id", "http://127.0.0.1:1/x"};
    for (size_t i = 0; i < 3; i++) {
        f->serve.writer = writers[i];
        FILE *out = fopen(path, "w");
        assert_non_null(out);
        fputs(written(f), out);
        fclose(out);
        struct gateway g = {.state = dir, .nginx = nginx, .config = f->config};
        odp_buffer_clear(&output);
        if (nginx_test(&g, path, &output) != 0)
            fail_msg("%s", odp_buffer_cstr(&output));
    }
    (void)snprintf(command, sizeof command, "rm -rf %s", dir);
    assert_int_equal(system(command), 0);
    odp_buffer_release(&output);
    odp_arena_release(&a);
}

/* ---- the command line ---- */

static int parse(struct invocation *inv, const char *line)
{
    static char copy[1024];
    static char *argv[64];
    static const char *words[64];
    int argc = 1;
    (void)snprintf(copy, sizeof copy, "%s", line);
    argv[0] = copy;
    for (char *save = NULL, *word = strtok_r(copy, " ", &save); word != NULL;
         word = strtok_r(NULL, " ", &save))
        argv[argc++] = word;
    FILE *err = fopen("/dev/null", "w");
    assert_non_null(err);
    int code = options_parse(inv, argc, argv, words, err);
    fclose(err);
    return code;
}

static void test_command_line(void **state)
{
    static const char *const wrong[] = {
        "nonsense",
        "serve",
        "serve a b",
        "serve a --listen 127.0.0.1:99999",
        "serve a --listen x:80",
        "serve a --listen 1.2.3.4;x",
        "serve a --tls-cert c",
        "serve a --trusted-proxy 10.0.0.0/33",
        "serve a --trusted-proxy x",
        "serve a --writer ftp://x",
        "serve a --cache 5q",
        "serve a --workers -1",
        "serve a --content proxy=x",
        "serve a --content proxy=https://a;b",
        "serve a --content redirect=s3,https://x",
        "serve a --query-key a-b",
        "serve a --auth-listen 0.0.0.0:9146",
        "serve a --json",
        "serve a --confirm-email",
        "serve a --grace x",
        "keys",
        "keys list --listen 80",
        "usage --from 2024-02-30",
        "pull",
        "--state x serve a",
    };
    struct invocation inv;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (parse(&inv, wrong[i]) != EXIT_USAGE &&
            !(inv.line.command != NULL && strcmp(wrong[i], "serve a --content redirect=s3,https://x") == 0))
            fail_msg("accepted: %s", wrong[i]);
    assert_int_equal(
        parse(&inv,
              "serve a --listen 80 --listen [::]:443 --trusted-proxy 10.0.0.0/8 --grace 12h --key-term 30 "
              "--writer https://w.example.org"),
        EXIT_CLEAN);
    assert_int_equal(inv.serve.listen.n, 2);
    assert_int_equal(inv.serve.grace, 12 * 3600);
    assert_int_equal(inv.serve.key_term, 30 * 86400);
    assert_string_equal(inv.line.words[0], "a");
    assert_int_equal(parse(&inv, "pull https://x.example.org --to site --max-file 5m"), EXIT_CLEAN);
    assert_string_equal(inv.to, "site");
    assert_int_equal(inv.max_file, 5 << 20);
    assert_int_equal(parse(&inv, "usage --to 2024-03-15"), EXIT_CLEAN);
    assert_int_equal(parse(&inv, "keys --help"), EXIT_CLEAN);
}

static void test_webhook_options(void **state)
{
    static const char *const wrong[] = {
        "serve a --webhook-allow 10.0.0.1/8", /* bits beyond the prefix */
        "serve a --webhook-allow 10.0.0.0/33",
        "serve a --webhook-allow intern",
        "serve a --webhook-allow unix:",
        "serve a --webhook-connections 0",
        "serve a --webhook-connections 1025",
        "serve a --webhook-connections x",
        "serve a --webhook-keep 6",
        "serve a --webhook-keep 100h",
        "serve a --webhook-keep 3651",
        "serve a --no-webhooks=yes",
        "serve a --webhook-key",
        "keys list --webhook-key k",
        "webhooks",
        "webhooks show a b",
        "webhooks list --listen 80",
        "webhooks list --limit x",
    };
    struct invocation inv;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (parse(&inv, wrong[i]) != EXIT_USAGE)
            fail_msg("accepted: %s", wrong[i]);
    assert_int_equal(parse(&inv, "serve a"), EXIT_CLEAN);
    assert_false(inv.serve.no_webhooks || inv.serve.webhook_loopback);
    assert_null(inv.serve.webhook_key);
    assert_int_equal(inv.serve.webhook_connections, 64);
    assert_int_equal(inv.serve.webhook_keep, 30 * 86400);
    assert_int_equal(
        parse(&inv,
              "serve a --no-webhooks --webhook-key k --webhook-allow 10.20.0.0/16 --webhook-allow fd00::/8 "
              "--webhook-allow "
              "192.0.2.7 --webhook-loopback --webhook-ca ca.pem --webhook-connections 1024 --webhook-keep 7"),
        EXIT_CLEAN);
    assert_true(inv.serve.no_webhooks && inv.serve.webhook_loopback);
    assert_string_equal(inv.serve.webhook_key, "k");
    assert_string_equal(inv.serve.webhook_ca, "ca.pem");
    assert_int_equal(inv.serve.webhook_allow.n, 3);
    assert_string_equal(inv.serve.webhook_allow.item[1], "fd00::/8");
    assert_int_equal(inv.serve.webhook_connections, 1024);
    assert_int_equal(inv.serve.webhook_keep, 7 * 86400);
    assert_int_equal(parse(&inv, "webhooks replay wh_x --since 2024-03-15 --failed --webhook-key k --json"),
                     EXIT_CLEAN);
    assert_string_equal(inv.since, "2024-03-15");
    assert_true(inv.only_failed && inv.json);
    assert_int_equal(parse(&inv, "webhooks list --only failing --key 3"),
                     EXIT_CLEAN); /* which states there are the service knows */
    assert_string_equal(inv.key_state, "failing");
}

static void test_bars(void **state)
{
    struct odp_buffer b = {0};
    plot_bar(&b, 10, 10, 4, true);
    assert_string_equal(odp_buffer_cstr(&b), "████");
    odp_buffer_clear(&b);
    plot_bar(&b, 5.5, 8, 2, true);
    assert_string_equal(odp_buffer_cstr(&b), "█▍");
    odp_buffer_clear(&b);
    plot_bar(&b, 1, 1000000, 10, false);
    assert_string_equal(odp_buffer_cstr(&b), "#"); /* something is never nothing */
    odp_buffer_clear(&b);
    plot_bar(&b, 0, 0, 10, true);
    assert_string_equal(odp_buffer_cstr(&b), "");
    odp_buffer_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_defaults, setup, teardown),
        cmocka_unit_test_setup_teardown(test_logs_hold_no_secrets, setup, teardown),
        cmocka_unit_test_setup_teardown(test_addresses_and_tls, setup, teardown),
        cmocka_unit_test_setup_teardown(test_writer, setup, teardown),
        cmocka_unit_test_setup_teardown(test_webhooks, setup, teardown),
        cmocka_unit_test_setup_teardown(test_modes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_fallback, setup, teardown),
        cmocka_unit_test_setup_teardown(test_part_for_another_nginx, setup, teardown),
        cmocka_unit_test_setup_teardown(test_paths_that_cannot_be_written, setup, teardown),
        cmocka_unit_test_setup_teardown(test_nginx_takes_it, setup, teardown),
        cmocka_unit_test(test_command_line),
        cmocka_unit_test(test_webhook_options),
        cmocka_unit_test(test_bars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
