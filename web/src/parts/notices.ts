import { element } from '../dom.js';

/** Where sentences about the address come and go. */
export interface Notices {
  readonly root: HTMLElement;
  readonly show: (sentences: readonly string[]) => void;
}

export function createNotices(): Notices {
  const root = element('div', { class: 'notices', role: 'status' });
  return {
    root,
    show(sentences) {
      root.replaceChildren(...sentences.map((sentence) => element('p', {}, sentence)));
    },
  };
}
