import { max, range } from 'd3-array';

import { hideable } from '../../address/hideable.js';
import type { AttentionView } from '../../attention/attention-view.js';
import { signedColours } from '../../attention/colour.js';
import { createHeadMap, type MapStyle } from '../../attention/head-map.js';
import { namesOf } from '../../attention/map-content.js';
import type { Register } from '../../attention/map-selection.js';
import { createSignedScale } from '../../attention/signed-scale.js';
import { formatSigned, formatSignedCell, formatWeight } from '../../format/numbers.js';
import { createSelect } from '../../ui/controls/choice.js';
import { element } from '../../ui/dom.js';
import { composeDrawings, type Piece } from '../../ui/export/drawing.js';
import type { Savable } from '../../ui/export/save-menu.js';
import { withHeadColour } from '../../ui/head-colour.js';
import { words } from './words.js';

export interface Compare {
  readonly root: HTMLElement;
  readonly savable: Savable;
  /** Heads and samples counted from 0; `other` is undefined where nothing is compared. */
  draw(view: AttentionView, sample: number, head: number, other: number | undefined): void;
}

interface Options {
  readonly register: Register;
  readonly hatch: string;
  /** Told the head to compare with, counted from 1, and 0 for none. */
  readonly onChoose: (head: number) => void;
}

/** The map of the selected head less that of another one. */
export function createCompare({ register, hatch, onChoose }: Options): Compare {
  const select = createSelect<number>({
    label: words.compare.control,
    nameOf: (head) => (head === 0 ? words.compare.none : words.compare.head(head)),
    onChoose,
  });
  const place = element('div', { class: 'compare-map' });
  const note = element('p', { class: 'note' });
  const pair = element('p', { class: 'compare-pair', 'aria-hidden': 'true' });
  let pieces: readonly Piece[] = [];
  let numbers: unknown;
  return {
    root: hideable(
      'compare',
      element(
        'section',
        { class: 'compare', 'aria-label': words.compare.title },
        element(
          'div',
          { class: 'compare-bar' },
          element('h3', {}, words.compare.title),
          select.root,
        ),
        pair,
        place,
        note,
      ),
    ),
    savable: {
      name: words.compare.name,
      figure: () => composeDrawings(pieces.map((piece) => [piece])),
      data: () => numbers,
    },
    draw(view, sample, head, other) {
      const heads = range(view.numHeads).filter((each) => each !== head);
      select.show(other === undefined ? 0 : other + 1, [0, ...heads.map((each) => each + 1)]);
      pair.hidden = other === undefined;
      if (other === undefined) {
        place.replaceChildren();
        note.textContent = '';
        numbers = undefined;
        return;
      }
      const [, , queries = 0, keys = 0] = view.weights.shape;
      const difference = (query: number, key: number): number =>
        view.weights.at(sample, head, query, key) - view.weights.at(sample, other, query, key);
      const rows = range(queries).map((query) => range(keys).map((key) => difference(query, key)));
      const largest = max(rows.flat(), Math.abs) ?? 0;
      numbers = { sample: sample + 1, head: head + 1, other: other + 1, differences: rows };
      const map = createHeadMap({
        sample,
        head,
        queries,
        keys,
        hatch,
        register,
        title: '',
        label: words.compare.label(head + 1, other + 1, sample + 1),
        names: namesOf(view, sample),
      });
      map.setTabStop(0, 0);
      map.draw(
        (query, key) => ({
          weight: difference(query, key),
          masked: view.isMasked(sample, query, key),
        }),
        differenceStyle(largest),
      );
      pair.replaceChildren(chip(head), ` ${words.compare.minus} `, chip(other));
      const label = words.compare.legend(head + 1, other + 1);
      const ends = formatWeight(largest);
      const scale = createSignedScale({
        ends: words.compare.ends(ends),
        label: words.compare.legendLabel(ends),
      });
      place.replaceChildren(map.root, scale, element('p', { class: 'note' }, label));
      pieces = [
        { drawing: map.drawing, title: words.compare.label(head + 1, other + 1, sample + 1) },
        { drawing: scale, title: label },
      ];
      note.textContent =
        largest === 0 ? words.compare.same : words.compare.largest(formatWeight(largest));
    },
  };
}

/** The name of a head, counted from 0, in its colour. */
const chip = (head: number): HTMLElement =>
  withHeadColour(element('span', { class: 'head-title' }, words.compare.head(head + 1)), head);

/** What one head weighs more or less than another. */
function differenceStyle(largest: number): MapStyle {
  return {
    colours: signedColours(largest),
    short: formatSignedCell,
    spoken: ({ query, key }, { weight, masked }) =>
      words.compare.cell({
        query: query + 1,
        key: key + 1,
        value: formatSigned(weight),
        masked,
      }),
  };
}
