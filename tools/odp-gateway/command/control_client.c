#include "command/control_client.h"

#include <curl/curl.h>
#include <errno.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json_load.h"
#include "command/messages.h"
#include "service/admin/admin.h"
#include "service/listen.h"
#include "words/gateway_command.h"

enum { REPLY_MAX = 64 << 20, PATH_LEN = 4096, PATIENCE_S = 900 };

/* Whether a service listens; a socket without one is left from a killed run. */
static int service_answers(struct admin *a, bool *answers)
{
    (void)snprintf(a->socket, sizeof a->socket, "%s/run/control.sock", a->gateway.state);
    int e = odp_socket_answers(a->socket);
    *answers = e == 0;
    if (e == EACCES || e == EPERM)
        return complain(EXIT_REFUSED, say(a->inv, W_gwc_state_folder_belongs_another), a->gateway.state);
    return EXIT_CLEAN;
}

int admin_begin(struct admin *a, struct invocation *inv)
{
    struct stat st;
    bool answers;
    *a = (struct admin){.inv = inv};
    int code = gateway_init(&a->gateway, inv);
    if (code != EXIT_CLEAN)
        return code;
    if (stat(a->gateway.state, &st) != 0 || !S_ISDIR(st.st_mode))
        return complain(EXIT_REFUSED, say(inv, W_gwc_there_no_state_folder_name), a->gateway.state);
    code = service_answers(a, &answers);
    if (code != EXIT_CLEAN || answers)
        return code;
    a->socket[0] = '\0';
    char path[PATH_LEN];
    (void)snprintf(path, sizeof path, "%s/role", a->gateway.state);
    if (access(path, F_OK) != 0) {
        (void)snprintf(path, sizeof path, "%s/store.sqlite", a->gateway.state);
        if (access(path, F_OK) != 0)
            return complain(EXIT_REFUSED, say(inv, W_gwc_state_folder_no_store_sqlite), a->gateway.state);
    }
    /* Only the effective ids: what was opened before stays ours, and files for the caller are his. */
    if (geteuid() == 0 && a->gateway.uid != 0 &&
        (setegid(a->gateway.gid) != 0 || seteuid(a->gateway.uid) != 0))
        return complain(EXIT_MACHINE, "seteuid %s: %s", a->gateway.user, reason_of(inv, errno));
    char why[ODP_WHY] = "";
    a->gateway.service.metrics_listen = NULL;
    enum odp_status status = odp_state_open(&a->state, &a->gateway.service, why);
    a->open = status == ODP_OK;
    if (status == ODP_OK)
        return EXIT_CLEAN;
    return status == ODP_BAD ? complain(EXIT_REFUSED, "%s: %s", a->gateway.state, why) : machine_failed(inv);
}

void admin_end(struct admin *a)
{
    if (a->open)
        odp_state_close(&a->state);
    a->open = false;
    if (getuid() == 0 && geteuid() != 0 && (seteuid(0) != 0 || setegid(0) != 0))
        complain(0, "seteuid: %s", reason_of(a->inv, errno));
    gateway_release(&a->gateway);
}

/* ---- over the socket ---- */

static size_t receive(char *bytes, size_t size, size_t n, void *ctx)
{
    struct odp_buffer *b = ctx;
    if (b->len + n > REPLY_MAX)
        return 0;
    odp_buffer_add(b, bytes, n);
    return b->failed ? 0 : n;
}

/* Wiped: it may hold a key. */
static void wipe(struct odp_buffer *b)
{
    if (b->ptr != NULL)
        explicit_bzero(b->ptr, b->len);
    odp_buffer_release(b);
}

static int call_socket(struct admin *a, const char *body, json_t **reply)
{
    struct odp_buffer text = {0};
    CURL *c = curl_easy_init();
    struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");
    int code = EXIT_CLEAN;
    if (c == NULL || headers == NULL ||
        curl_easy_setopt(c, CURLOPT_UNIX_SOCKET_PATH, a->socket) != CURLE_OK ||
        curl_easy_setopt(c, CURLOPT_URL, "http://localhost/admin") != CURLE_OK ||
        curl_easy_setopt(c, CURLOPT_POSTFIELDS, body) != CURLE_OK ||
        curl_easy_setopt(c, CURLOPT_HTTPHEADER, headers) != CURLE_OK ||
        curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, receive) != CURLE_OK ||
        curl_easy_setopt(c, CURLOPT_WRITEDATA, &text) != CURLE_OK ||
        curl_easy_setopt(c, CURLOPT_NOPROXY, "*") != CURLE_OK ||
        curl_easy_setopt(c, CURLOPT_TIMEOUT, (long)PATIENCE_S) != CURLE_OK ||
        curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L) != CURLE_OK) {
        code = complain(EXIT_MACHINE, "%s", curl_words(a->inv));
    } else {
        CURLcode e = curl_easy_perform(c);
        if (e != CURLE_OK)
            code = complain(EXIT_MACHINE, say(a->inv, W_gwc_service_does_answer), a->socket,
                            curl_easy_strerror(e));
    }
    if (code == EXIT_CLEAN) {
        *reply = odp_json_load(text.ptr, text.len, 0, NULL);
        if (*reply == NULL)
            code = complain(EXIT_MACHINE, say(a->inv, W_gwc_service_answer_cannot_read), text.len);
    }
    wipe(&text);
    curl_slist_free_all(headers);
    curl_easy_cleanup(c);
    return code;
}

