"""The results as a picture (SVG): a bar a contender, its length the median time as a multiple of our fastest, on a logarithmic scale."""
import math
from html import escape

WIDTH, LEFT, BAR, GAP = 960, 300, 20, 6
OURS, THEIRS, INK, PALE = "#0b6e4f", "#8a97a6", "#1c2733", "#d9dee4"


def bars(results):
    """(title, [(name, seconds, memory, ours)]) of each workload."""
    for r in results:
        rows = [(c["name"], c["median"], c["memory"], c["ours"]) for c in r["contenders"]]
        if rows:
            yield r["title"], sorted(rows, key=lambda row: row[1])


def label(seconds):
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:.2f} s"


def svg(results, caption):
    out, y = [], 64
    for title, rows in bars(results):
        out.append(f'<text x="20" y="{y}" font-weight="bold">{escape(title)}</text>')
        y += 12
        least, most = rows[0][1], rows[-1][1]
        own = min((row[1] for row in rows if row[3]), default=least)
        room = WIDTH - LEFT - 190
        for name, seconds, memory, ours in rows:
            length = room * (0.04 + 0.96 * math.log(seconds / least) / math.log(most / least)) if most > least else room * 0.04
            out.append(f'<text x="{LEFT - 8}" y="{y + 15}" text-anchor="end">{escape(name)}</text>'
                       f'<rect x="{LEFT}" y="{y}" width="{length:.1f}" height="{BAR}" fill="{OURS if ours else THEIRS}"/>'
                       f'<text x="{LEFT + length + 6:.1f}" y="{y + 15}">{label(seconds)} · {seconds / own:.1f}× · {memory:.0f} MiB</text>')
            y += BAR + GAP
        y += 34
    head = (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" font-family="sans-serif" font-size="13" fill="{INK}" role="img">'
            f'<rect width="{WIDTH}" height="{y}" fill="#fff"/><text x="20" y="24" font-size="16" font-weight="bold">odp beside its peers</text>'
            f'<text x="20" y="42">{escape(caption)}</text>')
    return head + "".join(out) + "</svg>\n"
