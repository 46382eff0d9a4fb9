/* The media types of the files that the compiler writes: formats.def and media_types.def say it once for all.
 */
#pragma once

enum odp_media { ODP_MEDIA_UNKNOWN, ODP_MEDIA_TEXT, ODP_MEDIA_OTHER };

/* TYPE may have parameters: "text/csv; charset=utf-8". UNKNOWN: neither lists it. */
enum odp_media odp_media_of(const char *type);
