/* Reads a workbook back before it is published. Every part is unpacked, so that libzip compares its CRC, and
 * must end as XML does; the rows of a sheet must end after as many bytes as were written. That finds cut and
 * incomplete parts: the library does not check its temporary files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <zip.h>

#include "write/xlsx/xlsx_internal.h"

#define SHEET_BEGIN "<sheetData>"
#define SHEET_END   "</sheetData>"

enum { BLOCK = 1 << 18 };

/* The sheet of a part, from 0; -1: not a sheet. */
static int sheet_of(const char *name)
{
    int n = 0, len = 0;
    return sscanf(name, "xl/worksheets/sheet%d.xml%n", &n, &len) == 1 && len > 0 && name[len] == '\0' ? n - 1
                                                                                                      : -1;
}

/* State of reading a part. */
struct part {
    uint64_t rows, at; /* bytes of rows, 0: no sheet, or an empty one; bytes read */
    uint64_t end;      /* where its rows end; 0: not known yet */
    char ends[sizeof SHEET_END - 1];
    char last; /* but for line ends */
};

static void take(struct part *p, const char *s, size_t n)
{
    const char *rows = p->rows > 0 && p->end == 0 ? memmem(s, n, SHEET_BEGIN, sizeof SHEET_BEGIN - 1) : NULL;
    if (rows != NULL) /* in the first block: what is in front of it is short */
        p->end = p->at + (uint64_t)(rows - s) + sizeof SHEET_BEGIN - 1 + p->rows;
    for (size_t i = 0; i < sizeof p->ends && p->end > 0; i++)
        if (p->end + i >= p->at && p->end + i < p->at + n)
            p->ends[i] = s[p->end + i - p->at];
    for (size_t i = n; i-- > 0;)
        if (s[i] != '\n') {
            p->last = s[i];
            break;
        }
    p->at += n;
}

static bool is_part_whole(zip_t *zip, zip_uint64_t index, uint64_t rows, char *block)
{
    zip_file_t *file = zip_fopen_index(zip, index, 0);
    zip_int64_t got = file != NULL ? 0 : -1;
    struct part p = {.rows = rows};
    while (file != NULL && (got = zip_fread(file, block, BLOCK)) > 0)
        take(&p, block, (size_t)got);
    if (file != NULL)
        (void)zip_fclose(file); /* only read */
    return got == 0 && p.last == '>' && (rows == 0 || memcmp(p.ends, SHEET_END, sizeof p.ends) == 0);
}

static bool is_whole(const struct xlsx_emit *e, zip_t *zip, char *block)
{
    zip_int64_t n = zip_get_num_entries(zip, 0);
    size_t sheets = 0;
    for (zip_uint64_t i = 0; i < (zip_uint64_t)(n > 0 ? n : 0); i++) {
        const char *name = zip_get_name(zip, i, ZIP_FL_ENC_RAW);
        int sheet = name != NULL ? sheet_of(name) : -1;
        if (name == NULL || (sheet >= 0 && (size_t)sheet >= e->nsheets))
            return false;
        sheets += sheet >= 0;
        if (!is_part_whole(zip, i, sheet >= 0 ? e->sheets[sheet].bytes : 0, block))
            return false;
    }
    return sheets == e->nsheets;
}

enum odp_status odp_xlsx_check(const struct xlsx_emit *e)
{
    int fault = 0;
    char *block = malloc(BLOCK);
    zip_t *zip = block != NULL ? zip_open(e->place, ZIP_RDONLY, &fault) : NULL;
    bool good = zip != NULL && is_whole(e, zip, block);
    if (zip != NULL)
        zip_discard(zip);
    free(block);
    return good ? ODP_OK : odp_failure_set("workbook is incomplete (is the disk full?)", e->place, EIO);
}
