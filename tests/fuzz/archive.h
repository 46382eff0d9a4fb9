/* A zip archive, written part by part as it is, so that bytes of a part are bytes of the file. */
#pragma once

#include <zlib.h>

#include "fuzz.h"

struct archive {
    struct odp_buffer body, directory;
    unsigned n;
};

static inline void archive_add16(struct odp_buffer *b, unsigned v)
{
    odp_buffer_add_char(b, (char)(v & 0xFF));
    odp_buffer_add_char(b, (char)(v >> 8 & 0xFF));
}

static inline void archive_add32(struct odp_buffer *b, uint32_t v)
{
    archive_add16(b, v & 0xFFFF);
    archive_add16(b, v >> 16);
}

static inline void archive_add(struct archive *z, struct odp_slice name, struct odp_slice bytes)
{
    uint32_t crc = (uint32_t)crc32(0, (const Bytef *)bytes.ptr, (uInt)bytes.len), at = (uint32_t)z->body.len;
    archive_add32(&z->directory, 0x02014B50);
    archive_add16(&z->directory, 20);
    for (int both = 0; both < 2; both++) {
        struct odp_buffer *b = both == 0 ? &z->body : &z->directory;
        if (both == 0)
            archive_add32(b, 0x04034B50);
        archive_add16(b, 20);
        archive_add16(b, 0);
        archive_add16(b, 0);
        archive_add32(b, 0x00210000);
        archive_add32(b, crc);
        archive_add32(b, (uint32_t)bytes.len);
        archive_add32(b, (uint32_t)bytes.len);
        archive_add16(b, (unsigned)name.len);
        archive_add16(b, 0);
    }
    archive_add16(&z->directory, 0);
    archive_add16(&z->directory, 0);
    archive_add16(&z->directory, 0);
    archive_add32(&z->directory, 0);
    archive_add32(&z->directory, at);
    odp_buffer_add_slice(&z->directory, name);
    odp_buffer_add_slice(&z->body, name);
    odp_buffer_add_slice(&z->body, bytes);
    z->n++;
}

/* Ends the archive, and writes it to PATH. */
static inline void archive_write(struct archive *z, const char *path)
{
    uint32_t at = (uint32_t)z->body.len, len = (uint32_t)z->directory.len;
    odp_buffer_add_slice(&z->body, odp_buffer_slice(&z->directory));
    archive_add32(&z->body, 0x06054B50);
    archive_add32(&z->body, 0);
    archive_add16(&z->body, z->n);
    archive_add16(&z->body, z->n);
    archive_add32(&z->body, len);
    archive_add32(&z->body, at);
    archive_add16(&z->body, 0);
    NEED(odp_buffer_status(&z->body) == ODP_OK);
    fuzz_write(path, odp_buffer_slice(&z->body));
    odp_buffer_release(&z->body);
    odp_buffer_release(&z->directory);
}
