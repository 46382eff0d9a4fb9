/* odp-build approve SLUG --by NAME --ref LETTER --key FILE: shows the candidate version of a dataset and
 * signs its content. */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "base/json_load.h"
#include "commands/outcome.h"
#include "publish/publish.h"
#include "published/doc.h"
#include "published/history.h"
#include "commands/secret_key.h"
#include "words/commands.h"

enum { CANDIDATE_MAX = 16 << 20 };

static bool is_line(const char *s)
{
    return s != NULL && odp_utf8_is_line(odp_slice_of(s), ODP_LINE_MOST);
}

static enum odp_status complain(struct odp_diags *diags, enum odp_code code, const char *slug,
                                const char *file, const char *arg0)
{
    struct odp_diag d = {.code = code, .dataset = slug, .file = file, .args = {odp_slice_of(arg0)}};
    return odp_diags_add(diags, &d);
}

/* ---- the candidate ---- */

/* Reads candidate.json of SLUG: what would be approved. BAD: no readable candidate (reported). */
static enum odp_status read_candidate(struct invocation *inv, const char *slug, json_t **out,
                                      struct odp_approval *what)
{
    const char *path =
        odp_arena_printf(&inv->run.arena, "%s.candidates/%s/candidate.json", inv->options.out, slug);
    struct odp_buffer bytes = {0};
    enum odp_status status = odp_file_read(path, CANDIDATE_MAX, &bytes, NULL);
    if (status == ODP_OK)
        *out = odp_json_load(bytes.ptr, bytes.len, JSON_REJECT_DUPLICATES, NULL);
    odp_buffer_release(&bytes);
    if (status == ODP_FAIL)
        return ODP_FAIL;
    const char *digest = odp_text_of(*out, "digest");
    *what = (struct odp_approval){
        .slug = slug, .version = odp_text_of(*out, "version"), .by = inv->by, .ref = inv->ref};
    bool whole = strcmp(odp_text_of(*out, "dataset"), slug) == 0 && is_line(what->version) &&
                 strncmp(digest, "sha256:", 7) == 0 && odp_digest_parse(digest + 7, what->digest);
    return whole ? ODP_OK : complain(inv->run.diags, ODP_V86, slug, path, path);
}

/* Content that is published or withdrawn needs no approval. */
static enum odp_status check_news(struct invocation *inv, const struct odp_approval *what)
{
    struct odp_site *site = NULL;
    struct odp_history h = {0};
    enum odp_status status = odp_site_open(&site, inv->options.out, inv->run.diags);
    if (status == ODP_OK)
        status = odp_history_read(&h, site, what->slug, &inv->run.arena, inv->run.diags);
    if (status == ODP_DONE)
        status = ODP_OK;
    const struct odp_version *current = status == ODP_OK ? odp_history_current(&h) : NULL;
    if (current != NULL && memcmp(current->digest, what->digest, sizeof what->digest) == 0)
        status = complain(inv->run.diags, ODP_V87, what->slug, NULL, current->name);
    for (size_t i = 0; i < h.n && status == ODP_OK; i++)
        if (h.versions[i].state == ODP_VERSION_WITHDRAWN &&
            memcmp(h.versions[i].digest, what->digest, sizeof what->digest) == 0) {
            struct odp_diag d = {.code = ODP_V12,
                                 .dataset = what->slug,
                                 .args = {odp_slice_of(h.versions[i].name),
                                          odp_slice_of(odp_text_of(h.versions[i].json, "reason"))}};
            status = odp_diags_add(inv->run.diags, &d);
        }
    odp_history_release(&h);
    odp_site_close(site);
    return status;
}

static void show_changes(const struct invocation *inv, const json_t *changes)
{
    for (size_t i = 0; i < json_array_size(changes); i++) {
        const json_t *c = json_array_get(changes, i);
        if (!json_is_object(c))
            continue;
        printf("  %s %s: +%lld −%lld ~%lld %s\n", say(inv, W_cmd_against), odp_text_of(c, "from"),
               (long long)json_integer_value(json_object_get(c, "added")),
               (long long)json_integer_value(json_object_get(c, "removed")),
               (long long)json_integer_value(json_object_get(c, "changed")), say(inv, W_cmd_rows));
    }
}

static void show_candidate(const struct invocation *inv, const struct odp_approval *what,
                           const json_t *candidate)
{
    printf("%s %s   %lld %s\n  %s\n", what->slug, what->version,
           (long long)json_integer_value(json_object_get(candidate, "rows")), say(inv, W_cmd_rows),
           odp_text_of(candidate, "digest"));
    show_changes(inv, json_object_get(candidate, "changes"));
    printf("  %s %s, %s %s\n", say(inv, W_cmd_by), what->by, say(inv, W_cmd_letter), what->ref);
    fflush(stdout); /* before a password is asked for */
}

/* ---- the command ---- */

static int sign(struct invocation *inv, const struct odp_approval *what)
{
    struct odp_secret_key *key = NULL;
    int code = secret_key_open(inv, &key);
    if (code == EXIT_CLEAN) {
        enum odp_status status = odp_approve(inv->run.catalog, what, key, &inv->run.arena, inv->run.diags);
        code = outcome_end(inv, status);
    }
    if (code == EXIT_CLEAN && !inv->style.quiet)
        printf(say(inv, W_cmd_approved_approvals_json_publish), inv->run.catalog->dir, what->slug,
               what->slug);
    odp_secret_key_free(key);
    return code;
}

static int approve(struct invocation *inv)
{
    struct odp_approval what;
    json_t *candidate = NULL;
    int code;
    if (odp_catalog_find(inv->run.catalog, inv->words[0]) == NULL)
        return outcome_no_dataset(inv, inv->run.catalog, inv->words[0]);
    enum odp_status status = read_candidate(inv, inv->words[0], &candidate, &what);
    if (status == ODP_OK)
        status = check_news(inv, &what);
    if (status == ODP_OK) {
        show_candidate(inv, &what, candidate);
        code = sign(inv, &what);
    } else {
        code = outcome_end(inv, status);
    }
    json_decref(candidate);
    return code;
}

static int run_approve(struct invocation *inv)
{
    if (inv->nwords != 1 || !is_line(inv->by) || !is_line(inv->ref) || inv->key == NULL)
        return outcome_usage(inv, W_cmd_usage_approve);
    enum odp_status status = odp_run_catalog(&inv->run, &inv->options);
    return status == ODP_OK ? approve(inv) : outcome_end(inv, status);
}

const struct command command_approve = {
    "approve", "SLUG", {{W_cmd_sign_candidate_version_so_may}}, run_approve};
