import { maxIndex } from 'd3-array';

import { formatShare } from '../format.js';
import type { AttentionView } from '../layer/attention-view.js';
import { silenceEffects, type GateEffect } from '../layer/gate-effect.js';
import type { LayerSettings } from '../layer/with-layer.js';
import { text } from '../text/index.js';
import { createGoal } from './goal.js';

export interface GateGoal {
  readonly root: HTMLElement;
  show(
    view: AttentionView,
    settings: LayerSettings,
    gates: readonly number[],
    effect: GateEffect,
  ): void;
}

/** Finding the head that matters most, by closing one gate at a time. */
export function createGateGoal(): GateGoal {
  const goal = createGoal(text.heads.goal.task);
  return {
    root: goal.root,
    show(view, settings, gates, { share }) {
      const silent = gates.flatMap((gate, head) => (gate === 0 ? [head] : []));
      const [head = 0] = silent;
      const open = gates.filter((gate) => gate === 1).length;
      // Without its only head, a layer says nothing: there is nothing to find out.
      if (silent.length !== 1 || open !== gates.length - 1 || gates.length === 1) {
        goal.show('');
        return;
      }
      const isReached = maxIndex(silenceEffects(view, settings)) === head;
      const words = isReached ? text.heads.goal.reached : text.heads.goal.near;
      goal.show(words(head + 1, formatShare(share)), isReached);
    },
  };
}
