import { seedRange } from '../../address/field.js';
import type { Origin, Store } from '../../address/store.js';
import { element, newId, setAttributes } from '../dom.js';
import { say } from '../live-region.js';
import { words } from '../words.js';

/** A seed to type, and a button that draws another. */
export function createSeedField(onSeed: (seed: number, origin: Origin) => void) {
  const id = newId('seed');
  const hintId = newId('seed-hint');
  const { min, max } = seedRange;
  const input = element('input', {
    id,
    // A text field: of invalid input a number field gives the page no text, so that the page could
    // not explain it.
    type: 'text',
    inputmode: 'numeric',
    autocomplete: 'off',
    class: 'field seed-input',
    maxlength: 12,
    'aria-describedby': hintId,
  });
  const another = element('button', { type: 'button' }, words.controls.newSeed);
  const hint = element('p.control-hint', { id: hintId });
  let shown: number = min;
  // What is typed in one go is one step back in the history.
  let typing = false;

  const explain = (message: string): void => {
    say(hint, message);
    setAttributes(input, { 'aria-invalid': message === '' ? undefined : 'true' });
  };
  input.addEventListener('input', () => {
    const written = input.value.trim();
    const seed = /^\d+$/.test(written) ? Number(written) : NaN;
    if (seed >= min && seed <= max) {
      onSeed(seed, typing ? 'replace' : 'push');
      typing = true;
    }
    // An empty field is on its way to a number: nothing to explain yet.
    const isFine = written === '' || seed === shown;
    explain(isFine ? '' : words.controls.seedHint(min, max, shown));
  });
  input.addEventListener('change', () => {
    typing = false;
    input.value = String(shown);
    explain('');
  });
  another.addEventListener('click', () => {
    onSeed(min + Math.floor(Math.random() * (max - min + 1)), 'push');
  });
  return {
    root: element(
      'div.control',
      element('label.control-label', { for: id }, words.controls.seed),
      element('div.seed', input, another),
      hint,
    ),
    show(seed: number): void {
      shown = seed;
      explain('');
      if (Number(input.value) !== seed) input.value = String(seed);
    },
  };
}

/** A seed field for a store; another seed may change more than the seed. */
export function boundSeed<State extends { readonly seed: number }>(
  store: Store<State>,
  more: Partial<State> = {},
): HTMLElement {
  const field = createSeedField((seed, origin) => store.change({ ...more, seed }, origin));
  store.follow(({ seed }) => field.show(seed));
  return field.root;
}
