/* Which version a dataset's content is. Its identity is the logical digest; its name the date that the
 * catalogue declares.
 *
 *   digest of the newest version      -> that version, whatever the date says
 *   a newer date                      -> a new version of that name
 *   the same date                     -> refused, unless odp:correction gives a reason: "<date>.1",
 *                                     "<date>.2", …
 *   an older date                     -> refused
 *   digest of a withdrawn version     -> refused
 *
 * Every page contains the name, so a likely one is chosen before the first byte is written; if the content
 * turns out to be another version, the dataset is emitted once more under the right name. */
#include "run/build_internal.h"

#include "base/json_load.h"
#include "site/versions/names.h"

/* ---- what is published ---- */

/* A site of a time before versions.json: its index tells of one version. */
static enum odp_status begin_history(struct build *b, struct odp_history *h)
{
    const json_t *entry = odp_site_entry(b->run.previous, h->slug);
    json_t *version = entry != NULL ? odp_release_version_of(entry) : NULL;
    return version != NULL ? odp_history_add_take(h, version, b->run.arena) : ODP_OK;
}

/* A dataset that had another slug brings its versions along (odp:formerSlugs). DONE: there are none. */
static enum odp_status read_former(struct build *b, const struct odp_dataset *d, struct part *part)
{
    enum odp_status status = ODP_DONE;
    for (size_t i = 0; i < d->nformer && status == ODP_DONE; i++) {
        odp_history_release(&part->history);
        status = odp_history_read(&part->history, b->run.previous, d->former[i].slug, b->run.arena,
                                  b->run.result->diags);
        part->former = status == ODP_OK ? d->former[i].slug : NULL;
        part->history.slug = d->slug;
    }
    return status;
}

static bool is_needed_at_once(const void *ctx, const struct odp_site_file *f)
{
    size_t len = strlen(f->path), tail = strlen("/versions.json");
    return strcmp(f->path, "releases.log") == 0 ||
           (strncmp(f->path, "data/", 5) == 0 &&
            ((len > tail && strcmp(f->path + len - tail, "/versions.json") == 0) ||
             (strstr(f->path, "/latest/schema") != NULL && f->encoding == NULL)));
}

enum odp_status odp_build_histories(struct build *b)
{
    const struct odp_catalog *c = b->run.catalog;
    uint64_t lines = 0;
    enum odp_status status = ODP_OK;
    if (b->run.previous != NULL)
        status = odp_site_prefetch(b->run.previous, is_needed_at_once, NULL, b->run.result->diags);
    for (size_t i = 0; i < c->ndatasets && status == ODP_OK; i++) {
        status = odp_history_read(&b->parts[i].history, b->run.previous, c->datasets[i].slug, b->run.arena,
                                  b->run.result->diags);
        if (status == ODP_DONE && c->datasets[i].nformer > 0)
            status = read_former(b, &c->datasets[i], &b->parts[i]);
        if (status == ODP_DONE)
            status = b->run.previous != NULL ? begin_history(b, &b->parts[i].history) : ODP_OK;
    }
    if (status == ODP_OK)
        status = odp_log_count(b->run.previous, &lines, b->run.result->diags);
    b->number = lines + 1;
    return status;
}

enum odp_status odp_build_expect(struct build *b, const struct odp_dataset *d, struct odp_diags *diags)
{
    struct part *part = &b->parts[odp_build_index(b, d)];
    if (part->version != NULL)
        return ODP_OK;
    part->date = odp_run_version(&b->run, d);
    if (part->date == NULL)
        return odp_build_complain_to(b, diags, ODP_V05, d, (const char *[3]){d->resources[0].name});
    pthread_mutex_lock(&b->run.lock); /* of the arena */
    const char *name = odp_version_name(part->date, b->run.arena);
    const struct odp_version *newest = part->history.n > 0 ? &part->history.versions[0] : NULL;
    bool same_date = newest != NULL && odp_version_compare_date(newest->name, name) == 0;
    part->version = !same_date                               ? name
                    : newest->state != ODP_VERSION_WITHDRAWN ? newest->name
                                                             : odp_version_next(newest->name, b->run.arena);
    pthread_mutex_unlock(&b->run.lock);
    return ODP_OK;
}

