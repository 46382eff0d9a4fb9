#include "base/mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* The present mappings, few at a time; one without a place is mapped all the same, only its name stays
 * unknown. */
#define PLACES ((size_t)64)
#define NAME   ((size_t)512)

static struct {
    atomic_uintptr_t from, to; /* to: 0 until the name is written */
    atomic_bool taken;
    char name[NAME];
} places[PLACES];

static void enter(const struct odp_mapped *m, const char *path)
{
    for (size_t i = 0; i < PLACES; i++)
        if (!atomic_exchange(&places[i].taken, true)) {
            (void)snprintf(places[i].name, NAME, "%s", path);
            atomic_store(&places[i].from, (uintptr_t)m->ptr);
            atomic_store(&places[i].to, (uintptr_t)m->ptr + m->len);
            return;
        }
}

enum odp_status odp_mapped_open(struct odp_mapped *m, const char *path, uint64_t size)
{
    struct stat st;
    enum odp_status status = ODP_OK;
    *m = (struct odp_mapped){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return odp_failure_set("open", path, errno);
    if (fstat(fd, &st) != 0)
        status = odp_failure_set("stat", path, errno);
    else if (!S_ISREG(st.st_mode) || st.st_size < 0 || (uint64_t)st.st_size != size)
        status = odp_failure_set("map", path, ESTALE);
    else if (size > SIZE_MAX / 2)
        status = odp_failure_set("map", path, EFBIG);
    if (status == ODP_OK && size > 0) {
        void *p = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (p == MAP_FAILED)
            status = odp_failure_set("map", path, errno);
        else
            *m = (struct odp_mapped){p, (size_t)size};
    }
    close(fd);
    if (m->ptr != NULL)
        enter(m, path);
    return status;
}

void odp_mapped_close(struct odp_mapped *m)
{
    for (size_t i = 0; i < PLACES && m->ptr != NULL; i++)
        if (atomic_load(&places[i].to) != 0 && atomic_load(&places[i].from) == (uintptr_t)m->ptr) {
            atomic_store(&places[i].to, 0);
            atomic_store(&places[i].taken, false);
            break;
        }
    if (m->ptr != NULL)
        munmap(m->ptr, m->len);
    *m = (struct odp_mapped){0};
}

const char *odp_mapped_at(const void *address)
{
    for (size_t i = 0; i < PLACES; i++)
        if ((uintptr_t)address < atomic_load(&places[i].to) &&
            (uintptr_t)address >= atomic_load(&places[i].from))
            return places[i].name;
    return NULL;
}
