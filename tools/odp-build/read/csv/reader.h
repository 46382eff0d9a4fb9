/* Inside of read/csv, in the order the bytes go through it (repair uses it, too: it rewrites what was read):
 *
 *   text.c      blocks of the file -> a window of UTF-8 text (iconv where the encoding asks for it)
 *   not_csv.c   what a file is that is no CSV
 *   frame.c     where a record ends; the cells of one record (cursor)
 *   window.c    filling the window, framing the row that begins in it, going on to the next
 *   header.c    header rows, title rows in front of it
 *   csv.c       the vtable, and read: rows of the window into the records of a batch
 *   resync.c    going on after a broken quote
 *   slice.c     cells of a batch, the faults that need them
 *
 * A row is a record of the file as a spreadsheet shows it, header, comments and blank lines included; a line
 * is physical. */
#pragma once

#include <iconv.h>

#include "base/bytes.h"
#include "base/file.h"
#include "read/kind.h"

enum {
    CSV_BLOCK = 256 * 1024, /* read at once, at most, where no record is longer: stays in the second-level
                               cache while it is framed */
    CSV_PIECE = 16 * 1024,  /* and at least */
    /* Size of a batch: with its cells and columns, five times as much, it stays in the second-level cache.
     * (Four times as large `check` takes 3 % more CPU and a fifth more memory.) Proposals for a column and the
     * order of faults depend on where batches end. */
    CSV_BATCH_BYTES = 128 * 1024,
    CSV_BATCH_RECORDS = 4096,
    CSV_LEFT_OUT_MAX =
        8 * 1024 * 1024, /* comments and blank rows between the records of a batch: a mere bound on memory */
    CSV_TITLE_ROWS = 50, /* how far a header is looked for that is not where it should be */
    CSV_FIT_LINES = 100, /* how far a line is looked for that fits after a broken quote */
    CSV_FIT_BYTES = 256 * 1024,
    CSV_TAIL_LINES =
        10 /* so many lines at the end of a file that fit nothing belong to the fault before them */
};

/* odp_record.aux */
enum {
    CSV_QUOTED = 1, /* has a quoted cell */
    CSV_STRAY = 2,  /* has a quote inside an unquoted cell */
    CSV_LINES = 4   /* has a cell of several lines */
};

/* The dialect, ready for use. */
struct csv_rules {
    char delimiter, quote, escape, comment; /* 0: none */
    bool double_quote, skip_space;
    bool plain;              /* quoting as libcsv knows it */
    unsigned char kind[256]; /* enum csv_kind of a byte in an unquoted cell */
};
enum csv_kind { CSV_ORDINARY = 0, CSV_DELIMITER, CSV_QUOTE_CHAR, CSV_LINE_END, CSV_ESCAPE };
void csv_rules_init(struct csv_rules *r, const struct odp_dialect *d, bool tabs);
/* Whether its name says that tabs part its cells (.tsv). */
bool csv_is_tabs(const struct odp_resource *r);

/* A place in the text where U+FFFD replaces bytes that could not be decoded. */
struct csv_bad {
    uint64_t at;     /* in the decoded text */
    uint64_t offset; /* in the file */
    unsigned char byte[4];
    unsigned nbyte;
};

/* The window: buf[pos .. buf.len) is decoded and not yet framed. */
struct csv_text {
    struct odp_reader *file;
    struct odp_buffer buf;
    size_t pos;
    uint64_t base; /* place of buf.ptr[0] in the decoded text; for UTF-8 the byte in the file */
    bool eof;      /* the window holds the rest */
    bool utf8;     /* bytes are the text: checked later, by csv_slice */
    iconv_t cd;
    bool open_cd;
    unsigned unit;       /* bytes of a code unit */
    char encoding[40];   /* as shown */
    char raw[64 * 1024]; /* read, not decoded */
    size_t nraw;
    bool raw_end;
    uint64_t decoded;    /* bytes of the file given to iconv and taken */
    uint64_t bom;        /* bytes of the mark that was dropped */
    struct csv_bad *bad; /* in order; those before the window are forgotten by csv_text_bad */
    size_t nbad, bad_cap, bad_first;
};

/* Opens PATH and settles the encoding: byte order mark, the resource's word. OK, BAD (E02, E03, F02, F04
 * said), FAIL. */
