import { greatest } from 'd3-array';

import { formatCell } from '../../format/numbers.js';
import type { HeadScores } from '../../worker/language-model.js';
import { roleNames, words } from './words.js';

/** What a head does with most of its weight, and how much of it. */
export interface Role {
  readonly name: keyof typeof roleNames;
  readonly share: number;
}

/** Below that no name would be fair. */
const leastShare = 0.3;

const names = Object.keys(roleNames) as (keyof typeof roleNames)[];

export function roleOf(scores: HeadScores): Role | undefined {
  const found = greatest(
    names.map((name) => ({ name, share: scores[name] ?? 0 })),
    ({ share }) => share,
  );
  return found !== undefined && found.share >= leastShare ? found : undefined;
}

/** `induction .98` */
export const sayRole = (role: Role | undefined): string =>
  role === undefined ? words.mixed : `${roleNames[role.name]} ${formatCell(role.share)}`;
