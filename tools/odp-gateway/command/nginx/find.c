/* Where nginx is on this machine, and the module; which name servers it asks. */
#include "command/nginx/find.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

enum { PATH_LEN = 4096 };

static bool is_program(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

const char *nginx_find(struct odp_arena *a, const char *named)
{
    const char *path = getenv("PATH");
    char *all = odp_arena_printf(a, "%s:/usr/sbin:/usr/local/sbin:/usr/local/nginx/sbin:/sbin:/usr/bin",
                                 odp_or_empty(path));
    if (named != NULL && strchr(named, '/') != NULL)
        return is_program(named) ? named : NULL;
    for (char *save = NULL, *dir = strtok_r(all, ":", &save); dir != NULL; dir = strtok_r(NULL, ":", &save)) {
        const char *full = odp_path_join(a, dir, named != NULL ? named : "nginx");
        if (*dir == '/' && is_program(full))
            return full;
    }
    return NULL;
}

const char *nginx_find_module(struct odp_arena *a, const char *named)
{
    static const char *const dirs[] = {"/usr/lib/nginx/modules", "/usr/lib64/nginx/modules",
                                       "/usr/local/nginx/modules"};
    char self[PATH_LEN];
    if (named != NULL)
        return access(named, R_OK) == 0 ? named : NULL;
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n > 0) {
        self[n] = '\0';
        char *slash = strrchr(self, '/');
        *(slash != NULL ? slash : self) = '\0';
        const char *beside = odp_path_join(a, self, "ngx_http_odp_module.so");
        if (access(beside, R_OK) == 0)
            return beside;
    }
    for (size_t i = 0; i < ODP_COUNT(dirs); i++) {
        const char *full = odp_path_join(a, dirs[i], "ngx_http_odp_module.so");
        if (access(full, R_OK) == 0)
            return full;
    }
    return NULL;
}

const char *nginx_resolver(struct odp_arena *a)
{
    struct odp_buffer text = {0}, out = {0};
    const char *result = "";
    if (odp_file_read("/etc/resolv.conf", 65536, &text, NULL) == ODP_OK && *odp_buffer_cstr(&text) != '\0') {
        char *save = NULL, address[64];
        unsigned char bytes[16];
        for (char *line = strtok_r(text.ptr, "\n", &save); line != NULL; line = strtok_r(NULL, "\n", &save)) {
            if (sscanf(line, "nameserver %63s", address) != 1)
                continue;
            bool v6 = inet_pton(AF_INET6, address, bytes) == 1;
            if (v6 || inet_pton(AF_INET, address, bytes) == 1)
                odp_buffer_printf(&out, v6 ? "%s[%s]" : "%s%s", out.len > 0 ? " " : "", address);
        }
        result = odp_arena_str(a, odp_buffer_cstr(&out));
    }
    if (text.failed || out.failed)
        result = NULL;
    odp_buffer_release(&text);
    odp_buffer_release(&out);
    return result;
}
