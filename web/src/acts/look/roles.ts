import { descending, sort } from 'd3-array';

import { formatCell } from '../../format/numbers.js';
import { clearLead } from '../../worker/heads.js';
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

/** @returns undefined for a head of mixed roles */
export function roleOf(scores: HeadScores): Role | undefined {
  const [best, second] = sort(
    names.map((name) => ({ name, share: scores[name] ?? 0 })),
    (a, b) => descending(a.share, b.share),
  );
  const isClear = best.share >= leastShare && best.share - second.share >= clearLead;
  return isClear ? best : undefined;
}

export const nameOfRole = (role: Role | undefined): string =>
  role === undefined ? words.mixed : roleNames[role.name];

/** `induction .98` */
export const sayRole = (role: Role | undefined): string =>
  role === undefined ? words.mixed : `${roleNames[role.name]} ${formatCell(role.share)}`;
