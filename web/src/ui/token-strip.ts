import { element } from './dom.js';

export interface TokenStrip {
  readonly root: HTMLElement;
  /** What stands below a token, if anything, is told by its position. */
  show(
    name: string,
    symbols: readonly string[],
    below: (position: number) => HTMLElement | undefined,
  ): void;
}

/** A sequence, token by token, with what belongs to each below it. A live one tells its new names. */
export function createTokenStrip({ isLive = false } = {}): TokenStrip {
  const title = element('p', { class: 'sequence-name', role: isLive ? 'status' : undefined });
  const tokens = element('ol', { class: 'tokens' });
  return {
    root: element('div', { class: 'sequence' }, title, tokens),
    show(name, symbols, below) {
      if (title.textContent !== name) title.textContent = name;
      tokens.replaceChildren(
        ...symbols.map((symbol, position) =>
          element(
            'li',
            {},
            element('span', { class: 'token' }, symbol),
            ...[below(position)].filter((found) => found !== undefined),
          ),
        ),
      );
    },
  };
}
