/**
 * Node's `process`; undefined elsewhere. Bundlers give pages a fake `process`, so this checks for `getBuiltinModule`.
 * With it, headwise loads Node's modules without imports, which bundlers for pages could not resolve.
 */
export const node: NodeJS.Process | undefined = (() => {
  const { process } = globalThis as { process?: Partial<NodeJS.Process> };
  return typeof process?.getBuiltinModule === 'function' ? (process as NodeJS.Process) : undefined;
})();

/**
 * The version of a Node that is too old to have `getBuiltinModule`. Undefined for other engines, and on pages, even if
 * their `process` claims a version.
 */
export function oldNode(): string | undefined {
  const { process } = globalThis as { process?: Partial<NodeJS.Process> };
  return node === undefined && typeof document === 'undefined'
    ? process?.versions?.node
    : undefined;
}
