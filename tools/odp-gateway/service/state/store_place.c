/* Is the store's file still where it was opened? */
#include <unistd.h>

#include "service/state/store_internal.h"

bool odp_store_stands(sqlite3 *db)
{
    int moved = 0;
    const char *path = sqlite3_db_filename(db, "main");
    if (path == NULL || *path == '\0')
        return true;
    (void)sqlite3_file_control(db, "main", SQLITE_FCNTL_HAS_MOVED, &moved);
    return moved == 0 && access(sqlite3_filename_wal(path), F_OK) == 0;
}
