import { createSlider } from '../../ui/controls/slider.js';
import { element, setAttributes } from '../../ui/dom.js';
import { withHeadColour } from '../../ui/head-colour.js';
import type { Head, Role } from '../../worker/heads.js';
import { kindOf } from './importance-charts.js';
import { words } from './words.js';

/** How a head stands in the session: `last` of its layer cannot go. */
export type Standing = 'here' | 'last' | 'pruned';

export interface HeadTile {
  readonly root: HTMLElement;
  show(standing: Standing): void;
  /** What was planted there. */
  showRole(role: Role): void;
  /** From 0 to 1. */
  readonly gate: number;
  openGate(): void;
}

interface Actions {
  readonly onPrune: () => void;
  readonly onGate: () => void;
}

/** One head in the session: its gate, and the button that prunes it. */
export function createHeadTile(head: Head, actions: Actions): HeadTile {
  const place = { layer: head.layer + 1, head: head.head + 1 };
  const open = 100;
  let gate = open;
  let standing: Standing = 'here';
  let role: Role = 'quiet';
  const prune = element(
    'button',
    { type: 'button', 'aria-label': words.pruneLabel(place) },
    words.pruneHead,
  );
  const value = element('span', { class: 'gate-value', 'aria-hidden': 'true' });
  const note = element('p', { class: 'tile-note' });
  const slider = createSlider({
    label: words.gate(place),
    range: { min: 0, max: open, step: 1 },
    describe: words.gateValue,
    onSlide: (percent) => {
      set(percent);
      actions.onGate();
    },
  });
  const control = element('div', { class: 'gate' }, slider.root, value);
  const roleName = element('span', { class: 'tile-truth' });
  const root = withHeadColour(
    element(
      'div',
      { class: 'tile', 'data-head': `${place.layer}.${place.head}` },
      element(
        'div',
        { class: 'tile-head' },
        element('span', { class: 'tile-name' }, words.place(place)),
        ' ',
        roleName,
      ),
      control,
      prune,
      note,
    ),
    head.head,
  );

  function set(percent: number): void {
    gate = percent;
    slider.show(percent);
    value.textContent = words.gateValue(percent);
  }
  const isFree = (): boolean => standing === 'here';
  // Let go of at 0: the last value of a drag counts, not one that it passed.
  slider.root.addEventListener('change', () => {
    if (gate === 0 && isFree()) actions.onPrune();
  });
  prune.addEventListener('click', () => {
    if (isFree()) actions.onPrune();
  });
  set(open);
  return {
    root,
    get gate() {
      return gate / open;
    },
    openGate() {
      set(open);
    },
    showRole(planted) {
      role = planted;
      roleName.textContent = words.roles[role];
      setAttributes(root, { 'data-truth': kindOf(role) });
    },
    show(next) {
      standing = next;
      setAttributes(root, { 'data-standing': standing });
      control.hidden = standing === 'pruned';
      prune.hidden = standing === 'pruned';
      setAttributes(prune, { 'aria-disabled': standing === 'last' ? 'true' : undefined });
      note.textContent =
        standing === 'pruned' ? words.pruned(role) : standing === 'last' ? words.lastOne : '';
    },
  };
}
