import { max, maxIndex, range } from 'd3-array';
import { scaleLinear } from 'd3-scale';

import { hideable } from '../../address/hideable.js';
import type { Store } from '../../address/store.js';
import type { AttentionView } from '../../attention/attention-view.js';
import type { LayerSettings } from '../../attention/layer.js';
import { namesOf } from '../../attention/map-content.js';
import { words as mapWords } from '../../attention/words.js';
import { formatSetting, formatShare } from '../../format/numbers.js';
import { createNamedSlider, type Slider } from '../../ui/controls/slider.js';
import { element, setAttributes, svg } from '../../ui/dom.js';
import { withHeadColour } from '../../ui/head-colour.js';
import type { Savable } from '../../ui/export/save-menu.js';
import { createGoal } from '../../ui/notices.js';
import { gateEffect, type GateEffect, ablationEffects } from './gate-effect.js';
import { gateRange, gatesOf, type HeadsState } from './state.js';
import { words } from './words.js';

export interface GatePanel {
  readonly root: HTMLElement;
  readonly savable: Savable;
  draw(view: AttentionView, settings: LayerSettings): GateEffect;
}

/** A gate for each head, and what the gates do to the output. */
export function createGatePanel(store: Store<HeadsState>): GatePanel {
  const bars = createGateBars();
  const place = element('div', { class: 'gates' });
  const moved = element('p', { class: 'gates-moved' });
  const open = element('button', { type: 'button' }, words.gates.open);
  open.addEventListener('click', () => {
    store.change({ gates: [] });
  });
  let sliders: readonly Slider[] = [];
  let effect: GateEffect = { queries: [], share: 0 };

  function build(heads: number): void {
    sliders = range(heads).map((head) =>
      createNamedSlider({
        label: words.gates.gate(head + 1),
        range: gateRange,
        describe: formatSetting,
        onSlide(gate, origin) {
          const gates = [...gatesOf(store.state)];
          gates[head] = gate;
          store.change({ gates, head: head + 1 }, origin);
        },
      }),
    );
    place.replaceChildren(...sliders.map(({ root }, head) => withHeadColour(root, head)));
  }

  return {
    root: hideable(
      'gates',
      element(
        'section',
        { class: 'gate-panel', 'aria-label': words.gates.title },
        element('h3', {}, words.gates.title),
        element('p', { class: 'note' }, words.gates.intro),
        element(
          'div',
          { class: 'gate-columns' },
          element('div', {}, place, open),
          element('div', {}, moved, bars.drawing),
        ),
      ),
    ),
    savable: {
      name: words.gates.name,
      figure: () => bars.drawing,
      data: () => ({ gates: gatesOf(store.state), ...effect }),
    },
    draw(view, settings) {
      const gates = gatesOf(store.state);
      if (sliders.length !== gates.length) build(gates.length);
      sliders.forEach((slider, head) => {
        slider.show(gates[head] ?? 1);
      });
      const isOpen = gates.every((gate) => gate === 1);
      setAttributes(open, { 'aria-disabled': isOpen ? 'true' : undefined });
      effect = gateEffect(view, settings, gates);
      bars.draw(view, effect);
      moved.textContent = isOpen ? words.gates.still : words.gates.moved(formatShare(effect.share));
      return effect;
    },
  };
}

export interface GateBars {
  readonly drawing: SVGSVGElement;
  draw(view: AttentionView, effect: GateEffect): void;
}

const width = 360;
const left = 76;
const right = 52;
const row = 20;
const space = 10;

/** A bar a query: how far the gates move its output. */
export function createGateBars(): GateBars {
  const drawing = svg('svg', { class: 'gate-bars', role: 'img' });
  return {
    drawing,
    draw(view, { queries }) {
      // The scale ends at the whole output, unless a difference is larger than that.
      const largest = Math.max(1, max(queries.flat()) ?? 0);
      const x = scaleLinear([0, largest], [0, width - left - right]);
      let y = 0;
      const labels: string[] = [];
      const bars = queries.flatMap((shares, sample) => {
        const names = namesOf(view, sample).queries;
        const title = svg(
          'text',
          { class: 'bar-sample', x: left, y: y + row / 2 },
          mapWords.sample.name(sample + 1),
        );
        y += row;
        const drawn = shares.map((share, query) => {
          const name = names[query] ?? '';
          labels.push(words.gates.bar(sample + 1, name, formatShare(share)));
          const bar = svg(
            'g',
            { transform: `translate(0 ${y})` },
            svg('text', { class: 'bar-name', x: left - 8, y: row / 2 }, name),
            svg('rect', { class: 'bar-track', x: left, y: 4, width: x(largest), height: row - 8 }),
            svg('rect', { class: 'bar', x: left, y: 4, width: x(share), height: row - 8 }),
            svg(
              'text',
              { class: 'bar-value', x: width - right + 6, y: row / 2 },
              formatShare(share),
            ),
          );
          y += row;
          return bar;
        });
        y += space;
        return [title, ...drawn];
      });
      setAttributes(drawing, {
        viewBox: `0 0 ${width} ${Math.max(y - space, 0)}`,
        'aria-label': `${words.gates.chart}. ${labels.join('. ')}`,
      });
      drawing.replaceChildren(...bars);
    },
  };
}

export interface GateGoal {
  readonly root: HTMLElement;
  show(
    view: AttentionView,
    settings: LayerSettings,
    gates: readonly number[],
    effect: GateEffect,
  ): void;
}

/** Finding the head that matters most, by closing one gate at a time. */
export function createGateGoal(): GateGoal {
  const goal = createGoal(words.goal.task);
  return {
    root: goal.root,
    show(view, settings, gates, { share }) {
      const silent = gates.flatMap((gate, head) => (gate === 0 ? [head] : []));
      const [head = 0] = silent;
      const open = gates.filter((gate) => gate === 1).length;
      // Without its only head the output of a layer is its bias: there is nothing to find out.
      if (silent.length !== 1 || open !== gates.length - 1 || gates.length === 1) {
        goal.show('');
        return;
      }
      const isReached = maxIndex(ablationEffects(view, settings)) === head;
      const outcome = isReached ? words.goal.reached : words.goal.near;
      goal.show(outcome(head + 1, formatShare(share)), isReached);
    },
  };
}
