import { written } from './history.js';

/** Acts of earlier editions of the page, and the acts that show the same now. */
const acts: Readonly<Partial<Record<string, string>>> = {
  words: 'look',
  figure: 'inside',
  why: 'inside',
  toy: 'equal-keys',
  heads: 'equal-keys',
  align: 'translate',
};

/** Parameters of earlier editions that have another name now. */
const parameters: Readonly<Partial<Record<string, string>>> = {
  'words-text': 'text',
  'first-text': 'text',
  'first-head': 'look-arcs',
  'first-query': 'look-query',
  'words-head': 'look-head',
  'words-query': 'look-query',
  'words-view': 'look-view',
  'words-shut': 'look-shut',
};

/**
 * The address in the names of today, or undefined if it has them. An act keeps its old name while the page has it.
 *
 * @param has whether the page has an act
 */
export function updatedAddress(
  { search, hash }: Pick<Location, 'search' | 'hash'>,
  has: (act: string) => boolean,
): string | undefined {
  const query = new URLSearchParams(search);
  let isOld = false;
  for (const [old, now = ''] of Object.entries(parameters)) {
    const value = query.get(old);
    if (value === null) continue;
    isOld = true;
    query.delete(old);
    if (!query.has(now)) query.set(now, value);
  }
  const act = hash.slice(1);
  const now = has(act) ? undefined : acts[act];
  if (!isOld && now === undefined) return undefined;
  return (isOld ? written(query) : search) + (now === undefined ? hash : `#${now}`);
}
