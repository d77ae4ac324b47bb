// Whose code the package and the page are made of, as their bundles tell.
import { fromRoot, listFiles } from '../../../scripts/lib/files.mjs';
import { readFileSync } from 'node:fs';
import { rolldown } from 'rolldown';
import { loadConfigFromFile, build as vite } from 'vite';

/** What bundlers put in themselves has no file. */
const madeBy = /^\0(vite|rolldown)\//;

/** The npm package that a module comes from; null for those of this project. */
export function packageOf(id) {
  const folder = id.split('node_modules/').slice(1).at(-1);
  if (folder) return /^(?:@[^/]+\/)?[^/]+/.exec(folder)[0];
  if (madeBy.test(id)) return madeBy.exec(id)[1];
  if (id.startsWith('\0')) throw new Error(`whose is ${JSON.stringify(id)}?`);
  return null;
}

const packagesOf = (ids) => [...new Set(ids.map(packageOf).filter(Boolean))].sort();

/** By the source maps of dist/. */
export function bundledInPackage() {
  const maps = listFiles(['dist'], (path) => path.endsWith('.js.map'));
  if (maps.length === 0) throw new Error('dist/ has no source maps');
  return packagesOf(maps.flatMap((map) => JSON.parse(readFileSync(fromRoot(map), 'utf8')).sources));
}

const modulesOf = (output) =>
  Object.values(output)
    .filter(({ type }) => type === 'chunk')
    .flatMap(({ modules }) => Object.entries(modules))
    // What nothing uses is not in the bundle.
    .filter(([, { renderedLength }]) => renderedLength > 0)
    .map(([id]) => id);

/**
 * Builds the page once more, its workers and its service worker among it, but writes nothing. The package's files in it
 * bring what they were bundled from.
 */
export async function bundledInPage({ plugins = [] } = {}) {
  const file = fromRoot('web/vite.config.ts');
  const { config } = await loadConfigFromFile({ command: 'build', mode: 'production' }, file);
  const found = [];
  const collect = {
    name: 'collect',
    generateBundle: (_options, output) => void found.push(...modulesOf(output)),
  };
  const ofWorkers = config.worker.plugins;
  await vite({
    ...config,
    configFile: false,
    logLevel: 'warn',
    build: { ...config.build, write: false },
    worker: { ...config.worker, plugins: () => [...ofWorkers(), collect] },
    plugins: [
      ...config.plugins.flat().filter(({ name }) => !name.includes('serwist')),
      ...[collect, ...plugins],
    ],
  });
  const bundle = await rolldown({ input: fromRoot('web/service-worker/service-worker.ts') });
  const { output } = await bundle.generate();
  await bundle.close();
  const worker = modulesOf(output);
  if (!found.some((id) => id.endsWith('model-worker.ts')) || worker.length < 2) {
    throw new Error('the modules of a worker are missing');
  }
  return [...new Set([...packagesOf([...found, ...worker]), ...bundledInPackage()])].sort();
}
