export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
type Child = Node | string;

const svgNamespace = 'http://www.w3.org/2000/svg';

/** Sets attributes: `true` sets an empty one, `false` and `undefined` remove it. */
export function setAttributes(target: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) target.removeAttribute(name);
    else target.setAttribute(name, value === true ? '' : String(value));
  }
}

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const created = document.createElement(name);
  setAttributes(created, attributes);
  created.append(...children);
  return created;
}

export function svg<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: readonly Child[]
): SVGElementTagNameMap[Name] {
  const created = document.createElementNS(svgNamespace, name);
  setAttributes(created, attributes);
  created.append(...children);
  return created;
}

/** The integers from 0 to `count` − 1. */
export const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** The cell to which a key moves the focus in a grid; undefined for other keys. */
export function movedBy(
  { key, ctrlKey }: Pick<KeyboardEvent, 'key' | 'ctrlKey'>,
  [row, column]: readonly [number, number],
  [rows, columns]: readonly [number, number],
): readonly [number, number] | undefined {
  const within = (index: number, count: number): number => Math.min(Math.max(index, 0), count - 1);
  switch (key) {
    case 'ArrowLeft':
      return [row, within(column - 1, columns)];
    case 'ArrowRight':
      return [row, within(column + 1, columns)];
    case 'ArrowUp':
      return [within(row - 1, rows), column];
    case 'ArrowDown':
      return [within(row + 1, rows), column];
    case 'Home':
      return [ctrlKey ? 0 : row, 0];
    case 'End':
      return [ctrlKey ? rows - 1 : row, columns - 1];
    default:
      return undefined;
  }
}
