/* The service with its sockets: run in a thread on a temporary state, spoken to with libcurl. */
#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "gateway_http_fixture.h"
#include "service/server.h"
#include "service/server_internal.h"

struct served {
    struct fixture f;
    pthread_t thread;
    atomic_bool stop;
    atomic_int ready;
    bool running;
    enum odp_status st;
    char why[ODP_WHY];
    char metrics[32], auth[32];
};

struct got {
    long status;
    struct odp_buffer headers, body;
};

/* No other test is given PORT while this program runs: the name is kept as tests/e2e/gatewaylib.py does it.
 */
static bool keep_port(int port)
{
    struct sockaddr_un un = {.sun_family = AF_UNIX};
    int n = snprintf(un.sun_path + 1, sizeof un.sun_path - 1, "odp-test-port-%d", port);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    if (bind(fd, (struct sockaddr *)&un,
             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n)) == 0)
        return true;
    close(fd);
    return false;
}

static int free_port(void)
{
    struct sockaddr_in in;
    do {
        in = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        socklen_t n = sizeof in;
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        assert_true(fd >= 0 && bind(fd, (struct sockaddr *)&in, sizeof in) == 0 &&
                    getsockname(fd, (struct sockaddr *)&in, &n) == 0);
        close(fd);
    } while (!keep_port(ntohs(in.sin_port)));
    return ntohs(in.sin_port);
}

static void on_ready(void *ctx)
{
    ((struct served *)ctx)->ready = 1;
}

static void *serve(void *arg)
{
    struct served *v = arg;
    v->st = odp_server_run(&v->f.s, &v->stop, on_ready, v, v->why);
    v->ready = 2;
    return NULL;
}

static int wait_ready(struct served *v)
{
    int r = 0;
    for (int i = 0; i < 2000 && (r = v->ready) == 0; i++)
        usleep(10000);
    return r;
}

static void start(struct served *v)
{
    assert_int_equal(pthread_create(&v->thread, NULL, serve, v), 0);
    v->running = true;
    if (wait_ready(v) != 1)
        fail_msg("%s %s", v->why, odp_failure_text());
}

static void stop(struct served *v)
{
    v->stop = true;
    assert_int_equal(pthread_join(v->thread, NULL), 0);
    v->running = false;
    must(v->st);
    v->stop = false;
    v->ready = 0;
}

static int setup(void **state)
{
    struct served *v = calloc(1, sizeof *v);
    assert_non_null(v);
    fixture_open(&v->f);
    odp_web_free(v->f.s.web); /* the server makes its own */
    v->f.s.web = NULL;
    snprintf(v->metrics, sizeof v->metrics, "127.0.0.1:%d", free_port());
    snprintf(v->auth, sizeof v->auth, "127.0.0.1:%d", free_port());
    v->f.options.metrics_listen = v->metrics;
    v->f.options.auth_listen = v->auth;
    *state = v;
    return 0;
}

static int teardown(void **state)
{
    struct served *v = *state;
    if (v->running) /* the test failed */
        stop(v);
    fixture_close(&v->f);
    free(v);
    return 0;
}

static size_t keep(char *bytes, size_t size, size_t n, void *b)
{
    odp_buffer_add(b, bytes, size * n);
    return size * n;
}

/* SOCKET: "service", "control", or an address. */
static void ask(struct served *v, const char *where, const char *method, const char *target, const char *body,
                struct curl_slist *headers, struct got *g)
{
    char url[512], path[256];
    CURL *c = curl_easy_init();
    assert_non_null(c);
    bool unix_socket = strchr(where, ':') == NULL;
    snprintf(url, sizeof url, "http://%s%s", unix_socket ? "odp" : where, target);
    snprintf(path, sizeof path, "%s/run/%s.sock", v->f.state_dir, where);
    odp_buffer_init(&g->headers);
    odp_buffer_init(&g->body);
    if (unix_socket)
        curl_easy_setopt(c, CURLOPT_UNIX_SOCKET_PATH, path);
    curl_easy_setopt(c, CURLOPT_URL, url);
    curl_easy_setopt(c, CURLOPT_PROXY, "");
    curl_easy_setopt(c, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(c, CURLOPT_TIMEOUT, 20L);
    curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
    if (body != NULL)
        curl_easy_setopt(c, CURLOPT_POSTFIELDS, body);
    if (strcmp(method, "HEAD") == 0)
        curl_easy_setopt(c, CURLOPT_NOBODY, 1L);
    else
        curl_easy_setopt(c, CURLOPT_CUSTOMREQUEST, method);
    curl_easy_setopt(c, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, keep);
    curl_easy_setopt(c, CURLOPT_WRITEDATA, &g->body);
    curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, keep);
    curl_easy_setopt(c, CURLOPT_HEADERDATA, &g->headers);
    CURLcode e = curl_easy_perform(c);
    if (e != CURLE_OK)
        fail_msg("%s %s: %s", method, target, curl_easy_strerror(e));
    curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &g->status);
    curl_easy_cleanup(c);
    curl_slist_free_all(headers);
}

