import { range } from 'd3-array';

import { createNamedSlider, type Slider } from '../controls/slider.js';
import { element, setAttributes } from '../dom.js';
import { createExportMenu } from '../export/export-menu.js';
import { createGateBars } from '../figure/gate-bars.js';
import { formatSetting, formatShare } from '../format.js';
import type { AttentionView } from '../layer/attention-view.js';
import { gateEffect, type GateEffect } from '../layer/gate-effect.js';
import type { LayerSettings } from '../layer/with-layer.js';
import { gateRange, gatesOf, type HeadsState } from '../state/heads-state.js';
import { hideable } from '../state/hidden.js';
import type { Store } from '../state/store.js';
import { text } from '../text/index.js';

export interface GatePanel {
  readonly root: HTMLElement;
  draw(view: AttentionView, settings: LayerSettings): GateEffect;
}

/** A gate for each head, and what the gates do to the output. */
export function createGatePanel(store: Store<HeadsState>): GatePanel {
  const bars = createGateBars();
  const place = element('div', { class: 'gates' });
  const moved = element('p', { class: 'gates-moved' });
  const open = element('button', { type: 'button' }, text.gates.open);
  open.addEventListener('click', () => {
    store.change({ gates: [] });
  });
  let sliders: readonly Slider[] = [];
  let effect: GateEffect = { queries: [], share: 0 };

  function build(heads: number): void {
    sliders = range(heads).map((head) =>
      createNamedSlider({
        label: text.gates.gate(head + 1),
        range: gateRange,
        describe: formatSetting,
        onSlide(gate, origin) {
          const gates = [...gatesOf(store.state)];
          gates[head] = gate;
          store.change({ gates, head: head + 1 }, origin);
        },
      }),
    );
    place.replaceChildren(...sliders.map(({ root }) => root));
  }

  return {
    root: hideable(
      'gates',
      element(
        'section',
        { class: 'gate-panel', 'aria-label': text.gates.title },
        element('h3', {}, text.gates.title),
        element('p', { class: 'note' }, text.gates.intro),
        element(
          'div',
          { class: 'gate-columns' },
          element('div', {}, place, open),
          element(
            'div',
            {},
            moved,
            bars.drawing,
            createExportMenu({
              name: text.gates.name,
              figure: () => bars.drawing,
              data: () => ({ gates: gatesOf(store.state), ...effect }),
            }),
          ),
        ),
      ),
    ),
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
      moved.textContent = isOpen ? text.gates.still : text.gates.moved(formatShare(effect.share));
      return effect;
    },
  };
}
