/* A service without sockets: a state in a temporary folder, three tiers, a clock that stands still, and calls
 * as one line each.
 */
#pragma once
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <unistd.h>

#include "base/file.h"
#include "core/keys/key.h"
#include "core/page.h"
#include "service/accounts/keys.h"
#include "service/accounts/mail.h"
#include "service/admin/admin.h"
#include "service/dispatch.h"
#include "service/http/http.h"
#include "service/metrics.h"
#include "service/http/web.h"
#include "service/state/store.h"

#include "json_holds.h"

#define FIXTURE_NOW 1710468000 /* 2024-03-15T09:00:00+07:00 */

struct fixture {
    char dir[128], state_dir[160], mails[192], command[512];
    struct odp_service_options options;
    struct odp_state s;
    struct odp_call call; /* defaults of the next calls */
    struct odp_answer a;  /* the last answer */
    json_t *doc;          /* its body, if it is JSON */
    char key[ODP_KEY_LENGTH + 1];
};

static inline struct odp_settings fixture_settings(void)
{
    return (struct odp_settings){
        .tiers = {{"public", 1000, 5, 2}, {"registered", 10000, 20, 5}, {"government", -1, 100, 20}},
        .ntiers = 3,
        .zone_minutes = 420,
        .base_url = "https://data.example.go.id/"};
}

/* A sendmail that stores messages: MAILS gets each of them, and a line after it. */
static inline void fixture_sendmail(struct fixture *f)
{
    char path[192];
    snprintf(path, sizeof path, "%s/sendmail", f->dir);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fprintf(out, "#!/bin/sh\ncat > \"$1.part\"\ncat \"$1.part\" >> \"$1\"\necho '--end--' >> \"$1\"\n");
    assert_int_equal(fchmod(fileno(out), 0700), 0);
    assert_int_equal(fclose(out), 0);
    snprintf(f->command, sizeof f->command, "%s  %s -t", path, f->mails);
    f->options.sendmail = f->command;
    f->options.mail_from = "Portal Data <data@example.go.id>";
}

static inline void fixture_open(struct fixture *f)
{
    char why[ODP_WHY] = "";
    memset(f, 0, sizeof *f);
    fresh_folder(f->dir, "http");
    snprintf(f->state_dir, sizeof f->state_dir, "%s/state", f->dir);
    snprintf(f->mails, sizeof f->mails, "%s/mails", f->dir);
    assert_int_equal(mkdir(f->state_dir, 0700), 0);
    f->options = (struct odp_service_options){
        .state_dir = f->state_dir, .registrations = 20, .grace = 7 * 86400, .machine = "one"};
    if (odp_state_open(&f->s, &f->options, why) != ODP_OK)
        fail_msg("odp_state_open: %s %s", why, odp_failure_text());
    struct odp_settings settings = fixture_settings();
    odp_keytable_set_settings(f->s.table, &settings);
    f->s.settings = settings;
    f->s.writer = true;
    must(odp_web_new(&f->s.web));
    f->call = (struct odp_call){
        .method = ODP_LIT("GET"),
        .client = ODP_LIT("192.0.2.1"),
        .now = FIXTURE_NOW,
        .accept_language = ODP_LIT("en"),
    };
    odp_answer_init(&f->a);
}

static inline void fixture_close(struct fixture *f)
{
    odp_answer_release(&f->a);
    json_decref(f->doc);
    odp_web_free(f->s.web);
    f->s.web = NULL;
    odp_state_close(&f->s);
    must(odp_dir_remove(f->dir));
}

static inline int fixture_setup(void **state)
{
    struct fixture *f = malloc(sizeof *f);
    assert_non_null(f);
    fixture_open(f);
    *state = f;
    return 0;
}

static inline int fixture_teardown(void **state)
{
    fixture_close(*state);
    free(*state);
    return 0;
}