static void got_free(struct got *g)
{
    odp_buffer_release(&g->headers);
    odp_buffer_release(&g->body);
}

static long status_of(struct served *v, const char *where, const char *method, const char *target,
                      const char *body, struct curl_slist *headers)
{
    struct got g;
    ask(v, where, method, target, body, headers, &g);
    got_free(&g);
    return g.status;
}

static struct curl_slist *json(void)
{
    return curl_slist_append(NULL, "Content-Type: application/json");
}

static void register_key(struct served *v, char key[ODP_KEY_LENGTH + 1])
{
    struct got g;
    ask(v, "service", "POST", "/auth/register", "{\"name\":\"Sari\",\"email\":\"sari@example.org\"}", json(),
        &g);
    assert_int_equal(g.status, 201);
    assert_non_null(strstr(odp_buffer_cstr(&g.headers), "Cache-Control: no-store\r\n"));
    const char *at = strstr(odp_buffer_cstr(&g.body), "odp_live_");
    assert_non_null(at);
    snprintf(key, ODP_KEY_LENGTH + 1, "%.45s", at);
    got_free(&g);
}

static struct curl_slist *bearer(const char *key)
{
    char line[128];
    snprintf(line, sizeof line, "Authorization: Bearer %s", key);
    return curl_slist_append(NULL, line);
}

TEST(speaks)
{
    struct served *v = *state;
    char key[ODP_KEY_LENGTH + 1];
    struct got g;
    start(v);
    register_key(v, key);
    assert_int_equal(status_of(v, "service", "GET", "/auth/key", NULL, bearer(key)), 200);
    ask(v, "service", "HEAD", "/auth/tiers", NULL, NULL, &g);
    assert_int_equal(g.status, 200);
    assert_int_equal(g.body.len, 0);
    got_free(&g);
    ask(v, "service", "OPTIONS", "/auth/register", NULL, NULL, &g);
    assert_int_equal(g.status, 204);
    assert_non_null(strstr(odp_buffer_cstr(&g.headers), "Access-Control-Allow-Methods: "));
    got_free(&g);
    assert_int_equal(status_of(v, "service", "GET", "/auth/key%00x", NULL, bearer(key)), 400);
    assert_int_equal(status_of(v, "service", "GET", "/auth/key?x=%00", NULL, bearer(key)), 200);
    assert_int_equal(status_of(v, "service", "GET", "/auth%2Fkey", NULL, bearer(key)), 200);
    struct curl_slist *two = curl_slist_append(bearer(key), "Authorization: Bearer other");
    assert_int_equal(status_of(v, "service", "GET", "/auth/key", NULL, two), 400);
    assert_int_equal(status_of(v, "service", "GET", "/metrics", NULL, NULL), 404);
    stop(v);
}

