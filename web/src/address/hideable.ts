import { words } from './words.js';

/** What a teacher can take away by the address: `?hide=controls,export`. Acts by their ids. */
export const hideableNames = [
  'toy',
  'figure',
  'heads',
  'why',
  'train',
  'prune',
  'words',
  'align',
  'questions',
  'prose',
  'goal',
  'controls',
  'arithmetic',
  'gates',
  'compare',
  'layer',
  'export',
  'link',
  'reset',
  'languages',
] as const;

export type HideableName = (typeof hideableNames)[number];

const isName = (name: string): name is HideableName =>
  (hideableNames as readonly string[]).includes(name);

const marked = new Map<HTMLElement, HideableName>();
let hidden: ReadonlySet<string> = new Set();

/** Lets the address hide an element by `name`, and returns it. */
export function hideable<Target extends HTMLElement>(name: HideableName, target: Target): Target {
  marked.set(target, name);
  apply(target, name);
  return target;
}

/** Hides what the query of an address names, and returns a sentence for each unknown name. */
export function hideFrom(parameters: URLSearchParams): readonly string[] {
  const names = (parameters.get('hide') ?? '').split(',').filter((name) => name !== '');
  hidden = new Set(names);
  for (const [target, name] of marked) apply(target, name);
  const unknown = names.filter((name) => !isName(name));
  return unknown.map((name) => words.hide(name, hideableNames));
}

function apply(target: HTMLElement, name: HideableName): void {
  // Not the attribute `hidden`, which elements that come and go use for themselves.
  target.toggleAttribute('data-hidden', hidden.has(name));
}
