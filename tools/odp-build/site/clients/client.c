/* Makes the packages of this release that are not published yet; published ones stay as they are.
 *
 * Every package holds the project's LICENSE: the libraries are under the project's licence, whatever that of
 * the data. Archives and .metadata have no twins; packages/<language>/ may be cached for a year, the indexes
 * for five minutes. */
#include "site/clients/clients_internal.h"

#include "base/datetime.h"
#include "base/json_load.h"

struct work {
    const struct odp_site_job *job;
    struct odp_arena arena;
    struct client_model model;
    json_t *packages;         /* the list of packages/index.json */
    struct odp_buffer differ; /* "JavaScript, PHP": languages whose package would differ now */
};

/* ---- an entry of the list ---- */

/* The value of header NAME of Python's METADATA, in A, or "". */
static const char *header_of(struct odp_slice metadata, const char *name, struct odp_arena *a)
{
    size_t len = strlen(name);
    for (size_t i = 0; i < metadata.len && metadata.ptr[i] != '\n';) { /* an empty line ends the headers */
        const char *line = metadata.ptr + i, *end = memchr(line, '\n', metadata.len - i);
        size_t n = end != NULL ? (size_t)(end - line) : metadata.len - i;
        if (n > len + 1 && memcmp(line, name, len) == 0 && line[len] == ':') {
            struct odp_slice value = odp_slice_trim((struct odp_slice){line + len + 1, n - len - 1});
            return odp_arena_copy(a, value).ptr;
        }
        i += n + 1;
    }
    return "";
}

static enum odp_status set_manifest(struct work *w, json_t *entry, const struct client_file *f,
                                    struct odp_slice bytes, bool npm)
{
    json_t *manifest =
        f != NULL ? odp_json_load(f->bytes.ptr, f->bytes.len, JSON_REJECT_DUPLICATES, NULL) : NULL;
    if (manifest == NULL)
        return odp_failure_set("read JSON", "the manifest of a package", 0);
    odp_set(entry, "manifest", manifest);
    odp_set_str(entry, "sha1", client_digest_hex("SHA1", bytes, &w->arena));
    if (npm)
        odp_set(entry, "integrity",
                json_sprintf("sha512-%s", client_digest_base64("SHA512", bytes, false, &w->arena)));
    return ODP_OK;
}

/* METADATA is also a file beside the wheel, so that pip need not fetch the wheel to read it (PEP 658). */
static enum odp_status set_metadata(struct work *w, json_t *entry, const struct client_file *f,
                                    const char *file)
{
    if (f == NULL)
        return odp_failure_set("read METADATA of", file, 0);
    odp_set_str(entry, "requires_python", header_of(f->bytes, "Requires-Python", &w->arena));
    odp_set_str(entry, "metadata", client_digest_hex("SHA256", f->bytes, &w->arena));
    return odp_stage_put(w->job->stage, odp_arena_printf(&w->arena, "%s.metadata", file),
                         "application/octet-stream", ODP_CLASS_PUBLIC, f->bytes);
}

static enum odp_status add_entry(struct work *w, enum odp_client_language l, const struct client_tree *t,
                                 const char *content, struct odp_slice bytes)
{
    const struct client_model *m = &w->model;
    const char *file = client_package_file(m, l),
               *metadata = odp_arena_printf(&w->arena, "%sMETADATA", client_info_folder(m));
    json_t *entry = json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:s, s:s}", "language",
                              client_languages[l].name, "name", m->names.package[l], "version", m->release,
                              "date", m->release_date, "file", file, "bytes", (json_int_t)bytes.len, "sha256",
                              client_digest_hex("SHA256", bytes, &w->arena), "content", content);
    odp_add(w->packages, entry);
    switch (l) {
    case ODP_CLIENT_PYTHON:
        return set_metadata(w, entry, client_tree_find(t, metadata), file);
    case ODP_CLIENT_PHP:
        return set_manifest(w, entry, client_tree_find(t, "composer.json"), bytes, false);
    default:
        return set_manifest(w, entry, client_tree_find(t, "package/package.json"), bytes, true);
    }
}

/* ---- one language ---- */

/* Midnight (UTC) of the release: no package tells when it was made. */
static int64_t seconds_of(const char *date)
{
    struct odp_datetime day;
    struct odp_slice text = {date, date != NULL && strlen(date) >= 10 ? 10 : 0};
    return odp_date_parse(text, ODP_DATE, NULL, NULL, &day) == ODP_DATE_OK ? odp_date_days(&day) * 86400 : 0;
}

/* Two different names make one file name of a release ("pu-a/b", "pu/a-b"): the published one stays. */
static enum odp_status complain_taken(struct work *w, enum odp_client_language l, const char *file)
{
    const struct odp_diag d = {.code = ODP_C31,
                               .file = odp_path_join(&w->arena, w->job->catalog->dir, "portal.json"),
                               .value = odp_slice_of(w->model.names.package[l]),
                               .args = {odp_slice_of(client_languages[l].label), odp_slice_of(file)}};
    return odp_diags_add(w->job->diags, &d) == ODP_FAIL ? ODP_FAIL : ODP_BAD;
}

static enum odp_status pack(struct odp_buffer *out, struct work *w, enum odp_client_language l,
                            struct client_tree *t)
{
    int64_t seconds = seconds_of(w->model.release_date);
    switch (l) {
    case ODP_CLIENT_PYTHON:
        return client_pack_wheel(out, t, client_info_folder(&w->model), seconds);
    case ODP_CLIENT_PHP:
        return client_pack_zip(out, t, seconds);
    default:
        return client_pack_tgz(out, t, seconds);
    }
}