/* ---- what it is now ---- */

static enum odp_status digest_of(struct build *b, const struct odp_dataset *d, uint8_t out[ODP_SHA256_SIZE])
{
    const char **names = odp_arena_array(b->run.arena, d->nresources + 1, sizeof *names);
    uint8_t(*digests)[ODP_SHA256_SIZE] = odp_arena_array(b->run.arena, d->nresources + 1, sizeof *digests);
    for (size_t i = 0; i < d->nresources; i++) {
        names[i] = d->resources[i].name;
        memcpy(digests[i], b->run.tasks[d->resources[i].index].published.logical, ODP_SHA256_SIZE);
    }
    return odp_dataset_digest(names, (const uint8_t(*)[ODP_SHA256_SIZE])digests, d->nresources, out);
}

static enum odp_status refuse_withdrawn(struct build *b, const struct odp_dataset *d, const struct part *part)
{
    for (size_t i = 0; i < part->history.n; i++) {
        const struct odp_version *v = &part->history.versions[i];
        const char *reason = odp_json_text(v->json, "reason");
        /* Where the catalogue withdrew the dataset as a whole, it may take it up again. */
        bool content =
            v->state == ODP_VERSION_WITHDRAWN && (reason == NULL || strcmp(reason, "dataset") != 0);
        if (content && memcmp(v->digest, part->digest, sizeof v->digest) == 0)
            return odp_build_complain(b, ODP_V12, d, v->name, reason != NULL ? reason : "", NULL);
    }
    return ODP_OK;
}

/* The content differs from that of NEWEST, which has the same date. */
static enum odp_status correct(struct build *b, const struct odp_dataset *d, struct part *part,
                               const struct odp_version *newest)
{
    const json_t *reason = json_object_get(d->json, "odp:correction");
    char hex[ODP_DIGEST_TEXT];
    odp_digest_text(newest->digest, hex);
    if (newest->state !=
        ODP_VERSION_WITHDRAWN) { /* why one that was withdrawn is replaced, its tombstone says */
        if (reason == NULL)
            return odp_build_complain(b, ODP_V10, d, part->date, hex, NULL);
        if (json_equal(reason, json_object_get(newest->json, "correction")))
            return odp_build_complain(b, ODP_V14, d, newest->name, NULL, NULL);
    }
    part->corrected = true;
    part->version = odp_version_next(newest->name, b->run.arena);
    return ODP_OK;
}

enum odp_status odp_build_decide(struct build *b, const struct odp_dataset *d)
{
    struct part *part = &b->parts[odp_build_index(b, d)];
    const char *name = odp_version_name(part->date, b->run.arena);
    const struct odp_version *newest = part->history.n > 0 ? &part->history.versions[0] : NULL;
    enum odp_status status = digest_of(b, d, part->digest);
    if (status == ODP_OK)
        status = refuse_withdrawn(b, d, part);
    if (status != ODP_OK)
        return status;
    part->fresh = true;
    if (newest == NULL) {
        part->version = name;
        return ODP_OK;
    }
    if (newest->state == ODP_VERSION_PUBLISHED &&
        memcmp(newest->digest, part->digest, sizeof part->digest) == 0) {
        part->fresh = false;
        part->version = newest->name;
        return ODP_OK;
    }
    int order = odp_version_compare_date(newest->name, name);
    if (order == 0)
        return correct(b, d, part, newest);
    if (order > 0)
        return odp_build_complain(b, ODP_V11, d, part->date, newest->date, NULL);
    part->version = name;
    return ODP_OK;
}

enum odp_status odp_build_versions(struct build *b)
{
    const struct odp_catalog *c = b->run.catalog;
    enum odp_status worst = ODP_OK;
    for (size_t i = 0; i < c->ndatasets && worst != ODP_FAIL; i++) {
        struct part *part = &b->parts[i];
        const char *expected = part->version;
        if (!part->built || odp_run_rejected(&b->run, &c->datasets[i]))
            continue;
        enum odp_status status = odp_build_decide(b, &c->datasets[i]);
        if (status == ODP_OK && strcmp(expected, part->version) != 0)
            status = odp_build_emit(b, &c->datasets[i]);
        worst = odp_worst(worst, status);
    }
    return worst;
}

