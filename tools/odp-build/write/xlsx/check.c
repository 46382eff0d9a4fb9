/* A workbook read back before it is published. Every part is unpacked (libzip compares its CRC) and must be XML whose elements
 * are all closed; of a sheet's rows as many bytes must be there as were written, and the element that holds them must end right
 * behind. So a part that was cut, or that lacks a piece, is found: the library does not look whether it could write its
 * temporary files. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <zip.h>

#include "write/xlsx/xlsx_internal.h"

enum { BLOCK = 1 << 18, NAME_MAX_KEPT = 32 /* longer ones are cut: only sheetData matters */ };

/* One part being read. */
struct part {
    bool tag, naming; /* between '<' and '>'; and in the element's name */
    bool is_sheet, rows_seen;
    bool rows_end;            /* the element of the rows must end here */
    char name[NAME_MAX_KEPT]; /* with its '/' */
    size_t len;
    char last;     /* character of the tag */
    uint64_t rows; /* bytes of them that there must be */
    uint64_t depth, elements, skip;
};

static bool end_tag(struct part *p)
{
    p->tag = false;
    p->name[p->len] = '\0';
    if (p->name[0] == '?')
        return true;
    if (p->rows_end && strcmp(p->name, "/sheetData") != 0)
        return false;
    p->rows_end = false;
    p->elements++;
    if (p->name[0] == '/')
        return p->depth-- > 0;
    if (p->is_sheet && strcmp(p->name, "sheetData") == 0 && p->last != '/') {
        p->rows_seen = p->rows_end = true;
        p->skip = p->rows;
    }
    p->depth += p->last != '/';
    return true;
}

/* LEN bytes at S; false: this is no part as it must be. */
static bool take(struct part *p, const char *s, size_t len)
{
    for (size_t i = 0; i < len;) {
        if (p->skip > 0) {
            size_t n = p->skip < len - i ? (size_t)p->skip : len - i;
            p->skip -= n;
            i += n;
            continue;
        }
        char c = s[i++];
        if (!p->tag) {
            if (p->rows_end && c != '<')
                return false;
            p->tag = p->naming = c == '<';
            p->len = 0;
            continue;
        }
        if (c == '>') {
            if (!end_tag(p))
                return false;
            continue;
        }
        p->naming = p->naming && c != ' ' && (c != '/' || p->len == 0);
        if (p->naming && p->len < sizeof p->name - 1)
            p->name[p->len++] = c;
        p->last = c;
    }
    return true;
}

static bool is_whole(const struct part *p)
{
    return p->elements > 0 && p->depth == 0 && !p->tag && p->skip == 0 && !p->rows_end && (!p->is_sheet || p->rows_seen);
}

static bool check_part(zip_t *zip, zip_uint64_t index, struct part *p, char *block)
{
    zip_file_t *file = zip_fopen_index(zip, index, 0);
    zip_int64_t got = file != NULL ? 0 : -1;
    bool good = file != NULL;
    while (good && (got = zip_fread(file, block, BLOCK)) > 0)
        good = take(p, block, (size_t)got);
    if (file != NULL)
        (void)zip_fclose(file); /* only read */
    return good && got == 0 && is_whole(p);
}

/* Which sheet a part is, from 0; -1: none. */
static int sheet_of(const char *name)
{
    int n = 0, len = 0;
    return sscanf(name, "xl/worksheets/sheet%d.xml%n", &n, &len) == 1 && len > 0 && name[len] == '\0' ? n - 1 : -1;
}

static bool check_all(const struct xlsx_emit *e, zip_t *zip, char *block)
{
    zip_int64_t n = zip_get_num_entries(zip, 0);
    size_t sheets = 0;
    for (zip_uint64_t i = 0; i < (zip_uint64_t)(n > 0 ? n : 0); i++) {
        const char *name = zip_get_name(zip, i, ZIP_FL_ENC_RAW);
        if (name == NULL)
            return false;
        int sheet = sheet_of(name);
        struct part p = {.is_sheet = sheet >= 0};
        if (sheet >= 0) {
            if ((size_t)sheet >= e->nsheets)
                return false;
            p.rows = e->sheets[sheet].bytes;
            sheets++;
        }
        if (!check_part(zip, i, &p, block))
            return false;
    }
    return sheets == e->nsheets;
}

enum odp_status odp_xlsx_check(const struct xlsx_emit *e)
{
    int fault = 0;
    char *block = malloc(BLOCK);
    if (block == NULL)
        return odp_failure_set("read workbook", e->place, ENOMEM);
    zip_t *zip = zip_open(e->place, ZIP_RDONLY, &fault);
    bool good = zip != NULL && check_all(e, zip, block);
    if (zip != NULL)
        zip_discard(zip);
    free(block);
    return good ? ODP_OK : odp_failure_set("workbook is incomplete (is the disk full?)", e->place, EIO);
}