TEST(doors)
{
    struct served *v = *state;
    char key[ODP_KEY_LENGTH + 1];
    struct got g;
    struct stat st;
    start(v);
    register_key(v, key);
    ask(v, v->metrics, "GET", "/healthz", NULL, NULL, &g);
    assert_int_equal(g.status, 200);
    assert_non_null(strstr(odp_buffer_cstr(&g.body), "\"status\":\"ok\""));
    got_free(&g);
    ask(v, v->metrics, "GET", "/metrics", NULL, NULL, &g);
    assert_non_null(strstr(odp_buffer_cstr(&g.body), "odp_registrations_total 1\n"));
    got_free(&g);
    assert_int_equal(status_of(v, v->metrics, "GET", "/auth/key", NULL, bearer(key)), 404);
    struct curl_slist *caddy = curl_slist_append(bearer(key), "X-Forwarded-Uri: /v1/kumuh");
    ask(v, v->auth, "GET", "/forward-auth", NULL, curl_slist_append(caddy, "X-Forwarded-Method: GET"), &g);
    assert_int_equal(g.status, 204);
    assert_non_null(strstr(odp_buffer_cstr(&g.headers), "RateLimit: \"daily\";r=999;"));
    got_free(&g);
    struct curl_slist *twice = curl_slist_append(curl_slist_append(NULL, "X-Original-URI: /index.html"),
                                                 "X-Original-URI: /v1/kumuh");
    assert_int_equal(status_of(v, v->auth, "GET", "/forward-auth", NULL, twice) / 100, 4);
    assert_int_equal(status_of(v, v->auth, "POST", "/auth/register", "{}", json()), 404);
    assert_int_equal(status_of(v, "control", "POST", "/admin", "{\"command\":\"no.such\"}", json()) / 100, 4);
    char path[256];
    snprintf(path, sizeof path, "%s/run/control.sock", v->f.state_dir);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    snprintf(path, sizeof path, "%s/run/service.sock", v->f.state_dir);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0660);
    stop(v);
    assert_int_equal(stat(path, &st), -1);
}

static int connect_to(struct served *v, const char *name)
{
    struct sockaddr_un sa = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(sa.sun_path, sizeof sa.sun_path, "%.80s/run/%s.sock", v->f.state_dir, name);
    assert_true(fd >= 0 && connect(fd, (struct sockaddr *)&sa, sizeof sa) == 0);
    return fd;
}

/* Sends TEXT as it is, and reads what comes until the end. */
static void raw(struct served *v, const char *text, size_t n, char *out, size_t cap)
{
    int fd = connect_to(v, "service");
    size_t got = 0;
    assert_int_equal(send(fd, text, n, MSG_NOSIGNAL), (ssize_t)n);
    (void)shutdown(fd, SHUT_WR);
    for (ssize_t r; got + 1 < cap && (r = recv(fd, out + got, cap - 1 - got, 0)) > 0;)
        got += (size_t)r;
    out[got] = '\0';
    close(fd);
}

TEST(bodies)
{
    struct served *v = *state;
    char out[4096], *large = malloc(70000);
    assert_non_null(large);
    memset(large, ' ', 69999);
    large[69999] = '\0';
    start(v);
    assert_int_equal(
        status_of(v, "service", "POST", "/auth/register", large, curl_slist_append(json(), "Expect:")), 413);
    struct curl_slist *chunked = curl_slist_append(json(), "Transfer-Encoding: chunked");
    assert_int_equal(status_of(v, "service", "POST", "/auth/register", large, chunked), 413);
    chunked = curl_slist_append(json(), "Transfer-Encoding: chunked");
    assert_int_equal(status_of(v, "service", "POST", "/auth/register", "{\"name\":1}", chunked), 400);
    static const char announced[] =
        "POST /auth/register HTTP/1.1\r\nHost: odp\r\nContent-Length: 99999999\r\n\r\n";
    raw(v, announced, sizeof announced - 1, out, sizeof out);
    assert_memory_equal(out, "HTTP/1.1 413 ", 13);
    static const char broken[] = "GET /\x01 HTTP/9\r\n\r\n";
    raw(v, broken, sizeof broken - 1, out, sizeof out); /* whatever it says, it lives on */
    assert_int_equal(status_of(v, "service", "GET", "/auth/tiers", NULL, NULL), 200);
    stop(v);
    free(large);
}

/* A command that is being answered when the end comes is answered. */
static void *slow_mutex(void *arg)
{
    struct served *v = arg;
    usleep(1000000); /* on a busy machine, too, the command has come by then */
    v->stop = true;
    usleep(100000);
    pthread_mutex_unlock(&v->f.s.mutex);
    return NULL;
}

static void *locker(void *arg)
{
    struct served *v = arg;
    pthread_mutex_lock(&v->f.s.mutex);
    v->ready = 3;
    return slow_mutex(v);
}

