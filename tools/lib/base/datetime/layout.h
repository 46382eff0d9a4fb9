/* Dates and times at fixed places: the fast way for a column whose values all look alike. */
#ifndef ODP_BASE_DATETIME_LAYOUT_H
#define ODP_BASE_DATETIME_LAYOUT_H

#include "base/datetime/format.h"
#include "base/slice.h"

/* A pattern of fixed places made ready: "31/12/2024" of %d/%m/%Y is digits and marks at places known beforehand, compared eight
 * bytes at a time. It knows right values only: whatever does not fit is odp_date_parse's, which says what is wrong. */
#define ODP_DATE_WORDS 4
enum odp_date_part { ODP_PART_YEAR, ODP_PART_MONTH, ODP_PART_DAY, ODP_PART_HOUR, ODP_PART_MINUTE, ODP_PART_SECOND, ODP_PARTS };
struct odp_date_layout {
    enum odp_date_kind kind;
    uint8_t len;                     /* without the offset behind it */
    uint8_t words;
    uint8_t from[ODP_DATE_WORDS];    /* where each word begins */
    uint64_t expect[ODP_DATE_WORDS]; /* marks, and '0' for digits */
    uint64_t slack[ODP_DATE_WORDS];  /* by byte: 0x7f less what may differ from it */
    uint8_t at[ODP_PARTS];           /* where a part begins; ODP_DATE_ABSENT */
    bool short_year;                 /* two digits */
    bool canonical;                  /* what fits is written as in the canonical form */
    bool may_offset, needs_offset;   /* behind it may or must stand Z or +07:00 */
    char zone[8];                    /* the offset of values without one, as in the canonical form; "": those do not fit */
};
#define ODP_DATE_ABSENT 0xff
/* False: PATTERN has no fixed places. Arguments as of odp_date_parse. */
bool odp_date_layout_init(struct odp_date_layout *l, enum odp_date_kind kind, const char *pattern, const char *zone);
/* S is a value of this form; *UNCHANGED: it is its own canonical form. */
bool odp_date_layout_fits(const struct odp_date_layout *l, struct odp_slice s, bool *unchanged);
/* The canonical form of S, which fits; returns its length. */
size_t odp_date_layout_write(const struct odp_date_layout *l, struct odp_slice s, char out[ODP_DATETIME_SIZE]);

#endif
