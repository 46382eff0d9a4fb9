/* For tests that share one folder: AROUND(make_folder, remove_folder). */
#pragma once
#include "run.h"

#include <unistd.h>

static char folder[FRESH_FOLDER];

static int make_folder(void **state)
{
    fresh_folder(folder, "tests");
    return 0;
}

static int remove_folder(void **state)
{
    return odp_dir_remove(folder) == ODP_OK && access(folder, F_OK) != 0 ? 0 : -1;
}

/* One of eight paths at a time in the folder. */
static inline const char *at(const char *name)
{
    static char paths[8][256];
    static unsigned turn;
    char *p = paths[turn++ % 8];
    assert_true(snprintf(p, sizeof paths[0], "%s/%s", folder, name) < (int)sizeof paths[0]);
    return p;
}
