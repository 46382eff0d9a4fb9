/* control.txt says where addresses lead: a site's lines, questions, answers after "=>". Bytes may be written
 * as \xHH, \t and \n; a comment begins with "   # ".
 *
 *   site                                      a new control file, of the lines that follow:
 *   open PATH · keyed PATH · gone PATH CLASS · moved PATH CLASS TO · line PATH ETAG ENCODING CLASS STATE
 *   find PATH                                 the line that answers for it
 *   ask URI [| QUERY [| ACCEPT [| LANGUAGE]]] the route, the line; whether it needs a key, takes POST; what
 *                                             the answer varies by
 *   twin PATH | ACCEPT-ENCODING               the etag that is sent, and whether there are twins
 *   file TEXT, bytes TEXT                     a new control file, with the right first line or without; what its
 *                                             lines are: path, etag, size, cache-control, link; "-": wrong
 *   parts PATH | ENCODING                     dataset | format, of a line of its own
 *   moved URI | RAW · path URI | RAW          the new address · what the query service is asked for */
#include "answers_fixture.h"
#include "gateway_control_fixture.h"

enum { ARGS = 5 };
struct table {
    struct odp_control *c;
    struct odp_buffer lines, out; /* of the site; of the file */
    struct odp_slice args[ARGS];
    char bytes[600]; /* what they point into */
};

static void split(struct table *t, const char *text)
{
    char *to = t->bytes;
    size_t n = 0;
    memset(t->args, 0, sizeof t->args);
    t->args[0].ptr = to;
    for (const char *p = text; *p != '\0'; t->args[n].len = (size_t)(to - t->args[n].ptr)) {
        assert_true(to < t->bytes + sizeof t->bytes && n < ARGS);
        if (strncmp(p, " | ", 3) == 0) {
            p += 3;
            t->args[++n] = (struct odp_slice){to, 0};
        } else if (p[0] == '\\' && (p[1] == 't' || p[1] == 'n')) {
            *to++ = p[1] == 't' ? '\t' : '\n';
            p += 2;
        } else if (p[0] == '\\') {
            const char hex[] = {p[2], p[3], '\0'};
            *to++ = (char)strtol(hex, NULL, 16);
            p += 4;
        } else {
            *to++ = *p++;
        }
    }
}

static void add_line(struct table *t, const char *verb, char *rest)
{
    const char *w[5], *open = *verb == 'o' ? "p" : "k";
    for (int k = 0; k < 5; k++)
        w[k] = strsep(&rest, " ");
    if (strcmp(verb, "gone") == 0)
        odp_buffer_printf(&t->lines, GONE("%s", "%s"), w[0], w[1]);
    else if (strcmp(verb, "moved") == 0)
        odp_buffer_printf(&t->lines, MOVED("%s", "%s", "%s"), w[0], w[1], w[2]);
    else if (strcmp(verb, "line") == 0)
        odp_buffer_printf(&t->lines, LINE("%s", "%s", "%s", "%s", "%s"), w[0], w[1], w[1], w[2], w[3], w[4]);
    else
        odp_buffer_printf(&t->lines, LINE("%s", "%s", "-", "%s", "active"), w[0], open, open,
                          *verb == 'o' ? "public" : "keyed");
}

static void open_lines(struct table *t)
{
    odp_control_close(t->c);
    write_control(t->lines.ptr, t->lines.len);
    t->c = open_site();
}

static void add_slice(struct table *t, struct odp_slice s)
{
    odp_buffer_add(&t->out, s.ptr, s.len);
}

/* ---- questions ---- */

static void add_ask(struct table *t)
{
    static const char *const routes[] = {"file", "none", "open", "query"};
    static const char *const varies[] = {"", " accept", " language", " accept language"};
    const struct odp_slice uri = t->args[0];
    struct odp_ask ask = {uri, t->args[1], t->args[2], t->args[3], true};
    struct odp_entry e, other;
    unsigned vary = 9, none = 9;
    enum odp_route route = odp_control_ask(t->c, &ask, &e, &vary);
    const struct odp_slice path = route != ODP_ROUTE_NONE ? e.path : ODP_LIT("");
    odp_buffer_printf(&t->out, "%s%s%.*s%s%s%s", routes[route], path.len > 0 ? " " : "", (int)path.len,
                      path.ptr, odp_control_needs_key(uri) ? " key" : "",
                      odp_control_takes_post(uri) ? " post" : "", varies[vary]);

    /* the same under /api/v1/ */
    char alias[700];
    snprintf(alias, sizeof alias, "/api%.*s", (int)uri.len, uri.ptr);
    if (strncmp(alias, "/api/v1/", 8) == 0) {
        ask.uri = odp_slice_of(alias);
        assert_int_equal(odp_control_ask(t->c, &ask, &other, &none), route);
        assert_int_equal(none, vary);
        assert_true(route == ODP_ROUTE_NONE || odp_slice_eq(other.path, e.path));
        assert_int_equal(odp_control_needs_key(ask.uri), odp_control_needs_key(uri));
        assert_int_equal(odp_control_forms(ask.uri), odp_control_forms(uri));
        ask.uri = uri;
    }
    /* where nobody makes other forms Accept does not matter, and of an address by itself nothing does */
    bool forms = vary != 0 && odp_control_forms(uri);
    ask.engine = false;
    assert_int_equal(odp_control_ask(t->c, &ask, &other, &none), forms ? ODP_ROUTE_FILE : route);
    assert_int_equal(none, forms ? 0 : vary);
    if (t->args[1].len == 0) {
        ask = (struct odp_ask){.uri = uri};
        assert_int_equal(odp_control_route(t->c, uri, &e), odp_control_ask(t->c, &ask, &other, &none));
    }
}

