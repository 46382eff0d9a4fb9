/* The picture's drawing tools: words in its language, places, paths. */
#include "base/json_load.h"
#include "write/map/picture_internal.h"

const char *picture_in(const struct picture *m, const json_t *o, const char *key)
{
    const json_t *both = json_object_get(o, key);
    const char *text = odp_json_text(both, picture_is_english(m) ? "en" : "id");
    return text != NULL ? text : "";
}

void picture_project(const struct picture *m, double lon, double lat, double *x, double *y)
{
    *x = (lon - m->west) * m->kx * m->scale * 10;
    *y = (m->north - lat) * m->scale * 10;
}

/* "12.3", ".5", "-.5", "7": as short as SVG allows. */
void picture_number(struct odp_buffer *out, int tenths)
{
    int whole = tenths / 10, rest = tenths % 10;
    if (tenths < 0)
        odp_buffer_add_char(out, '-');
    whole = whole < 0 ? -whole : whole;
    rest = rest < 0 ? -rest : rest;
    if (whole != 0 || rest == 0)
        odp_buffer_add_u64(out, (uint64_t)whole);
    if (rest != 0) {
        odp_buffer_add_char(out, '.');
        odp_buffer_add_char(out, (char)('0' + rest));
    }
}

void picture_move(struct picture_pen *pen, int x, int y)
{
    odp_buffer_add_char(pen->out, 'M');
    picture_number(pen->out, x);
    if (y >= 0)
        odp_buffer_add_char(pen->out, ' ');
    picture_number(pen->out, y);
    *pen = (struct picture_pen){pen->out, x, y, false};
}

void picture_line(struct picture_pen *pen, int x, int y)
{
    int dx = x - pen->x, dy = y - pen->y;
    if (!pen->drawn)
        odp_buffer_add_char(pen->out, 'l');
    else if (dx >= 0)
        odp_buffer_add_char(pen->out, ' ');
    picture_number(pen->out, dx);
    if (dy >= 0)
        odp_buffer_add_char(pen->out, ' ');
    picture_number(pen->out, dy);
    *pen = (struct picture_pen){pen->out, x, y, true};
}
