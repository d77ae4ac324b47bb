import { headColour } from './colours.js';
import { element, range, setAttributes } from './dom.js';
import type { Reader, Scene } from './scene.js';

export interface Bar {
  readonly root: HTMLElement;
  /** `canGoBack`: whether the reader came from the model view. */
  draw(scene: Scene, options: { readonly canGoBack: boolean; readonly isOneShown: boolean }): void;
  /** Focuses the button back to the model view. */
  focus(): void;
}

/** The controls above the view: a chip for each head, buttons for the layers, and a button back to the model view. */
export function createBar(reader: Reader): Bar {
  const back = element('button', { type: 'button', class: 'back' });
  const chips = element('div', { class: 'chips', role: 'group' });
  const name = element('span');
  const [previous, next] = ['‹', '›'].map((sign) =>
    element('button', { type: 'button' }, element('span', { 'aria-hidden': 'true' }, sign)),
  ) as [HTMLButtonElement, HTMLButtonElement];
  const steps = element('div', { class: 'steps', role: 'group' }, previous, name, next);
  let shown: Scene | undefined;
  let buttons: HTMLButtonElement[] = [];

  back.addEventListener('click', () => {
    reader.choose({ view: 'model' });
  });
  [previous, next].forEach((button, i) => {
    button.addEventListener('click', () => {
      if (shown === undefined || button.getAttribute('aria-disabled') === 'true') return;
      reader.choose({ layer: shown.layer + (i === 0 ? -1 : 1) });
    });
  });
  chips.addEventListener('click', ({ target }) => {
    const head = buttons.findIndex((chip) => target instanceof Node && chip.contains(target));
    if (head >= 0) reader.choose({ head: shown?.head === head ? undefined : head });
  });

  function makeChips(heads: number): void {
    if (buttons.length === heads) return;
    buttons = range(heads).map((head) => {
      const swatch = element('span', { class: 'swatch', 'data-box': true });
      const chip = element('button', { type: 'button', class: 'chip' }, swatch, element('span'));
      chip.style.setProperty('--colour', headColour(head));
      return chip;
    });
    chips.replaceChildren(...buttons);
  }

  return {
    root: element('div', { class: 'bar-top' }, back, chips, steps),
    focus() {
      back.focus();
    },
    draw(scene, { canGoBack, isOneShown }) {
      shown = scene;
      const { words, weights, layers, layer } = scene;
      const head = scene.head ?? (isOneShown ? 0 : undefined);
      makeChips(weights.heads);
      buttons.forEach((chip, i) => {
        setAttributes(chip, {
          'aria-pressed': String(i === head),
          'data-off': head !== undefined && i !== head,
        });
        const label = chip.lastElementChild;
        if (label !== null) label.textContent = scene.names[layer]?.[i] ?? '';
      });
      setAttributes(chips, { 'aria-label': words.heads });
      back.hidden = !canGoBack;
      back.textContent = words.allLayers;
      steps.hidden = layers.length < 2;
      name.textContent = words.layer(layer, layers.length);
      setAttributes(steps, { 'aria-label': words.layers });
      setAttributes(previous, {
        'aria-label': words.previousLayer,
        'aria-disabled': String(layer === 0),
      });
      setAttributes(next, {
        'aria-label': words.nextLayer,
        'aria-disabled': String(layer === layers.length - 1),
      });
    },
  };
}
