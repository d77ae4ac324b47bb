import { ascending, range, rollup, sort } from 'd3-array';

/** A head by its place before any was removed, counted from 0. */
export interface Head {
  readonly layer: number;
  readonly head: number;
}

export const sameHead = (a: Head, b: Head): boolean => a.layer === b.layer && a.head === b.head;

/** Whether a head is among others. */
export const hasHead = (heads: readonly Head[], head: Head): boolean =>
  heads.some((each) => sameHead(each, head));

/** By layer and place, counted from 1, as people read it and the address writes it: `2.3`. */
export const nameOfHead = ({ layer, head }: Head): string => `${layer + 1}.${head + 1}`;

/** The head of such a name; undefined if it is none. */
export function headNamed(name: string): Head | undefined {
  const found = /^([1-9]\d?)\.([1-9]\d?)$/.exec(name)?.slice(1).map(Number);
  return found && { layer: found[0] - 1, head: found[1] - 1 };
}

/** A head has a role of its own only where its score leads those it is compared with by so much. */
export const clearLead = 0.2;

/** All heads of a model, layer by layer. */
export const headsOf = (numHeads: readonly number[]): Head[] =>
  numHeads.flatMap((count, layer) => range(count).map((head) => ({ layer, head })));

/** Gates that shut these heads: of each layer, a number for each head. */
export const gatesWithout = (numHeads: readonly number[], shut: readonly Head[]): number[][] =>
  numHeads.map((count, layer) =>
    range(count).map((head) => Number(!hasHead(shut, { layer, head }))),
  );

/**
 * The order in which heads are pruned: the lowest rank first. The last head of a layer stays.
 *
 * @param rank a number for each of `heads`
 */
export function pruningOrder(heads: readonly Head[], rank: readonly number[]): Head[] {
  const left = rollup(
    heads,
    ({ length }) => length,
    ({ layer }) => layer,
  );
  return sort(heads.keys(), (a, b) => ascending(rank[a], rank[b]))
    .map((place) => heads[place])
    .filter(({ layer }) => {
      const others = (left.get(layer) ?? 0) - 1;
      if (others > 0) left.set(layer, others);
      return others > 0;
    });
}

/**
 * What a head of the planted model was made for. The first two are planted: they alone are open while
 * the model learns, so they must do the work. Sharp heads look hard at one key for no purpose, quiet
 * ones are as they were drawn.
 */
export type Role = 'previousToken' | 'induction' | 'sharp' | 'quiet';

export const isPlanted = (role: Role): boolean => role === 'previousToken' || role === 'induction';

/**
 * The roles that each layer of the planted model has, in no order: which head has which is drawn from
 * the seed. Heads of induction read what those of the layer below left, so roles stay in their layer.
 */
export const rolesOfLayers: readonly (readonly Role[])[] = [
  ['previousToken', 'previousToken', 'sharp', 'sharp', 'quiet', 'quiet'],
  ['induction', 'induction', 'sharp', 'sharp', 'quiet', 'quiet'],
];

/** Of the planted model, layer by layer. */
export const allHeads: readonly Head[] = headsOf(rolesOfLayers.map(({ length }) => length));

export const numPlanted = rolesOfLayers.flat().filter(isPlanted).length;

/** Place of a head of the planted model in `allHeads`. */
export const placeOf = (head: Head): number => allHeads.findIndex((each) => sameHead(each, head));

/** How many of these heads were planted. */
export const numPlantedAmong = (heads: readonly Head[], roles: readonly Role[]): number =>
  heads.filter((head) => isPlanted(roles[placeOf(head)])).length;
