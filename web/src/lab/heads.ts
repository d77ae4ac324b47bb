/** A head by its place before any was removed, counted from 0. */
export interface Head {
  readonly layer: number;
  readonly head: number;
}

export const sameHead = (a: Head, b: Head): boolean => a.layer === b.layer && a.head === b.head;

/** By layer and place, counted from 1, as people read it and the address writes it: `2.3`. */
export const nameOfHead = ({ layer, head }: Head): string => `${layer + 1}.${head + 1}`;

/** Whether a head may go: it is still there, and its layer has another. */
export function canGo(head: Head, heads: readonly Head[], gone: readonly Head[]): boolean {
  const left = heads.filter((each) => !gone.some((other) => sameHead(each, other)));
  return (
    left.some((each) => sameHead(each, head)) &&
    left.filter(({ layer }) => layer === head.layer).length > 1
  );
}
