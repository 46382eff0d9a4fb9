/* QR codes (ISO/IEC 18004) as vector graphics. Level M with its quiet zone, white, so that it may stand on
 * any ground; all modules are one path, so no renderer draws seams. */
#include <errno.h>

#include "write/pdf/pdf_internal.h"

/* Modules of white around the code (ISO/IEC 18004, 5.3.8). */
#define QUIET 4

/* Runs of dark modules become rectangles of one path, filled at once: no seams between them. */
static void add_modules(cairo_t *cr, const QRcode *code, double x, double y, double module)
{
    for (int row = 0; row < code->width; row++)
        for (int at = 0; at < code->width;) {
            const unsigned char *m = code->data + (ptrdiff_t)row * code->width;
            int end = at;
            while (end < code->width && (m[end] & 1) != 0)
                end++;
            if (end > at)
                cairo_rectangle(cr, x + at * module, y + row * module, (end - at) * module, module);
            at = end + (end == at);
        }
}

enum odp_status odp_print_qr(cairo_t *cr, const char *text, double x, double y, double side)
{
    QRcode *code = QRcode_encodeString(text, 0, QR_ECLEVEL_M, QR_MODE_8, 1);
    if (code == NULL)
        return odp_failure_set("QR code", text, errno != 0 ? errno : EINVAL);
    double module = side / (code->width + 2 * QUIET);
    cairo_save(cr);
    cairo_new_path(cr);
    cairo_rectangle(cr, x, y, side, side);
    cairo_set_source_rgb(cr, 1, 1, 1);
    cairo_fill(cr);
    add_modules(cr, code, x + QUIET * module, y + QUIET * module, module);
    cairo_set_source_rgb(cr, 0, 0, 0);
    cairo_fill(cr);
    cairo_restore(cr);
    QRcode_free(code);
    return cairo_status(cr) == CAIRO_STATUS_SUCCESS
               ? ODP_OK
               : odp_failure_set("draw", cairo_status_to_string(cairo_status(cr)), 0);
}
