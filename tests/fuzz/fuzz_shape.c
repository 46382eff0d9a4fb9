/* Any bytes as a shapefile, or, when they begin as one, a zip archive with a shapefile.
 *
 *   byte 0     1: a .shx is made out of the .shp · 2: the .shp's header gets the right length · 4: the .dbf
 * gets as many records as the .shp has (these three so that mutations reach the records) · 8: a .prj is there
 * · 16: a .cpg is there · 32: the resource "area", which names no coordinate system and asks for polygons ·
 * 64: four bytes of the .shx that was made are others: the last six bytes say where and which · 128: all of
 * it in a zip archive byte 1-2   size of the .shp, little-endian;  3 size of the .prj;  4 of the .cpg;  then
 * they follow, and the rest is the .dbf */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive.h"
#include "base/file.h"
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
        fuzz_write(fuzz_path("in.shx"), shx, 100 + 8 * count);
    return count;
}

/* COUNT: records there shall be, or 0 for the bytes as they are; missing ones are spaces. */
static void write_dbf(const uint8_t *data, size_t n, size_t count)
{
    size_t head = n >= 12 ? (size_t)data[8] | (size_t)data[9] << 8 : 0,
           record = n >= 12 ? (size_t)data[10] | (size_t)data[11] << 8 : 0;
    size_t whole = count > 0 && n >= 12 && head <= n && count * record < 1 << 20 ? head + count * record : n;
    uint8_t *dbf = malloc(whole + 1);
    if (dbf == NULL)
        abort();
    memset(dbf, ' ', whole + 1);
    memcpy(dbf, data, n < whole ? n : whole);
    for (size_t i = 0; i < 4 && count > 0 && whole >= 12; i++)
        dbf[4 + i] = (uint8_t)(count >> (8 * i));
    fuzz_write(fuzz_path("in.dbf"), dbf, whole);
    free(dbf);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The next N bytes, or those there are. */
static const uint8_t *take(const uint8_t **data, size_t *left, size_t *n)
{
    const uint8_t *p = *data;
    *n = least(*n, *left);
    *data += *n;
    *left -= *n;
    return p;
}

/* The files that are there, as one. */
static void zip_them(void)
{
    static const char *const ends[] = {"shp", "shx", "dbf", "prj", "cpg"};
    struct archive z = {.n = 0};
    odp_buffer_init(&z.body);
    odp_buffer_init(&z.directory);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        char from[16] = "in.", name[32] = "folder/wilayah.";
        struct odp_buffer bytes;
        const char *path = fuzz_path(strcat(from, ends[i]));
        odp_buffer_init(&bytes);
        if (access(path, F_OK) == 0 && odp_file_read(path, 1 << 24, &bytes, NULL) == ODP_OK)
            archive_add(&z, odp_slice_of(strcat(name, ends[i])), odp_buffer_slice(&bytes));
        odp_buffer_release(&bytes);
    }
    archive_end(&z);
    fuzz_write(fuzz_path("in.zip"), (const uint8_t *)z.body.ptr, z.body.len);
    odp_buffer_release(&z.body);
    odp_buffer_release(&z.directory);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size >= 2 && memcmp(data, "PK", 2) == 0) {
        const char *path = fuzz_path("in.zip");
        fuzz_write(path, data, size);
        fuzz_resource("zip", path);
        return 0;
    }
    if (size < HEADER)
        return 0;
    int flags = data[0];
    size_t nshp = (size_t)data[1] | (size_t)data[2] << 8, nprj = data[3], ncpg = data[4];
    size -= HEADER;
    data += HEADER;
    const uint8_t *shp = take(&data, &size, &nshp), *prj = take(&data, &size, &nprj),
                  *cpg = take(&data, &size, &ncpg);
    const uint8_t *damage = (flags & DAMAGE_SHX) != 0 && size >= 6 ? data + (size -= 6) : NULL;
    uint8_t *copy = malloc(nshp + 1);
    if (copy == NULL)
        abort();
    memcpy(copy, shp, nshp);
    if ((flags & FIX_SHP) != 0 && nshp >= 100)
        put_be(copy + 24, nshp / 2);
    (void)unlink(fuzz_path("in.shx"));
    (void)unlink(fuzz_path("in.prj"));
    (void)unlink(fuzz_path("in.cpg"));
    size_t count = nshp >= 100 ? walk_shp(copy, nshp, flags & MAKE_SHX, damage) : 0;
    if ((flags & HAS_PRJ) != 0)
        fuzz_write(fuzz_path("in.prj"), prj, nprj);
    if ((flags & HAS_CPG) != 0)
        fuzz_write(fuzz_path("in.cpg"), cpg, ncpg);
    write_dbf(data, size, (flags & FIX_DBF) != 0 ? count : 0);
    fuzz_write(fuzz_path("in.shp"), copy, nshp);
    free(copy);
    if ((flags & ZIPPED) != 0) {
        zip_them();
        fuzz_resource("zip", fuzz_path("in.zip"));
        return 0;
    }
    fuzz_resource((flags & AREA) != 0 ? "area" : "shape", fuzz_path("in.shp"));
    return 0;
}
