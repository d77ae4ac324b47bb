type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;
type Child = Node | string;

const svgNamespace = 'http://www.w3.org/2000/svg';

/** Sets attributes; `true` stands for an empty one, `false` and `undefined` take it away. */
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

/** Sets a text where it is another than before: what stays the same is not written again at every frame of a run. */
export function setText(target: Element, text: string): void {
  if (target.textContent !== text) target.textContent = text;
}

/** A paragraph in which `*…*` is emphasised: the only markup that the words may use. */
export function paragraph(content: string, attributes: Attributes = {}): HTMLParagraphElement {
  const pieces = content
    .split('*')
    .map((piece, index) => (index % 2 === 1 ? element('em', {}, piece) : piece));
  return element('p', attributes, ...pieces);
}

let lastId = 0;

/** An id of its own for each call, to tie labels and descriptions to what they describe. */
export function newId(prefix: string): string {
  lastId += 1;
  return `${prefix}-${lastId}`;
}
