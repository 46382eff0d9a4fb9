/* Any bytes as a shapefile, or, when they begin as one, a zip archive with a shapefile.
 *
 *   byte 0     1: a .shx is made out of the .shp · 2: the .shp's header gets the right length · 4: the .dbf
 *              gets as many records as
 *              the .shp has (these three so that mutations reach the records) · 8: a .prj is there · 16: a
 *                .cpg is there ·
 *              32: the resource "area", which names no coordinate system and asks for polygons · 64: four
 *                bytes of the .shx that was made
 *              are others: the last six bytes say where and which · 128: all of it in a zip archive
 *   byte 1-2   size of the .shp, little-endian;  3 size of the .prj;  4 of the .cpg;  then they follow, and
 *              the rest is the .dbf */
#include <unistd.h>

#include "archive.h"
#include "fuzz.h"

enum {
    MAKE_SHX = 1,
    FIX_SHP = 2,
    FIX_DBF = 4,
    HAS_PRJ = 8,
    HAS_CPG = 16,
    AREA = 32,
    DAMAGE_SHX = 64,
    ZIPPED = 128,
    HEADER = 5,
    RECORDS_MAX = 1000
};

static void put_be(uint8_t *p, size_t v)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(v >> (24 - 8 * i));
}

static size_t get_be(const uint8_t *p)
{
    return (size_t)p[0] << 24 | (size_t)p[1] << 16 | (size_t)p[2] << 8 | p[3];
}

/* The records that can be walked; with WRITE, the .shx that names them, with DAMAGE (NULL: none) in it. */
static size_t walk_shp(const uint8_t *shp, size_t n, int write, const uint8_t *damage)
{
    static uint8_t shx[100 + 8 * RECORDS_MAX];
    size_t count = 0;
    memcpy(shx, shp, 100);
    for (size_t at = 100; at + 8 <= n && count < RECORDS_MAX; count++) {
        size_t words = get_be(shp + at + 4);
        put_be(shx + 100 + 8 * count, at / 2);
        put_be(shx + 104 + 8 * count, words);
        at += 8 + 2 * words;
    }
    put_be(shx + 24, (100 + 8 * count) / 2);
    if (damage != NULL)
        memcpy(shx + ((size_t)damage[0] | (size_t)damage[1] << 8) % (97 + 8 * count), damage + 2, 4);
    if (write != 0)
        fuzz_write_bytes(fuzz_path("in.shx"), shx, 100 + 8 * count);
    return count;
}

/* COUNT: records there shall be, or 0 for the bytes as they are; missing ones are spaces. */
static void write_dbf(struct odp_slice in, size_t count)
{
    const uint8_t *data = (const uint8_t *)in.ptr;
    size_t head = in.len >= 12 ? (size_t)data[8] | (size_t)data[9] << 8 : 0,
           record = in.len >= 12 ? (size_t)data[10] | (size_t)data[11] << 8 : 0;
    bool fix = count > 0 && in.len >= 12 && head <= in.len && count * record < 1 << 20;
    size_t whole = fix ? head + count * record : in.len;
    uint8_t *dbf = malloc(whole + 1);
    NEED(dbf != NULL);
    memset(dbf, ' ', whole + 1);
    memcpy(dbf, data, in.len < whole ? in.len : whole);
    for (size_t i = 0; i < 4 && count > 0 && whole >= 12; i++)
        dbf[4 + i] = (uint8_t)(count >> (8 * i));
    fuzz_write_bytes(fuzz_path("in.dbf"), dbf, whole);
    free(dbf);
}

/* The next N bytes, or those there are. */
static struct odp_slice take(struct odp_slice *in, size_t n)
{
    struct odp_slice piece = {in->ptr, n < in->len ? n : in->len};
    *in = (struct odp_slice){in->ptr + piece.len, in->len - piece.len};
    return piece;
}

/* The files that are there, as one. */
static void zip_them(void)
{
    static const char *const ends[] = {"shp", "shx", "dbf", "prj", "cpg"};
    struct archive z = {.n = 0};
    for (size_t i = 0; i < ODP_COUNT(ends); i++) {
        char from[16] = "in.", name[32] = "folder/wilayah.";
        struct odp_buffer bytes;
        const char *path = fuzz_path(strcat(from, ends[i]));
        if (access(path, F_OK) != 0)
            continue;
        bytes = fuzz_read(path);
        archive_add(&z, odp_slice_of(strcat(name, ends[i])), odp_buffer_slice(&bytes));
        odp_buffer_release(&bytes);
    }
    archive_write(&z, fuzz_path("in.zip"));
}

void fuzz_one(struct odp_slice in)
{
    if (in.len >= 2 && memcmp(in.ptr, "PK", 2) == 0) {
        fuzz_write(fuzz_path("in.zip"), in);
        fuzz_resource("zip", fuzz_path("in.zip"));
        return;
    }
    if (in.len < HEADER)
        return;
    const uint8_t *head = (const uint8_t *)take(&in, HEADER).ptr;
    unsigned flags = head[0];
    struct odp_slice shp = take(&in, (size_t)head[1] | (size_t)head[2] << 8), prj = take(&in, head[3]),
                     cpg = take(&in, head[4]);
    bool damaged = (flags & DAMAGE_SHX) != 0 && in.len >= 6;
    in.len -= damaged ? 6 : 0;
    uint8_t *copy = malloc(shp.len + 1);
    NEED(copy != NULL);
    memcpy(copy, shp.ptr, shp.len);
    if ((flags & FIX_SHP) != 0 && shp.len >= 100)
        put_be(copy + 24, shp.len / 2);
    (void)unlink(fuzz_path("in.shx"));
    (void)unlink(fuzz_path("in.prj"));
    (void)unlink(fuzz_path("in.cpg"));
    size_t count = 0;
    if (shp.len >= 100)
        count = walk_shp(copy, shp.len, (flags & MAKE_SHX) != 0,
                         damaged ? (const uint8_t *)in.ptr + in.len : NULL);
    if ((flags & HAS_PRJ) != 0)
        fuzz_write(fuzz_path("in.prj"), prj);
    if ((flags & HAS_CPG) != 0)
        fuzz_write(fuzz_path("in.cpg"), cpg);
    write_dbf(in, (flags & FIX_DBF) != 0 ? count : 0);
    fuzz_write_bytes(fuzz_path("in.shp"), copy, shp.len);
    free(copy);
    if ((flags & ZIPPED) != 0)
        zip_them();
    fuzz_resource((flags & ZIPPED) != 0 ? "zip"
                  : (flags & AREA) != 0 ? "area"
                                        : "shape",
                  fuzz_path((flags & ZIPPED) != 0 ? "in.zip" : "in.shp"));
}
