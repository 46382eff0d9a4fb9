/* picture_tool MAP COAST|- LANG TITLE: the picture of a map's document, then its text alternative on a line
 * of its own. */
#include <stdio.h>
#include <string.h>

#include "write/map/picture.h"

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    json_t *map = json_load_file(argv[1], 0, NULL),
           *coast = strcmp(argv[2], "-") != 0 ? json_load_file(argv[2], 0, NULL) : NULL;
    struct odp_buffer out;
    odp_buffer_init(&out);
    const struct odp_map_picture p = {map, coast, argv[4],
                                      strcmp(argv[3], "en") == 0 ? ODP_LANG_EN : ODP_LANG_ID, NULL};
    bool done = map != NULL && odp_map_picture_svg(&p, &out) == ODP_OK &&
                odp_map_picture_alternative(&p, &out) == ODP_OK;
    odp_buffer_add_char(&out, '\n');
    done = done && odp_buffer_status(&out) == ODP_OK && fwrite(out.ptr, 1, out.len, stdout) == out.len &&
           fflush(stdout) == 0;
    odp_buffer_release(&out);
    json_decref(map);
    json_decref(coast);
    return done ? 0 : 1;
}
