import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project that has headwise installed, with these tests in it. */
export const project = fileURLToPath(new URL('../../../', import.meta.url));

/** Runs a program to its end and gives what it printed; throws with its errors if it fails. */
export function output(command, args) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: project,
    encoding: 'utf8',
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ended with ${status}:\n${stderr}`);
  return stdout;
}

/** Runs a module's text in a process of its own, in which headwise is not initialized yet. */
export const runModule = (text, ...flags) =>
  output(process.execPath, [...flags, '--input-type=module', '--eval', text]);

/** An empty folder until the test ends. */
export function temporaryFolder(t) {
  const folder = mkdtempSync(join(tmpdir(), 'headwise-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}
