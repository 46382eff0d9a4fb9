#include "base/media.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/slice.h"

/* The same type, whatever parameters either has. */
static bool is_type(const char *type, const char *other)
{
    size_t len = strcspn(type, "; ");
    return strcspn(other, "; ") == len && memcmp(type, other, len) == 0;
}

enum odp_media odp_media_of(const char *type)
{
    static const struct {
        const char *type;
        enum odp_media media;
    } all[] = {
#define ODP_FORMAT(symbol, emitter, format, name, type, media, ...)      {type, ODP_MEDIA_##media},
#define ODP_FORMAT_ALSO(symbol, emitter, format, name, type, media, ...) {type, ODP_MEDIA_##media},
#define ODP_MEDIA(type, media)                                           {type, ODP_MEDIA_##media},
#include "contract/formats.def"
#include "contract/media_types.def"
#undef ODP_FORMAT
#undef ODP_FORMAT_ALSO
#undef ODP_MEDIA
    };
    for (size_t i = 0; i < ODP_COUNT(all); i++)
        if (is_type(all[i].type, type))
            return all[i].media;
    return ODP_MEDIA_UNKNOWN;
}
