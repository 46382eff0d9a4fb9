/* Inside of write/pdf: the parts of a document, each set by a file of its own. All begin at p->y and move it
 * to their end. */
#pragma once

#include <jansson.h>

#include "write/typesetting/paper.h"
#include "write/facts/facts.h"
#include "write/pdf/pdf.h"

/* A word in both languages on one line. */
#define ODP_PRINT_BOTH_(id, en) id " / " en
#define ODP_PRINT_BOTH(word)    ODP_PRINT_BOTH_(word)

struct odp_facts_of odp_print_facts_of(const struct odp_print_job *job, struct odp_arena *a);
/* "1.204", "1,204". */
const char *odp_print_count(struct odp_arena *a, uint64_t n, enum odp_lang lang);
/* S, or the beginning of a longer one, with an ellipsis. */
const char *odp_print_shortened(struct odp_arena *a, const char *s, size_t most);
/* The meaning of FIELD's VALUE: the label of its category, or of its code; empty if unknown. */
struct odp_text odp_print_meaning(const struct odp_print_job *job, uint32_t field, struct odp_slice value);

/* A table of plain text. Widths fit the content; portrait where that is enough, else landscape, else cut into
 * bands of columns with the key columns in front of each. Heads are repeated on each page. Row heights are
 * measured once and kept. */
struct odp_print_column {
    const char *head;
    bool right; /* figures */
    bool key;   /* repeated in every band */
    bool link;  /* the text is (or represents) an address: uri of the row */
};
struct odp_print_table;
struct odp_print_records {
    const struct odp_print_column *columns; /* copied */
    uint32_t n;
    uint64_t rows;
    /* The text of row I, column K (ptr NULL: nothing, shown as an en dash in soft ink); valid until the next
     * call. URI: an address it links to, or NULL, as it is beforehand. */
    struct odp_slice (*cell)(void *ctx, uint64_t i, uint32_t k, const char **uri);
    void *ctx;
    bool narrow; /* always on portrait pages: for tables of few columns between running text */
};
struct odp_print_table *odp_print_table_new(struct odp_fonts *f, const struct odp_print_records *r);
void odp_print_table_free(struct odp_print_table *t);
/* Does it need landscape pages? */
bool odp_print_table_is_wide(const struct odp_print_table *t);
/* Room that the table needs on a page to begin there (head and two rows): for the heading above it. */
double odp_print_table_start(const struct odp_print_table *t);
/* Sets the whole table from p->y on, taking new pages as it needs them (of the table's kind; on a page of
 * another kind it begins a new one). */
void odp_print_table_set(struct odp_print_table *t, struct odp_paper *p);

/* If the document has fewer records than the version: says so, with the address of all of them. Otherwise
 * empty. For the cover and above the records. */
void odp_print_excerpt_notice(struct odp_paper *p, const struct odp_print_job *job);

/* The parts of the document, in order. */
void odp_print_cover(struct odp_paper *p, const struct odp_print_job *job);
/* Key figures, what has changed since the version before, the places at the top. False: the summary tells
 * nothing, and nothing was set. */
struct odp_print_brief;
struct odp_print_brief *odp_print_brief_new(const struct odp_print_job *job, struct odp_fonts *f,
                                            struct odp_arena *a);
void odp_print_brief_free(struct odp_print_brief *b);
bool odp_print_brief_set(struct odp_print_brief *b, struct odp_paper *p);
/* The choropleth of SUMMARY (borrowed), in A; NULL: its places have no boundaries, or no figures. */
struct odp_print_map;
struct odp_print_map *odp_print_map_new(const struct odp_print_job *job, const json_t *summary,
                                        struct odp_arena *a);
void odp_print_map_free(struct odp_print_map *m);
void odp_print_map_set(struct odp_print_map *m, struct odp_paper *p);
/* The charts from number FROM on, until one would begin on a page after LAST (0: all). The number of the
 * first that is not set. */
size_t odp_print_charts(struct odp_paper *p, const struct odp_print_job *job, size_t from, unsigned last);
void odp_print_contents(struct odp_paper *p, const struct odp_print_job *job); /* of p->known */
struct odp_print_entries;
struct odp_print_entries *odp_print_entries_new(const struct odp_print_job *job, struct odp_fonts *f,
                                                struct odp_arena *a);
void odp_print_entries_free(struct odp_print_entries *e);
void odp_print_entries_set(struct odp_print_entries *e, struct odp_paper *p);
/* The meaning of the fields, in both languages, and the code lists of 200 codes and fewer that the records
 * use. */
struct odp_print_appendix;
struct odp_print_appendix *odp_print_appendix_new(const struct odp_print_job *job, struct odp_fonts *f,
                                                  struct odp_arena *a);
void odp_print_appendix_free(struct odp_print_appendix *x);
void odp_print_appendix_set(struct odp_print_appendix *x, struct odp_paper *p);

/* A QR code (ISO/IEC 18004, level M) of TEXT in the square of SIDE points at x, y, with its quiet zone
 * inside. Vector, one path. */
enum odp_status odp_print_qr(cairo_t *cr, const char *text, double x, double y, double side) ODP_MUST_USE;
