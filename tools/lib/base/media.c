#include "base/media.h"

#include <stddef.h>
#include <string.h>

enum odp_media odp_media_of(const char *type)
{
    static const struct {
        const char *type;
        enum odp_media media;
    } all[] = {
#define ODP_MEDIA(type, media) {type, ODP_MEDIA_##media},
#include "contract/media_types.def"
#undef ODP_MEDIA
    };
    size_t len = strcspn(type, "; ");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strlen(all[i].type) == len && memcmp(all[i].type, type, len) == 0)
            return all[i].media;
    return ODP_MEDIA_UNKNOWN;
}
