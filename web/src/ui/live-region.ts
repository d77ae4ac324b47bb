import { joinSentences } from '../format/sentences.js';
import { element } from './dom.js';

let root: HTMLElement | undefined;
let waiting: string[] = [];

/** What screen readers read out: one place of the page, so that there is one voice. */
export const liveRegion = (): HTMLElement =>
  (root ??= element('div.live-region', { role: 'status' }));

/**
 * Has screen readers say what came of an action. Not what follows a pointer or a run on its way: that would
 * never end.
 */
export function announce(sentence: string): void {
  if (sentence === '') return;
  if (waiting.length === 0) queueMicrotask(speak);
  waiting.push(sentence);
}

/** Shows a sentence, and announces it if it replaces another one on the page: an act that loads is silent. */
export function say(target: HTMLElement, sentence: string): void {
  if (target.textContent === sentence) return;
  target.textContent = sentence;
  if (target.isConnected) announce(sentence);
}

/** All that came of one action, at once: each would cut the last one off. */
function speak(): void {
  liveRegion().textContent = joinSentences(waiting);
  waiting = [];
}
