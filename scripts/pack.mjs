#!/usr/bin/env node
// Installs the package as npm packs it into build/packed/project, with the files that its tests run beside it.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fromRoot, listFiles } from './lib/files.mjs';

const folder = fromRoot('build/packed');
const project = `${folder}/project`;
const npm = (cwd, ...args) =>
  execFileSync('npm', [...args, '--ignore-scripts'], {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
  });

rmSync(folder, { recursive: true, force: true });
mkdirSync(project, { recursive: true });
const manifest = { name: 'packed-project', private: true, type: 'module' };
writeFileSync(`${project}/package.json`, JSON.stringify(manifest, null, 2));
npm(fromRoot('.'), 'pack', '--pack-destination', folder);
const { name, version } = JSON.parse(readFileSync(fromRoot('package.json'), 'utf8'));
npm(project, 'install', '--offline', '--no-package-lock', `../${name}-${version}.tgz`);
const documents = listFiles(['docs'], (path) => /^docs\/(guides\/)?[^/]+\.md$/.test(path));
for (const path of ['README.md', ...documents, 'examples', 'tests/node', 'tests/data']) {
  cpSync(fromRoot(path), `${project}/${path}`, { recursive: true });
}
