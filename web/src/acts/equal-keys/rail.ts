import { hideable } from '../../address/hideable.js';
import type { Store } from '../../address/store.js';
import { cutTo } from '../../format/sentences.js';
import { createChoice, createSwitch } from '../../ui/controls/choice.js';
import { createFileDrop } from '../../ui/controls/file-drop.js';
import { boundSeed } from '../../ui/controls/seed-field.js';
import { createNamedSlider } from '../../ui/controls/slider.js';
import { createTextArea } from '../../ui/controls/text-area.js';
import { element, setAttributes } from '../../ui/dom.js';
import { announce, say } from '../../ui/live-region.js';
import { reasonOf } from '../../ui/notices.js';
import { readUserFile } from './inputs.js';
import {
  inputNames,
  keysOf,
  type KeysState,
  maxNumbersLength,
  stepsRange,
  validLenOf,
} from './state.js';
import { dataWords, maxNameLength, readNumbers, userLimits } from './user-data.js';
import { words } from './words.js';

/** The controls of the act. They change the store and show what it holds. */
export function createRail(store: Store<KeysState>, dropTarget: HTMLElement) {
  const input = createChoice({
    label: words.controls.input,
    values: inputNames,
    nameOf: (name) => words.controls.inputs[name],
    onChoose: (chosen) => store.change({ input: chosen, validLens: [], answer: 0 }),
  });
  const heads = createChoice<number>({
    label: words.controls.heads,
    values: store.fields.heads.values ?? [],
    nameOf: String,
    onChoose: (chosen) => store.change({ heads: chosen, answer: 0 }),
  });
  const validLen = createNamedSlider({
    label: words.controls.validLen,
    range: { min: 0, max: userLimits.length, step: 1 },
    describe: (length) => words.controls.validOf(length, keysOf(store.state).keys),
    onSlide: (length, origin) => store.change({ validLens: [length] }, origin),
  });
  const steps = createNamedSlider({
    label: words.controls.steps,
    range: stepsRange,
    describe: String,
    onSlide: (chosen, origin) => store.change({ steps: chosen }, origin),
  });
  const causal = createSwitch(words.controls.causal, (isOn) => store.change({ causal: isOn }));
  const names = createSwitch(words.controls.names, (isOn) => store.change({ names: isOn }));
  const own = createOwnNumbers(store, dropTarget);
  store.follow((state) => {
    input.show(state.input);
    heads.show(state.heads);
    validLen.show(validLenOf(state), keysOf(state).keys);
    steps.show(state.steps);
    steps.root.hidden = state.input !== 'ones' && state.input !== 'random';
    causal.show(state.causal);
    names.show(state.names);
    names.root.hidden = state.input !== 'patterns';
    own.hidden = state.input !== 'own';
  });
  const switches = element('div.control.switches', causal.root, names.root);
  // Another seed plants the patterns in other heads.
  const settings = [boundSeed(store, { answer: 0 }), steps.root, validLen.root, switches];
  return {
    /** What stays in view on a phone. */
    pinned: hideable('controls', element('div.controls', input.root, heads.root)),
    main: hideable('controls', element('div.controls.keys-settings', ...settings)),
    /** The reader's own numbers, which need more room than the rail has. */
    own: hideable('controls', own),
  };
}

/** A field and a file for the reader's own numbers; files can be dropped anywhere on `dropTarget`. */
export function createOwnNumbers(store: Store<KeysState>, dropTarget: HTMLElement): HTMLElement {
  const message = element('p.control-hint');
  const held = element('p.note');
  /** Grows with every input: a file that takes long to read must not replace a later one. */
  let newest = 0;
  const explain = (sentence: string): void => {
    say(message, sentence);
    setAttributes(message, { 'data-wrong': sentence !== '' });
  };
  const field = createTextArea({
    label: words.own.pasted,
    hint: words.own.hint(userLimits.length),
    rows: 4,
    onWrite(written, origin) {
      if (written.length > maxNumbersLength) {
        throw new Error(words.own.tooLong(written.length, maxNumbersLength));
      }
      readNumbers(written);
      newest += 1;
      explain('');
      store.change({ numbers: written, file: undefined, validLens: [] }, origin());
    },
  });
  const read = async (chosen: File): Promise<void> => {
    newest += 1;
    const number = newest;
    try {
      const file = await readUserFile(chosen);
      if (number !== newest) return;
      explain('');
      store.change({ input: 'own', file, validLens: [] });
      announce(words.own.held(file.name));
    } catch (error) {
      if (number !== newest) return;
      store.change({ input: 'own' });
      const reason = reasonOf(error, dataWords.user.unreadable);
      explain(words.own.failed(cutTo(chosen.name, maxNameLength), reason));
    }
  };
  const file = createFileDrop(dropTarget, {
    label: words.own.file,
    hint: words.own.fileHint,
    accept: '.npy,.safetensors,.json,.csv,.txt',
    onFile: (chosen) => void read(chosen),
  });
  store.follow((state) => {
    field.show(state.numbers);
    held.textContent = state.file === undefined ? '' : words.own.held(state.file.name);
  });
  return element(
    'div.controls.own-numbers',
    field.root,
    element('div.control', file, held, message),
  );
}