/* ---- entering it, and thinning out ---- */

/* Seconds of a version's instant since 1970-01-01 (its date, without time: 00:00 UTC). */
static int64_t instant_of(const char *name)
{
    struct odp_datetime t;
    char date[11];
    int clock[3] = {0};
    memcpy(date, name, 10);
    date[10] = '\0';
    if (odp_date_parse(odp_slice_of(date), ODP_DATE, NULL, NULL, &t) != ODP_DATE_OK)
        return 0;
    if (name[10] == 'T' && strlen(name) >= 18)
        for (int k = 0; k < 3; k++)
            clock[k] = (name[11 + 2 * k] - '0') * 10 + (name[12 + 2 * k] - '0');
    return odp_date_days(&t) * 86400 + clock[0] * 3600 + clock[1] * 60 + clock[2];
}

/* What of time AGE (seconds before the newest version) is kept: 1 all, 3600 one an hour, 86400 one a day, 0
 * none. */
static int64_t step_of(const struct odp_retention *r, int64_t age)
{
    if (r->all < 0 || age < r->all * 3600)
        return 1;
    if (r->hourly < 0 || age < r->hourly * 3600)
        return 3600;
    if (r->daily < 0 || age < r->daily * 3600)
        return 86400;
    return 0;
}

/* The newest of each hour (day) stays and represents the others. HISTORY is newest first. */
static void thin(struct build *b, const struct odp_dataset *d, struct part *part)
{
    struct odp_history *h = &part->history;
    const struct odp_retention *r = &d->retention;
    int64_t newest = instant_of(h->versions[0].name), bucket = 0, step = 0;
    const char *keeper = h->versions[0].name;
    for (size_t i = 1; i < h->n; i++) {
        struct odp_version *v = &h->versions[i];
        int64_t at = instant_of(v->name), want = step_of(r, newest - at);
        bool kept = want == 1 || (want > 1 && (want != step || at / want != bucket));
        if (v->state == ODP_VERSION_WITHDRAWN)
            continue;
        if (v->state == ODP_VERSION_PUBLISHED && kept) {
            keeper = v->name;
            step = want;
            bucket = want > 0 ? at / want : 0;
            continue;
        }
        if (v->state == ODP_VERSION_PUBLISHED)
            odp_build_note(b, part, v, d->slug, "thinned");
        odp_version_thin(v, keeper);
    }
}

enum odp_status odp_build_enter(struct build *b, const struct odp_dataset *d, json_t *changes_take)
{
    struct part *part = &b->parts[odp_build_index(b, d)];
    struct odp_history *h = &part->history;
    struct odp_version *before = odp_history_current(h);
    struct odp_published p = {.dataset = d, .version = part->version, .date = part->date};
    struct odp_published_resource *resources =
        odp_arena_zero(b->run.arena, d->nresources + 1, sizeof *resources);
    for (size_t k = 0; k < d->nresources; k++)
        resources[k] = b->run.tasks[d->resources[k].index].published;
    p.resources = resources;
    json_t *entry = odp_release_version(b->run.stage, b->run.catalog, &p);
    json_t *list = json_object_get(entry, "resources");
    if (before != NULL) {
        json_object_set_new(before->json, "superseded", json_integer((json_int_t)b->number));
        json_object_set_new(entry, "previous", json_string(before->name));
    }
    if (part->corrected && json_object_get(d->json, "odp:correction") != NULL)
        json_object_set_new(entry, "correction", json_deep_copy(json_object_get(d->json, "odp:correction")));
    for (size_t k = 0; k < json_array_size(changes_take); k++)
        if (!json_is_null(json_array_get(changes_take, k)))
            json_object_set(json_array_get(list, k), "changes", json_array_get(changes_take, k));
    json_decref(changes_take);
    if (entry == NULL)
        return ODP_FAIL;
    enum odp_status status = odp_history_add_take(h, entry, b->run.arena);
    if (status != ODP_OK)
        return status;
    odp_build_note(b, part, &h->versions[0], d->slug, part->corrected ? "corrected" : "published");
    if (d->retention.present)
        thin(b, d, part);
    return ODP_OK;
}
