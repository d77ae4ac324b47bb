import { seedRange } from '../../address/field.js';
import type { Store } from '../../address/store.js';
import { element, labelled, newId, originsOf, setAttributes } from '../dom.js';
import { say } from '../live-region.js';
import { words } from '../words.js';

/** The seed of a store, and a button that draws another; another seed may change more than the seed. */
export function boundSeed<State extends { readonly seed: number }>(
  store: Store<State>,
  more: Partial<State> = {},
): HTMLElement {
  const hintId = newId('seed-hint');
  const { min, max } = seedRange;
  const input = element('input.field.seed-input', {
    // A text field: of invalid input a number field gives the page no text, so that the page could
    // not explain it.
    type: 'text',
    inputmode: 'numeric',
    autocomplete: 'off',
    maxlength: 12,
    'aria-describedby': hintId,
  });
  const another = element('button', words.controls.newSeed);
  const hint = element('p.control-hint', { id: hintId });
  const origin = originsOf(input);

  const explain = (message: string): void => {
    say(hint, message);
    setAttributes(input, { 'aria-invalid': message === '' ? undefined : 'true' });
  };
  input.addEventListener('input', () => {
    const written = input.value.trim();
    const seed = /^\d+$/.test(written) ? Number(written) : NaN;
    if (seed >= min && seed <= max) store.change({ ...more, seed }, origin());
    // An empty field is on its way to a number: nothing to explain yet.
    const isFine = written === '' || seed === store.state.seed;
    explain(isFine ? '' : words.controls.seedHint(min, max, store.state.seed));
  });
  input.addEventListener('change', () => {
    input.value = String(store.state.seed);
    explain('');
  });
  another.addEventListener('click', () => {
    const seed = min + Math.floor(Math.random() * (max - min + 1));
    store.change({ ...more, seed });
  });
  store.follow(({ seed }) => {
    explain('');
    if (Number(input.value) !== seed) input.value = String(seed);
  });
  return labelled(words.controls.seed, input, element('div.seed.buttons', input, another), hint);
}
