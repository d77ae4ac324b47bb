// The engines by name.
import { execFileSync } from 'node:child_process';
import { toolchain } from '../../../scripts/lib/toolchain.mjs';
import { buildNative } from '../../native/build.mjs';
import { chromiumEngine } from './chromium.mjs';
import { nodeEngine } from './node.mjs';

/** Starts an engine; `execPath` is that of Node, where it is one. */
export const engines = {
  node: () => nodeEngine(process.execPath, process.versions.node),
  'node-current': () => {
    const { currentNode } = toolchain();
    if (!currentNode) throw new Error('there is a current Node for Linux on x64 only');
    const version = execFileSync(currentNode, ['--version'], { encoding: 'utf8' }).trim().slice(1);
    return nodeEngine(currentNode, version);
  },
  chromium: chromiumEngine,
  // Of native code; a Node process each runs what is native within it, and starts what is not.
  async native() {
    await buildNative();
    return { ...nodeEngine(process.execPath), version: 'native', execPath: undefined };
  },
};
