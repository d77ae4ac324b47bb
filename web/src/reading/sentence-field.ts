import { formatBytes } from '../format/numbers.js';
import { translatable } from '../format/translation.js';
import { element, labelled, newId, originsOf, setAttributes, setText } from '../ui/dom.js';
import { announce } from '../ui/live-region.js';
import type { LoadProgress } from './model.js';
import { maxCharacters, sentence } from './sentence.js';

/**
 * A field for the reader's sentence. All such fields of the page have the same text.
 *
 * @param examples sentences to press in place of writing
 */
export function createSentenceField(examples: readonly string[] = []) {
  const statusId = newId('status');
  const field = element('textarea.sentence-text', {
    rows: 2,
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-describedby': statusId,
  });
  const status = element('p.sentence-status.soft', { id: statusId });
  const buttons = examples.map((text) =>
    element('button', { lang: 'en', 'data-text': text }, text),
  );
  const root = labelled(words.label, field, field, status);
  root.classList.add('sentence', 'stack');
  let told = '';
  let isCut = false;
  const say = (): void => setText(status, isCut ? words.cut(maxCharacters) : told);

  const origin = originsOf(field);
  field.addEventListener('input', () => {
    isCut = field.value.length > maxCharacters;
    sentence.change({ text: sentence.fields.text.read(field.value).value }, origin());
    say();
  });
  field.addEventListener('change', () => {
    isCut = false;
    field.value = sentence.state.text;
    announce(told);
    say();
  });
  buttons.forEach((button, i) => {
    button.addEventListener('click', () => sentence.change({ text: examples[i] ?? '' }));
  });
  sentence.follow(({ text }) => {
    if (document.activeElement !== field) field.value = text;
    for (const button of buttons) {
      setAttributes(button, { 'aria-pressed': String(button.dataset.text === text) });
    }
  });

  return {
    root,
    /** Buttons with the examples. */
    examples: element(
      'div.sentence-examples.row',
      { role: 'group', 'aria-label': words.examples },
      ...buttons,
    ),
    /** Says below the field what the model made of the sentence. */
    tell: (sentences: string): void => {
      told = sentences;
      say();
    },
  };
}

/** How far the load of the model has come. */
export const sayLoading = ({ done, total }: LoadProgress): string =>
  total === 0 ? words.starts : words.loading(formatBytes(done), formatBytes(total));

/** The field for the reader's sentence, and the model that reads it. */
export const words = translatable('reading', {
  label: 'Your sentence',
  examples: 'Sentences',
  starts: 'The model is loading.',
  notRead: 'The model could not read the sentence.',
  loading: (done: string, total: string) => `Loading the model: ${done} of ${total}.`,
  cut: (maxCharacters: number) => `Only the first ${maxCharacters} characters are kept.`,
});
