import { maxIndex, minIndex, range } from 'd3-array';
import { html, nothing, render, type TemplateResult } from 'lit-html';

import { hideable } from '../../address/hideable.js';
import type { Store } from '../../address/store.js';
import type { AttentionView } from '../../attention/attention-view.js';
import type { LayerSettings } from '../../attention/layer.js';
import { largestOf } from '../../attention/map-content.js';
import { words as mapWords } from '../../attention/words.js';
import { formatShare } from '../../format/numbers.js';
import { joinSentences, sentenceGap } from '../../format/sentences.js';
import { element, setAttributes } from '../../ui/dom.js';
import { composeDrawings } from '../../ui/export/drawing.js';
import type { Savable } from '../../ui/export/save-menu.js';
import { createStage } from '../../ui/stage.js';
import { ablationEffects, gateEffect, type GateEffect } from './gate-effect.js';
import { createGateTile, type GateTile } from './gate-tile.js';
import { createSampleChoice } from './sample-choice.js';
import { gatesOf, type HeadsState } from './state.js';
import { words } from './words.js';

export interface GatePanel {
  readonly root: HTMLElement;
  readonly savable: Savable;
  draw(view: AttentionView, settings: LayerSettings): void;
}

/** As many heads have maps of a size at which they are seen from afar. */
const largeTiles = 6;

/** A gate for each head below its map, and what the gates do to the output. */
export function createGatePanel(store: Store<HeadsState>, hatch: string): GatePanel {
  const place = element('div', { class: 'gates' });
  const moved = element('p', { class: 'gates-moved' });
  const loud = element('p', { class: 'gates-loud note' });
  const open = element('button', { type: 'button' }, words.gates.open);
  open.addEventListener('click', () => {
    store.change({ gates: [] });
  });
  const sample = createSampleChoice(store);
  let tiles: readonly GateTile[] = [];
  let effect: GateEffect = { queries: [], share: 0 };
  let without: readonly number[] = [];
  let measured: AttentionView | undefined;
  let drawnFor: readonly unknown[] = [];

  function build(heads: number): void {
    tiles = range(heads).map((head) =>
      createGateTile(head, (gate, origin) => {
        const gates = [...gatesOf(store.state)];
        gates[head] = gate;
        store.change({ gates, head: head + 1 }, origin);
      }),
    );
    place.replaceChildren(...tiles.map(({ root }) => root));
    setAttributes(place, { 'data-many': heads > largeTiles });
    drawnFor = [];
  }

  /** Gates leave the maps as they are, and a slider on its way should not wait for them. */
  function drawMaps(view: AttentionView): void {
    const { sample: shown, contrast } = store.state;
    const now = [view, shown, contrast];
    if (now.every((value, at) => value === drawnFor[at])) return;
    drawnFor = now;
    tiles.forEach((tile, head) => {
      const style = contrast ? { hatch, largest: largestOf(view, head) } : { hatch };
      tile.drawMap(view, shown - 1, style);
    });
  }

  const savable: Savable = {
    name: words.gates.name,
    figure: () =>
      composeDrawings(
        tiles.map(({ map, bar }, head) => [
          { drawing: map, title: mapWords.map.title(head + 1) },
          { drawing: bar, title: bar.getAttribute('aria-label') ?? '' },
        ]),
      ),
    data() {
      const gates = gatesOf(store.state);
      const heads = without.map((share, head) => ({
        without: share,
        now: (1 - (gates[head] ?? 1)) * share,
      }));
      return { gates, ...effect, heads };
    },
  };
  return {
    root: hideable(
      'gates',
      element(
        'section',
        { class: 'gate-panel', 'aria-label': words.gates.title },
        createStage({
          label: words.gates.title,
          rail: [
            element('h3', {}, words.gates.title),
            element('p', { class: 'note' }, words.gates.intro),
            element('div', { class: 'gates-now rail-pinned' }, moved, open),
            sample.root,
            loud,
          ],
          views: [element('div', {}, place, element('p', { class: 'note' }, words.gates.bars))],
        }),
      ),
    ),
    savable,
    draw(view, settings) {
      const gates = gatesOf(store.state);
      if (tiles.length !== gates.length) build(gates.length);
      if (measured !== view) {
        measured = view;
        without = ablationEffects(view, settings);
        render(sentenceOn(without, store.state), loud);
      }
      sample.show(view.weights.shape[0] ?? 1);
      drawMaps(view);
      tiles.forEach((tile, head) => {
        tile.show(gates[head] ?? 1, without, head === store.state.head - 1);
      });
      const isOpen = gates.every((gate) => gate === 1);
      setAttributes(open, { 'aria-disabled': isOpen ? 'true' : undefined });
      effect = gateEffect(view, settings, gates);
      setAttributes(moved, { 'data-share': effect.share });
      moved.textContent = isOpen ? words.gates.still : words.gates.moved(formatShare(effect.share));
    },
  };
}

/** What the bars must not be taken for. */
function sentenceOn(
  without: readonly number[],
  { file }: HeadsState,
): TemplateResult | typeof nothing {
  // Without its only head the output of a layer is its bias: there is nothing to compare.
  if (without.length < 2) return nothing;
  const [most, least] = [maxIndex(without), minIndex(without)];
  const sentence = words.gates.loud({
    most: most + 1,
    mostShare: formatShare(without[most] ?? 0),
    least: least + 1,
    leastShare: formatShare(without[least] ?? 0),
  });
  const isOwn = file !== undefined && 'parameters' in file;
  const told = joinSentences([sentence, isOwn ? words.gates.unknownTask : words.gates.untrained]);
  return html`${told + sentenceGap()}<a href="#prune">${words.gates.importance}</a>`;
}
