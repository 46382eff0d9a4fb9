/* Lines of control as they are read for other servers. */
#include "publish/control_lines.h"

#include <string.h>

#include "base/line.h"
#include "published/stage.h"

enum { COLUMNS = 11, PATH_LEN = 2000 };

/* LINE's columns; "-" becomes nothing. False: too few. New columns come at the end; they are ignored. */
static bool split(struct odp_slice line, struct odp_slice column[COLUMNS])
{
    size_t n = 0;
    while (n < COLUMNS) {
        const char *tab = line.len > 0 ? memchr(line.ptr, '\t', line.len) : NULL;
        column[n] = (struct odp_slice){line.ptr, tab != NULL ? (size_t)(tab - line.ptr) : line.len};
        if (n > 0 && odp_slice_is(column[n], "-"))
            column[n] = (struct odp_slice){NULL, 0};
        n++;
        if (tab == NULL)
            break;
        line.len -= (size_t)(tab + 1 - line.ptr);
        line.ptr = tab + 1;
    }
    return n == COLUMNS;
}

/* A header's value has no control characters; a path is one of a site. */
static bool line_ok(const struct odp_slice column[COLUMNS], const char *path)
{
    for (size_t i = 1; i < COLUMNS; i++)
        for (size_t k = 0; k < column[i].len; k++)
            if ((unsigned char)column[i].ptr[k] < 0x20 || column[i].ptr[k] == 0x7f)
                return false;
    return odp_site_path_ok(path);
}

enum odp_status header_lines(struct odp_slice control, struct header_line **lines, size_t *n,
                             struct odp_arena *a)
{
    size_t count = 0;
    for (size_t i = 0; i < control.len; i++)
        count += control.ptr[i] == '\n';
    *n = 0;
    *lines = odp_arena_zero(a, count + 1, sizeof **lines);
    struct odp_slice first = odp_line_next(&control);
    if (first.len < 15 || memcmp(first.ptr, "#odp-control-1\t", 15) != 0)
        return ODP_BAD;
    while (control.len > 0) {
        struct odp_slice column[COLUMNS], line = odp_line_next(&control);
        if (!split(line, column) || *n == count + 1)
            return ODP_BAD;
        bool folder = column[0].len > 1 && column[0].ptr[column[0].len - 1] == '/';
        const char *path = odp_arena_printf(a, "%.*s", (int)(column[0].len - folder), column[0].ptr);
        bool sorted = *n == 0 || odp_slice_cmp((*lines)[*n - 1].path, column[0]) < 0;
        if (!sorted || column[0].len > PATH_LEN || !line_ok(column, path))
            return ODP_BAD;
        (*lines)[(*n)++] = (struct header_line){.path = column[0],
                                                .type = column[2],
                                                .encoding = column[3],
                                                .cls = column[4],
                                                .deprecation = column[6],
                                                .sunset = column[7],
                                                .cache = column[8],
                                                .link = column[10],
                                                .gone = column[1].ptr == NULL,
                                                .folder = folder,
                                                .value = ""};
    }
    return ODP_OK;
}
