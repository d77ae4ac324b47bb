// Starts workerd by miniflare with the Worker of these files, asks it once and prints its answer as JSON. Arguments: the
// Worker, its WebAssembly file, the compatibility flags as JSON.
import { readFileSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Miniflare } from 'miniflare';

const [worker, wasm, flags] = process.argv.slice(2);
const root = resolve('.');
const dist = fileURLToPath(new URL('.', import.meta.resolve('headwise')));
const at = (specifier, from) => {
  const path = fileURLToPath(
    /^\.{0,2}\//.test(specifier)
      ? new URL(specifier, pathToFileURL(from))
      : import.meta.resolve(specifier),
  );
  return path;
};

/** The files as wrangler hands them over: what is imported by name, by its place. */
const modules = [];
function add(path) {
  if (modules.some((each) => each.path === path)) return;
  if (path.endsWith('.wasm')) {
    modules.push({ type: 'CompiledWasm', path });
    return;
  }
  const found = [];
  const contents = readFileSync(path, 'utf8').replaceAll(
    /^((?:import|export)\b[^;'"]*?["'])([^'"]+)(["'])/gm,
    (_, before, specifier, after) => {
      const file = at(specifier, path);
      found.push(file);
      const place = relative(resolve(path, '..'), file).split(sep).join('/');
      return `${before}${place.startsWith('.') ? place : `./${place}`}${after}`;
    },
  );
  modules.push({ type: 'ESModule', path, contents });
  found.forEach(add);
}
add(resolve(worker));
if (!modules.some(({ path }) => path === `${dist}${wasm}`))
  throw new Error(`${worker} lacks ${wasm}`);

const miniflare = new Miniflare({
  ...{ modulesRoot: root, modules, compatibilityDate: '2026-07-01' },
  compatibilityFlags: JSON.parse(flags),
});
const body = readFileSync(new URL('cases.json', import.meta.url), 'utf8');
const response = await miniflare.dispatchFetch('http://localhost/', { method: 'POST', body });
console.log(await response.text());
await miniflare.dispose();
