import { render } from 'lit-html';
import { group } from 'd3-array';

import { createLiveMap, mapSide } from '../../attention/live-map.js';
import { formatPercent } from '../../format/numbers.js';
import { element, setAttributes, svg } from '../../ui/dom.js';
import { withHeadColour } from '../../ui/head-colour.js';
import { type Piece, resolveStyles } from '../../ui/export/drawing.js';
import { type Head, sameHead } from '../../worker/heads.js';
import type { ScoreName } from '../../worker/training.js';
import { createScoreLines } from './curves.js';
import { type RunRecord, scoreAt, scoresOf } from './run-record.js';
import { words } from './words.js';

export interface HeadCards {
  readonly root: HTMLElement;
  draw(record: RunRecord, chosen: Head | undefined): void;
  /** Map and lines of every head, a row a layer. */
  drawings(hatchId: string): Piece[][];
}

/** All heads of the model, a row a layer. */
export function createHeadCards(onChoose: (place: Head) => void): HeadCards {
  const root = element('div', {
    class: 'run-layers',
    role: 'group',
    'aria-label': words.maps,
  });
  let cards: readonly HeadCard[] = [];
  let drawn: RunRecord | undefined;

  const build = ({ places, start, options }: RunRecord): void => {
    const length = start.tokens.length;
    cards = places.map((place) =>
      createHeadCard(place, length, () => {
        onChoose(place);
      }),
    );
    root.replaceChildren(
      ...Array.from(layersOf(cards), ([layer, ofLayer]) =>
        element(
          'div',
          { class: 'run-layer' },
          element('h3', { class: 'run-layer-name' }, words.layer(layer + 1)),
          element(
            'div',
            { class: 'head-cards', 'data-heads': options.heads },
            ...ofLayer.map((card) => card.root),
          ),
        ),
      ),
    );
  };
  const isAlike = (a: RunRecord, b: RunRecord): boolean =>
    a.places.length === b.places.length &&
    a.options.heads === b.options.heads &&
    a.start.tokens.length === b.start.tokens.length;

  return {
    root,
    drawings: (hatchId) =>
      Array.from(layersOf(cards), ([, ofLayer]) => ofLayer.map((card) => card.drawing(hatchId))),
    draw(record, chosen) {
      if (drawn === undefined || !isAlike(drawn, record)) build(record);
      drawn = record;
      const { roles } = record;
      cards.forEach((card, i) => {
        card.draw(record, roles[i]);
        card.showChosen(chosen !== undefined && sameHead(card.place, chosen));
      });
    },
  };
}

const layersOf = (cards: readonly HeadCard[]): Map<number, HeadCard[]> =>
  group(cards, ({ place }) => place.layer);

export interface HeadCard {
  readonly root: HTMLButtonElement;
  readonly place: Head;
  draw(record: RunRecord, role: ScoreName | undefined): void;
  showChosen(isChosen: boolean): void;
  /** Its map and its lines, to be saved. */
  drawing(hatchId: string): Piece;
}

/** Between map and lines, when they are saved. */
const gap = 8;

/** One head while it learns: its map, its role, its lines. Pressing it chooses the head. */
export function createHeadCard(place: Head, length: number, onChoose: () => void): HeadCard {
  const map = createLiveMap(length);
  const lines = createScoreLines(place);
  const roleName = element('span', { class: 'head-role' });
  const root = element(
    'button',
    { type: 'button', class: 'head-card' },
    element(
      'span',
      { class: 'head-card-name' },
      element('span', {}, words.head(place.head + 1)),
      ' ',
      roleName,
    ),
    map.root,
    lines.root,
  );
  withHeadColour(root, place.head);
  root.addEventListener('click', onChoose);
  return {
    root,
    place,
    draw(record, role) {
      const { task, heads } = record.options;
      const area = length * length;
      const weights = record.weights[place.layer];
      map.draw(weights.subarray(place.head * area, (place.head + 1) * area));
      lines.draw(record);
      const roleText = role === undefined ? words.noRole : words.role(role, task);
      render(roleText, roleName);
      const { latest } = record;
      const scores = scoresOf[task].map((name) => {
        const share = latest === undefined ? NaN : scoreAt(latest, heads, place, name);
        return `${words.score(name, task)} ${formatPercent(share)}`;
      });
      setAttributes(root, {
        'data-role': role,
        'aria-label': words.card(
          { layer: place.layer + 1, head: place.head + 1 },
          roleText,
          scores.join(', '),
        ),
      });
    },
    drawing(hatchId) {
      const { drawing, height } = resolveStyles(lines.root);
      setAttributes(drawing, { y: mapSide + gap, width: mapSide });
      const size = { width: mapSide, height: mapSide + gap + height };
      return {
        drawing: svg(
          'svg',
          { viewBox: `0 0 ${size.width} ${size.height}`, ...size },
          map.drawing(hatchId),
          drawing,
        ),
        title: words.enlarged({ layer: place.layer + 1, head: place.head + 1 }),
        note: roleName.textContent,
      };
    },
    showChosen(isChosen) {
      root.setAttribute('aria-pressed', String(isChosen));
    },
  };
}
