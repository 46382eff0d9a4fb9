#include "base/format.h"

#include <stddef.h>

enum { ANY, GEOMETRY };

const char *const odp_format_names[ODP_FORMATS + 1] = {
#define ODP_FORMAT(symbol, emitter, format, ...) format,
#define ODP_FORMAT_ALSO(...)
#include "contract/formats.def"
#undef ODP_FORMAT
#undef ODP_FORMAT_ALSO
};

#define ROW(symbol, emitter, format, name, media, twins, file_type, takes, form, label_id, label_en, use_id, \
            use_en)                                                                                          \
    {format,                                                                                                 \
     name,                                                                                                   \
     "." name,                                                                                               \
     media,                                                                                                  \
     file_type,                                                                                              \
     takes == GEOMETRY,                                                                                      \
     ODP_FORM_##form,                                                                                        \
     {{label_id, label_en}},                                                                                 \
     {{use_id, use_en}}},
const struct odp_format_file odp_format_files[ODP_FORMAT_FILES] = {
#define ODP_FORMAT      ROW
#define ODP_FORMAT_ALSO ROW
#include "contract/formats.def"
#undef ODP_FORMAT
#undef ODP_FORMAT_ALSO
};

const struct odp_format_file *odp_format_file_find(struct odp_slice name)
{
    for (size_t i = 0; i < ODP_FORMAT_FILES; i++)
        if (odp_slice_is(name, odp_format_files[i].name))
            return &odp_format_files[i];
    return NULL;
}

bool odp_format_needs_geometry(struct odp_slice format)
{
    bool needs = false;
    for (size_t i = 0; i < ODP_FORMAT_FILES; i++)
        needs =
            needs || (odp_format_files[i].needs_geometry && odp_slice_is(format, odp_format_files[i].format));
    return needs;
}

bool odp_format_is_readable(struct odp_slice format)
{
    bool readable = false;
    for (size_t i = 0; i < ODP_FORMAT_FILES; i++)
        readable = readable || (odp_format_files[i].form != ODP_FORM_NONE &&
                                odp_slice_is(format, odp_format_files[i].format));
    return readable;
}
