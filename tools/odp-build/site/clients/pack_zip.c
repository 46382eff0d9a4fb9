/* Zip (PKWARE's APPNOTE 6.3, without extensions): what Composer and pip unpack. */
#include "site/clients/pack_internal.h"

#include <errno.h>
#include <zlib.h>

#include "base/datetime.h"

enum {
    LOCAL = 0x04034b50, CENTRAL = 0x02014b50, END = 0x06054b50,
    NEEDED = 20,              /* 2.0: deflate */
    MADE = 3 << 8 | NEEDED,   /* Unix: the attributes are its modes */
    UTF8 = 1 << 11,
    STORED = 0, DEFLATED = 8,
    DAY_1980 = 3652           /* days since 1970; the form has no earlier */
};
#define REGULAR_0644 (UINT32_C(0100644) << 16)
#define MOST         UINT32_C(0x7fffffff)

struct zip {
    struct odp_buffer *out;
    size_t base;               /* where the archive begins in OUT */
    struct odp_buffer central;
    uint32_t time, date;       /* MS-DOS */
};

static void set_date(struct zip *z, int64_t seconds)
{
    struct odp_datetime day = {.has_date = true};
    int64_t days = seconds / 86400 < DAY_1980 ? DAY_1980 : seconds / 86400, rest = seconds / 86400 < DAY_1980 ? 0 : seconds % 86400;
    odp_date_from_days(&day, days);
    z->date = (uint32_t)(day.year - 1980) << 9 | (uint32_t)day.month << 5 | (uint32_t)day.day;
    z->time = (uint32_t)(rest / 3600) << 11 | (uint32_t)(rest / 60 % 60) << 5 | (uint32_t)(rest % 60 / 2);
}

static bool is_ascii(const char *s)
{
    for (; *s != '\0'; s++)
        if ((unsigned char)*s >= 0x80)
            return false;
    return true;
}

/* What the local header and the directory have in common. */
static void add_common(struct odp_buffer *out, const struct zip *z, const struct client_file *f, uint32_t method, uint32_t crc, size_t packed)
{
    client_pack_u16(out, NEEDED);
    client_pack_u16(out, is_ascii(f->path) ? 0 : UTF8);
    client_pack_u16(out, method);
    client_pack_u16(out, z->time);
    client_pack_u16(out, z->date);
    client_pack_u32(out, crc);
    client_pack_u32(out, (uint32_t)packed);
    client_pack_u32(out, (uint32_t)f->bytes.len);
    client_pack_u16(out, (uint32_t)strlen(f->path));
    client_pack_u16(out, 0); /* no extra field */
}

static enum odp_status add_file(struct zip *z, const struct client_file *f)
{
    struct odp_buffer packed;
    size_t at = z->out->len - z->base, name = strlen(f->path);
    if (f->bytes.len > MOST || at > MOST || name > UINT16_MAX)
        return odp_failure_set("pack", f->path, EFBIG);
    odp_buffer_init(&packed);
    enum odp_status status = client_pack_deflate(&packed, f->bytes);
    bool smaller = packed.len < f->bytes.len;
    struct odp_slice bytes = smaller ? odp_buffer_slice(&packed) : f->bytes;
    uint32_t crc = (uint32_t)crc32(0, (const Bytef *)f->bytes.ptr, (uInt)f->bytes.len), method = smaller ? DEFLATED : STORED;
    if (status == ODP_OK) {
        client_pack_u32(z->out, LOCAL);
        add_common(z->out, z, f, method, crc, bytes.len);
        odp_buffer_add(z->out, f->path, name);
        odp_buffer_add_slice(z->out, bytes);
        client_pack_u32(&z->central, CENTRAL);
        client_pack_u16(&z->central, MADE);
        add_common(&z->central, z, f, method, crc, bytes.len);
        client_pack_u16(&z->central, 0); /* no comment */
        client_pack_u16(&z->central, 0); /* first disk */
        client_pack_u16(&z->central, 0); /* no internal attributes */
        client_pack_u32(&z->central, REGULAR_0644);
        client_pack_u32(&z->central, (uint32_t)at);
        odp_buffer_add(&z->central, f->path, name);
    }
    odp_buffer_release(&packed);
    return status;
}

static enum odp_status add_end(struct zip *z, size_t n)
{
    size_t at = z->out->len - z->base, size = z->central.len;
    if (at > MOST || size > MOST || n >= UINT16_MAX)
        return odp_failure_set("pack", NULL, EFBIG);
    odp_buffer_add_slice(z->out, odp_buffer_slice(&z->central));
    client_pack_u32(z->out, END);
    client_pack_u16(z->out, 0); /* this disk, and where the directory begins */
    client_pack_u16(z->out, 0);
    client_pack_u16(z->out, (uint32_t)n);
    client_pack_u16(z->out, (uint32_t)n);
    client_pack_u32(z->out, (uint32_t)size);
    client_pack_u32(z->out, (uint32_t)at);
    client_pack_u16(z->out, 0); /* no comment */
    return odp_buffer_status(&z->central) == ODP_OK ? odp_buffer_status(z->out) : ODP_FAIL;
}

