"""Curves as SVG, with logarithmic axes, and nothing but the standard library."""

import math

WIDTH, HEIGHT = 720, 440
LEFT, RIGHT, TOP, BOTTOM = 90, 180, 50, 60
COLOURS = ("#1f5fa8", "#c2512a", "#2d7d46", "#7a4ea3")


class Line:
    """A named list of points (x, y), all above 0."""

    def __init__(self, name, points):
        self.name, self.points = name, points


def ticks(low, high):
    """The powers of ten from below `low` to above `high`."""
    return [10.0**power for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]


def label(value):
    """1, 10, 100, 1 k, 10 k, 1 M; 0.1, 0.01."""
    for factor, unit in ((1e6, " M"), (1e3, " k")):
        if value >= factor:
            return f"{value / factor:g}{unit}"
    return f"{value:g}"


def _escaped(text):
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _text(x, y, text, anchor="middle", more=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{more}>{_escaped(text)}</text>'


def _scale(values, begin, end):
    """A function from a value to its place, and the marks of the axis."""
    marks = ticks(min(values), max(values))
    if len(marks) == 1:
        marks.append(marks[0] * 10)
    low, high = math.log10(marks[0]), math.log10(marks[-1])
    return (lambda value: begin + (math.log10(value) - low) / (high - low) * (end - begin)), marks


def svg(title, x_name, y_name, lines):
    """The picture of some lines; those without a point are left out."""
    lines = [line for line in lines if line.points]
    every = [point for line in lines for point in line.points]
    if not every:
        raise ValueError(f"{title}: there is no point to draw")
    across, x_marks = _scale([x for x, _ in every], LEFT, WIDTH - RIGHT)
    up, y_marks = _scale([y for _, y in every], HEIGHT - BOTTOM, TOP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        'font-family="sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        _text(LEFT, TOP - 22, title, "start", ' font-size="16"'),
    ]
    for mark in x_marks:
        x = across(mark)
        parts.append(f'<path d="M{x:.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#ddd"/>')
        parts.append(_text(x, HEIGHT - BOTTOM + 18, label(mark)))
    for mark in y_marks:
        y = up(mark)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        parts.append(_text(LEFT - 8, y + 4, label(mark), "end"))
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - BOTTOM + 42, x_name))
    middle = (TOP + HEIGHT - BOTTOM) / 2
    parts.append(_text(24, middle, y_name, "middle", f' transform="rotate(-90 24 {middle:.1f})"'))
    for number, line in enumerate(lines):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join(f"{'ML'[place > 0]}{across(x):.1f} {up(y):.1f}" for place, (x, y) in enumerate(line.points))
        parts.append(f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{across(x):.1f}" cy="{up(y):.1f}" r="3" fill="{colour}"/>' for x, y in line.points]
        parts.append(_text(WIDTH - RIGHT + 14, TOP + 16 + 20 * number, line.name, "start", f' fill="{colour}"'))
    return "\n".join([*parts, "</svg>", ""])