/* Runs C and keeps the answer; returns its status. */
static inline int fixture_run(struct fixture *f, const struct odp_call *c)
{
    odp_answer_release(&f->a);
    odp_answer_init(&f->a);
    json_decref(f->doc);
    f->doc = NULL;
    odp_http_answer(&f->s, c, &f->a);
    must(odp_buffer_status(&f->a.body));
    must(odp_buffer_status(&f->a.headers));
    if (strstr(f->a.content_type, "json") != NULL && f->a.body.len > 0) {
        f->doc = json_loadb(f->a.body.ptr, f->a.body.len, JSON_REJECT_DUPLICATES, NULL);
        assert_non_null(f->doc);
    }
    if (f->a.status >= 400 && f->doc != NULL && json_object_get(f->doc, "code") != NULL)
        assert_string_equal(f->a.content_type, "application/problem+json");
    return f->a.status;
}

/* METHOD and TARGET ("/auth/confirm?token=x") with BODY as JSON (NULL: none) and KEY (NULL: none). */
static inline int fixture_call(struct fixture *f, const char *method, const char *target, const char *body,
                               const char *key)
{
    char header[128];
    struct odp_call c = f->call;
    const char *q = strchr(target, '?');
    c.method = odp_slice_of(method);
    c.path = (struct odp_slice){target, q != NULL ? (size_t)(q - target) : strlen(target)};
    c.query = odp_slice_of(q != NULL ? q + 1 : "");
    c.body = odp_slice_of(body != NULL ? body : "");
    if (body != NULL && c.content_type.len == 0)
        c.content_type = ODP_LIT("application/json");
    if (key != NULL) {
        snprintf(header, sizeof header, "Bearer %s", key);
        c.authorization = odp_slice_of(header);
    }
    return fixture_run(f, &c);
}

/* Member NAME of the envelope's only record, or NULL. */
static inline json_t *fixture_data(const struct fixture *f, const char *name)
{
    json_t *data = json_object_get(f->doc, "data");
    assert_string_equal(json_string_value(json_object_get(f->doc, "status")), "success");
    assert_int_equal(json_array_size(data), 1);
    return json_object_get(json_array_get(data, 0), name);
}

static inline const char *fixture_text(const struct fixture *f, const char *name)
{
    const char *text = json_string_value(fixture_data(f, name));
    assert_non_null(text);
    return text;
}

static inline const char *fixture_problem(const struct fixture *f, const char *name)
{
    const char *text = json_string_value(json_object_get(f->doc, name));
    return text != NULL ? text : "";
}

/* As fixture_call, with BODY written with ' for ": the answer has STATUS and, its only record or the problem,
 * MEMBERS ("": any). */
static inline void asks(struct fixture *f, const char *method, const char *target, const char *body,
                        const char *key, int status, const char *members)
{
    char *text = body != NULL ? quoted("", body, "") : NULL;
    int have = fixture_call(f, method, target, text, key);
    if (have != status)
        fail_msg("%s %s %s: %d %.*s", method, target, body != NULL ? body : "", have, (int)f->a.body.len,
                 f->a.body.ptr);
    free(text);
    if (members[0] != '\0')
        holds(status < 400 ? json_array_get(json_object_get(f->doc, "data"), 0) : f->doc, members);
}

/* The value of a header of the answer into OUT, "" if it is not there. */
static inline const char *fixture_header(struct fixture *f, const char *name, char out[512])
{
    char line[64];
    snprintf(line, sizeof line, "%s: ", name);
    const char *text = odp_buffer_cstr(&f->a.headers), *at = strstr(text, line);
    while (at != NULL && at != text && at[-1] != '\n')
        at = strstr(at + 1, line);
    size_t n = at != NULL ? strcspn(at + strlen(line), "\n") : 0;
    snprintf(out, 512, "%.*s", (int)n, at != NULL ? at + strlen(line) : "");
    return out;
}

/* Registers EMAIL; the key stays in f->key. */
static inline const char *fixture_register(struct fixture *f, const char *email)
{
    char body[512];
    snprintf(body, sizeof body, "{\"name\":\"Sari\",\"email\":\"%s\"}", email);
    assert_int_equal(fixture_call(f, "POST", "/auth/register", body, NULL), 201);
    snprintf(f->key, sizeof f->key, "%s", fixture_text(f, "key"));
    return f->key;
}

static inline void fixture_read(const char *path, struct odp_buffer *out)
{
    odp_buffer_clear(out);
    if (access(path, F_OK) == 0)
        must(odp_file_read(path, 1 << 20, out, NULL));
}
