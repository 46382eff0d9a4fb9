/* Inside of write/pdf: records as entries (entries*.c), one below the other: what names a record, its title,
 * its status, and then all else that is public, with the names of the fields.
 *
 *   entries.c        order and groups of records, their names, which of them others refer to
 *   entries_facts.c  a record's facts and their heights: measured once, kept for all settings
 *   entries_set.c    setting and drawing */
#pragma once

#include "write/pdf/pdf_internal.h"
#include "write/pdf/table_internal.h"

enum odp_fact_kind {
    ODP_FACT_PLAIN,
    ODP_FACT_DATE,
    ODP_FACT_DATETIME,
    ODP_FACT_URI,
    ODP_FACT_DOCUMENT,
    ODP_FACT_REFERENCE, /* to a record of the same resource */
    ODP_FACT_PLACE      /* a coordinate or the kind of geometry: no field */
};

struct odp_fact_target { /* a value that others refer to, and whose it is */
    struct odp_slice value;
    uint32_t row;
};

/* A field, the same in all entries. Narrow ones are two in a line and have an en dash for null, so that they
 * keep their place; wide ones have a line of their own and are left out where they are null. */
struct odp_fact {
    uint32_t at; /* which cell of a row */
    enum odp_fact_kind kind;
    bool wide;
    const char *name; /* what the label says */
    PangoLayout *label;
    double label_height;
    float *heights; /* by record: of the value; 0: null */
    struct odp_fact_target *targets;
    size_t ntargets; /* sorted by value; of a reference */
};

struct odp_entry_group {
    const char *text, *dest; /* NULL: entries without groups */
    uint32_t first, n;       /* in `order` */
};

struct odp_entry_size {              /* of a record's entry, in points */
    float badge_width, badge_height; /* the outline of the status; 0: no status */
    float heading, title,
        body; /* heights: of the name with the air below, of the title, of everything below the heading */
};

struct odp_print_entries {
    const struct odp_print_job *job;
    struct odp_fonts *fonts;
    struct odp_arena *arena;
    uint32_t n;         /* records */
    uint32_t *order;    /* in which they are set */
    const char **names; /* by record: "Keputusan Menteri 17/KPTS/M/1998" */
    struct odp_entry_group *groups;
    size_t ngroups;
    struct odp_fact *facts; /* narrow ones first */
    size_t nfacts, nnarrow;
    bool bookmarks;  /* each entry has one */
    bool fine, span; /* the current entry is tagged label by label; if not: a Span is open */
    bool measured;
    double width, half, label_width; /* of an entry, of a narrow fact with its label, of labels */
    struct odp_entry_size *sizes;    /* by record */
    size_t *listed;                  /* by record: number of its heading in the last setting, from 1 */
    int title, status; /* fields or -1: those of odp:print, unless their values are too long for it; then they
                          are facts */
    bool cut;          /* a name was too long: what it is made of is printed as facts, too */
    struct odp_table_text value;  /* for setting values */
    PangoLayout *space;           /* parts texts of one element for those who only read them */
    struct odp_buffer text, more; /* of the current fact */
};

static inline struct odp_slice odp_entry_cell(const struct odp_print_entries *e, uint32_t row, uint32_t at)
{
    return e->job->cells[(uint64_t)row * e->job->columns + at];
}

extern const struct odp_face odp_fact_type, odp_fact_label_type, odp_fact_address_type, odp_entry_title_type,
    odp_entry_badge_type;
#define ODP_FACT_GAP      9.0  /* between a label and its value */
#define ODP_FACT_GUTTER   20.0 /* between two narrow facts */
#define ODP_FACT_BELOW    2.0  /* below each line of facts */
#define ODP_HEADING_BELOW 3.0  /* by odp_paper_heading, level 3 */
#define ODP_TITLE_BELOW   4.0
#define ODP_BADGE_PAD     6.0  /* left and right of the status */
#define ODP_BADGE_GAP     10.0 /* between heading and status */
#define ODP_BADGE_MOST    0.4  /* of the entry's width */

/* Which facts there are. */
void odp_facts_new(struct odp_print_entries *e);
void odp_facts_free(struct odp_print_entries *e);
/* Measures all records for entries of WIDTH points: which facts are wide, and all heights. */
void odp_facts_measure(struct odp_print_entries *e, double width);
/* The value of F in record ROW as printed; borrowed until the next call. PAGE: of the record it refers to; 0:
 * unknown, then room is left for the number. */
struct odp_slice odp_fact_text(struct odp_print_entries *e, const struct odp_fact *f, uint32_t row,
                               unsigned page);
/* The target of a URI or a document; "" for others. Borrowed like the text. */
const char *odp_fact_address(struct odp_print_entries *e, const struct odp_fact *f, uint32_t row);
/* The record that it refers to, or -1: it is not in the document. */
int64_t odp_fact_target(const struct odp_print_entries *e, const struct odp_fact *f, uint32_t row);
struct odp_slice odp_entry_title(const struct odp_print_entries *e, uint32_t row); /* empty: no title */
/* The status of record ROW, as printed; empty: no status. Borrowed like the text. */
struct odp_slice odp_entry_status(struct odp_print_entries *e, uint32_t row);
/* Height of the line that begins with fact I, and its number of facts (one or two); 0: all of them null. */
double odp_fact_line(const struct odp_print_entries *e, size_t i, uint32_t row, size_t *n);
