/* The options of all commands, a row each; for options.c. */
#ifndef ODP_GATEWAY_COMMAND_OPTIONS_TABLE_H
#define ODP_GATEWAY_COMMAND_OPTIONS_TABLE_H

#include "command/invocation.h"

/* How an option's argument is taken. */
enum option_kind {
    OPTION_TEXT,
    OPTION_FLAG,
    OPTION_NUMBER,
    OPTION_COUNT, /* a number that may be very large */
    OPTION_SIZE,
    OPTION_LIST,
    OPTION_LISTEN,
    OPTION_CIDR,
    OPTION_HOST,
    OPTION_LANG,
    OPTION_DATE,
    OPTION_CONTENT,
    OPTION_LOOPBACK,
    OPTION_URL,
    OPTION_PARAMETER,
    OPTION_PART,
    OPTION_SPAN,
    OPTION_PREFIX
};

struct option_row {
    const char *name;     /* without -- */
    const char *argument; /* shown in the help, or NULL */
    unsigned group;
    enum option_kind kind;
    size_t offset; /* into struct invocation */
    struct odp_text summary;
};

#define AT(member) offsetof(struct invocation, member)

extern const struct option_row option_rows[];
extern const size_t option_row_count;

#endif