TEST(open_requests_are_answered)
{
    struct served *v = *state;
    pthread_t holder;
    start(v);
    assert_int_equal(pthread_create(&holder, NULL, locker, v), 0);
    while (v->ready != 3)
        usleep(1000);
    assert_int_equal(
        status_of(v, "service", "POST", "/auth/register", "{\"name\":\"a\",\"email\":\"a@b.id\"}", json()),
        201);
    assert_int_equal(pthread_join(holder, NULL), 0);
    stop(v);
}

static void expect_refusal(struct served *v, const char *text)
{
    assert_int_equal(pthread_create(&v->thread, NULL, serve, v), 0);
    assert_int_equal(wait_ready(v), 2);
    assert_int_equal(pthread_join(v->thread, NULL), 0);
    must_refuse(v->st);
    if (strstr(v->why, text) == NULL)
        fail_msg("%s", v->why);
    v->ready = 0;
    odp_failure_clear();
}

TEST(listeners)
{
    struct served *v = *state;
    char taken[32], path[256], why[ODP_WHY], longest[200];
    int fd = -1, port = free_port();
    snprintf(taken, sizeof taken, "127.0.0.1:%d", port);
    must(odp_listen_tcp(&fd, taken, true, why));
    v->f.options.metrics_listen = taken;
    expect_refusal(v, "cannot listen at 127.0.0.1:");
    close(fd);
    v->f.options.metrics_listen = NULL;
    v->f.options.auth_listen = "0.0.0.0:9146";
    expect_refusal(v, "loopback");
    static const char *const bad[] = {
        "9145",     ":9145", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:123456",
        "::1:9145", "[::1]", "",
    };
    for (size_t i = 0; i < ODP_COUNT(bad); i++)
        must_refuse(odp_listen_tcp(&fd, bad[i], false, why));
    memset(longest, 'a', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    must_refuse(odp_listen_unix(&fd, longest, 0600, why));
    assert_non_null(strstr(why, "107 bytes"));
    snprintf(path, sizeof path, "%s/file", v->f.dir);
    must(odp_file_put(path, ODP_LIT("x"), 0600, NULL));
    must_refuse(odp_listen_unix(&fd, path, 0600, why)); /* not a socket: stays */
    assert_int_equal(odp_file_kind_of(path), ODP_FILE_REGULAR);
    snprintf(path, sizeof path, "%s/s", v->f.dir);
    must(odp_listen_unix(&fd, path, 0600, why));
    int again = -1;
    must_refuse(odp_listen_unix(&again, path, 0600, why)); /* somebody listens */
    close(fd);
    must(odp_listen_unix(&again, path, 0660, why)); /* nobody does */
    close(again);
}

TEST(restarts)
{
    struct served *v = *state;
    for (int i = 0; i < 3; i++) {
        start(v);
        assert_int_equal(status_of(v, "service", "GET", "/auth/tiers", NULL, NULL), 200);
        stop(v);
    }
}

struct used {
    uint64_t count;
};

static enum odp_status add_use(void *ctx, const struct odp_meter_usage *m)
{
    assert_string_equal(m->dataset, "kumuh");
    assert_string_equal(m->format, "api");
    assert_string_equal(m->tier, "public");
    ((struct used *)ctx)->count += m->count;
    return ODP_OK;
}

static void put_site(struct served *v, const char *name, int daily)
{
    char path[300], text[512];
    snprintf(path, sizeof path, "%s/%s", v->f.dir, name);
    assert_int_equal(mkdir(path, 0755), 0);
    snprintf(path, sizeof path, "%s/%s/control", v->f.dir, name);
    must(odp_file_put(
        path,
        ODP_LIT(
            "#odp-control-1\tetag\ttype\tencoding\tclass\tstate\tdeprecation\tsunset\tcache-"
            "control\tsize\tlink\n"
            "v1/kumuh.json\t\"0123456789abcdef0123456789abcdef\"\tapplication/json\t-\tkeyed\tactive\t-\t-\t"
            "private, max-age=60\t2\t-\n"),
        0644, NULL));
    snprintf(path, sizeof path, "%s/%s/gateway.json", v->f.dir, name);
    snprintf(text, sizeof text,
             "{\"odp\":\"1\",\"base_url\":\"https://data.example.go.id/"
             "\",\"zone_minutes\":420,\"tiers\":[{\"name\":\"public\","
             "\"daily\":%d,\"burst\":100,\"concurrent\":2}]}",
             daily);
    must(odp_file_put(path, odp_slice_of(text), 0644, NULL));
}

static bool metrics_say(struct served *v, const char *line)
{
    struct got g;
    ask(v, v->metrics, "GET", "/metrics", NULL, NULL, &g);
    bool found = strstr(odp_buffer_cstr(&g.body), line) != NULL;
    got_free(&g);
    return found;
}

static void wait_for_line(struct served *v, const char *line)
{
    for (int i = 0; i < 200; i++) {
        if (metrics_say(v, line))
            return;
        usleep(50000);
    }
    fail_msg("no %s", line);
}

static bool limit_is(struct served *v, const char *key, const char *limit)
{
    struct got g;
    ask(v, "service", "GET", "/auth/key", NULL, bearer(key), &g);
    const bool is = strstr(odp_buffer_cstr(&g.body), limit) != NULL;
    got_free(&g);
    return is;
}

/* Settings are read by another thread than the one that looks at the site's link. */
static void expect_limit(struct served *v, const char *key, const char *limit)
{
    for (int i = 0; i < 200; i++) {
        if (limit_is(v, key, limit))
            return;
        usleep(50000);
    }
    fail_msg("no %s", limit);
}

TEST(site_switches)
{
    struct served *v = *state;
    char link[300], path[300], key[ODP_KEY_LENGTH + 1];
    snprintf(link, sizeof link, "%s/site", v->f.dir);
    put_site(v, "build-a", 1000);
    put_site(v, "build-b", 77);
    put_site(v, "build-c", 5);
    snprintf(path, sizeof path, "%s/build-c/gateway.json", v->f.dir);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("build-a", link), 0);
    v->f.options.site = link;
    start(v);
    register_key(v, key);
    assert_true(metrics_say(v, "odp_site_info{build=\"build-a\"} 1\n"));
    expect_limit(v, key, "\"limit\":1000,");
    assert_int_equal(unlink(link), 0);
    assert_int_equal(symlink("build-b", link), 0);
    wait_for_line(v, "odp_site_info{build=\"build-b\"} 1\n");
    expect_limit(v, key, "\"limit\":77,");
    struct curl_slist *caddy = curl_slist_append(bearer(key), "X-Forwarded-Uri: /v1/kumuh");
    assert_int_equal(status_of(v, v->auth, "GET", "/forward-auth", NULL,
                               curl_slist_append(caddy, "X-Forwarded-Method: GET")),
                     204);
    assert_int_equal(unlink(link), 0);
    assert_int_equal(symlink("build-c", link), 0);
    wait_for_line(v, "odp_site_info{build=\"build-c\"} 1\n");
    struct got g = {0};
    for (int i = 0; i < 200; i++) {
        ask(v, v->metrics, "GET", "/healthz", NULL, NULL, &g);
        if (strstr(odp_buffer_cstr(&g.body), "site-settings-not-taken") != NULL)
            break;
        got_free(&g);
        usleep(20000);
    }
    assert_int_equal(g.status, 200); /* it serves on */
    assert_non_null(strstr(odp_buffer_cstr(&g.body), "site-settings-not-taken"));
    got_free(&g);
    expect_limit(v, key, "\"limit\":77,"); /* the settings stay */
    stop(v);
    struct used u = {0};
    must(odp_meter_each(v->f.s.meter, &u, add_use));
    assert_int_equal(u.count, 1);
}

/* Connections that say nothing do not keep others waiting. */
TEST(silent_connections)
{
    struct served *v = *state;
    enum { SILENT = 200 };
    int fds[SILENT];
    start(v);
    for (int i = 0; i < SILENT; i++) {
        fds[i] = connect_to(v, "service");
        assert_int_equal(send(fds[i], "POST /auth/register HTTP/1.1\r\n", 30, MSG_NOSIGNAL), 30);
    }
    for (int i = 0; i < 20; i++)
        assert_int_equal(status_of(v, "service", "GET", "/auth/tiers", NULL, NULL), 200);
    for (int i = 0; i < SILENT; i++)
        close(fds[i]);
    stop(v);
}

EACH(setup, teardown)

static int start_curl(void **state)
{
    return (int)curl_global_init(CURL_GLOBAL_DEFAULT);
}

static int stop_curl(void **state)
{
    curl_global_cleanup();
    return 0;
}

AROUND(start_curl, stop_curl)
