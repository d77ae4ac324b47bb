// The tools: what each builds, and how it is served. To add one, add an application's folder and a line here.
import { cpSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { isolation } from '../../browser/lib/package-server.mjs';
import { serveFolder } from '../../browser/lib/server.mjs';
import { hasCurrentNode, toolchain } from '../../../scripts/lib/toolchain.mjs';
import { copyPage, installed, layOut, shell, startServer } from './lib/applications.mjs';

/**
 * @typedef {object} Server
 * @property {string} url
 * @property {() => Promise<void>} close
 *
 * @typedef {object} Tool
 * @property {string} name the table's row
 * @property {() => Promise<(isIsolated: boolean) => Promise<Server>>} build makes the application, and gives what serves it
 * @property {boolean} [loadsAll] whether it leaves the package in one piece, so that models come with the layer
 * @property {string} [skip] why it cannot be tried here
 * @property {boolean} [isIsolatedOnly] whether its documented configuration isolates every page
 * @property {boolean} [computes] whether the application has a route that computes on the server
 */

const versionOf = (name) =>
  JSON.parse(readFileSync(installed('node_modules', name, 'package.json'), 'utf8')).version;
const named = (title, name) => ({ name: `${title} ${versionOf(name)}` });

const idOf = (name) => name.replaceAll(/\W+/g, '-').toLowerCase();
const scriptsOf = (folder) => JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')).scripts;

/** Files for any host, with the headers that it is asked for. */
const serveFiles = (folder) => (isIsolated) =>
  serveFolder(folder, { headers: isIsolated ? isolation : {} });

/** Builds by the application's own script into `dist`. */
const builds = (tool, application) => ({
  ...tool,
  async build() {
    const folder = layOut(idOf(tool.name), [application]);
    // By which Parcel knows a project's root.
    writeFileSync(`${folder}/package-lock.json`, '{}');
    await shell(scriptsOf(folder).build, folder);
    copyPage(folder);
    return serveFiles(`${folder}/dist`);
  },
});

/** Its development server: with the documented configuration if isolated, else without any. */
const serves = (tool, application, { line, configuration }) => ({
  ...tool,
  async build() {
    return (isIsolated) => {
      const folder = layOut(`${idOf(tool.name)}-${isIsolated}`, [application]);
      if (!isIsolated) writeFileSync(`${folder}/${configuration}`, 'export default {};\n');
      return startServer((port) => `${scriptsOf(folder).dev} ${line(port)}`, folder);
    };
  },
});

/**
 * Next.js, which looks for its root at the topmost lock file, of this repository.
 *
 * @param {{ without?: string[] }} [options] what to leave out of the documented configuration
 */
export function layOutNext(name, folders, { without = [] } = {}) {
  const folder = layOut(name, folders);
  renameSync(`${folder}/next.config.mjs`, `${folder}/documented.config.mjs`);
  writeFileSync(
    `${folder}/next.config.mjs`,
    `import documented from './documented.config.mjs';

const config = { ...documented, turbopack: { root: ${JSON.stringify(installed())} } };
for (const name of ${JSON.stringify(without)}) delete config[name];
export default config;
`,
  );
  return folder;
}

const nextVersion = versionOf('next');
const nextBundlers = { Turbopack: '--turbopack', webpack: '--webpack' };

const nextFiles = Object.entries(nextBundlers).map(([bundler, flag]) => ({
  name: `Next.js ${nextVersion} (files, ${bundler})`,
  async build() {
    const folder = layOutNext(idOf(this.name), ['next']);
    await shell(`next build ${flag}`, folder);
    return serveFiles(`${folder}/out`);
  },
}));

const nextDev = Object.entries(nextBundlers).map(([bundler, flag]) => ({
  name: `Next.js ${nextVersion} (dev, ${bundler})`,
  computes: true,
  async build() {
    return (isIsolated) => {
      const folder = layOutNext(`${idOf(this.name)}-${isIsolated}`, ['next', 'next-server'], {
        without: isIsolated ? [] : ['headers'],
      });
      return startServer((port) => `next dev ${flag} --hostname localhost --port ${port}`, folder);
    };
  },
}));

const nextServers = Object.entries(nextBundlers).map(([bundler, flag]) => ({
  name: `Next.js ${nextVersion} (server, ${bundler})`,
  computes: true,
  isIsolatedOnly: true,
  async build() {
    const folder = layOutNext(idOf(this.name), ['next', 'next-server']);
    await shell(`next build ${flag}`, folder);
    return () => startServer((port) => `next start --hostname localhost --port ${port}`, folder);
  },
}));

const svelteKit = {
  ...named('SvelteKit', '@sveltejs/kit'),
  skip: hasCurrentNode ? undefined : 'needs Node 22',
  computes: true,
  async build() {
    const folder = layOut('sveltekit', ['sveltekit']);
    await shell(scriptsOf(folder).build, folder, toolchain().currentNode);
    return serveFiles(`${folder}/build`);
  },
};

/** The package's own files beside a page that imports them by an import map. */
const importMap = {
  name: 'import map',
  loadsAll: true,
  async build() {
    const folder = layOut('import-map', ['import-map']);
    cpSync(installed('node_modules/headwise/dist'), `${folder}/headwise`, { recursive: true });
    return serveFiles(folder);
  },
};

/** An application whose import map names the place where the package is served. */
export function layOutOtherOrigin(name, url) {
  const folder = layOut(name, ['other-origin']);
  const page = readFileSync(`${folder}/index.html`, 'utf8');
  writeFileSync(
    `${folder}/index.html`,
    page.replaceAll(/https:\/\/cdn\.example\/headwise@[\d.]+\/dist\//g, url),
  );
  return folder;
}

/** The page at one origin, the package at another, as CDNs serve it. */
const otherOrigin = {
  name: 'another origin',
  loadsAll: true,
  async build() {
    const dist = installed('node_modules/headwise/dist');
    const headers = { 'Access-Control-Allow-Origin': '*' };
    return async (isIsolated) => {
      const cdn = await serveFolder(dist, { headers });
      const folder = layOutOtherOrigin(`other-origin-${isIsolated}`, cdn.url);
      const { url, close } = await serveFiles(folder)(isIsolated);
      return { url, close: () => Promise.all([close(), cdn.close()]) };
    };
  },
};

const loadsAll = true;

/** By test file. @type {Record<string, Tool[]>} */
export const tools = {
  vite: [
    builds(named('Vite (build)', 'vite'), 'vite'),
    serves({ ...named('Vite (dev)', 'vite'), loadsAll }, 'vite', {
      line: (port) => `--port ${port} --strictPort`,
      configuration: 'vite.config.js',
    }),
  ],
  webpack: [
    builds(named('webpack (build)', 'webpack'), 'webpack'),
    serves(named('webpack (dev)', 'webpack'), 'webpack', {
      line: (port) => `--port ${port} --no-open`,
      configuration: 'webpack.config.js',
    }),
  ],
  rollup: [builds(named('Rollup', 'rollup'), 'rollup')],
  esbuild: [
    builds({ ...named('esbuild (modules)', 'esbuild'), loadsAll }, 'esbuild-esm'),
    builds(named('esbuild (script)', 'esbuild'), 'esbuild-iife'),
  ],
  parcel: [builds(named('Parcel', 'parcel'), 'parcel')],
  next: [...nextFiles, ...nextDev, ...nextServers],
  sveltekit: [svelteKit],
  'no-bundler': [importMap, otherOrigin],
};
