/* The public site as one archive that works from a folder without a server.
 *
 * Reproducible: the files in the order of their paths, one date for all of them, mode 0644, owner 0 without a
 * name, no twins, and no thread, locale or time zone in any byte. libarchive makes the form (tar in zstd, or
 * zip); its bytes go through odp_file.
 *
 * TZ is UTC while a zip is written (struct zone): call it while no other thread reads the environment. */
#include "publish/bundle_start.h"
#include "publish/publish_internal.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/datetime.h"
#include "base/json_load.h"
#include "base/temporary.h"

enum { PIECE = 128 << 10 };

struct bundle {
    struct odp_site *site;
    struct odp_arena arena;
    struct odp_diags *diags;
    struct archive *archive;
    struct archive_entry *entry;
    struct odp_file *file;
    bool zip, write_failed, given_up;
    time_t date;
    struct odp_buffer start; /* start.html; empty: not needed */
    char *piece;
};

/* ---- the archive ---- */

/* Says that all went well also where it did not, and then writes no more: libarchive keeps the buffers of an
 * archive whose writing failed. */
static la_ssize_t write_bytes(struct archive *a, void *ctx, const void *ptr, size_t len)
{
    struct bundle *b = ctx;
    if (!b->write_failed && !b->given_up)
        b->write_failed = odp_file_write(b->file, ptr, len) != ODP_OK; /* recorded there, with its path */
    return (la_ssize_t)len;
}

static enum odp_status archive_result(const struct bundle *b, bool well)
{
    if (b->write_failed)
        return ODP_FAIL;
    return well ? ODP_OK : odp_failure_set("bundle:", archive_error_string(b->archive), 0);
}

static enum odp_status open_archive(struct bundle *b)
{
    b->archive = archive_write_new();
    b->entry = archive_entry_new();
    if (b->archive == NULL || b->entry == NULL)
        return odp_failure_set("bundle", NULL, ENOMEM);
    int r;
    if (b->zip) {
        r = archive_write_set_format_zip(b->archive);
        r = r == ARCHIVE_OK ? archive_write_zip_set_compression_deflate(b->archive) : r;
    } else {
        r = archive_write_set_format_pax_restricted(b->archive);
        r = r == ARCHIVE_OK ? archive_write_add_filter_zstd(b->archive) : r;
        r = r == ARCHIVE_OK ? archive_write_set_filter_option(b->archive, "zstd", "compression-level", "10")
                            : r;
    }
    r = r == ARCHIVE_OK ? archive_write_set_bytes_in_last_block(b->archive, 1) : r;
    r = r == ARCHIVE_OK ? archive_write_open(b->archive, b, NULL, write_bytes, NULL) : r;
    return archive_result(b, r == ARCHIVE_OK);
}

static enum odp_status begin_entry(struct bundle *b, const char *path, uint64_t size)
{
    struct archive_entry *e = archive_entry_clear(b->entry);
    archive_entry_set_pathname(e, path);
    archive_entry_set_filetype(e, AE_IFREG);
    archive_entry_set_perm(e, 0644);
    archive_entry_set_size(e, (la_int64_t)size);
    archive_entry_set_mtime(e, b->date, 0);
    archive_entry_set_uid(e, 0);
    archive_entry_set_gid(e, 0);
    return archive_result(b, archive_write_header(b->archive, e) == ARCHIVE_OK);
}

static enum odp_status add_bytes(struct bundle *b, const void *ptr, size_t len)
{
    return archive_result(b, archive_write_data(b->archive, ptr, len) == (la_ssize_t)len);
}

static enum odp_status put_text(struct bundle *b, const char *path, struct odp_slice text)
{
    enum odp_status status = begin_entry(b, path, text.len);
    return status == ODP_OK ? add_bytes(b, text.ptr, text.len) : status;
}

/* ---- files of the site ---- */

static enum odp_status damaged(struct bundle *b, const struct odp_site_file *f)
{
    char expected[ODP_DIGEST_TEXT];
    odp_digest_text(f->sha256, expected);
    return publish_complain(b->diags, ODP_V60, odp_site_shown(b->site), f->path, expected, NULL);
}

