/* The archives: npm's tarball by libarchive, zip and wheel by libzip. Dates go in as they are written,
 * without a time zone. */
#include "site/clients/clients_internal.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <zip.h>

#include "base/datetime.h"

enum {
    DAY_1980 = 3652, /* days since 1970; zip has no earlier */
    HARDEST = 9
};
#define REGULAR_0644 (UINT32_C(0100644) << 16)

static int by_path(const void *a, const void *b)
{
    return strcmp((*(const struct client_file *const *)a)->path,
                  (*(const struct client_file *const *)b)->path);
}

static const struct client_file **in_order(const struct client_tree *t)
{
    const struct client_file **list = odp_arena_array(t->arena, t->n + 1, sizeof *list);
    for (size_t i = 0; i < t->n; i++)
        list[i] = &t->files[i];
    if (t->n > 1)
        qsort(list, t->n, sizeof *list, by_path);
    return list;
}

/* ---- tgz ---- */

static la_ssize_t write_bytes(struct archive *a, void *out, const void *bytes, size_t n)
{
    odp_buffer_add(out, bytes, n);
    return ((struct odp_buffer *)out)->failed ? -1 : (la_ssize_t)n;
}

static bool put_file(struct archive *a, struct archive_entry *e, const struct client_file *f, int64_t seconds)
{
    archive_entry_clear(e);
    archive_entry_set_pathname(e, f->path);
    archive_entry_set_filetype(e, AE_IFREG);
    archive_entry_set_perm(e, 0644);
    archive_entry_set_size(e, (la_int64_t)f->bytes.len);
    archive_entry_set_mtime(e, seconds > 0 ? seconds : 0, 0);
    return archive_write_header(a, e) == ARCHIVE_OK &&
           archive_write_data(a, f->bytes.ptr, f->bytes.len) == (la_ssize_t)f->bytes.len;
}

enum odp_status client_pack_tgz(struct odp_buffer *out, const struct client_tree *t, int64_t seconds)
{
    const struct client_file **list = in_order(t);
    struct archive *a = archive_write_new();
    struct archive_entry *e = archive_entry_new();
    const char *path = NULL;
    bool ok = a != NULL && e != NULL && archive_write_set_format_ustar(a) == ARCHIVE_OK &&
              archive_write_add_filter_gzip(a) == ARCHIVE_OK &&
              archive_write_set_options(a, "gzip:!timestamp,gzip:compression-level=9") == ARCHIVE_OK &&
              archive_write_set_bytes_in_last_block(a, 1) == ARCHIVE_OK &&
              archive_write_open2(a, out, NULL, write_bytes, NULL, NULL) == ARCHIVE_OK;
    for (size_t i = 0; i < t->n && ok; i++) {
        path = list[i]->path;
        ok = put_file(a, e, list[i], seconds);
    }
    ok = ok && archive_write_close(a) == ARCHIVE_OK;
    enum odp_status status =
        ok ? odp_buffer_status(out) : odp_failure_set("pack", path, a != NULL ? archive_errno(a) : ENOMEM);
    archive_entry_free(e);
    (void)archive_write_free(a); /* closed above */
    return status;
}

/* ---- zip ---- */

/* MS-DOS's date and time. */
static void set_date(int64_t seconds, zip_uint16_t *date, zip_uint16_t *time)
{
    struct odp_datetime day = {.has_date = true};
    int64_t days = seconds / 86400, rest = seconds % 86400;
    bool early = days < DAY_1980;
    odp_date_from_days(&day, early ? DAY_1980 : days);
    *date = (zip_uint16_t)((day.year - 1980) << 9 | day.month << 5 | day.day);
    *time = (zip_uint16_t)(early ? 0 : rest / 3600 << 11 | rest / 60 % 60 << 5 | rest % 60 / 2);
}

static bool add_file(zip_t *z, const struct client_file *f, zip_uint16_t date, zip_uint16_t time)
{
    zip_source_t *bytes = zip_source_buffer(z, f->bytes.ptr, f->bytes.len, 0);
    zip_int64_t at = bytes != NULL ? zip_file_add(z, f->path, bytes, ZIP_FL_ENC_GUESS) : -1;
    if (at < 0) {
        zip_source_free(bytes);
        return false;
    }
    return zip_file_set_dostime(z, (zip_uint64_t)at, time, date, 0) == 0 &&
           zip_set_file_compression(z, (zip_uint64_t)at, ZIP_CM_DEFLATE, HARDEST) == 0 &&
           zip_file_set_external_attributes(z, (zip_uint64_t)at, 0, ZIP_OPSYS_UNIX, REGULAR_0644) == 0;
}

/* Appends the content of S to OUT. */
static bool take_bytes(struct odp_buffer *out, zip_source_t *s)
{
    zip_stat_t stat;
    if (zip_source_stat(s, &stat) != 0 || zip_source_open(s) != 0)
        return false;
    char *room = odp_buffer_reserve(out, (size_t)stat.size);
    bool ok = room != NULL && zip_source_read(s, room, stat.size) == (zip_int64_t)stat.size;
    out->len += ok ? (size_t)stat.size : 0;
    (void)zip_source_close(s);
    return ok;
}

