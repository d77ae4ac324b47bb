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
 * What a head was made for. The first two are planted: they alone are open while the model learns,
 * so they must do the work. Sharp heads look hard at one key for no purpose, quiet ones are as they
 * were drawn.
 */
export type Role = 'previousToken' | 'induction' | 'sharp' | 'quiet';

export const plantedRoles: readonly (readonly Role[])[] = [
  ['sharp', 'previousToken', 'quiet', 'quiet', 'previousToken', 'sharp'],
  ['quiet', 'sharp', 'induction', 'sharp', 'quiet', 'induction'],
];

export const isPlanted = (role: Role): boolean => role === 'previousToken' || role === 'induction';

/** Layer by layer. */
export const allHeads: readonly (Head & { readonly role: Role })[] = plantedRoles.flatMap(
  (roles, layer) => roles.map((role, head) => ({ layer, head, role })),
);
