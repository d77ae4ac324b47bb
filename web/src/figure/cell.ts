/** Indices as in the tensor of weights, from 0; what people read counts from 1. */
export interface Cell {
  readonly sample: number;
  readonly head: number;
  readonly query: number;
  readonly key: number;
}

export function sameCell(a: Cell | undefined, b: Cell | undefined): boolean {
  return (
    a?.sample === b?.sample && a?.head === b?.head && a?.query === b?.query && a?.key === b?.key
  );
}

/** Where a key of the keyboard leads from a cell of a map, by the pattern of ARIA's grids. */
export function neighbour(
  cell: Cell,
  { key, ctrlKey }: Pick<KeyboardEvent, 'key' | 'ctrlKey'>,
  queries: number,
  keys: number,
): Cell | undefined {
  const to = (query: number, column: number): Cell => ({
    ...cell,
    query: Math.min(Math.max(query, 0), queries - 1),
    key: Math.min(Math.max(column, 0), keys - 1),
  });
  switch (key) {
    case 'ArrowLeft':
      return to(cell.query, cell.key - 1);
    case 'ArrowRight':
      return to(cell.query, cell.key + 1);
    case 'ArrowUp':
      return to(cell.query - 1, cell.key);
    case 'ArrowDown':
      return to(cell.query + 1, cell.key);
    case 'Home':
      return to(ctrlKey ? 0 : cell.query, 0);
    case 'End':
      return to(ctrlKey ? queries - 1 : cell.query, keys - 1);
    default:
      return undefined;
  }
}
