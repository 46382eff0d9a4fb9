/* odp-build versions [SLUG]: lists all datasets with their newest versions, or all versions of one. */
#include <stdlib.h>
#include <string.h>

#include "base/json_load.h"
#include "commands/outcome.h"
#include "publish/publish.h"
#include "published/history.h"
#include "words/commands.h"

/* Sums over a version's resources. */
struct sums {
    json_int_t added, removed, changed;
    bool compared, counts_only;
    unsigned long long bytes;
    size_t files;
};

static const char *text(const json_t *o, const char *key, const char *otherwise)
{
    const char *s = odp_json_text(o, key);
    return s != NULL && *s != '\0' ? s : otherwise;
}

static json_int_t count(const json_t *o, const char *key)
{
    return json_integer_value(json_object_get(o, key));
}

static struct sums sum_up(const json_t *version)
{
    struct sums s = {0};
    const json_t *resources = json_object_get(version, "resources");
    for (size_t i = 0; i < json_array_size(resources); i++) {
        const json_t *r = json_array_get(resources, i), *changes = json_object_get(r, "changes");
        const json_t *files = json_object_get(r, "files");
        s.compared = s.compared || json_is_object(changes);
        s.counts_only = s.counts_only || json_is_true(json_object_get(changes, "counts_only"));
        s.added += count(changes, "added");
        s.removed += count(changes, "removed");
        s.changed += count(changes, "changed");
        s.files += json_array_size(files);
        for (size_t k = 0; k < json_array_size(files); k++)
            s.bytes += (unsigned long long)count(json_array_get(files, k), "bytes");
    }
    return s;
}

static void print_state(const struct invocation *inv, const struct odp_version *v)
{
    const json_t *note = json_object_get(v->json, "note");
    if (v->state == ODP_VERSION_THINNED)
        printf("%s → %s", say(inv, W_cmd_thinned), text(v->json, "stands_in", "—"));
    else
        printf("%s (%s) %s", say(inv, W_cmd_withdrawn), text(v->json, "reason", "—"),
               text(note, inv->style.lang == ODP_LANG_EN ? "en" : "id", ""));
}

static void print_version(const struct invocation *inv, const struct odp_version *v)
{
    char line[128] = "—";
    outcome_pad(v->name, 22);
    outcome_pad(v->date, 28);
    if (v->state != ODP_VERSION_PUBLISHED) {
        print_state(inv, v);
        putchar('\n');
        return;
    }
    struct sums s = sum_up(v->json);
    printf("%12lld %-6s ", (long long)count(v->json, "rows"), say(inv, W_cmd_rows));
    if (s.compared)
        snprintf(line, sizeof line, "+%lld −%lld ~%lld", (long long)s.added, (long long)s.removed,
                 (long long)s.changed);
    outcome_pad(line, 26);
    printf("%zu %s, %llu %s   %s %s%s\n", s.files, say(inv, W_cmd_files), s.bytes, say(inv, W_cmd_bytes),
           say(inv, W_cmd_release), text(v->json, "release", "—"),
           json_object_get(v->json, "correction") != NULL ? say(inv, W_cmd_correction) : "");
}

static void print_dataset(const struct invocation *inv, const json_t *entry, const struct odp_history *h)
{
    const struct odp_version *current = odp_history_current(h), *newest = h->n > 0 ? &h->versions[0] : NULL;
    outcome_pad(text(entry, "slug", "—"), 22);
    if (newest == NULL) {
        outcome_pad(text(entry, "version", "—"), 22);
        putchar('\n');
        return;
    }
    bool gone = newest->state == ODP_VERSION_WITHDRAWN || current == NULL;
    outcome_pad(gone ? newest->name : current->name, 22);
    if (gone)
        print_state(inv, newest);
    else
        printf("%12lld %s", (long long)count(current->json, "rows"), say(inv, W_cmd_rows));
    printf("   %zu %s\n", h->n, h->n == 1 ? say(inv, W_cmd_version) : say(inv, W_cmd_versions));
}