enum odp_status csv_text_open(struct csv_text *t, const struct odp_resource *r, const char *path,
                              const char *file, struct odp_diags *diags) ODP_MUST_USE;
void csv_text_close(struct csv_text *t);
/* Moves the window's text to its front (pos becomes 0) and appends a block. Sets eof. */
enum odp_status csv_text_fill(struct csv_text *t) ODP_MUST_USE;
/* The same, but KEPT bytes before pos stay in front of it, and the block has WANT bytes (at least what is not
 * framed yet). */
enum odp_status csv_text_fill_keeping(struct csv_text *t, size_t kept, size_t want) ODP_MUST_USE;
/* The first undecodable place in [from, to) of the decoded text, or NULL. Places before TO are forgotten.
 * Borrowed until fill.
 */
const struct csv_bad *csv_text_bad(struct csv_text *t, uint64_t from, uint64_t to);
/* Bytes of the file that the text before POS took: for progress. */
uint64_t csv_text_consumed(const struct csv_text *t);

enum csv_fault {
    CSV_FINE = 0,
    CSV_MORE /* the text ends inside the record */,
    CSV_AFTER_QUOTE,
    CSV_UNCLOSED,
    CSV_TOO_LONG,
    CSV_EXTRA
};

/* One record, framed. All places are relative to its first byte. */
struct csv_frame {
    enum csv_fault fault;
    size_t len;     /* without its line end */
    size_t next;    /* where the next record begins */
    uint32_t cells; /* only when it was framed with csv_frame_quoted */
    uint32_t aux;   /* CSV_QUOTED, CSV_STRAY */
    bool comment;
    bool multiline;
    size_t multi_at; /* the quote that opens the first cell of several lines */
    size_t fault_at; /* AFTER_QUOTE: the byte after the quote */
    size_t open_at;  /* the last opening quote */
};

/* Text that begins with a record. EOF: the file ends where it ends. */
struct csv_piece {
    const char *p;
    size_t n;
    bool eof;
    uint32_t max_cells;       /* with more cells the record is CSV_EXTRA (0: any number) */
    uint32_t max_lines_cells; /* the same for a record of several lines */
};

/* Frames the record that the text begins with. */
void csv_frame_quoted(const struct csv_rules *r, const struct csv_piece *text, struct csv_frame *out);
/* Length of the physical line at P without its end, and where the next begins. False: its end is not in the
 * text. */
bool csv_frame_line(const char *p, size_t n, bool eof, size_t *len, size_t *next);
/* Line ends in a text; CR LF is one. */
uint64_t csv_count_lines(const char *p, size_t n);
/* Nothing but delimiters and white space. */
bool csv_is_blank(const struct csv_rules *r, const char *p, size_t n);

/* The cells of one well-framed record, one by one. */
struct csv_cursor {
    const struct csv_rules *rules;
    const char *p;
    size_t n, at;
    bool done;
};
struct csv_raw {
    size_t pos;        /* first byte: the opening quote of a quoted cell */
    size_t start, len; /* content, quotes excluded, not unescaped */
    bool quoted;
    bool escaped; /* needs csv_unescape */
    size_t stray; /* place of the first stray quote, or SIZE_MAX */
};
bool csv_cursor_next(struct csv_cursor *c, struct csv_raw *cell);
/* Content without the marks of escaping; OUT has room for len bytes. Returns the length. */
size_t csv_unescape(const struct csv_rules *r, const char *p, size_t len, bool quoted, char *out);

/* Where line ends and quotes are in a piece of the window, window[at .. at + n): each byte is looked at once.
 */
struct csv_scan {
    size_t at, n;
    uint64_t mask[ODP_BYTES_CHUNK / 64];
};

struct csv_source {
    struct odp_source_base base;
    struct odp_arena arena;
    struct csv_rules rules;
    struct csv_text text;
    struct csv_scan scan;
    uint64_t line, row; /* of the record at text.pos: physical line and row of the file, from 1 */
    uint64_t records;   /* data records so far */
    uint64_t batches;
    uint64_t progress;       /* file bytes told so far */
    struct odp_slice header; /* the (last) header row as it stands */
    bool ended;
    uint64_t unfit;  /* lines before this place of the text are known not to fit */
    size_t begun;    /* read: where the batch's first record begins in the window; only while the batch has
                        records */
    size_t behind;   /* and the place behind its last one */
    size_t left_out; /* bytes between the two of rows that are no records */
    size_t longest;  /* bytes a record may have */
    size_t expected; /* bytes the next batch will probably have */
    bool slow;       /* set by tests: every record goes by the cursor, quoted ones through libcsv */
};