static enum odp_status publish(struct work *w, enum odp_client_language l, struct client_tree *t,
                               const char *content)
{
    const char *file = client_package_file(&w->model, l);
    struct odp_buffer bytes = {0};
    if (odp_stage_find(w->job->stage, file) != NULL)
        return complain_taken(w, l, file);
    enum odp_status status = pack(&bytes, w, l, t);
    if (status == ODP_OK)
        status = odp_stage_put(w->job->stage, file, client_languages[l].type, ODP_CLASS_PUBLIC,
                               odp_buffer_slice(&bytes));
    if (status == ODP_OK)
        status = add_entry(w, l, t, content, odp_buffer_slice(&bytes));
    odp_buffer_release(&bytes);
    return status;
}

/* The release's package, if it was published before. DONE: it was not. */
static enum odp_status find(struct work *w, enum odp_client_language l, const json_t **there)
{
    const char *name = w->model.names.package[l];
    json_t *recalled = NULL;
    *there = client_index_find(w->packages, l, name, w->model.release);
    if (*there != NULL)
        return ODP_OK;
    enum odp_status status = client_index_recall(&recalled, w->job, l, name, w->model.release);
    if (status == ODP_OK)
        odp_add(w->packages, recalled);
    *there = recalled;
    return status;
}

static enum odp_status one_language(struct work *w, enum odp_client_language l)
{
    struct client_tree t = {.arena = &w->arena};
    const json_t *there;
    uint8_t digest[ODP_SHA256_SIZE];
    char content[ODP_SHA256_HEX];
    enum odp_status status = client_write(&t, &w->model, l);
    if (status == ODP_OK)
        status = client_tree_digest(&t, digest);
    if (status != ODP_OK)
        return status;
    odp_digest_hex(digest, content);
    status = find(w, l, &there);
    if (status == ODP_DONE)
        return publish(w, l, &t, content);
    if (status == ODP_OK && strcmp(odp_text_of(there, "content"), content) != 0)
        odp_buffer_printf(&w->differ, "%s%s", w->differ.len > 0 ? ", " : "", client_languages[l].label);
    return status;
}

static enum odp_status note_differences(struct work *w)
{
    struct odp_diag d = {.code = ODP_C32,
                         .args = {odp_slice_of(w->model.release), odp_buffer_slice(&w->differ)}};
    enum odp_status status = odp_buffer_status(&w->differ);
    return status == ODP_OK && w->differ.len > 0 ? odp_diags_add(w->job->diags, &d) : status;
}

enum odp_status odp_client_packages(const struct odp_site_job *job)
{
    struct work w = {.job = job};
    enum odp_status status = client_index_read(&w.packages, job), made = ODP_DONE;
    if (status == ODP_OK)
        made = client_model_make(&w.model, job, &w.arena);
    if (status == ODP_OK && made != ODP_DONE)
        status = made;
    for (int l = 0; l < ODP_CLIENT_LANGUAGES && made == ODP_OK && status == ODP_OK; l++)
        status = one_language(&w, (enum odp_client_language)l);
    if (status == ODP_OK)
        status = note_differences(&w);
    if (status == ODP_OK)
        status = odp_arena_status(&w.arena);
    if (status == ODP_OK && json_array_size(w.packages) > 0)
        status = client_index_write(w.packages, job);
    client_model_release(&w.model);
    json_decref(w.packages);
    odp_buffer_release(&w.differ);
    odp_arena_release(&w.arena);
    return status;
}

/* ---- what the portal says of the libraries, and of the newest package of each language as it was staged
 * ---- */

/* The newest package of LANGUAGE under its present name (the index has the newest first), or NULL. */
static const json_t *newest(const json_t *index, const char *language, const char *name)
{
    const json_t *p;
    size_t i;
    json_array_foreach(json_object_get(index, "packages"), i,
                       p) if (strcmp(odp_text_of(p, "language"), language) == 0 &&
                              strcmp(odp_text_of(p, "name"), name) == 0) return p;
    return NULL;
}

static enum odp_status describe_packages(json_t *list, const struct client_model *m, const json_t *index)
{
    static const char *const members[] = {"file", "version", "bytes", "sha256"};
    enum odp_status status = ODP_OK;
    for (int l = 0; l < ODP_CLIENT_LANGUAGES && status == ODP_OK; l++) {
        json_t *o = NULL;
        const json_t *package = newest(index, client_languages[l].name, m->names.package[l]);
        if (package == NULL)
            continue;
        status = client_describe(&o, m, (enum odp_client_language)l);
        for (size_t i = 0; o != NULL && i < ODP_COUNT(members); i++)
            odp_set_copy(o, package, members[i]);
        if (o != NULL)
            odp_add(list, o);
    }
    return status;
}

enum odp_status odp_client_description(const struct odp_site_job *job, json_t **out)
{
    struct odp_arena arena = {0};
    struct client_model m = {.json = NULL};
    json_t *index = NULL, *list = json_array();
    *out = NULL;
    enum odp_status status = odp_job_read(job, CLIENT_INDEX, &index);
    if (status == ODP_OK && index == NULL)
        status = ODP_DONE;
    if (status == ODP_OK)
        status = client_model_make(&m, job, &arena);
    if (status == ODP_OK)
        status = describe_packages(list, &m, index);
    if (status == ODP_OK && json_array_size(list) > 0)
        *out = json_pack("{s:s, s:O}", "release", m.release, "languages", list);
    json_decref(list);
    json_decref(index);
    client_model_release(&m);
    odp_arena_release(&arena);
    return status == ODP_DONE ? ODP_OK : status;
}