/* F's bytes into the archive, proved on the way. More than the manifest says never go in: the header has said
 * how many come. */
static enum odp_status copy_file(struct bundle *b, const struct odp_site_file *f, struct odp_reader *r,
                                 struct odp_digest *digest)
{
    uint8_t sha256[ODP_SHA256_SIZE];
    uint64_t left = f->size;
    size_t got;
    enum odp_status status;
    while ((status = odp_reader_read(r, b->piece, PIECE, &got)) == ODP_OK) {
        if (got > left)
            return damaged(b, f);
        left -= got;
        if (odp_digest_add(digest, b->piece, got) != ODP_OK || add_bytes(b, b->piece, got) != ODP_OK)
            return ODP_FAIL;
    }
    if (status != ODP_DONE || odp_digest_end(digest, sha256) != ODP_OK)
        return ODP_FAIL;
    return left == 0 && memcmp(sha256, f->sha256, sizeof sha256) == 0 ? ODP_OK : damaged(b, f);
}

static enum odp_status put_file(struct bundle *b, const struct odp_site_file *f, struct odp_digest *digest)
{
    struct odp_arena arena = {0};
    struct odp_reader *r = NULL;
    const char *path = NULL;
    enum odp_status status = odp_site_local(b->site, f, &arena, &path, b->diags);
    if (status == ODP_OK && (status = odp_reader_open(&r, path, NULL)) == ODP_BAD)
        status = damaged(b, f);
    if (status == ODP_OK && odp_reader_size(r) != f->size)
        status = damaged(b, f);
    if (status == ODP_OK)
        status = begin_entry(b, f->path, f->size);
    if (status == ODP_OK)
        status = copy_file(b, f, r, digest);
    odp_reader_close(r);
    odp_arena_release(&arena);
    return status;
}

/* manifest.json is in no manifest, and its signature covers it. They let the receiver prove what he got:
 * verify --public. */
static enum odp_status put_proof(struct bundle *b, const char *name)
{
    struct odp_buffer text = {0};
    if (odp_site_dir(b->site) == NULL) /* elsewhere: its files alone can be had */
        return ODP_OK;
    const char *path = odp_path_join(&b->arena, odp_site_dir(b->site), name);
    enum odp_status status = odp_file_read(path, (size_t)1 << 30, &text, NULL);
    if (status == ODP_OK)
        status = put_text(b, name, odp_buffer_slice(&text));
    odp_buffer_release(&text);
    return status == ODP_BAD ? ODP_OK : status; /* a site need not be signed */
}

/* The site's files, and those that are in no manifest at their places in the order. */
static enum odp_status put_all(struct bundle *b)
{
    const char *const others[] = {"manifest.json", "manifest.json.minisig",
                                  b->start.len > 0 ? "start.html" : NULL};
    size_t n, k = 0, nothers = ODP_COUNT(others);
    const struct odp_site_file *files = odp_site_files(b->site, &n);
    struct odp_digest *digest = NULL;
    enum odp_status status = odp_digest_new(&digest);
    for (size_t i = 0; i <= n && status == ODP_OK; i++) {
        for (; k < nothers && status == ODP_OK; k++) {
            if (others[k] == NULL)
                continue;
            if (i < n && strcmp(files[i].path, others[k]) < 0)
                break;
            status = strcmp(others[k], "start.html") == 0
                         ? put_text(b, others[k], odp_buffer_slice(&b->start))
                         : put_proof(b, others[k]);
        }
        if (i < n && status == ODP_OK && bundle_takes(&files[i]))
            status = put_file(b, &files[i], digest);
    }
    odp_digest_free(digest);
    return status;
}

/* ---- the date ---- */

