import { createLiveMap, type LiveMap } from '../../attention/live-map.js';
import { element, setAttributes } from '../../ui/dom.js';
import { withHeadColour } from '../../ui/head-colour.js';
import { type Head, nameOfHead, type Role } from '../../worker/heads.js';
import { kindOf } from './importance-charts.js';
import { words } from './words.js';

/** What was planted, and who chose it: the reader, measures. */
export interface Truth {
  readonly role: Role;
  readonly choosers: readonly string[];
}

export interface GuessTile {
  readonly root: HTMLButtonElement;
  /** Its map, once there is a model; (length, length). */
  draw(weights: Float32Array | undefined, length: number): void;
  /** The map as it is drawn, to be saved. */
  readonly map: LiveMap | undefined;
  show(isMarked: boolean, canPress: boolean, truth: Truth | undefined): void;
}

/** One head of the planted model: its map, by which the reader marks it; later what it is. */
export function createGuessTile(head: Head, onPress: () => void): GuessTile {
  const place = { layer: head.layer + 1, head: head.head + 1 };
  const frame = element('span', { class: 'guess-map' });
  const answer = element('span', { class: 'guess-answer' });
  const root = withHeadColour(
    element(
      'button',
      { type: 'button', class: 'guess-tile', 'data-head': nameOfHead(head) },
      element('span', { class: 'guess-name' }, words.place(place)),
      ' ',
      frame,
      answer,
    ),
    head.head,
  );
  root.addEventListener('click', onPress);
  let map: LiveMap | undefined;
  return {
    root,
    get map() {
      return map;
    },
    draw(weights, length) {
      map = weights && createLiveMap(length, place.head);
      if (weights !== undefined) map?.draw(weights);
      frame.replaceChildren(...(map === undefined ? [] : [map.root]));
    },
    show(isMarked, canPress, truth) {
      setAttributes(root, {
        'aria-pressed': String(isMarked),
        // Not `disabled`: that would take the focus away from whoever has just pressed it.
        'aria-disabled': canPress ? undefined : 'true',
        'data-truth': truth && kindOf(truth.role),
      });
      answer.replaceChildren(
        ...(truth === undefined
          ? [element('span', { class: 'guess-mark' }, isMarked ? words.isMarked : words.toMark)]
          : [
              element('span', { class: 'guess-role' }, words.roles[truth.role]),
              ' ',
              element('span', { class: 'guess-choosers' }, truth.choosers.join(', ')),
            ]),
      );
    },
  };
}
