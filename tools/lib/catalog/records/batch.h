/* A batch: some thousand records on their way through the compiler. One struct goes all the way:
 *
 *   read    (any thread, in order)  frames records: text, records[]
 *   slice   (any thread)            cells[], raw geometry to WGS 84
 *   check   (any thread)            columns[] of typed values, state[] of records; finds cell and row faults
 *   format  (any thread)            bytes
 *   merge, append (one thread, in order)  keys across batches, files
 *
 * Memory: `arena` holds all that is per batch and is reset when the batch is used again. Slices point into
 * `text` or `arena` and live as long as the batch. */
#pragma once

#include "base/arena.h"
#include "base/buffer.h"
#include "base/diag.h"
#include "base/digest.h"
#include "catalog/catalog.h"
#include "catalog/records/geom.h"

enum {
    ODP_CELL_QUOTED =
        1, /* was quoted in the source: never null by nullSequence, "" is still a missing value */
    ODP_CELL_NATIVE = 2, /* already in the type's default form (DBF number, date, logical): the field's format
                            is not applied */
    ODP_CELL_NULL = 4    /* null in the source itself (DBF) */
};

/* What a spreadsheet made of a cell that its field does not allow for. Found by the source, said by check. */
enum odp_cell_oddity {
    ODP_ODD_NONE = 0,
    ODP_ODD_NUMBER, /* a number where the field is text, or a date (of a workbook that counts from 1904) */
    ODP_ODD_DATE,   /* a date where the field is none; text: ISO */
    ODP_ODD_MERGED, /* covered by a merged cell; text: what stands in that one, where it is in the same column
                     */
    ODP_ODD_UNCOMPUTED /* a formula without a value */
};

/* One raw cell: decoded UTF-8 text without its quotes. */
struct odp_cell {
    const char *ptr; /* never NULL */
    uint32_t len;
    union {
        struct {
            uint32_t flags : 3;
            uint32_t oddity : 3; /* enum odp_cell_oddity */
            uint32_t pos : 26;   /* byte of the cell's first character within the record's source text
                                    (odp_record.source) */
        };
        uint32_t marks; /* all of them, to be gathered at once */
    };
};

enum {
    ODP_RECORD_SKIP =
        1, /* a fault of framing was reported: not validated, not emitted; its cells may be missing */
    ODP_RECORD_GEOMETRY_BAD =
        2, /* a fault of its geometry was reported by the source; the geometry is NULL, the cells are there */
    ODP_RECORD_TAME =
        16, /* no byte of its cells is beyond ASCII, a control character, '@', '#', or an E behind a digit, and
               no cell begins with '=', '+', '-' or white space, or ends with it: the source has seen that */
    ODP_RECORD_REFUSED =
        8,               /* with it: that fault is an error; else the record is published without geometry */
    ODP_RECORD_SHEET = 4 /* a row of a workbook: line is its number, source a readable line of it, aux the
                            column before its first cell */
};

struct odp_record {
    uint64_t row;  /* data record from 1 */
    uint64_t line; /* its first line in the source from 1; shapefiles: record number from 1; workbooks: row of
                      the sheet */
    uint64_t
        offset; /* its first byte in the source file (exact for UTF-8 sources, else in the decoded text) */
    struct odp_slice source; /* the record as it stands, without line end; shapefiles: empty */
    uint32_t first, count;   /* cells[first .. first+count-1], in the SOURCE's column order */
    uint32_t flags;
    uint32_t aux; /* the source's own (CSV: quotes seen; shapefile: shape number) */
};

enum odp_value_state { ODP_VALUE_OK = 0, ODP_VALUE_NULL, ODP_VALUE_BAD /* reported */ };

/* One field over the batch. text[i] is the canonical text of record i (see odp_type and base/decimal.h,
 * base/datetime.h):
 *   number, integer   a JSON number          boolean   true | false       date, time, datetime, year,
 *                     yearmonth  ISO text
 *   geopoint          [lon,lat]              list, array, object, geojson  compact JSON       any, string,
 *                     duration  the text */
