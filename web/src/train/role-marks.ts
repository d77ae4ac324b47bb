import { svg } from '../dom.js';
import type { RoleEvent } from './roles.js';

/** A line across a chart, from `top` to `bottom`, where a head took a role. */
export function createRoleMarks(
  events: readonly RoleEvent[],
  x: (step: number) => number,
  top: number,
  bottom: number,
): SVGElement[] {
  return events
    .filter(({ kind }) => kind === 'took')
    .map(({ step, score }) =>
      svg('line', {
        class: 'line role-mark',
        'data-series': score,
        x1: x(step),
        x2: x(step),
        y1: top,
        y2: bottom,
      }),
    );
}
