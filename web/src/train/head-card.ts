import { element, setAttributes, svg } from '../dom.js';
import type { Piece } from '../export/compose.js';
import { resolveStyles } from '../export/resolve-styles.js';
import { formatPercent } from '../format.js';
import type { Head } from '../lab/heads.js';
import type { ScoreName } from '../lab/run.js';
import { text } from '../text/index.js';
import { createLiveMap, mapSide } from './live-map.js';
import type { RunRecord } from './run-record.js';
import { scoreAt, scoresOf } from './roles.js';
import { createScoreLines } from './score-lines.js';

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
      element('span', {}, text.train.head(place.head + 1)),
      ' ',
      roleName,
    ),
    map.root,
    lines.root,
  );
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
      const words = role === undefined ? text.train.noRole : text.train.role(role, task);
      if (roleName.textContent !== words) roleName.textContent = words;
      const { latest } = record;
      const scores = scoresOf[task].map((name) => {
        const share = latest === undefined ? NaN : scoreAt(latest, heads, place, name);
        return `${text.train.score(name, task)} ${formatPercent(share)}`;
      });
      setAttributes(root, {
        'data-role': role,
        'aria-label': text.train.card(
          { layer: place.layer + 1, head: place.head + 1 },
          words,
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
        title: text.train.enlarged({ layer: place.layer + 1, head: place.head + 1 }),
        note: roleName.textContent,
      };
    },
    showChosen(isChosen) {
      root.setAttribute('aria-pressed', String(isChosen));
    },
  };
}
