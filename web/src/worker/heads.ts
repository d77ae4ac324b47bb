/** A head by its place before any was removed, counted from 0. */
export interface Head {
  readonly layer: number;
  readonly head: number;
}

export const sameHead = (a: Head, b: Head): boolean => a.layer === b.layer && a.head === b.head;

/** By layer and place, counted from 1, as people read it and the address writes it: `2.3`. */
export const nameOfHead = ({ layer, head }: Head): string => `${layer + 1}.${head + 1}`;

/** Whether a head may go: it is still there, and its layer has another. */
export function canGo(head: Head, heads: readonly Head[], pruned: readonly Head[]): boolean {
  const left = heads.filter((each) => !pruned.some((other) => sameHead(each, other)));
  return (
    left.some((each) => sameHead(each, head)) &&
    left.filter(({ layer }) => layer === head.layer).length > 1
  );
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
export const allHeads: readonly Head[] = rolesOfLayers.flatMap((roles, layer) =>
  roles.map((_, head) => ({ layer, head })),
);

export const numPlanted = rolesOfLayers.flat().filter(isPlanted).length;
