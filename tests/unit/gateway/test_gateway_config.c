/* The command line and nginx's configuration as text: answers/serve.txt; the bars. */
#include <unistd.h>

#include "answer_lines.h"
#include "command/commands.h"
#include "command/gateway.h"
#include "command/nginx/find.h"
#include "command/nginx/run.h"
#include "command/table.h"

struct fixture {
    struct invocation none, inv; /* of a line without options, and of the last one */
    struct nginx_config config;
    struct odp_buffer text, plain; /* the last configuration; of "serve a", which others are compared with */
    const char *words[2][64];
};

/* Returns an exit code; what is wrong goes to OUT. */
static int parse(struct invocation *inv, char *line, const char **words, struct odp_buffer *out)
{
    char *argv[64] = {line}, *said = NULL, *save = NULL;
    size_t len = 0;
    int argc = 1;
    for (char *word = strtok_r(line, " ", &save); word != NULL; word = strtok_r(NULL, " ", &save))
        argv[argc++] = word;
    FILE *err = open_memstream(&said, &len);
    assert_non_null(err);
    int code = options_parse(inv, argc, argv, words, err);
    assert_int_equal(fclose(err), 0);
    odp_buffer_add(out, said, len);
    free(said);
    return code;
}

static int setup(void **state)
{
    char line[] = "usage";
    struct fixture *f = calloc(1, sizeof *f);
    assert_int_equal(parse(&f->none, line, f->words[0], &f->text), EXIT_CLEAN);
    f->inv = f->none;
    f->config = (struct nginx_config){
        .serve = &f->inv.serve,
        .state = "/var/lib/odp",
        .module = "/m/ngx_http_odp_module.so",
        .resolver = "10.0.0.2 [::1]",
        .files = 65536,
    };
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    odp_buffer_release(&f->text);
    odp_buffer_release(&f->plain);
    free(f);
    return 0;
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

static const char *written(struct fixture *f)
{
    odp_buffer_clear(&f->text);
    must(nginx_config_write(&f->text, &f->config));
    assert_balanced(odp_buffer_cstr(&f->text));
    return odp_buffer_cstr(&f->text);
}

/* ---- answers ---- */

/* TEXT with the lines that say who answers behind the location that they stand in. */
static void add_places(struct odp_buffer *out, const char *text)
{
    const char *place = "";
    int n = 0;
    odp_buffer_add_char(out, '\n');
    for (const char *line = text, *end; *line != '\0'; line = end + (*end == '\n')) {
        end = line + strcspn(line, "\n");
        size_t indent = strspn(line, " ");
        if (strncmp(line + indent, "location ", 9) == 0) {
            place = line + indent;
            n = (int)(end - place);
        } else if (*line == '}' || strncmp(line, "    }", 5) == 0) {
            n = 0;
        }
        bool answers = strncmp(line + indent, "proxy_pass ", 11) == 0;
        odp_buffer_printf(out, "%.*s\t%.*s\n", answers ? n : 0, place, (int)(end - line), line);
    }
}

/* The lines that TEXT has and OTHER has not, each once. */
static void add_lines(struct odp_buffer *out, const char *mark, const char *text, const char *other)
{
    struct odp_buffer seen = {0};
    odp_buffer_add_str(&seen, "\n");
    for (const char *at = text, *end; at[1] != '\0'; at = end) {
        end = strchr(at + 1, '\n');
        char *line = strndup(at, (size_t)(end + 1 - at)), *tab = strchr(line, '\t');
        if (strstr(other, line) == NULL && strstr(odp_buffer_cstr(&seen), line) == NULL) {
            odp_buffer_add_str(&seen, line + 1);
            if (tab > line + 1)
                odp_buffer_printf(out, "  %.*s\n", (int)(tab - line - 1), line + 1);
            odp_buffer_printf(out, "%s%s", mark, tab + 1);
        }
        free(line);
    }
    odp_buffer_release(&seen);
}

static void add_config(struct fixture *f, bool plain, struct odp_buffer *out)
{
    const char *text = strchr(written(f), '\n') + 1; /* behind the line with the version */
    struct odp_buffer is = {0};
    add_places(&is, text);
    if (f->plain.len == 0) {
        odp_buffer_add_str(out, text);
    } else {
        add_lines(out, "- ", odp_buffer_cstr(&f->plain), odp_buffer_cstr(&is));
        add_lines(out, "+ ", odp_buffer_cstr(&is), odp_buffer_cstr(&f->plain));
    }
    if (plain) {
        odp_buffer_clear(&f->plain);
        odp_buffer_add(&f->plain, is.ptr, is.len);
    }
    odp_buffer_release(&is);
}

static bool is_one_of(const char *list, const char *word)
{
    const char *at = strstr(list, word);
    return at != NULL && at[-1] == ' ' && at[strlen(word)] == ' ';
}

static void add_value(struct odp_buffer *out, const struct invocation *inv, const struct option_row *row)
{
    const void *at = (const char *)inv + row->offset;
    const struct option_list *list = at;
    if (row->argument == NULL)
        odp_buffer_add_str(out, *(const bool *)at ? "yes" : "no");
    else if (is_one_of(" N SIZE DAYS MS ", row->argument) && strcmp(row->name, "cache") != 0)
        odp_buffer_printf(out, "%lld", (long long)*(const int64_t *)at);
    else if (strcmp(row->argument, "MODE") == 0)
        odp_buffer_add_str(out, ((const struct content *)at)->text);
    else if (is_one_of(" ADDR[:PORT] NAME[:PORT] CIDR PREFIX ", row->argument))
        for (size_t i = 0; i < list->n; i++)
            odp_buffer_printf(out, "%s%s", i > 0 ? " " : "", list->item[i]);
    else if (strcmp(row->name, "lang") != 0 && *(const char *const *)at != NULL)
        odp_buffer_add_str(out, *(const char *const *)at);
}

/* The options that are not what they are without a word, and the other words. */
static void add_options(const struct fixture *f, struct odp_buffer *out)
{
    const struct odp_command_line *line = &f->inv.line;
    for (size_t i = 0; i < line->nwords; i++)
        odp_buffer_printf(out, "%s\n", line->words[i]);
    for (size_t i = 0; i < line->program->noptions; i++) {
        const struct option_row *row = &line->program->options[i];
        struct odp_buffer was = {0}, is = {0};
        add_value(&was, &f->none, row);
        add_value(&is, &f->inv, row);
        if ((row->only == NULL || is_one_of(row->only, line->command->name)) &&
            strcmp(odp_buffer_cstr(&was), odp_buffer_cstr(&is)) != 0)
            odp_buffer_printf(out, "--%s %s\n", row->name, odp_buffer_cstr(&is));
        odp_buffer_release(&was);
        odp_buffer_release(&is);
    }
}

/* A command line; of `serve` also the configuration. "module-less", "user NAME" and "part-of-another" are of
 * those that follow. */
static void answer(void *ctx, struct odp_slice question, struct odp_buffer *out)
{
    static char user[32];
    struct fixture *f = ctx;
    char *line = strdup(question.ptr);
    if (strcmp(line, "module-less") == 0) {
        f->config.module = NULL;
    } else if (sscanf(line, "user %31s", user) == 1) {
        f->config.user = user;
    } else if (strcmp(line, "part-of-another") == 0) {
        f->config.http_only = true;
    } else if (parse(&f->inv, line, f->words[1], out) == EXIT_CLEAN) {
        add_options(f, out);
        if (strcmp(f->inv.line.command->name, "serve") == 0)
            add_config(f, strcmp(question.ptr, "serve a") == 0, out);
    }
    free(line);
}

TEST(command_lines)
{
    answer_lines("gateway/answers/serve.txt", answer, *state);
}

/* Whatever is chosen: what could hold a key is in no log. */
TEST(logs_hold_no_secrets)
{
    static const char *const secret[] = {"$request_uri", "$request\"", "$args", "authorization",
                                         "$http_user_agent"};
    struct fixture *f = *state;
    for (int round = 0; round < 2; round++) {
        const char *text = written(f), *format = strstr(text, "log_format odp");
        char line[2048];
        assert_non_null(format);
        snprintf(line, sizeof line, "%.*s", (int)strcspn(format, ";"), format);
        for (size_t i = 0; i < ODP_COUNT(secret); i++)
            assert_null(strstr(line, secret[i]));
        f->config.module = NULL;
    }
}

TEST(paths_that_cannot_be_written)
{
    struct fixture *f = *state;
    assert_null(nginx_config_refuses(&f->config));
    f->config.state = "/srv/$state";
    assert_string_equal(nginx_config_refuses(&f->config), "/srv/$state");
    f->config.state = "/var/lib/odp";
    f->inv.serve.tls_key = "/a\nuser root;";
    assert_string_equal(nginx_config_refuses(&f->config), "/a\nuser root;");
}

/* nginx itself reads it; without the module, which this test cannot count on. */
TEST(nginx_takes_it)
{
    struct fixture *f = *state;
    struct odp_arena a = {0};
    struct odp_buffer output = {0};
    char dir[FRESH_FOLDER], path[160], command[512];
    const char *nginx = nginx_find(&a, NULL);
    if (nginx == NULL) {
        odp_arena_release(&a);
        skip();
    }
    fresh_folder(dir, "config");
    snprintf(path, sizeof path, "%s/nginx", dir);
    snprintf(command, sizeof command, "mkdir -p %s %s/nginx.d %s/site", path, dir, dir);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/nginx.conf", dir);
    f->config.module = NULL;
    f->config.state = dir;
    f->inv.serve.trusted = (struct option_list){{"10.0.0.0/8", "unix:"}, 2};
    static const char *const writers[] = {NULL, "https://penulis.example.go.id", "http://127.0.0.1:1/x"};
    for (size_t i = 0; i < 3; i++) {
        f->inv.serve.service.writer = writers[i];
        FILE *out = fopen(path, "w");
        assert_non_null(out);
        fputs(written(f), out);
        fclose(out);
        struct gateway g = {.state = dir, .nginx = nginx, .config = f->config};
        odp_buffer_clear(&output);
        if (nginx_test(&g, path, &output) != 0)
            fail_msg("%s", odp_buffer_cstr(&output));
    }
    snprintf(command, sizeof command, "rm -rf %s", dir);
    assert_int_equal(system(command), 0);
    odp_buffer_release(&output);
    odp_arena_release(&a);
}

TEST(bars)
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

EACH(setup, teardown)