/* SOURCE_DATE_EPOCH, else 00:00 UTC of the newest date of the index; never the clock. */
static time_t date_of(const struct odp_site *site)
{
    const char *epoch = getenv("SOURCE_DATE_EPOCH");
    const char *newest = odp_json_text(json_object_get(odp_site_index(site), "meta"), "last_update");
    struct odp_datetime day;
    char *end;
    if (epoch != NULL && *epoch >= '0' && *epoch <= '9') {
        errno = 0;
        long long seconds = strtoll(epoch, &end, 10);
        if (*end == '\0' && errno == 0)
            return (time_t)seconds;
    }
    struct odp_slice text = {newest, newest != NULL && strlen(newest) >= 10 ? 10 : 0};
    return odp_date_parse(text, ODP_DATE, NULL, NULL, &day) == ODP_DATE_OK
               ? (time_t)odp_date_days(&day) * 86400
               : 0;
}

/* A zip holds local times, which libarchive takes from TZ: while it is written there is only UTC. What was
 * set comes back. */
struct zone {
    char *before;
};

static enum odp_status zone_enter(struct zone *z)
{
    const char *now = getenv("TZ");
    z->before = now != NULL ? strdup(now) : NULL;
    if ((now != NULL && z->before == NULL) || setenv("TZ", "UTC0", 1) != 0)
        return odp_failure_set("set time zone", NULL, ENOMEM);
    tzset();
    return ODP_OK;
}

static void zone_leave(struct zone *z)
{
    if (z->before != NULL)
        (void)setenv("TZ", z->before, 1);
    else
        (void)unsetenv("TZ");
    tzset();
    free(z->before);
}

/* ---- all of it ---- */

static enum odp_status open_site(struct bundle *b, const char *site)
{
    enum odp_status status = odp_site_open(&b->site, site, b->diags);
    return status == ODP_DONE ? publish_complain(b->diags, ODP_V61, site, "manifest.json", NULL, NULL)
                              : status;
}

/* Into PATH, which is not there yet. */
static enum odp_status write_archive(struct bundle *b, const char *path, struct odp_file_info *info)
{
    enum odp_status status = odp_file_create(&b->file, path, 0644);
    if (status == ODP_OK)
        status = open_archive(b);
    if (status == ODP_OK)
        status = put_all(b);
    if (status == ODP_OK)
        status = archive_result(b, archive_write_close(b->archive) == ARCHIVE_OK);
    b->given_up = status != ODP_OK; /* it is ended all the same, into nothing */
    if (b->archive != NULL)
        (void)archive_write_free(b->archive);
    if (b->entry != NULL) /* else libarchive may not even be loaded */
        archive_entry_free(b->entry);
    if (status == ODP_OK)
        return odp_file_close(b->file, info);
    odp_file_discard(b->file);
    return status;
}

bool odp_bundle_form(const char *file, bool *zip)
{
    size_t len = strlen(file);
    *zip = len > 4 && strcmp(file + len - 4, ".zip") == 0;
    return *zip || (len > 8 && strcmp(file + len - 8, ".tar.zst") == 0);
}

enum odp_status odp_bundle(const char *site, const char *file, struct odp_file_info *info,
                           struct odp_diags *diags)
{
    struct bundle b = {.diags = diags};
    struct zone zone;
    if (!odp_bundle_form(file, &b.zip))
        return odp_failure_set("bundle", file, EINVAL);
    if (zone_enter(&zone) != ODP_OK)
        return ODP_FAIL;
    enum odp_status status = open_site(&b, site);
    const char *part = odp_temporary_of(&b.arena, file, ".part");
    if (status == ODP_OK && (b.piece = malloc(PIECE)) == NULL)
        status = odp_failure_set("bundle", file, ENOMEM);
    if (status == ODP_OK) {
        b.date = date_of(b.site);
        if (!bundle_has(b.site, "index.html"))
            status = bundle_start(&b.start, b.site);
    }
    if (status == ODP_OK)
        status = write_archive(&b, part, info);
    if (status == ODP_OK)
        status = odp_file_place(part, file);
    free(b.piece);
    odp_site_close(b.site);
    odp_buffer_release(&b.start);
    odp_arena_release(&b.arena);
    zone_leave(&zone);
    return status;
}
