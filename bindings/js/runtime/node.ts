/**
 * Node's `process`, or undefined elsewhere. Bundlers lend pages a `process` of their own, so what is asked for is what
 * it is used for: Node's modules, without an import that a bundler for pages would not find.
 */
export const node: NodeJS.Process | undefined = (() => {
  const { process } = globalThis as { process?: Partial<NodeJS.Process> };
  return typeof process?.getBuiltinModule === 'function' ? (process as NodeJS.Process) : undefined;
})();

/** The version of a Node that is too old to hand out its modules so; none of a page, whatever its `process` says. */
export function oldNode(): string | undefined {
  const { process } = globalThis as { process?: Partial<NodeJS.Process> };
  return node === undefined && typeof document === 'undefined'
    ? process?.versions?.node
    : undefined;
}
