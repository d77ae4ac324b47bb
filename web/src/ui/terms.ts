import { element } from './dom.js';
import { words } from './words.js';

/** Lets every term on the page be opened for its definition, which is loaded then. */
export function openTerms(): void {
  document.addEventListener('click', (event) => {
    const { target } = event;
    const term = target instanceof Element ? target.closest<HTMLButtonElement>('.term') : null;
    // Where the definition is there already, the browser itself opens and closes it.
    if (term === null || term.popoverTargetElement) return;
    event.preventDefault();
    void import('./glossary.js').then(
      ({ showDefinition }) => showDefinition(term),
      () => term.after(element('span.definition', { role: 'alert' }, words.notLoaded)),
    );
  });
}
