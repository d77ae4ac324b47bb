import type { Head } from './heads.js';

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
