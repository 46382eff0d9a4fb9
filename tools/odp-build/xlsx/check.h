/* Whether what is on the disk is the whole workbook. */
#pragma once

#include <xlsxwriter.h>

#include "base/slice.h"

/* A sheet as it was written. */
struct odp_book_sheet {
    lxw_worksheet *sheet;
    const char *name;
    int copy;       /* of its temporary file's descriptor; -1: it has none */
    uint64_t bytes; /* of its rows, once they are all written; 0: in memory */
};

/* Whether every part of the closed workbook at PLACE, which has these sheets, is whole. */
bool odp_book_is_whole(const char *place, const struct odp_book_sheet *sheets, size_t n);