static void add_file(struct table *t, const char *head)
{
    struct odp_entry e, found;
    const char *why = "";
    odp_control_close(t->c);
    t->c = NULL;
    odp_buffer_clear(&t->lines);
    odp_buffer_printf(&t->lines, "%s%.*s", head, (int)t->args[0].len, t->args[0].ptr);
    write_control(t->lines.ptr, t->lines.len);
    if (odp_control_open(&t->c, site, &why) != ODP_OK) {
        assert_true(t->c == NULL && *why != '\0');
        odp_buffer_add_str(&t->out, why);
        return;
    }
    const char *line = strchr(odp_buffer_cstr(&t->lines), '\n') + 1;
    for (size_t i = 0; *line != '\0'; i++, line = strchr(line, '\n') + 1) {
        bool there = odp_control_line(t->c, i, &e);
        assert_int_equal(odp_control_find(t->c, (struct odp_slice){line, strcspn(line, "\t\n")}, &found),
                         there);
        if (there)
            odp_buffer_printf(&t->out, "%s%.*s %.*s %lld %.*s %.*s", i > 0 ? ", " : "", (int)e.path.len,
                              e.path.ptr, (int)e.etag.len, e.etag.ptr, (long long)e.size,
                              (int)e.cache_control.len, e.cache_control.ptr, (int)e.link.len, e.link.ptr);
        else
            odp_buffer_add_str(&t->out, i > 0 ? ", -" : "-");
    }
}

static void answer(struct table *t, const char *verb)
{
    struct odp_entry e, chosen;
    struct odp_slice a = t->args[0], b = t->args[1];
    bool varies = false;
    if (strcmp(verb, "ask") == 0) {
        add_ask(t);
    } else if (strcmp(verb, "file") == 0) {
        add_file(t, HEAD);
    } else if (strcmp(verb, "bytes") == 0) {
        add_file(t, "");
    } else if (strcmp(verb, "path") == 0) {
        odp_control_query_path(a, b, &t->out);
    } else if (strcmp(verb, "moved") == 0) {
        assert_int_not_equal(odp_control_route(t->c, a, &e), ODP_ROUTE_NONE);
        if (e.state == ODP_ENTRY_MOVED)
            odp_control_moved(&e, a, b, &t->out);
    } else if (strcmp(verb, "parts") == 0) {
        t->lines.len = strlen(HEAD);
        odp_buffer_printf(&t->lines, LINE("%.*s", "p", "%.*s", "public", "active"), (int)a.len, a.ptr,
                          (int)b.len, b.ptr);
        open_lines(t);
        assert_true(odp_control_line(t->c, 0, &e));
        assert_true(odp_slice_eq(e.path, a));
        add_slice(t, e.dataset);
        odp_buffer_add_str(&t->out, " | ");
        add_slice(t, e.format);
    } else if (!odp_control_find(t->c, a, &e)) {
        odp_buffer_add_str(&t->out, "none");
    } else if (strcmp(verb, "find") == 0) {
        add_slice(t, e.path);
    } else {
        odp_control_negotiate(t->c, &e, b, &chosen, &varies);
        add_slice(t, chosen.etag);
        odp_buffer_add_str(&t->out, varies ? " varies" : "");
    }
}

static void answer_line(struct table *t, char *line)
{
    char *comment = strstr(line, "   # "), *end = strstr(line, " => "), *verb = line;
    if (end != NULL || comment != NULL)
        *(end != NULL ? end : comment) = '\0';
    odp_buffer_add_str(&t->out, line);
    char *rest = strchr(line, ' ');
    if (strcmp(line, "site") == 0)
        t->lines.len = strlen(HEAD);
    if (rest != NULL) {
        *rest++ = '\0';
        if (strchr("okgl", *verb) != NULL || (*verb == 'm' && *rest != '/')) {
            add_line(t, verb, rest);
            open_lines(t);
        } else {
            odp_buffer_add_str(&t->out, " => ");
            split(t, rest);
            answer(t, verb);
        }
    }
    if (comment != NULL)
        odp_buffer_printf(&t->out, "   # %s", comment + 5);
    odp_buffer_add_char(&t->out, '\n');
}

TEST(control_answers)
{
    static struct table t;
    struct odp_buffer text;
    memset(&t, 0, sizeof t);
    odp_buffer_init(&t.out);
    odp_buffer_init(&t.lines);
    odp_buffer_add_str(&t.lines, HEAD);
    answers_read("gateway/control.txt", &text);
    char *copy = strdup(odp_buffer_cstr(&text)), *rest = copy, *line;
    assert_non_null(copy);
    copy[text.len - 1] = '\0';
    while ((line = strsep(&rest, "\n")) != NULL)
        if (*line == '#')
            odp_buffer_printf(&t.out, "%s\n", line);
        else
            answer_line(&t, line);
    free(copy);
    odp_control_close(t.c);
    odp_buffer_release(&t.lines);
    answers_check("gateway/control.txt", &text, &t.out);
}

EACH(set_up, tear_down)
