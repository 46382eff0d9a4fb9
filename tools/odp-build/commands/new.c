/* odp-build new DIR: an empty catalogue to begin with. Five questions, each with a default and an option;
 * with --yes, or without a terminal, the defaults are taken. Nothing that exists is changed. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/json_load.h"
#include "base/template/template.h"
#include "base/temporary.h"
#include "catalog/catalog.h"
#include "commands/ask.h"
#include "commands/outcome.h"
#include "words/commands.h"

extern const unsigned char odp_new_portal_json[]; /* of templates/catalog: what a portal begins with */
extern const unsigned char odp_new_model_json[];
extern const struct odp_template_text odp_new_templates[];

static const struct license {
    const char *name, *path, *id, *en;
} licenses[] = {{"CC-BY-4.0", "https://creativecommons.org/licenses/by/4.0/", W_cmd_license_by},
                {"CC0-1.0", "https://creativecommons.org/publicdomain/zero/1.0/", W_cmd_license_zero}};
enum { LICENSES = ODP_COUNT(licenses) };

static const char *const languages[] = {"id,en", "id", "en"};
enum { LANGUAGES = ODP_COUNT(languages) };

struct new
{
    struct invocation *inv;
    struct odp_arena *a;
    bool asks;
    const char *dir, *catalog;
};

/* ---- the answers ---- */

/* The option's value, else the answer to QUESTION, else FALLBACK; in the arena. */
static const char *answer(struct new *x, const char *given, const char *question, const char *fallback)
{
    char line[400];
    if (given != NULL)
        return given;
    if (!x->asks || !ask_line(&x->asks, question, fallback, line, sizeof line))
        return fallback;
    return odp_arena_str(x->a, line);
}

/* The same, one of N that are shown with numbers from 1; else what was written. */
static const char *choose(struct new *x, const char *given, const char *question, const char *const *options,
                          size_t n)
{
    const char *text = answer(x, given, question, "1");
    size_t k = strlen(text) == 1 ? (size_t)(text[0] - '1') : n;
    return k < n ? options[k] : text;
}

/* "https://data.serangkab.go.id/" of what people write. */
static const char *complete_address(struct new *x, const char *text)
{
    bool has = strstr(text, "://") != NULL;
    size_t len = strlen(text);
    return odp_arena_printf(x->a, "%s%s%s", has ? "" : "https://", text,
                            len > 0 && text[len - 1] == '/' ? "" : "/");
}

static const char *ask_address(struct new *x)
{
    for (;;) {
        const char *address = complete_address(
            x, answer(x, x->inv->address, say(x->inv, W_cmd_new_address), "https://data.example.go.id/"));
        if (odp_base_url_ok(address))
            return address;
        fprintf(stderr, say(x->inv, W_cmd_new_wrong_address), address);
        if (x->inv->address != NULL || !x->asks)
            return NULL;
    }
}

/* NULL: it is none of the three. */
static const char *ask_languages(struct new *x)
{
    const char *text = choose(x, x->inv->languages, say(x->inv, W_cmd_new_languages), languages, LANGUAGES);
    for (size_t i = 0; i < LANGUAGES; i++)
        if (strcmp(text, languages[i]) == 0)
            return text;
    fprintf(stderr, say(x->inv, W_cmd_new_wrong_languages), text);
    return NULL;
}

static json_t *ask_license(struct new *x)
{
    const char *names[LICENSES];
    for (size_t i = 0; i < LICENSES; i++)
        names[i] = licenses[i].name;
    const char *name = choose(x, x->inv->license, say(x->inv, W_cmd_new_license), names, LICENSES);
    for (size_t i = 0; i < LICENSES; i++)
        if (strcasecmp(name, names[i]) == 0)
            return json_pack("{s:s, s:s, s:{s:s, s:s}}", "name", names[i], "path", licenses[i].path, "title",
                             "id", licenses[i].id, "en", licenses[i].en);
    return json_pack("{s:s}", "name", name);
}

/* "Dinas Perkim" of the folder "data-dinas-perkim". */
static const char *name_of_folder(struct new *x)
{
    char *real = realpath(x->dir, NULL), *name = odp_arena_str(x->a, real != NULL ? real : x->dir);
    free(real);
    for (size_t len = strlen(name); len > 1 && name[len - 1] == '/'; len--)
        name[len - 1] = '\0';
    char *slash = strrchr(name, '/');
    name = slash != NULL && slash[1] != '\0' ? slash + 1 : name;
    for (char *c = name; *c != '\0'; c++) {
        if (*c == '-' || *c == '_')
            *c = ' ';
        if (*c >= 'a' && *c <= 'z' && (c == name || c[-1] == ' '))
            *c = (char)(*c - 'a' + 'A');
    }
    return strncmp(name, "Data ", 5) == 0 ? name + 5 : name; /* "Data Terbuka" is said in front of it */
}