struct odp_column {
    struct odp_slice *text;
    uint8_t *state; /* enum odp_value_state */
};

/* Numbers of a column: text[i] is number[i] * 10^-scale[i] if its state is ODP_VALUE_OK. Of dates: the day by
 * its digits (odp_date_digits), scale 0; of years: the year. */
struct odp_batch_numbers {
    int64_t *number; /* NULL: not known (other types, from elsewhere than check) */
    uint8_t *scale;  /* ODP_NUMBER_LONG: no short number (base/decimal_small.h) */
};
#define ODP_NUMBER_LONG 0xff

/* A file that a value of an odp:document field names, checked. */
struct odp_batch_document {
    uint32_t record, field;
    uint64_t bytes, pages;
    uint8_t sha256[ODP_SHA256_SIZE];
    const char *source; /* its path below the dataset's folder of sources */
};

struct odp_batch {
    const struct odp_resource *resource;
    struct odp_arena arena;
    struct odp_buffer text; /* bytes of the records: of a CSV; of a DBF a row each, all of one width */
    const char *sheet;      /* of a workbook, or NULL */
    uint64_t index;         /* number of the batch in its resource, from 0 */
    bool last;

    struct odp_record *records;
    uint32_t nrecords, records_cap;
    struct odp_cell *cells;
    uint32_t ncells, cells_cap;
    const struct odp_geom **geometry; /* by record, entries may be NULL; NULL when the resource has none */
    uint64_t source_bytes;            /* bytes of the source this batch took, for progress */

    struct odp_column *columns;           /* schema.n entries, set by check */
    struct odp_batch_numbers *numbers;    /* the same; or NULL */
    uint8_t *record_bad;                  /* by record: 1 = not to be emitted (faults were reported) */
    struct odp_batch_document *documents; /* by record, then by field; set by check, in arena */
    uint32_t ndocuments;

    void *validated; /* check's own, from batch to merge; lives in arena */

    struct odp_diags *diags; /* faults found in this batch, in order of records */
};

/* LIMIT: examples kept a group of diagnostics. */
enum odp_status odp_batch_init(struct odp_batch *b, size_t limit) ODP_MUST_USE;
void odp_batch_release(struct odp_batch *b);
/* Gives back all room that grew with the records; they are gone. Diagnostics stay, and the batch can be used
 * again. */
void odp_batch_shrink(struct odp_batch *b);
/* Ready for the next use: arena reset, counts 0, diagnostics cleared. */
void odp_batch_reset(struct odp_batch *b, const struct odp_resource *r);
/* Room for one more; NULL: out of memory. Pointers into records and cells move. */
struct odp_record *odp_batch_add_record(struct odp_batch *b) ODP_MUST_USE;
struct odp_cell *odp_batch_add_cells(struct odp_batch *b, uint32_t n) ODP_MUST_USE;

struct odp_batch_place {
    uint32_t record;
    int field;  /* -1: the record as a whole */
    int column; /* the field's place among the record's cells; -1: none */
};
/* A diagnostic about AT: sets dataset, resource, file, line, column, row, offset, field, value, source, mark
 * and secrecy; the caller sets code, args, proposal. FILE as shown to the user. Lines of resources with
 * private fields, and records marked private by SECRET_ROW, are cut to the guilty cell. */
void odp_batch_diag(const struct odp_batch *b, struct odp_batch_place at, const char *file, bool secret_row,
                    struct odp_diag *out);
/* The same for LEN bytes at byte POS of the record's source text, for faults that are not a cell's: without
 * field and value. Resources with private fields show no source line then. */
void odp_batch_diag_at(const struct odp_batch *b, uint32_t i, size_t pos, size_t len, const char *file,
                       struct odp_diag *out);