static enum odp_status make_zip(struct odp_buffer *out, const struct client_file *const *list, size_t n, int64_t seconds)
{
    struct zip z = {.out = out, .base = out->len};
    enum odp_status status = ODP_OK;
    odp_buffer_init(&z.central);
    set_date(&z, seconds);
    for (size_t i = 0; i < n && status == ODP_OK; i++)
        status = add_file(&z, list[i]);
    if (status == ODP_OK)
        status = add_end(&z, n);
    odp_buffer_release(&z.central);
    return status;
}

enum odp_status client_pack_zip(struct odp_buffer *out, const struct client_tree *t, int64_t seconds)
{
    const struct client_file **list = client_pack_order(t);
    return list != NULL ? make_zip(out, list, t->n, seconds) : ODP_FAIL;
}

/* ---- wheels -------------------------------------------------------------------------------------------------------------------------- */

/* "odp_client-2.5.0.dist-info/" of T's paths in A; NULL: none (failure set). */
static const char *info_folder(const struct client_tree *t)
{
    static const char end[] = ".dist-info/";
    for (size_t i = 0; i < t->n; i++) {
        const char *slash = strchr(t->files[i].path, '/');
        size_t len = slash != NULL ? (size_t)(slash - t->files[i].path) + 1 : 0;
        if (len > sizeof end && memcmp(t->files[i].path + len - (sizeof end - 1), end, sizeof end - 1) == 0)
            return odp_arena_printf(t->arena, "%.*s", (int)len, t->files[i].path);
    }
    (void)odp_failure_set("pack a wheel without dist-info", NULL, 0);
    return NULL;
}

static void add_base64url(struct odp_buffer *out, const uint8_t *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    for (size_t i = 0; i < n; i += 3) {
        uint32_t v = (uint32_t)bytes[i] << 16 | (i + 1 < n ? (uint32_t)bytes[i + 1] << 8 : 0) | (i + 2 < n ? bytes[i + 2] : 0);
        for (size_t k = 0; k < 4 && i + k <= n; k++)
            odp_buffer_add_char(out, digits[v >> (18 - 6 * k) & 63]);
    }
}

/* "path,sha256=<digits>,size"; a path with a comma or quotes is quoted, as CSV wants it. */
static enum odp_status add_record_line(struct odp_buffer *out, const struct client_file *f)
{
    uint8_t sha256[ODP_SHA256_SIZE];
    bool quoted = strpbrk(f->path, ",\"\r\n") != NULL;
    if (odp_digest_of(f->bytes.ptr, f->bytes.len, sha256) != ODP_OK)
        return ODP_FAIL;
    if (quoted)
        odp_buffer_add_char(out, '"');
    for (const char *p = f->path; *p != '\0'; p++) {
        if (*p == '"')
            odp_buffer_add_char(out, '"');
        odp_buffer_add_char(out, *p);
    }
    odp_buffer_add_str(out, quoted ? "\",sha256=" : ",sha256=");
    add_base64url(out, sha256, sizeof sha256);
    odp_buffer_printf(out, ",%zu\n", f->bytes.len);
    return odp_buffer_status(out);
}

/* T's files by path, but what lies in FOLDER last, where those look who read a zip from its end (PEP 427), and at the very end RECORD. NULL without memory. */
static const struct client_file **wheel_order(const struct client_tree *t, const char *folder, const char *record)
{
    const struct client_file **all = client_pack_order(t), **list = odp_arena_array(t->arena, t->n + 1, sizeof *list);
    size_t n = 0;
    if (all == NULL || list == NULL)
        return NULL;
    for (int pass = 0; pass < 3; pass++)
        for (size_t i = 0; i < t->n; i++) {
            int rank = strcmp(all[i]->path, record) == 0 ? 2 : strncmp(all[i]->path, folder, strlen(folder)) == 0 ? 1 : 0;
            if (rank == pass)
                list[n++] = all[i];
        }
    return list;
}

enum odp_status client_pack_wheel(struct odp_buffer *out, struct client_tree *t, int64_t seconds)
{
    const char *folder = info_folder(t);
    const char *path = folder != NULL ? odp_arena_printf(t->arena, "%sRECORD", folder) : NULL;
    const struct client_file **list = path != NULL ? client_pack_order(t) : NULL;
    struct odp_buffer record;
    size_t n = t->n;
    odp_buffer_init(&record);
    enum odp_status status = list != NULL ? ODP_OK : ODP_FAIL;
    for (size_t i = 0; i < n && status == ODP_OK; i++)
        status = add_record_line(&record, list[i]);
    if (status == ODP_OK) {
        odp_buffer_printf(&record, "%s,,\n", path);
        status = odp_buffer_status(&record);
    }
    if (status == ODP_OK)
        status = client_tree_add(t, path, odp_buffer_slice(&record));
    if (status == ODP_OK) {
        list = wheel_order(t, folder, path); /* anew: adding may have moved the files */
        status = list != NULL ? make_zip(out, list, t->n, seconds) : ODP_FAIL;
    }
    odp_buffer_release(&record);
    return status;
}
