import { unpackMaps } from '../../worker/packed-maps.js';
import { rolesOfLayers } from '../../worker/heads.js';
import type { ModelStudy } from '../../worker/model-study.js';
import type { Shown, Study } from '../../worker/study.js';
import stored from './records.json';

/** The seed whose results come with the page. */
export const builtInSeed = 1;

/** Studies of this seed and the next ones. */
export function builtInStudies(): readonly Study[] {
  const { weights, ...shown } = stored.shown;
  const [first, ...others] = stored.studies as unknown as readonly Study[];
  return [{ ...first, shown: shownOf(shown, weights) }, ...others];
}

/** What pruning costs the page's own language model. */
export const builtInModelStudy = stored.model as unknown as ModelStudy;

function shownOf(
  { tokens, targets, accuracyWithout }: Omit<typeof stored.shown, 'weights'>,
  packed: string,
): Shown {
  // One byte per weight; `unpackMaps` takes two.
  const steps = Uint16Array.from(atob(packed), (character) => 257 * character.charCodeAt(0));
  return {
    tokens: Int32Array.from(tokens),
    targets: Int32Array.from(targets),
    accuracyWithout,
    weights: unpackMaps(steps, rolesOfLayers.length, rolesOfLayers[0]?.length ?? 0, tokens.length),
  };
}
