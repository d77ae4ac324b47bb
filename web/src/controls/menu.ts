import { element, newId } from '../dom.js';
import type { Choice, ChoiceOptions } from './choice.js';

/** One of more values than fit side by side: the browser's own list. */
export function createMenu<Value>(options: ChoiceOptions<Value>): Choice<Value> {
  const id = newId('menu');
  const list = element(
    'select',
    { id, class: 'menu', autocomplete: 'off' },
    ...options.values.map((value) =>
      element('option', { value: String(value) }, options.nameOf(value)),
    ),
  );
  list.addEventListener('change', () => {
    const chosen = options.values[list.selectedIndex];
    options.onChoose(chosen);
  });
  return {
    root: element(
      'div',
      { class: 'control' },
      element('label', { for: id, class: 'control-label' }, options.label),
      list,
    ),
    show(value) {
      list.value = String(value);
    },
  };
}
