import { scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';

import { thin, type Point } from '../chart/thin.js';
import type { Head } from '../lab/heads.js';
import { sameHead } from '../lab/heads.js';
import { svg } from '../dom.js';
import { createRoleMarks } from './role-marks.js';
import type { RunRecord } from './run-record.js';
import { scoreAt, scoresOf } from './roles.js';
import { stepsShown } from './steps-shown.js';

const size = { width: 200, height: 60 } as const;
const inset = 3;

export interface ScoreLines {
  readonly root: SVGSVGElement;
  draw(record: RunRecord): void;
}

/** What one head looks at, from the first step on: a small line for each thing it may look at. */
export function createScoreLines(place: Head): ScoreLines {
  const root = svg('svg', {
    class: 'score-lines',
    viewBox: `0 0 ${size.width} ${size.height}`,
    preserveAspectRatio: 'none',
    'aria-hidden': 'true',
  });
  return {
    root,
    draw(record) {
      const { heads, task } = record.options;
      const x = scaleLinear([0, stepsShown(record.step)], [0, size.width]);
      const y = scaleLinear([0, 1], [size.height - inset, inset]);
      const lines = scoresOf[task].map((name) => {
        const path = line<Point>(
          ([step]) => x(step),
          ([, share]) => y(share),
        ).digits(1);
        const shares = record.measurements.map((measurement): Point => [
          measurement.step,
          scoreAt(measurement, heads, place, name),
        ]);
        const d = path(thin(shares, size.width)) ?? '';
        return svg('path', { class: 'line', 'data-series': name, d });
      });
      const own = record.events.filter((event) => sameHead(event.place, place));
      root.replaceChildren(
        svg('line', { class: 'chart-base', x2: size.width, y1: y(0), y2: y(0) }),
        ...createRoleMarks(own, x, 0, size.height),
        ...lines,
      );
    },
  };
}