/* {"id", "en"} of "Indonesian / English". */
static json_t *both(struct new *x, const char *text)
{
    const char *slash = strstr(text, " / ");
    return slash == NULL
               ? json_pack("{s:s, s:s}", "id", text, "en", text)
               : json_pack("{s:s, s:s}", "id", odp_arena_printf(x->a, "%.*s", (int)(slash - text), text),
                           "en", slash + 3);
}

/* portal.json, or NULL: an answer will not do (told). */
static json_t *ask_portal(struct new *x)
{
    json_t *o =
        odp_json_load((const char *)odp_new_portal_json, strlen((const char *)odp_new_portal_json), 0, NULL);
    const char *publisher = answer(x, x->inv->publisher, say(x->inv, W_cmd_new_publisher), name_of_folder(x));
    const char *address = ask_address(x);
    json_t *license = address != NULL ? ask_license(x) : NULL;
    const char *langs = license != NULL ? ask_languages(x) : NULL;
    if (langs == NULL) {
        json_decref(license);
        json_decref(o);
        return NULL;
    }
    json_t *names = both(x, publisher);
    const char *usual = odp_arena_printf(x->a, "Data Terbuka %s / %s Open Data", odp_json_text(names, "id"),
                                         odp_json_text(names, "en"));
    json_object_set_new(o, "title", both(x, answer(x, x->inv->title, say(x->inv, W_cmd_new_title), usual)));
    json_object_set_new(o, "publisher", names);
    json_object_set_new(o, "baseUrl", json_string(address));
    json_object_set_new(o, "license", license);
    json_object_set_new(o, "languages",
                        strlen(langs) == 2 ? json_pack("[s]", langs) : json_pack("[s, s]", "id", "en"));
    json_object_del(o, "description");
    json_object_del(o, "contact");
    return o;
}

/* ---- the files ---- */

static enum odp_status put_json(const char *path, json_t *o)
{
    char *text = o != NULL ? json_dumps(o, JSON_INDENT(2)) : NULL;
    struct odp_buffer out = {0};
    if (text != NULL)
        odp_buffer_add_str(&out, text);
    odp_buffer_add_char(&out, '\n');
    free(text);
    enum odp_status status = text != NULL ? odp_buffer_status(&out) : ODP_FAIL;
    if (status == ODP_OK)
        status = odp_file_put(path, odp_buffer_slice(&out), 0644, NULL);
    odp_buffer_release(&out);
    return status;
}

/* A file next to the catalogue, by its template; one that is there stays. */
static enum odp_status put_page(struct new *x, const char *name, const char *page)
{
    const char *path = odp_path_join(x->a, x->dir, name);
    struct odp_buffer out = {0};
    if (odp_file_kind_of(path) != ODP_FILE_NONE)
        return ODP_OK;
    enum odp_status status = odp_templates_write(odp_new_templates, odp_new_model_json, page,
                                                 x->inv->style.lang, json_object(), &out);
    if (status == ODP_OK)
        status = odp_file_put(path, odp_buffer_slice(&out), 0644, NULL);
    odp_buffer_release(&out);
    return status;
}

/* portal.json last: it makes a folder a catalogue. There is no changes.json: release numbers are for an API
 * that others already program against; without one, datasets come and change freely. */
static enum odp_status write_all(struct new *x, const char *path, json_t *portal)
{
    enum odp_status status = odp_dir_make(x->catalog);
    if (status == ODP_OK)
        status = put_page(x, ".gitignore", "gitignore");
    if (status == ODP_OK)
        status = put_page(x, "README.md", "readme");
    return status == ODP_OK ? put_json(path, portal) : status;
}

/* ---- the command ---- */

static int run_new(struct invocation *inv)
{
    struct new x = {
        .inv = inv, .a = &inv->run.arena, .asks = !inv->yes && isatty(STDIN_FILENO) && isatty(STDERR_FILENO)};
    if (inv->nwords != 1)
        return outcome_usage(inv, W_cmd_usage_new);
    enum odp_status status = outcome_begin(inv);
    if (status != ODP_OK)
        return outcome_end(inv, status);
    x.dir = inv->words[0];
    x.catalog = odp_path_join(x.a, x.dir, "catalog");
    const char *path = odp_path_join(x.a, x.catalog, "portal.json");
    if (odp_file_kind_of(path) != ODP_FILE_NONE)
        return outcome_refuse(EXIT_USAGE, say(inv, W_cmd_new_exists), path);
    json_t *portal = ask_portal(&x);
    if (portal == NULL)
        return EXIT_USAGE;
    status = write_all(&x, path, portal);
    json_decref(portal);
    if (status == ODP_OK && !inv->style.quiet)
        printf(say(inv, W_cmd_new_ready), path, x.dir);
    return outcome_end(inv, status);
}

const struct command command_new = {"new", "DIR", {{W_cmd_new_catalogue_to_begin_with}}, run_new};
