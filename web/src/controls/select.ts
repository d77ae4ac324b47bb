import { element, newId } from '../dom.js';

export interface Select<Value> {
  readonly root: HTMLElement;
  show(value: Value, values: readonly Value[]): void;
}

interface Options<Value> {
  readonly label: string;
  readonly nameOf: (value: Value) => string;
  readonly onChoose: (value: Value) => void;
}

/** One of many values, which may become others. */
export function createSelect<Value extends string | number>(
  options: Options<Value>,
): Select<Value> {
  const id = newId('select');
  const select = element('select', { id, autocomplete: 'off' });
  let offered: readonly Value[] = [];
  select.addEventListener('change', () => {
    const chosen = offered.at(select.selectedIndex);
    if (chosen !== undefined) options.onChoose(chosen);
  });
  return {
    root: element(
      'div',
      { class: 'control' },
      element('label', { for: id, class: 'control-label' }, options.label),
      select,
    ),
    show(value, values) {
      if (values.join() !== offered.join()) {
        offered = values;
        select.replaceChildren(
          ...values.map((each) => element('option', { value: each }, options.nameOf(each))),
        );
      }
      select.selectedIndex = offered.indexOf(value);
    },
  };
}
