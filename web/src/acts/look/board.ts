import { range } from 'd3-array';
import { html, render, type TemplateResult } from 'lit-html';

import { type LiveMap, liveMapsOf } from '../../attention/live-map.js';
import { words as mapWords } from '../../attention/words.js';
import { element, headStyle, setAttributes } from '../../ui/dom.js';
import type { Piece } from '../../ui/export/drawing.js';
import { colourNow } from '../../ui/export/loop.js';
import { hasHead, type Head, headNamed, nameOfHead, sameHead } from '../../worker/heads.js';
import type { ModelDescription, TextRun } from '../../worker/language-model.js';
import { nameOfRole, roleOf, sayRole } from './roles.js';
import type { Selected } from './state.js';
import { words } from './words.js';

interface Shown {
  readonly model: ModelDescription;
  readonly run: TextRun;
  readonly selected: Selected;
  readonly shut: readonly Head[];
}

/** The switch of a head. */
export const gateOf = (
  place: Head,
  isOpen: boolean,
  onGate: (head: Head) => void,
  tabIndex: -1 | 0 = 0,
  label = '',
): TemplateResult =>
  html`<button
    class="gate soft"
    role="switch"
    tabindex=${tabIndex}
    aria-checked=${isOpen}
    aria-label=${words.gate(place)}
    @click=${() => onGate(place)}
  >
    <span class="switch-track" aria-hidden="true"></span>${label}
  </button>`;

interface Actions {
  readonly onSelect: (head: Head) => void;
  readonly onGate: (head: Head) => void;
}

/** More heads side by side have small tiles, without names and switches. */
const mostLargeColumns = 8;

const arrows: Readonly<Partial<Record<string, readonly [number, number]>>> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

/**
 * Every head of every layer: a map, which selects the head, and its gate. A row for each layer; arrow keys go from tile to
 * tile. Alt and a click on the map shut the head, too.
 */
export function createBoard({ onSelect, onGate }: Actions) {
  const root = element('div.board', { role: 'group', 'aria-label': mapWords.map.heads });
  let maps: readonly (readonly LiveMap[])[] = [];
  let latest: Shown | undefined;
  /** The tile that Tab leads to; arrows lead to the others. */
  let stop: Head = { layer: 0, head: 0 };

  function tile(place: Head, shown: Shown): TemplateResult {
    const { layer, head } = place;
    const { selected, shut, run } = shown;
    const role = roleOf(run.scores[layer][head]);
    const isOpen = !hasHead(shut, place);
    const isSelected = selected.layer === layer && (selected.head ?? head) === head;
    const tabIndex = sameHead(place, stop) ? 0 : -1;
    return html`<div
      class="look-tile"
      data-head=${nameOfHead(place)}
      data-role=${role?.name ?? 'mixed'}
      ?data-shut=${!isOpen}
      ?data-selected=${isSelected}
      .style=${headStyle(head)}
    >
      <button
        class="tile-show"
        tabindex=${tabIndex}
        title=${words.tile(place, sayRole(role))}
        aria-label=${words.show(place, sayRole(role), isOpen)}
        aria-pressed=${isSelected}
        @click=${(event: MouseEvent) => (event.altKey ? onGate : onSelect)(place)}
      >
        ${maps[layer]?.[head]?.root}
      </button>
      <span class="tile-role clipped" aria-hidden="true">${nameOfRole(role)}</span>
      ${gateOf(place, isOpen, onGate, tabIndex)}
    </div>`;
  }

  function draw(shown: Shown): void {
    const { model, run } = shown;
    // Selections and gates on their way change nothing in them.
    if (latest?.run.weights !== run.weights) {
      maps = liveMapsOf(run.weights, run.tokens.length, model.isCausal);
    }
    latest = shown;
    const { numHeads } = model;
    const columns = Math.max(...numHeads);
    root.style.setProperty('--columns', String(columns));
    setAttributes(root, { 'data-size': columns > mostLargeColumns ? 'small' : 'large' });
    if (stop.head >= (numHeads[stop.layer] ?? 0)) stop = { layer: 0, head: 0 };
    render(
      numHeads.map(
        (heads, layer) =>
          html`<h4 class="board-layer soft" aria-label=${mapWords.map.layer(layer + 1)}>
              ${layer + 1}
            </h4>
            <div class="board-row">
              ${range(heads).map((head) => tile({ layer, head }, shown))}
            </div>`,
      ),
      root,
    );
  }

  const headAt = (target: EventTarget | null): Head | undefined => {
    const tile = (target as Element).closest<HTMLElement>('.look-tile');
    return headNamed(tile?.dataset.head ?? '');
  };
  root.addEventListener('focusin', ({ target }) => {
    const place = headAt(target);
    if (place === undefined || latest === undefined || sameHead(place, stop)) return;
    stop = place;
    draw(latest);
  });
  root.addEventListener('keydown', (event) => {
    const [down, across] = arrows[event.key] ?? [0, 0];
    const place = headAt(event.target);
    if (place === undefined || (down === 0 && across === 0)) return;
    event.preventDefault();
    const next = nameOfHead({ layer: place.layer + down, head: place.head + across });
    const kind = (event.target as Element).classList.contains('gate') ? '.gate' : '.tile-show';
    root.querySelector<HTMLElement>(`.look-tile[data-head="${next}"] > ${kind}`)?.focus();
  });

  return {
    root,
    draw,
    /** The maps of all heads, a row for each layer. */
    drawings(): Piece[][] {
      // What is hatched on the page, by its background.
      const fill = colourNow('var(--hatch-ground)');
      return maps.map((row, layer) =>
        row.map((map, head) => {
          const isShut = hasHead(latest?.shut ?? [], { layer, head });
          const role = nameOfRole(latest && roleOf(latest.run.scores[layer][head]));
          const note = isShut ? `${role}, ${words.shut}` : role;
          return { drawing: map.drawing(fill), title: nameOfHead({ layer, head }), note };
        }),
      );
    },
  };
}
