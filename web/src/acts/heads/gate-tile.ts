import { max } from 'd3-array';
import { scaleLinear } from 'd3-scale';

import type { Origin } from '../../address/store.js';
import type { AttentionView } from '../../attention/attention-view.js';
import { words as mapWords } from '../../attention/words.js';
import { formatSetting, formatShare } from '../../format/numbers.js';
import { createSlider } from '../../ui/controls/slider.js';
import { element, setAttributes, svg } from '../../ui/dom.js';
import { withHeadColour } from '../../ui/head-colour.js';
import { drawSmallMap } from './small-map.js';
import { gateRange } from './state.js';
import { words } from './words.js';

export interface GateTile {
  readonly root: HTMLElement;
  readonly map: SVGSVGElement;
  readonly bar: SVGSVGElement;
  drawMap(view: AttentionView, sample: number, style: { hatch: string; largest?: number }): void;
  show(gate: number, effects: readonly number[], isSelected: boolean): void;
}

const width = 160;
const height = 16;

/** A head's map, its gate below it, and how far this gate alone moves the output. */
export function createGateTile(
  head: number,
  onSlide: (gate: number, origin: Origin) => void,
): GateTile {
  const map = svg('svg', { class: 'gate-map', 'aria-hidden': 'true' });
  const slider = createSlider({
    label: words.gates.gate(head + 1),
    range: gateRange,
    describe: formatSetting,
    onSlide,
  });
  const value = element('span', { class: 'gate-setting', 'aria-hidden': 'true' });
  const without = svg('rect', { class: 'bar-without', x: 1, y: 1, height: height - 2 });
  const now = svg('rect', { class: 'bar', x: 1, y: 1, height: height - 2 });
  const bar = svg(
    'svg',
    { class: 'gate-bar', viewBox: `0 0 ${width} ${height}`, role: 'img' },
    now,
    without,
  );
  const told = {
    now: element('span'),
    without: element('span'),
  };
  const root = element(
    'div',
    { class: 'gate-tile' },
    element(
      'div',
      { class: 'head-name' },
      element('span', { class: 'head-title' }, mapWords.map.title(head + 1)),
    ),
    map,
    element(
      'div',
      { class: 'gate-row' },
      element('span', { class: 'gate-name', 'aria-hidden': 'true' }, words.gates.gateShort),
      slider.root,
      value,
    ),
    bar,
    element('div', { class: 'gate-effect', 'aria-hidden': 'true' }, told.now, told.without),
  );
  return {
    root: withHeadColour(root, head),
    map,
    bar,
    drawMap(view, sample, { hatch, largest }) {
      drawSmallMap(map, view, { sample, head }, { hatch, largest });
    },
    show(gate, effects, isSelected) {
      slider.show(gate);
      value.textContent = formatSetting(gate);
      setAttributes(root, { 'data-selected': isSelected });
      const silence = effects[head] ?? 0;
      // Gates scale what a head adds to the output: half shut, a gate moves it half as far.
      const moved = (1 - gate) * silence;
      const largest = max(effects) ?? 0;
      const x = scaleLinear([0, largest === 0 ? 1 : largest], [0, width - 2]);
      setAttributes(without, { width: x(silence) });
      setAttributes(now, { width: x(moved) });
      const shares = [formatShare(moved), formatShare(silence)] as const;
      setAttributes(bar, { 'aria-label': words.gates.bar(head + 1, ...shares) });
      told.now.textContent = words.gates.now(shares[0]);
      told.without.textContent = words.gates.without(shares[1]);
    },
  };
}