static int call_here(struct admin *a, const json_t *request, json_t **reply)
{
    char actor[80];
    const struct passwd *p = getpwuid(getuid());
    (void)snprintf(actor, sizeof actor, "command:%.64s", p != NULL ? p->pw_name : "unknown");
    enum odp_status status = odp_admin_run(&a->state, request, actor, odp_now(), reply);
    if (status == ODP_FAIL || *reply == NULL) {
        json_decref(*reply);
        *reply = NULL;
        (void)machine_failed(a->inv);
        odp_failure_clear();
        return EXIT_MACHINE;
    }
    return EXIT_CLEAN;
}

static int say_problem(const json_t *reply)
{
    int status = (int)json_integer_value(json_object_get(reply, "status"));
    const char *title = odp_json_text(reply, "title"), *detail = odp_json_text(reply, "detail");
    const char *field = odp_json_text(reply, "field");
    if (title == NULL)
        title = "?";
    if (detail == NULL)
        detail = "";
    const char *colon = *detail != '\0' ? ": " : "";
    if (field != NULL)
        complain(0, "%s (%s)%s%s", title, field, colon, detail);
    else
        complain(0, "%s%s%s", title, colon, detail);
    if (status == 400)
        return EXIT_USAGE;
    return status >= 500 ? EXIT_MACHINE : EXIT_REFUSED;
}

/* *REPLY is set with EXIT_CLEAN only; a problem is said. */
static int call(struct admin *a, json_t *request, json_t **reply)
{
    int code;
    *reply = NULL;
    json_object_set_new(request, "lang", json_string(a->inv->line.lang == ODP_LANG_EN ? "en" : "id"));
    if (a->socket[0] != '\0') {
        char *body = json_dumps(request, JSON_COMPACT);
        code = call_socket(a, body, reply);
        explicit_bzero(body, strlen(body)); /* an operator may have named a whole key */
        odp_json_free_text(body);
    } else {
        code = call_here(a, request, reply);
    }
    json_decref(request);
    if (code == EXIT_CLEAN && json_is_integer(json_object_get(*reply, "status"))) {
        code = say_problem(*reply);
        json_decref(*reply);
        *reply = NULL;
    }
    return code;
}

int admin_rows(struct admin *a, json_t *request, json_t **rows)
{
    json_t *all = json_array(), *next = json_deep_copy(request);
    int code = EXIT_CLEAN;
    for (json_int_t last = -1; next != NULL;) {
        json_t *reply;
        code = call(a, next, &reply);
        next = NULL;
        const json_t *meta = json_object_get(reply, "meta"), *after = json_object_get(meta, "after");
        if (code == EXIT_CLEAN && json_array_extend(all, json_object_get(reply, "data")) != 0)
            code = complain(EXIT_MACHINE, "%s", say(a->inv, W_gwc_service_answer_cannot_read_2));
        if (code == EXIT_CLEAN && json_is_true(json_object_get(meta, "more")) && json_is_integer(after) &&
            json_integer_value(after) > last) {
            last = json_integer_value(after);
            next = json_deep_copy(request);
            json_object_set_new(next, "after", json_integer(last));
        }
        json_decref(reply);
    }
    json_decref(request);
    *rows = code == EXIT_CLEAN ? all : NULL;
    if (code != EXIT_CLEAN)
        json_decref(all);
    return code;
}

int admin_once(struct invocation *inv, json_t *request, json_t **rows)
{
    struct admin a;
    *rows = NULL;
    int code = admin_begin(&a, inv);
    if (code == EXIT_CLEAN)
        code = admin_rows(&a, request, rows);
    else
        json_decref(request);
    admin_end(&a);
    return code;
}
