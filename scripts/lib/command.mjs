// What the commands `npm start`, `npm run build` and `npm test` have in common.
import { parseArgs } from 'node:util';

/** Ends with one line on standard error and exit code 1. */
export function giveUp(message) {
  console.error(message);
  process.exit(1);
}

/** Says so where this Node is too old for the tools, before their own errors do. */
function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const isEnough = major > 22 || (major === 22 && minor >= 13) || (major === 20 && minor >= 19);
  if (!isEnough) giveUp(`Node ${process.versions.node} is too old: 20.19 or 22.13 is the least.`);
}

/** The command line's options; answers --help itself. */
export function readOptions(help, options) {
  requireNode();
  let values;
  try {
    ({ values } = parseArgs({ options: { ...options, help: { type: 'boolean', short: 'h' } } }));
  } catch (error) {
    giveUp(`${error.message.split('\n')[0]} (--help lists the options)`);
  }
  if (values.help) {
    process.stdout.write(help);
    process.exit(0);
  }
  return values;
}

/** The names in options that may be given several times or hold several names, with commas. */
export const names = (values) =>
  (values ?? []).flatMap((value) => value.split(',')).filter(Boolean);
