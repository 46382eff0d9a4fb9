/* Whether the place of CODE may have a page, <code>.html: the compiler's rule (odp_path_place_is). */
export const isPlacePage = (code) => /^[A-Za-z0-9][\w.-]{0,63}$/.test(code) && code !== "index";
