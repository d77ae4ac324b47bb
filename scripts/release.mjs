#!/usr/bin/env node
// Makes a release: version, changelog, tests, tag. See --help.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { giveUp, readOptions } from './lib/command.mjs';
import { fromRoot, root } from './lib/files.mjs';
import { endWithSignals, run } from './lib/process.mjs';
import { installReleaseTools } from './release/install.mjs';

const help = `Usage: npm run release -- [OPTIONS]

Makes the commit and the tag of a release in a fresh clone, runs all tests there, shows what would
be published, and takes commit and tag over only if all of that has passed. Nothing is published:
pushing the tag has .github/workflows/release.yml do that.

  --version=…   patch, minor, major or the version itself; asked for if left out
  --dry-run     takes nothing over
`;

const options = readOptions(help, {
  version: { type: 'string' },
  'dry-run': { type: 'boolean' },
});

/** What git prints; errors are its own. */
const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trimEnd();

const step = (text) => console.log(`\n→ ${text}`);

/** A release is of what is committed on main. */
function requireCleanMain() {
  const branch = git('branch', '--show-current') || 'a detached HEAD';
  if (branch !== 'main') throw new Error(`expected the branch main, got ${branch}`);
  const changes = git('status', '--porcelain');
  if (changes) throw new Error(`expected a working tree without changes, got:\n${changes}`);
}

/** Who commits and tags: the fresh clone knows only what this one says. */
function readIdentity() {
  return ['user.name', 'user.email'].map((name) => {
    const { stdout } = spawnSync('git', ['config', name], { cwd: root, encoding: 'utf8' });
    if (!stdout.trim()) throw new Error(`expected git to know a ${name}, got none`);
    return [name, stdout.trim()];
  });
}

async function askForVersion(current) {
  if (!process.stdin.isTTY) return undefined;
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await terminal.question(`Version after ${current} (patch, minor, major, X.Y.Z): `);
  terminal.close();
  return answer.trim() || undefined;
}

const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} KB`.padStart(10);

/** What npm would publish of a folder. */
function printPacked(folder) {
  const printed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: folder,
    encoding: 'utf8',
    // Notices and warnings of npm's own.
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ files, filename, size, unpackedSize }] = JSON.parse(printed);
  for (const { path, size: bytes } of files) console.log(`${kilobytes(bytes)}  ${path}`);
  console.log(`${kilobytes(size)}  ${filename}: ${files.length} files,${kilobytes(unpackedSize)}`);
}

let clone;
const removeClone = () => clone && rmSync(clone, { recursive: true, force: true });

async function release() {
  step('Check that this is main, with nothing uncommitted');
  requireCleanMain();
  const identity = readIdentity();

  await installReleaseTools(run);
  const { changesOf, releaseChanges, releasedVersions } = await import('./release/changelog.mjs');
  const { nextVersion, withVersion } = await import('./release/versions.mjs');
  const read = (path) => readFileSync(fromRoot(path), 'utf8');
  const { version: current } = JSON.parse(read('package.json'));
  const tags = git('tag', '--list', 'v*').split('\n').filter(Boolean);
  const released = [...tags.map((tag) => tag.slice(1)), ...releasedVersions(read('CHANGELOG.md'))];
  const wanted = options.version ?? (await askForVersion(current));
  const version = nextVersion(wanted, { current, released });
  const tag = `v${version}`;
  if (tags.includes(tag)) throw new Error(`expected no tag ${tag}, got one`);
  const date = new Date().toISOString().slice(0, 10);
  const changelog = releaseChanges(read('CHANGELOG.md'), version, date);
  const guide = withVersion(read('docs/native.md'), version);

  clone = mkdtempSync(join(tmpdir(), 'headwise-release-'));
  step(`Clone into ${clone}`);
  await run('git', ['clone', '--quiet', '--branch', 'main', root, clone]);
  const inClone = (command, ...args) => run(command, args, { cwd: clone });

  step(`Write ${version} for ${current}, commit and tag`);
  await inClone(
    ...['npm', 'version', version, '--no-git-tag-version', '--allow-same-version'],
    '--ignore-scripts',
  );
  writeFileSync(join(clone, 'CHANGELOG.md'), changelog);
  writeFileSync(join(clone, 'docs/native.md'), guide);
  for (const setting of identity) await inClone('git', 'config', ...setting);
  await inClone('git', 'commit', '--quiet', '--all', '--message', `Release ${version}`);
  await inClone('git', 'tag', '--annotate', tag, '--message', `headwise ${version}`);
  await inClone('git', 'show', '--stat', '--format=%s', tag);

  step('Run all tests (.ci/run)');
  await inClone('bash', '.ci/run');

  step('Build, and show what would be published');
  await inClone('npm', 'run', 'build');
  printPacked(clone);
  const left = execFileSync('git', ['status', '--porcelain'], { cwd: clone, encoding: 'utf8' });
  if (left) throw new Error(`expected that tests and build leave what is committed, got:\n${left}`);
  console.log(`\n${changesOf(changelog, version)}`);

  if (options['dry-run']) {
    step(`Nothing is taken over (--dry-run). Without it, main and ${tag} would be here now`);
    return;
  }
  step(`Take over main and ${tag}`);
  // What was committed or changed here meanwhile was not tested.
  requireCleanMain();
  await run('git', ['pull', '--quiet', '--ff-only', '--no-rebase', clone, 'main']);
  await run('git', ['fetch', '--quiet', clone, 'tag', tag]);
  console.log(`\nTo publish: git push origin main ${tag}`);
}

endWithSignals(removeClone);
try {
  await release();
} catch (error) {
  removeClone();
  giveUp(`No release: ${error.message}`);
}
removeClone();
