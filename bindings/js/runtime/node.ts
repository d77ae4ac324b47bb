/**
 * Node's `process`; undefined elsewhere. Bundlers give pages a fake `process`, so this checks for `getBuiltinModule`.
 * With it, headwise loads Node's modules without imports, which bundlers for pages could not resolve.
 */
export const node: NodeJS.Process | undefined = (() => {
  const { process } = globalThis as { process?: Partial<NodeJS.Process> };
  return typeof process?.getBuiltinModule === 'function' ? (process as NodeJS.Process) : undefined;
})();

/**
 * The version of a Node that is too old to have `getBuiltinModule`; undefined otherwise, and on pages, whatever their
 * `process` contains.
 */
export function oldNode(): string | undefined {
  const { process } = globalThis as { process?: Partial<NodeJS.Process> };
  return node === undefined && typeof document === 'undefined'
    ? process?.versions?.node
    : undefined;
}