/* window.c. Frames the row at text.pos, filling the window as needed (which moves it; the text of B's records
 * stays in it, B may be NULL). OK; DONE at the end of the text; FAIL. */
enum odp_status csv_next(struct csv_source *s, struct odp_batch *b, struct csv_frame *out) ODP_MUST_USE;
enum odp_status csv_fill(struct csv_source *s, struct odp_batch *b) ODP_MUST_USE;
static inline bool csv_is_full(const struct csv_source *s, const struct odp_batch *b)
{
    return b->nrecords > 0 &&
           (b->nrecords >= s->base.info.batch_records ||
            s->text.pos - s->begun - s->left_out >= CSV_BATCH_BYTES || s->left_out > CSV_LEFT_OUT_MAX);
}
/* Adds the record of LEN bytes at text.pos; NULL: no memory. Its source points into the window until csv_read
 * gives the text to the batch; till then `first` is its place behind s->begun. */
static inline struct odp_record *csv_add_record(struct csv_source *s, struct odp_batch *b, size_t len)
{
    struct csv_text *t = &s->text;
    struct odp_record *rec =
        b->nrecords < b->records_cap ? &b->records[b->nrecords++] : odp_batch_add_record(b);
    if (rec == NULL)
        return NULL;
    if (b->nrecords == 1) {
        s->begun = t->pos;
        s->left_out = 0;
    }
    *rec = (struct odp_record){.row = ++s->records,
                               .line = s->line,
                               .offset = t->base + t->pos,
                               .source = {t->buf.ptr + t->pos, len},
                               .first = (uint32_t)(t->pos - s->begun)};
    return rec;
}
/* Puts the window LEN bytes further, to the next row. */
void csv_advance(struct csv_source *s, size_t len);
/* How a record that is broken by quotes or length ends, and where reading goes on. */
enum odp_status csv_resync(struct csv_source *s, struct odp_batch *b, struct csv_frame *f,
                           size_t *resume) ODP_MUST_USE;
/* A well-formed record of several lines with the wrong number of cells: if a line inside it fits, a quote was
 * never closed. */
bool csv_swallowed(const struct csv_source *s, const struct csv_frame *f);

/* Reads up to the first data record. OK, BAD (H01, H08, or odp_header_match), FAIL. */
enum odp_status csv_header_read(struct csv_source *s, struct odp_diags *diags) ODP_MUST_USE;

extern const struct odp_source_kind odp_source_csv;

enum odp_status csv_slice(const struct odp_source *src, struct odp_batch *b, unsigned worker) ODP_MUST_USE;
enum odp_status csv_read(struct odp_source *src, struct odp_batch *b) ODP_MUST_USE;

/* What a file is that begins with S and is no CSV: "Excel (.xlsx)", "GeoPackage"; false when it may well be
 * one. HEADER: the first row holds labels, so it is no JSON. */
enum csv_maker {
    CSV_MAKES_NOTHING,
    CSV_MAKES_SHAPES,
    CSV_MAKES_CSV
}; /* what ogr2ogr (GDAL) makes of it: a folder of shapefiles, one a layer; CSV */
struct csv_other {
    const char *name;
    enum csv_maker makes;
};
bool csv_other_kind(struct odp_slice s, bool header, struct csv_other *out);
/* The command that makes a source of FILE, which is OTHER; "": none is known. In A. */
struct odp_slice csv_conversion(const struct csv_other *other, const char *file, struct odp_arena *a);
/* A diagnostic about the file as a whole. */
void csv_file_diag(struct odp_diag *d, enum odp_code code, const struct odp_resource *r, const char *file);
/* The same for what a diagnostic shows: its source, if it is not UTF-8. */
void csv_clean(struct odp_arena *a, struct odp_diag *d);
/* S with every byte that is not UTF-8, and NUL, as U+FFFD: for showing. Empty when out of memory. */
struct odp_slice csv_printable(struct odp_arena *a, struct odp_slice s);
