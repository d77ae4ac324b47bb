import { html, nothing, render, type TemplateResult } from 'lit-html';

import { element } from './dom.js';

export interface TokenStrip {
  readonly root: HTMLElement;
  /** `below` gives what stands below the token at a position, if anything. */
  show(
    name: string,
    symbols: readonly string[],
    below: (position: number) => TemplateResult | HTMLElement | typeof nothing,
  ): void;
}

/** A sequence, token by token, with an entry below each. */
export function createTokenStrip(): TokenStrip {
  const root = element('div', { class: 'sequence' });
  const show: TokenStrip['show'] = (name, symbols, below) => {
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
