import { range } from 'd3-array';

import { element, newId } from '../dom.js';
import type { AttentionView } from '../layer/attention-view.js';
import { text } from '../text/index.js';
import { createHeadMap, type HeadMap, type MapStyle, type Register } from './head-map.js';
import { valuesOf } from './map-values.js';

export interface SampleRow {
  readonly root: HTMLElement;
  /** One a head. */
  readonly maps: readonly HeadMap[];
  draw(view: AttentionView, styleOf: (head: number) => MapStyle): void;
}

interface Options {
  readonly sample: number;
  /** (batch, head, query, key) */
  readonly shape: readonly number[];
  readonly hatch: string;
  /** Stands in the heading, beside what it changes. */
  readonly control: HTMLElement | undefined;
  readonly register: Register;
  /** Whether maps go without names at their edges. */
  readonly isBare: boolean;
}

/** One sample of the batch: its heading, and the maps of all heads side by side. */
export function createSampleRow(options: Options): SampleRow {
  const { sample, shape, hatch, control, register, isBare } = options;
  const [, heads = 0, queries = 0, keys = 0] = shape;
  const maps = range(heads).map((head) =>
    createHeadMap({
      sample,
      head,
      queries,
      keys,
      hatch,
      register,
      isBare,
      title: text.map.title(head + 1),
      label: text.map.label(head + 1, sample + 1, queries, keys),
    }),
  );
  const id = newId('sample');
  const caption = element('span', { class: 'sample-lens' });
  return {
    root: element(
      'div',
      { class: 'sample', role: 'group', 'aria-labelledby': id },
      element(
        'div',
        { class: 'sample-bar' },
        element('h3', { id }, text.sample.name(sample + 1)),
        control ?? '',
        caption,
      ),
      element('div', { class: 'heads' }, ...maps.map(({ root }) => root)),
    ),
    maps,
    draw(view, styleOf) {
      caption.textContent = text.sample.validLen(view.validLens[sample] ?? 0, keys);
      maps.forEach((map, head) => {
        map.draw(valuesOf(view, sample, head), styleOf(head));
      });
    },
  };
}
