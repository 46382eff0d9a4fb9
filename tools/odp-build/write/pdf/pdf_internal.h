/* Inside of write/pdf: the parts of a document, each set by a file of its own. All set at p->y and leave p->y
 * behind them. */
#ifndef ODP_WRITE_PDF_PDF_INTERNAL_H
#define ODP_WRITE_PDF_PDF_INTERNAL_H

#include "write/typesetting/paper.h"
#include "write/facts/facts.h"
#include "write/pdf/pdf.h"

/* A word in both languages on one line. */
#define ODP_PRINT_BOTH_(id, en) id " / " en
#define ODP_PRINT_BOTH(word)    ODP_PRINT_BOTH_(word)

struct odp_facts_of odp_print_facts_of(const struct odp_print_job *job, struct odp_arena *a);
/* "1.204", "1,204". */
void odp_print_count(struct odp_buffer *out, uint64_t n, enum odp_lang lang);

/* A table of plain text. Widths fit the content; portrait where that is enough, else landscape, else cut into
 * bands of columns with the key columns in front of each. Heads are repeated on each page. Row heights are
 * measured once and kept. */
struct odp_print_column {
    const char *head;
    bool right; /* figures */
    bool key;   /* repeated in every band */
    bool link;  /* the text is (or stands for) an address: uri of the row */
};
struct odp_print_table;
/* CELL: the text of row I, column K (ptr NULL: nothing, shown as an en dash in soft ink); valid until the
 * next call. URI: an address it links to, or NULL. */
typedef struct odp_slice (*odp_print_cell)(void *ctx, uint64_t i, uint32_t k, const char **uri);
enum odp_status odp_print_table_new(struct odp_print_table **out, struct odp_fonts *f,
                                    const struct odp_print_column *columns, uint32_t n, uint64_t rows,
                                    odp_print_cell cell, void *ctx) ODP_MUST_USE;
void odp_print_table_free(struct odp_print_table *t);
/* Whether it needs landscape pages. */
bool odp_print_table_is_wide(const struct odp_print_table *t);
/* How much must be left on a page for the table to begin there (head and two rows): what a heading above it
 * keeps. */
double odp_print_table_start(const struct odp_print_table *t);
/* Sets the whole table from p->y on, taking new pages as it needs them (of the table's kind; on a page of
 * another kind it begins a new one). */
void odp_print_table_set(struct odp_print_table *t, struct odp_paper *p);

/* Where the document has fewer records than the version: says so, with the address of all of them. Else
 * nothing. For the cover and above the records. */
void odp_print_excerpt_notice(struct odp_paper *p, const struct odp_print_job *job);

/* The parts of the document, in order. */
void odp_print_cover(struct odp_paper *p, const struct odp_print_job *job);
void odp_print_contents(struct odp_paper *p, const struct odp_print_job *job); /* of p->known */
void odp_print_charts(struct odp_paper *p, const struct odp_print_job *job);
struct odp_print_entries;
enum odp_status odp_print_entries_new(struct odp_print_entries **out, const struct odp_print_job *job,
                                      struct odp_fonts *f, struct odp_arena *a) ODP_MUST_USE;
void odp_print_entries_free(struct odp_print_entries *e);
void odp_print_entries_set(struct odp_print_entries *e, struct odp_paper *p);
/* The meaning of the fields, in both languages, and the code lists of 200 codes and fewer that the records
 * use. */
struct odp_print_appendix;
enum odp_status odp_print_appendix_new(struct odp_print_appendix **out, const struct odp_print_job *job,
                                       struct odp_fonts *f, struct odp_arena *a) ODP_MUST_USE;
void odp_print_appendix_free(struct odp_print_appendix *x);
void odp_print_appendix_set(struct odp_print_appendix *x, struct odp_paper *p);

/* A QR code (ISO/IEC 18004, level M) of TEXT in the square of SIDE points at x, y, with its quiet zone
 * inside. Vector, one path. */
enum odp_status odp_print_qr(cairo_t *cr, const char *text, double x, double y, double side) ODP_MUST_USE;

#endif
