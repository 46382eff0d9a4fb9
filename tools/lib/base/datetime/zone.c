#include "base/datetime/zone.h"

#include <string.h>
#include <strings.h>

#include "base/datetime/scan.h"
#include "base/slice.h"

bool odp_zone_offset(const char *zone, int16_t *minutes)
{
    static const struct {
        const char *name;
        int16_t minutes;
    } zones[] = {
        {"Asia/Jakarta", 420},
        {"Asia/Pontianak", 420},
        {"WIB", 420},
        {"Asia/Makassar", 480},
        {"Asia/Ujung_Pandang", 480},
        {"WITA", 480},
        {"Asia/Jayapura", 540},
        {"WIT", 540},
        {"UTC", 0},
        {"GMT", 0},
        {"Etc/UTC", 0},
        {"Etc/GMT", 0},
    };
    if (zone == NULL)
        return false;
    for (size_t i = 0; i < ODP_COUNT(zones); i++) {
        if (strcasecmp(zone, zones[i].name) == 0) {
            *minutes = zones[i].minutes;
            return true;
        }
    }
    struct odp_date_scan s = {zone, zone + strlen(zone)};
    int16_t found;
    if (!odp_date_offset(&s, &found) || s.p != s.end)
        return false;
    *minutes = found;
    return true;
}
