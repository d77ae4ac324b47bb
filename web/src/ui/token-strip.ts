import { html, nothing, render, type TemplateResult } from 'lit-html';

import { element } from './dom.js';

/** A sequence, token by token; `below` gives what stands below the token at a position, if anything. */
export function createTokenStrip() {
  const root = element('div.sequence.row');
  const show = (
    name: string,
    symbols: readonly string[],
    below: (position: number) => TemplateResult | HTMLElement | typeof nothing,
  ): void => {
    render(
      html`<p class="sequence-name">${name}</p>
        <ol class="tokens">
          ${symbols.map(
            (symbol, position) =>
              html`<li><span class="token">${symbol}</span>${below(position)}</li>`,
          )}
        </ol>`,
      root,
    );
  };
  return { root, show };
}
