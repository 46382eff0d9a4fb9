/* Reads a workbook back. Every part is unpacked, so that libzip compares its CRC, and must end with the
 * end tag of its first element; the rows of a streamed sheet must end after as many bytes as were written.
 * That finds cut and incomplete parts: the library does not check its temporary files. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#include "base/status.h"
#include "xlsx/check.h"

#define SHEET_BEGIN "<sheetData>"
#define SHEET_END   "</sheetData>"

enum { BLOCK = 1 << 18, NAME = 60 };

/* The sheet of a part, from 0; -1: not a sheet. */
static int sheet_of(const char *name)
{
    int n = 0, len = 0;
    return sscanf(name, "xl/worksheets/sheet%d.xml%n", &n, &len) == 1 && len > 0 && name[len] == '\0' ? n - 1
                                                                                                      : -1;
}

/* State of reading a part. */
struct part {
    uint64_t rows, at; /* bytes of rows, 0: no streamed sheet, or an empty one; bytes read */
    uint64_t end;      /* where its rows end; 0: not known yet */
    char ends[sizeof SHEET_END - 1];
    char last[NAME + 3]; /* "</NAME>": the element that is all of it; "": not found */
    size_t elements;     /* up to 2 */
    char tail[NAME + 8];
    size_t ntail;
};

/* In the first block: the name of the first element, after the declaration. */
static void find_element(struct part *p, const char *s, size_t n)
{
    const char *at = n > 2 && memcmp(s, "<?", 2) == 0 ? memmem(s, n, "?>", 2) : s;
    at = at != NULL ? memchr(at, '<', n - (size_t)(at - s)) : NULL;
    size_t len = 0, left = at != NULL ? n - (size_t)(at + 1 - s) : 0;
    while (len < left && strchr(" />\r\n", at[1 + len]) == NULL)
        len++;
    if (len > 0 && len < left && len <= NAME)
        (void)snprintf(p->last, sizeof p->last, "</%.*s>", (int)len, at + 1);
}

static void take(struct part *p, const char *s, size_t n)
{
    if (p->at == 0)
        find_element(p, s, n);
    const char *rows = p->rows > 0 && p->end == 0 ? memmem(s, n, SHEET_BEGIN, sizeof SHEET_BEGIN - 1) : NULL;
    if (rows != NULL) /* in the first block: what is in front of it is short */
        p->end = p->at + (uint64_t)(rows - s) + sizeof SHEET_BEGIN - 1 + p->rows;
    for (size_t i = 0; i < sizeof p->ends && p->end > 0; i++)
        if (p->end + i >= p->at && p->end + i < p->at + n)
            p->ends[i] = s[p->end + i - p->at];
    for (const char *q = s, *end = s + n; p->elements < 2 && (q = memchr(q, '<', (size_t)(end - q))) != NULL;
         q++)
        p->elements += q + 1 == end || q[1] != '?';
    size_t keep = n < sizeof p->tail ? n : sizeof p->tail, old = sizeof p->tail - keep;
    old = old < p->ntail ? old : p->ntail;
    memmove(p->tail, p->tail + p->ntail - old, old);
    memcpy(p->tail + old, s + n - keep, keep);
    p->ntail = old + keep;
    p->at += n;
}

static bool ends_well(const struct part *p)
{
    size_t n = p->ntail, len = strlen(p->last);
    while (n > 0 && (p->tail[n - 1] == '\n' || p->tail[n - 1] == '\r'))
        n--;
    if (p->elements == 1) /* it has no end tag */
        return n > 1 && memcmp(p->tail + n - 2, "/>", 2) == 0;
    return len > 0 && n >= len && memcmp(p->tail + n - len, p->last, len) == 0;
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
    return got == 0 && ends_well(&p) && (rows == 0 || memcmp(p.ends, SHEET_END, sizeof p.ends) == 0);
}

static bool is_whole(const struct odp_book_sheet *of, size_t nsheets, zip_t *zip, char *block)
{
    zip_int64_t n = zip_get_num_entries(zip, 0);
    size_t sheets = 0;
    for (zip_uint64_t i = 0; i < (zip_uint64_t)(n > 0 ? n : 0); i++) {
        const char *name = zip_get_name(zip, i, ZIP_FL_ENC_RAW);
        int sheet = name != NULL ? sheet_of(name) : -1;
        if (name == NULL || (sheet >= 0 && (size_t)sheet >= nsheets))
            return false;
        sheets += sheet >= 0;
        if (!is_part_whole(zip, i, sheet >= 0 ? of[sheet].bytes : 0, block))
            return false;
    }
    return sheets == nsheets;
}

bool odp_book_is_whole(const char *place, const struct odp_book_sheet *sheets, size_t n)
{
    int fault = 0;
    char *block = malloc(BLOCK);
    if (block == NULL)
        (void)odp_failure_memory(); /* the first reason counts: not that it is incomplete */
    zip_t *zip = block != NULL ? zip_open(place, ZIP_RDONLY, &fault) : NULL;
    bool good = zip != NULL && is_whole(sheets, n, zip, block);
    if (zip != NULL)
        zip_discard(zip);
    free(block);
    return good;
}
