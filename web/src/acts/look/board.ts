import { range } from 'd3-array';
import { html, render, svg, type TemplateResult } from 'lit-html';

import { element, headStyle, setAttributes, svg as svgElement } from '../../ui/dom.js';
import { type Piece, resolveStyles } from '../../ui/export/drawing.js';
import { type Head, nameOfHead, sameHead } from '../../worker/heads.js';
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

interface Actions {
  readonly onSelect: (head: Head) => void;
  readonly onGate: (head: Head) => void;
}

/** More heads side by side have small tiles, without names and switches. */
const mostLargeColumns = 8;

/** Width and height of a map that is saved, in units of its drawing. */
const savedSide = 160;

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
  const root = element('div.board', { role: 'group', 'aria-label': words.board });
  let maps:
    | {
        readonly weights: TextRun['weights'];
        readonly drawn: readonly (readonly TemplateResult[])[];
      }
    | undefined;
  let latest: Shown | undefined;
  /** The tile that Tab leads to; arrows lead to the others. */
  let stop: Head = { layer: 0, head: 0 };

  /** Drawn once for each reading: selections and gates on their way change nothing in them. */
  function mapsOf({ model, run }: Shown): readonly (readonly TemplateResult[])[] {
    if (maps?.weights === run.weights) return maps.drawn;
    const { length } = run.tokens;
    const area = length * length;
    const drawn = model.numHeads.map((heads, layer) =>
      range(heads).map((head) =>
        tileMap(
          run.weights[layer].subarray(head * area, (head + 1) * area),
          length,
          model.isCausal,
        ),
      ),
    );
    maps = { weights: run.weights, drawn };
    return drawn;
  }

  function tile(place: Head, map: TemplateResult | undefined, shown: Shown): TemplateResult {
    const { layer, head } = place;
    const { selected, shut, run } = shown;
    const role = roleOf(run.scores[layer][head]);
    const isOpen = !shut.some((each) => sameHead(each, place));
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
        ${map}
      </button>
      <span class="tile-role" aria-hidden="true">${nameOfRole(role)}</span>
      <button
        class="gate soft"
        role="switch"
        tabindex=${tabIndex}
        aria-checked=${isOpen}
        aria-label=${words.gate(place)}
        @click=${() => onGate(place)}
      >
        <span class="gate-knob" aria-hidden="true"></span>
      </button>
    </div>`;
  }

  function draw(shown: Shown): void {
    latest = shown;
    const { numHeads } = shown.model;
    const columns = Math.max(...numHeads);
    root.style.setProperty('--columns', String(columns));
    setAttributes(root, { 'data-size': columns > mostLargeColumns ? 'small' : 'large' });
    if (stop.head >= (numHeads[stop.layer] ?? 0)) stop = { layer: 0, head: 0 };
    const drawn = mapsOf(shown);
    render(
      numHeads.map(
        (heads, layer) =>
          html`<h4 class="board-layer soft" aria-label=${words.layer(layer)}>${layer + 1}</h4>
            <div class="board-row">
              ${range(heads).map((head) => tile({ layer, head }, drawn[layer]?.[head], shown))}
            </div>`,
      ),
      root,
    );
  }

  const headAt = (target: EventTarget | null): Head | undefined => {
    const name = (target as Element).closest<HTMLElement>('.look-tile')?.dataset.head;
    if (name === undefined) return undefined;
    const [layer, head] = name.split('.').map(Number);
    return { layer: layer - 1, head: head - 1 };
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
    drawings: () =>
      [...root.querySelectorAll('.board-row')].map((row) =>
        [...row.querySelectorAll<HTMLElement>('.look-tile')].map(pieceOf),
      ),
  };
}

/** A tile's map, to be saved. */
function pieceOf(tile: HTMLElement): Piece {
  const map = tile.querySelector<SVGSVGElement>('.tile-map');
  if (map === null) throw new Error('a tile without a map');
  const { drawing } = resolveStyles(map);
  setAttributes(drawing, { width: savedSide, height: savedSide });
  // What is hatched on the page, by its background.
  const fill = getComputedStyle(tile).getPropertyValue('--hatch-ground');
  drawing.prepend(svgElement('rect', { width: '100%', height: '100%', fill }));
  const framed = svgElement('svg', { viewBox: `0 0 ${savedSide} ${savedSide}` }, drawing);
  const { head = '', shut } = tile.dataset;
  const role = tile.querySelector('.tile-role')?.textContent ?? '';
  const note = shut === undefined ? role : `${role}, ${words.shut}`;
  return { drawing: framed, title: head, note };
}

/** As many steps as a small cell lets one tell. */
const steps = 10;

/**
 * The map of one head, small: its colour, the stronger the larger the weight. One path for each step, so that a map of
 * forty tokens has eleven elements.
 *
 * @param weights (tokens, tokens), queries down and keys across
 */
export function tileMap(weights: Float32Array, tokens: number, isCausal: boolean): TemplateResult {
  const seen = range(tokens).map((query) => `M0,${query}h${isCausal ? query + 1 : tokens}v1H0z`);
  const cells = new Array<string>(steps + 1).fill('');
  for (let query = 0; query < tokens; query += 1) {
    for (let key = 0; key < tokens; key += 1) {
      const step = Math.min(steps, Math.round(steps * (weights[query * tokens + key] ?? 0)));
      if (step > 0) cells[step] += `M${key},${query}h1v1h-1z`;
    }
  }
  return svg`<svg class="tile-map" aria-hidden="true" preserveAspectRatio="none" viewBox="0 0 ${tokens} ${tokens}">
    <path class="tile-seen" d=${seen.join('')}></path>
    ${cells
      .map((path, step) => ({ path, step }))
      .filter(({ path }) => path !== '')
      .map(
        ({ path, step }) =>
          svg`<path class="tile-weights" fill-opacity=${step / steps} d=${path}></path>`,
      )}
  </svg>`;
}