/* {"dataset","version","date","state","rows","versions"} of the newest version. */
static json_t *dataset_json(const json_t *entry, const struct odp_history *h)
{
    const struct odp_version *newest = h->n > 0 ? &h->versions[0] : NULL;
    const char *name = text(entry, "version", NULL), *date = text(entry, "last_update", NULL), *state = NULL;
    if (newest != NULL) {
        name = newest->name;
        date = newest->date;
        state = odp_version_state_name(newest->state);
    }
    json_t *o = json_pack("{s:s, s:s?, s:s?, s:s?, s:I}", "dataset", text(entry, "slug", ""), "version", name,
                          "date", date, "state", state, "versions", (json_int_t)h->n);
    json_t *rows = newest != NULL ? json_object_get(newest->json, "rows") : NULL;
    if (rows != NULL)
        json_object_set(o, "rows", rows);
    return o;
}

/* Prints the values of LIST, which it takes, a line each. */
static enum odp_status print_json(json_t *list)
{
    enum odp_status status = ODP_OK;
    putchar('[');
    for (size_t i = 0; i < json_array_size(list) && status == ODP_OK; i++) {
        char *line = json_dumps(json_array_get(list, i), JSON_COMPACT);
        if (line == NULL)
            status = odp_failure_set("write JSON", NULL, 0);
        else
            printf("%s%s", i > 0 ? ",\n " : "\n ", line);
        odp_json_free_text(line);
    }
    fputs("\n]\n", stdout);
    json_decref(list);
    return status;
}

static enum odp_status all_datasets(struct invocation *inv, const struct odp_site *site, json_t *list)
{
    const json_t *data = json_object_get(odp_site_index(site), "data");
    enum odp_status status = ODP_OK;
    for (size_t i = 0; i < json_array_size(data) && status == ODP_OK; i++) {
        const json_t *entry = json_array_get(data, i);
        struct odp_history h = {0};
        status = odp_history_read(&h, site, text(entry, "slug", ""), &inv->run.arena, inv->run.diags);
        if (status == ODP_DONE)
            status = ODP_OK;
        if (status == ODP_OK && list != NULL)
            json_array_append_new(list, dataset_json(entry, &h));
        else if (status == ODP_OK)
            print_dataset(inv, entry, &h);
        odp_history_release(&h);
    }
    return status;
}

/* DONE: the site has no such dataset. */
static enum odp_status one_dataset(struct invocation *inv, const struct odp_site *site, json_t *list)
{
    struct odp_history h = {0};
    enum odp_status status = odp_history_read(&h, site, inv->words[0], &inv->run.arena, inv->run.diags);
    for (size_t i = 0; i < h.n && status == ODP_OK; i++)
        if (list != NULL)
            json_array_append(list, h.versions[i].json);
        else
            print_version(inv, &h.versions[i]);
    odp_history_release(&h);
    return status;
}

static int unknown(const struct invocation *inv, const struct odp_site *site, const char *slug)
{
    const char *near = odp_site_nearest(site, slug);
    fprintf(stderr, say(inv, W_cmd_site_has_no_versions_dataset), slug,
            near != NULL ? say(inv, W_cmd_perhaps) : "", near != NULL ? near : "");
    return EXIT_USAGE;
}

static enum odp_status no_site(const char *out, struct odp_diags *diags)
{
    struct odp_diag d = {.code = ODP_V89, .file = out, .args = {odp_slice_of(out)}};
    return odp_diags_add(diags, &d);
}

static int run_versions(struct invocation *inv)
{
    struct odp_site *site = NULL;
    bool json = inv->format != NULL && strcmp(inv->format, "json") == 0;
    if (inv->nwords > 1 || (inv->format != NULL && !json && strcmp(inv->format, "text") != 0))
        return outcome_usage(inv, W_cmd_usage_versions);
    enum odp_status status = outcome_begin(inv), found = ODP_OK;
    json_t *list = json ? json_array() : NULL;
    if (status == ODP_OK)
        status = odp_site_open(&site, inv->options.out, inv->run.diags);
    if (status == ODP_DONE)
        status = no_site(inv->options.out, inv->run.diags);
    if (status == ODP_OK)
        status = found = inv->nwords == 0 ? all_datasets(inv, site, list) : one_dataset(inv, site, list);
    if (status == ODP_OK && json)
        status = print_json(json_incref(list));
    int code = found == ODP_DONE ? unknown(inv, site, inv->words[0]) : outcome_end(inv, status);
    json_decref(list);
    odp_site_close(site);
    return code;
}

const struct command command_versions = {"versions", "[SLUG]", {{W_cmd_versions_published}}, run_versions};
