import { element } from './dom.js';
import { words } from './words.js';

interface Options {
  /** The goal, two or three controls and what they came to: in view as long as the views are. */
  readonly rail: readonly (Node | string)[];
  /** Settings that few readers change: folded away below the rail. */
  readonly more?: { readonly label: string; readonly content: readonly (Node | string)[] };
  /** Saves, links and resets: below all else in the rail of an act's first stage. */
  readonly end?: HTMLElement;
  /** What the controls change. */
  readonly views: readonly (Node | string)[];
}

/** Opens the settings of a stage that are folded away. */
export function openFolded(stage: HTMLElement): void {
  stage.querySelector('.rail-more')?.toggleAttribute('open', true);
}

/**
 * The stage of an act: a rail of controls beside the views that they change, so that cause and effect are on one screen.
 * On a phone the rail is a bar above them that stays in view, or, if one part of it has the class `rail-pinned`, that part.
 */
export function createStage({ rail, more, end, views }: Options): HTMLElement {
  const folded =
    more === undefined
      ? []
      : [
          element(
            'details.rail-more',
            element('summary', more.label),
            element('div.rail-folded', ...more.content),
          ),
        ];
  return element(
    'div.act-stage',
    element(
      'div.rail',
      { role: 'group', 'aria-label': words.controls.label },
      element('div.rail-main', ...rail),
      ...folded,
      ...(end === undefined ? [] : [end]),
    ),
    element('div.views.stack', ...views),
  );
}
