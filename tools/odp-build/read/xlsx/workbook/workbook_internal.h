/* Inside of the workbook's reader:
 *
 *   workbook.c  opening: what the file is, the parts it names, its sheets     sheet.c    rows and cells
 *   merge.c     merged ranges, found before the rows are read                 strings.c  shared strings; text
 *               as OOXML escapes it
 *   styles.c    which cell formats are dates or times                         serial.c   day numbers to dates
 *   package.c   relationships, paths                                          xml.c      one part as a stream
 *               of elements
 *   entries.c   zip entries by name, read within the limits; faults           not_workbook.c  what a file is
 *               that is no workbook */
#pragma once

#include <expat.h>
#include <zip.h>

#include "base/buffer.h"
#include "base/limits.h"
#include "read/xlsx/workbook/workbook.h"

enum {
    WB_CHUNK = 64 * 1024,
    WB_SILENT_MAX = 1024 * 1024, /* bytes of XML without an event: one tag or comment as long as that */
    WB_DEPTH_MAX = 64,
    WB_ENTRIES_MAX = 65536, /* of the archive */
    WB_SHEETS_MAX = 4096,
    WB_STYLES_MAX = 65536,
    WB_MERGES_MAX = 100000,
    WB_COVERED_MAX =
        1024, /* most cells of a row reported under one merged range although the file does not list them */
    WB_ROW_BYTES = 16 * 1024 * 1024 /* one row's own text */
};

/* Classes of a cell format. */
enum { WB_HAS_DATE = 1, WB_HAS_TIME = 2, WB_ELAPSED = 4, WB_PERCENT = 8 /* and no date */ };

struct wb_entry {
    char *name; /* lower case, '/' */
    zip_uint64_t index;
};

struct wb_sheet {
    char *name;
    char *part; /* path in the package */
    bool hidden;
};

struct wb_strings {
    struct odp_buffer text;
    uint32_t *end; /* of string i in text */
    size_t n, cap;
    bool loaded;
};

struct odp_workbook {
    struct odp_arena arena;
    struct odp_workbook_limits limits;
    zip_t *zip;
    uint64_t bytes;
    struct wb_entry *entries; /* by name */
    size_t nentries;
    struct wb_sheet *sheets;
    size_t nsheets;
    char *strings_part, *styles_part; /* or NULL */
    struct wb_strings strings;
    uint8_t *styles; /* class of cell format i */
    size_t nstyles;
    bool styles_loaded;
    bool from_1904;
    bool sheet_open;
};

/* entries.c. Says a fault: BAD. PART may be NULL. WHAT's texts are static. */
enum odp_status wb_fault(struct odp_workbook_fault *fault, enum odp_workbook_fault_kind kind,
                         const char *part, const char *id, const char *en);
#define WB_DAMAGED(fault, part, ...) wb_fault(fault, ODP_WORKBOOK_DAMAGED, part, __VA_ARGS__)

/* The archive's names; two that differ only in case are a fault. */
enum odp_status wb_index(struct odp_workbook *w, struct odp_workbook_fault *fault) ODP_MUST_USE;
const struct wb_entry *wb_find(const struct odp_workbook *w, const char *name); /* NULL: none */
/* An entry that is read; its caller names the first three. */
struct wb_part {
    struct odp_workbook *w;
    const char *name;
    struct odp_workbook_fault *fault;
    zip_file_t *file;
    uint64_t packed, size, read; /* size: as the archive states it; read: so far */
};
/* Opens P, checked against the limits. */
enum odp_status wb_entry_open(struct wb_part *p) ODP_MUST_USE;
/* Up to CAP bytes; *GOT 0 at the end. */
enum odp_status wb_entry_read(struct wb_part *p, void *buf, size_t cap, size_t *got) ODP_MUST_USE;

/* package.c */
struct wb_rel {
    const char *id;
    const char *type; /* last part of its type: "worksheet" */
    char *part;
    bool external;
    struct wb_rel *next;
};
/* In W's arena; *OUT is NULL where PART has none. */
enum odp_status wb_rels(struct odp_workbook *w, const char *part, struct wb_rel **out,
                        struct odp_workbook_fault *fault) ODP_MUST_USE;

