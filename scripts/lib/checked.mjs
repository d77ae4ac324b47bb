// When a check that has passed need not be made again: what every check depends on beside its own
// inputs.
import { arch, availableParallelism, cpus, platform } from 'node:os';

/** What runs the checks, and every package that they or their tools may come from. */
const inputs = ['scripts', 'package.json', 'package-lock.json', '.npmrc'];

const facts = () => ({
  node: process.version,
  machine: [platform(), arch(), cpus()[0]?.model, availableParallelism()],
  // By which tests can be told to do something else.
  environment: Object.entries(process.env)
    .filter(([name]) => /^(HEADWISE_|NODE_OPTIONS$)/.test(name))
    .sort(),
});

const resultOf = (given) => (typeof given === 'function' ? given() : given);

/** What `freshness` takes, of a step that only checks; its `inputs` and `facts` may be functions. */
export const checkedBy = ({ name, checks }) => ({
  stamp: `build/stamps/checks/${name}.json`,
  inputs: [...inputs, ...resultOf(checks.inputs)],
  facts: { ...facts(), ...resultOf(checks.facts) },
});
