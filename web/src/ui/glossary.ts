import { element, marked, newId } from './dom.js';
import { words } from './glossary-words.js';

/** Between a term and its definition, and between that and the edges of the window. */
const distance = 6;

const definition = element('span.definition', {
  id: newId('definition'),
  role: 'note',
  popover: 'auto',
});
let current: HTMLButtonElement | undefined;

definition.addEventListener('beforetoggle', ({ newState }) => {
  current?.setAttribute('aria-expanded', String(newState === 'open'));
});

// What loads above a term, or a window that is turned, moves it.
const observer = new ResizeObserver(() => {
  if (current !== undefined && definition.matches(':popover-open'))
    placeBeside(definition, current);
});

/** Opens the definition of a term; another one that is open closes. */
export function showDefinition(term: HTMLButtonElement): void {
  for (const name of ['aria-describedby', 'aria-expanded']) current?.removeAttribute(name);
  if (current !== undefined) current.popoverTargetElement = null;
  current = term;
  const definitions: Readonly<Partial<Record<string, string>>> = words;
  definition.replaceChildren(...marked(definitions[term.dataset.term ?? ''] ?? ''));
  term.setAttribute('aria-describedby', definition.id);
  term.popoverTargetElement = definition;
  // Beside it, where the keyboard and screen readers come to it next.
  term.after(definition);
  // A browser without popovers has it within the line.
  if (!('popover' in HTMLElement.prototype)) return;
  definition.showPopover();
  placeBeside(definition, term);
  observer.observe(document.body);
}

/** Below the term, or above it where there is no room, and within the window. */
function placeBeside(definition: HTMLElement, term: HTMLElement): void {
  const [line] = term.getClientRects();
  const { width, height } = definition.getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  const left = Math.max(Math.min(line.left, clientWidth - width - distance), distance);
  const below = line.bottom + distance;
  const isBelow = below + height <= clientHeight || line.top < height + distance;
  const top = isBelow ? below : line.top - height - distance;
  definition.style.setProperty('left', `${left + window.scrollX}px`);
  definition.style.setProperty('top', `${top + window.scrollY}px`);
}
