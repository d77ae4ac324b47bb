import { svg } from '../dom.js';

/** What axes need of a scale of d3-scale. */
interface Scale {
  (value: number): number;
  range(): number[];
  ticks(count?: number): number[];
  tickFormat(count?: number, specifier?: string): (value: number) => string;
}

interface Axis {
  readonly scale: Scale;
  readonly ticks: number;
  readonly name: string;
}

/** Lines across at the marks of `y`, and their numbers; `span` is from where to where they go. */
export function drawGrid(y: Axis, [left = 0, right = 0]: readonly number[]): SVGGElement {
  const [bottom = 0, top = 0] = y.scale.range();
  return svg(
    'g',
    { class: 'chart-axes' },
    ...marksOf(y).map(([at, mark]) =>
      svg(
        'g',
        { transform: `translate(0 ${at})` },
        svg('line', { class: 'chart-grid', x1: left, x2: right }),
        svg('text', { x: left - 8, dy: '0.32em', 'text-anchor': 'end' }, mark),
      ),
    ),
    svg('line', { class: 'chart-base', x1: left, x2: right, y1: bottom, y2: bottom }),
    svg('text', { x: left, y: top - 12 }, y.name),
  );
}

/** The grid, and numbers along `x`. */
export function drawAxes(x: Axis, y: Axis): SVGGElement {
  const span = x.scale.range();
  const [bottom = 0] = y.scale.range();
  return svg(
    'g',
    { class: 'chart-axes' },
    drawGrid(y, span),
    ...marksOf(x).map(([at, mark]) =>
      svg('text', { x: at, y: bottom + 18, 'text-anchor': 'middle' }, mark),
    ),
    svg('text', { x: span[1], y: bottom + 36, 'text-anchor': 'end' }, x.name),
  );
}

/** Places and words; marks that a logarithmic scale leaves without a number are left out. */
function marksOf({ scale, ticks }: Axis): [number, string][] {
  const format = scale.tickFormat(ticks, '.4~g');
  return scale
    .ticks(ticks)
    .map((mark): [number, string] => [scale(mark), format(mark)])
    .filter(([, mark]) => mark !== '');
}