/* not_workbook.c. What the file at PATH is, which is no zip: always BAD, or FAIL. */
enum odp_status wb_not_zip(const char *path, struct odp_workbook_fault *fault) ODP_MUST_USE;
/* The same for an archive that is no workbook. */
enum odp_status wb_not_xlsx(const struct odp_workbook *w, const char *main_part,
                            struct odp_workbook_fault *fault) ODP_MUST_USE;

/* xml.c: one part as events. Names come without the prefix of the spreadsheet's namespace; elements of other
 * namespaces, and what is in them, are passed over. */
struct wb_xml;
struct wb_events {
    void (*start)(struct wb_xml *x, const char *name, const char **attributes);
    void (*end)(struct wb_xml *x, const char *name);      /* or NULL */
    void (*text)(struct wb_xml *x, const char *s, int n); /* or NULL */
};
struct wb_xml {
    void *ctx;
    struct wb_part in;
    char name[128]; /* of the part */
    const struct wb_events *events;
    XML_Parser parser;
    uint64_t silent;
    unsigned depth, skip; /* skip: depth at which an element to be passed over began, or 0 */
    char prefix[32];      /* "x:" or "" */
    size_t nprefix;
    bool any_namespace; /* a part of the package, not of the spreadsheet */
    bool at_end, paused;
    enum odp_status status; /* OK until something was wrong */
};
/* OK, BAD, FAIL; X must be closed in every case. */
enum odp_status wb_xml_open(struct wb_xml *x, struct odp_workbook *w, const char *part,
                            const struct wb_events *events, void *ctx,
                            struct odp_workbook_fault *fault) ODP_MUST_USE;
/* Until a handler pauses (OK) or the part ends (DONE). */
enum odp_status wb_xml_step(struct wb_xml *x) ODP_MUST_USE;
void wb_xml_close(struct wb_xml *x);
/* For handlers. */
void wb_xml_pause(struct wb_xml *x);
void wb_xml_stop(struct wb_xml *x, enum odp_workbook_fault_kind kind, const char *id, const char *en);
void wb_xml_fail(struct wb_xml *x); /* the machine's failure is recorded */
/* The whole part. */
enum odp_status wb_xml_run(struct odp_workbook *w, const char *part, const struct wb_events *events,
                           void *ctx, bool any_namespace, struct odp_workbook_fault *fault) ODP_MUST_USE;
const char *wb_attribute(const char **attributes, const char *name); /* or NULL */
bool wb_is_true(const char *value);                                  /* "1", "true" */

/* strings.c */
enum odp_status wb_strings_load(struct odp_workbook *w, struct odp_workbook_fault *fault) ODP_MUST_USE;
static inline struct odp_slice wb_string(const struct wb_strings *s, size_t i)
{
    size_t start = i == 0 ? 0 : s->end[i - 1];
    return (struct odp_slice){s->text.ptr + start, s->end[i] - start};
}
/* Decodes _xHHHH_ in place, from START of B on. */
void wb_unescape(struct odp_buffer *b, size_t start);
/* Cuts white space off both ends of what B holds from START on (text without xml:space="preserve"). */
void wb_strip(struct odp_buffer *b, size_t start);

/* styles.c */
enum odp_status wb_styles_load(struct odp_workbook *w, struct odp_workbook_fault *fault) ODP_MUST_USE;

/* serial.c: the ISO text of a day number; 0: no such date. */
size_t wb_serial_iso(double serial, bool from_1904, unsigned style, char out[40]);
/* "B17" -> row 17, column 1. N bytes of S. False: none. */
bool wb_reference(const char *s, size_t n, uint32_t *row, uint32_t *column);

/* merge.c */
struct wb_range {
    uint32_t row, last_row, column, last_column;
};
/* In W's arena; sorted by first row. */
enum odp_status wb_merges_read(struct odp_workbook *w, const char *part, struct wb_range **out, size_t *n,
                               struct odp_workbook_fault *fault) ODP_MUST_USE;