static enum odp_status make_zip(struct odp_buffer *out, const struct client_file *const *list, size_t n,
                                int64_t seconds)
{
    zip_uint16_t date, time;
    zip_source_t *s = zip_source_buffer_create(NULL, 0, 0, NULL);
    zip_t *z = s != NULL ? zip_open_from_source(s, ZIP_TRUNCATE, NULL) : NULL;
    const char *path = NULL;
    bool ok = z != NULL;
    set_date(seconds, &date, &time);
    if (ok)
        zip_source_keep(s); /* closing takes one */
    for (size_t i = 0; i < n && ok; i++) {
        path = list[i]->path;
        ok = add_file(z, list[i], date, time);
    }
    if (ok && zip_close(z) == 0)
        z = NULL;
    ok = ok && z == NULL && take_bytes(out, s);
    if (z != NULL)
        zip_discard(z);
    zip_source_free(s);
    return ok ? ODP_OK : odp_failure_set("pack", path, ENOMEM);
}

enum odp_status client_pack_zip(struct odp_buffer *out, const struct client_tree *t, int64_t seconds)
{
    return make_zip(out, in_order(t), t->n, seconds);
}

/* "path,sha256=<digits>,size"; a path with a comma or quotes is quoted as in CSV. */
static void add_record_line(struct odp_buffer *out, const struct client_file *f, struct odp_arena *a)
{
    bool quoted = strpbrk(f->path, ",\"\r\n") != NULL;
    odp_buffer_add_str(out, quoted ? "\"" : "");
    for (const char *p = f->path; *p != '\0'; p++) {
        if (*p == '"')
            odp_buffer_add_char(out, '"');
        odp_buffer_add_char(out, *p);
    }
    odp_buffer_printf(out, "%s,sha256=%s,%zu\n", quoted ? "\"" : "",
                      client_digest_base64("SHA256", f->bytes, true, a), f->bytes.len);
}

/* T's files by path, but FOLDER's last, for those who read a zip from its end (PEP 427), and RECORD at the
 * very end. */
static const struct client_file **wheel_order(const struct client_tree *t, const char *folder,
                                              const char *record)
{
    const struct client_file **all = in_order(t), **list = odp_arena_array(t->arena, t->n + 1, sizeof *list);
    size_t n = 0;
    for (int pass = 0; pass < 3; pass++)
        for (size_t i = 0; i < t->n; i++) {
            int rank = strcmp(all[i]->path, record) == 0                    ? 2
                       : strncmp(all[i]->path, folder, strlen(folder)) == 0 ? 1
                                                                            : 0;
            if (rank == pass)
                list[n++] = all[i];
        }
    return list;
}

enum odp_status client_pack_wheel(struct odp_buffer *out, struct client_tree *t, const char *folder,
                                  int64_t seconds)
{
    const char *path = odp_arena_printf(t->arena, "%sRECORD", folder);
    const struct client_file **list = in_order(t);
    struct odp_buffer record = {0};
    for (size_t i = 0; i < t->n; i++)
        add_record_line(&record, list[i], t->arena);
    odp_buffer_printf(&record, "%s,,\n", path);
    enum odp_status status = odp_buffer_status(&record);
    if (status == ODP_OK)
        status = client_tree_add(t, path, odp_buffer_slice(&record));
    if (status == ODP_OK)
        status = make_zip(out, wheel_order(t, folder, path), t->n, seconds);
    odp_buffer_release(&record);
    return status;
}

/* ---- digests ---- */

enum odp_status client_tree_digest(const struct client_tree *t, uint8_t out[ODP_SHA256_SIZE])
{
    const struct client_file **list = in_order(t);
    struct odp_digest *d = NULL;
    enum odp_status status = odp_digest_new(&d);
    for (size_t i = 0; i < t->n && status == ODP_OK; i++) {
        char size[24];
        int n = snprintf(size, sizeof size, "%zu", list[i]->bytes.len);
        status = odp_digest_add(d, list[i]->path, strlen(list[i]->path) + 1);
        if (status == ODP_OK)
            status = odp_digest_add(d, size, (size_t)n + 1);
        if (status == ODP_OK)
            status = odp_digest_add(d, list[i]->bytes.ptr, list[i]->bytes.len);
    }
    if (status == ODP_OK)
        status = odp_digest_end(d, out);
    odp_digest_free(d);
    return status;
}

/* Bytes of the digest; the arena fails if OpenSSL cannot make it. */
static size_t digest(const char *name, struct odp_slice bytes, unsigned char out[EVP_MAX_MD_SIZE],
                     struct odp_arena *a)
{
    unsigned n = 0;
    if (EVP_Digest(bytes.ptr, bytes.len, out, &n, EVP_get_digestbyname(name), NULL) != 1) {
        (void)odp_failure_set("compute", name, 0);
        a->failed = true;
        n = 0;
    }
    return n;
}

char *client_digest_hex(const char *name, struct odp_slice bytes, struct odp_arena *a)
{
    unsigned char d[EVP_MAX_MD_SIZE];
    size_t n = digest(name, bytes, d, a);
    char *text = odp_arena_zero(a, 2 * n + 1, 1);
    for (size_t i = 0; i < n; i++)
        (void)snprintf(text + 2 * i, 3, "%02x", d[i]);
    return text;
}

char *client_digest_base64(const char *name, struct odp_slice bytes, bool url, struct odp_arena *a)
{
    unsigned char d[EVP_MAX_MD_SIZE];
    size_t n = digest(name, bytes, d, a);
    char *text = odp_arena_zero(a, 4 * (n + 2) / 3 + 4, 1);
    (void)EVP_EncodeBlock((unsigned char *)text, d, (int)n);
    if (url)
        text[strcspn(text, "=")] = '\0';
    for (char *p = text; *p != '\0' && url; p++)
        if (*p == '+')
            *p = '-';
        else if (*p == '/')
            *p = '_';
    return text;
}
