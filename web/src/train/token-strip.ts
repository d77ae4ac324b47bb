import { element } from '../dom.js';
import { symbolOf } from '../lab/tasks.js';
import { text } from '../text/index.js';
import type { RunRecord } from './run-record.js';

/** The shown sequence, token by token; below each what it asks for, if anything. */
export function createTokenStrip({ start, options }: RunRecord): HTMLElement {
  const { tokens, targets } = start;
  const symbol = (token: number): string => symbolOf(options.task, token);
  return element(
    'div',
    { class: 'sequence' },
    element('span', { class: 'sequence-name' }, text.train.sequence),
    element(
      'ol',
      { class: 'tokens' },
      ...Array.from(tokens, (token, i) => {
        const target = targets[i];
        return element(
          'li',
          {},
          element('span', { class: 'token' }, symbol(token)),
          target < 0
            ? element('span', { class: 'answer' })
            : element(
                'span',
                { class: 'answer', title: text.train.answer(symbol(target)) },
                symbol(target),
              ),
        );
      }),
    ),
  );
}
