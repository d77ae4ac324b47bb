import { range } from 'd3-array';

import type { AttentionView } from '../../attention/attention-view.js';
import { pitch } from '../../attention/map-axes.js';
import { valuesOf, weightStyle } from '../../attention/map-content.js';
import { setAttributes, svg } from '../../ui/dom.js';

/** The map of a head as a picture, without cells to reach: those are in the maps above. */
export function drawSmallMap(
  drawing: SVGSVGElement,
  view: AttentionView,
  { sample, head }: { readonly sample: number; readonly head: number },
  style: { readonly hatch: string; readonly largest: number | undefined },
): void {
  const [, , queries = 0, keys = 0] = view.weights.shape;
  const valueAt = valuesOf(view, sample, head);
  const { colours } = weightStyle(head, style.largest);
  setAttributes(drawing, { viewBox: `0 0 ${keys * pitch} ${queries * pitch}` });
  drawing.replaceChildren(
    ...range(queries).flatMap((query) =>
      range(keys).map((key) => {
        const { weight, masked } = valueAt(query, key);
        return svg('rect', {
          x: key * pitch + 1,
          y: query * pitch + 1,
          width: pitch - 2,
          height: pitch - 2,
          rx: 2,
          fill: masked ? style.hatch : colours.fill(weight),
        });
      }),
    ),
  );
}
