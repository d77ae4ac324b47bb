import { words } from './words.js';

/** What a teacher can take away by the address beside acts, which are named by their ids: `?hide=controls,export`. */
const parts = [
  'prose',
  'goal',
  'controls',
  'arithmetic',
  'export',
  'link',
  'reset',
  'languages',
  'questions',
] as const;

const marked = new Map<HTMLElement, string>();
let hidden: ReadonlySet<string> = new Set();

/** Lets the address hide a part of the page by `name`, or an act and what belongs to it by its id, and returns it. */
export function hideable<Target extends HTMLElement>(name: string, target: Target): Target {
  marked.set(target, name);
  apply(target, name);
  return target;
}

/** Hidden because all they hold is. */
const emptied = new Set<Element>();

/** What may stand in a part beside its content. */
const titles = 'summary, h2, h3, h4, legend, .control-label, [data-hidden]';

/** Hides what is left empty around hidden parts: disclosures, rails, headings. To be called when parts are placed. */
export function hideEmptied(): void {
  for (const part of emptied) part.removeAttribute('data-hidden');
  emptied.clear();
  for (const [target, name] of marked) {
    if (!hidden.has(name)) continue;
    let part = target.parentElement;
    while (part !== null && !part.matches('body, header, main, .act, .live') && isEmpty(part)) {
      part.setAttribute('data-hidden', '');
      emptied.add(part);
      part = part.parentElement;
    }
  }
}

const isEmpty = ({ childNodes }: Element): boolean =>
  [...childNodes].every((child) =>
    child instanceof Element ? child.matches(titles) : (child.textContent ?? '').trim() === '',
  );

/**
 * Hides what the query of an address names, and returns a sentence for each unknown name.
 *
 * @param acts their ids
 */
export function hideFrom(parameters: URLSearchParams, acts: readonly string[]): readonly string[] {
  const names = (parameters.get('hide') ?? '').split(',').filter((name) => name !== '');
  hidden = new Set(names);
  for (const [target, name] of marked) apply(target, name);
  hideEmptied();
  const known: readonly string[] = [...acts, ...parts];
  const unknown = names.filter((name) => !known.includes(name));
  return unknown.map((name) => words.hide(name, known));
}

function apply(target: HTMLElement, name: string): void {
  // Not the attribute `hidden`, which elements that come and go use for themselves.
  target.toggleAttribute('data-hidden', hidden.has(name));
}
