// Downloads packages of Debian releases other than this machine's, with apt's own checks and with
// nothing shared with the system's apt: neither its sources nor its lists, state or cache.
import fs from 'node:fs';
import path from 'node:path';
import { run } from './commands.mjs';
import { debianKeyring } from './distribution.mjs';
import { SetupError } from './errors.mjs';
import { choosePackageVersion } from './versions.mjs';

/** @typedef {import('./recipe.mjs').Deb} Deb */

/**
 * @param {string} home a folder for apt to keep its things in
 * @param {string} mirror
 * @param {string[]} suites
 * @returns {string} the configuration file
 */
export function writeAptConfig(home, mirror, suites) {
  const at = (/** @type {string} */ name) => path.join(home, name);
  for (const folder of ['state/lists/partial', 'cache/archives/partial']) {
    fs.mkdirSync(at(folder), { recursive: true });
  }
  fs.writeFileSync(
    at('sources.list'),
    suites
      .map((suite) => `deb [signed-by=${debianKeyring} targets=Packages] ${mirror} ${suite} main\n`)
      .join(''),
  );
  // Debian's own images have hooks that run after updates and clean the system's cache.
  const text = `
#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
APT::Update::Error-Mode "any";
${process.getuid?.() === 0 ? 'APT::Sandbox::User "root"; // apt\'s own user cannot write here\n' : ''}
Acquire::Languages "none";
Acquire::Retries "3";
Acquire::http::Timeout "30";
Acquire::https::Timeout "30";
Dir::State "${at('state')}";
Dir::State::Lists "${at('state/lists')}";
Dir::State::status "/dev/null";
Dir::Cache "${at('cache')}";
Dir::Cache::archives "${at('cache/archives')}";
Dir::Etc::sourcelist "${at('sources.list')}";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
`;
  fs.writeFileSync(at('apt.conf'), text);
  return at('apt.conf');
}

/**
 * Reads what `apt-get download --print-uris` announces.
 * @param {string} text
 */
export function parsePrintedUris(text) {
  return [...text.matchAll(/^'[^']*' (\S+) (\d+) /gm)].map(([, file, size]) => ({
    file,
    size: Number(size),
  }));
}

/** @param {string} file */
const sizeOf = (file) => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/**
 * Puts the packages' files into the folder `downloads` of the toolchain folder.
 * @param {import('./commands.mjs').Context} context
 * @param {string} mirror
 * @param {Deb[]} debs
 * @returns {Promise<Map<Deb, string>>} the file of each
 */
export async function downloadDebs(context, mirror, debs) {
  const { folder, progress } = context;
  const suites = [...new Set(debs.map(({ suite }) => suite))];
  const config = writeAptConfig(path.join(folder, 'apt'), mirror, suites);
  const downloads = path.join(folder, 'downloads');
  fs.mkdirSync(downloads, { recursive: true });

  await progress.during("Debian's package lists", (note) =>
    run(context, 'apt-get', ['-c', config, 'update'], { onLine: note }),
  );
  const names = debs.map((deb) => deb.package);
  const madison = await run(context, 'apt-cache', ['-c', config, 'madison', ...names]);
  const wanted = debs.map((deb) => {
    const { chosen, offered } = choosePackageVersion(madison, deb);
    if (chosen) return `${deb.package}=${chosen}`;
    throw new SetupError(
      `${deb.package} ${deb.version}* is needed; Debian's ${deb.suite} has ` +
        (offered.join(', ') || 'none'),
    );
  });

  const download = ['-c', config, 'download'];
  // Nothing is announced of files that are in the working folder already.
  const elsewhere = { cwd: path.dirname(config) };
  const announced = parsePrintedUris(
    await run(context, 'apt-get', [...download, '--print-uris', ...wanted], elsewhere),
  );
  const megabytes = (/** @type {number} */ bytes) => Math.round(bytes / 1e6);
  const total = announced.reduce((sum, { size }) => sum + size, 0);
  await progress.during(`downloads, ${megabytes(total)} MB`, async (note) => {
    const timer = setInterval(() => {
      const files = announced.map(({ file }) => sizeOf(path.join(downloads, file)));
      note(`${megabytes(files.reduce((sum, size) => sum + size, 0))} MB`);
    }, 500);
    try {
      await run(context, 'apt-get', [...download, ...wanted], { cwd: downloads });
    } finally {
      clearInterval(timer);
    }
  });
  return new Map(debs.map((deb) => [deb, path.join(downloads, fileOf(announced, deb))]));
}

/** @param {{ file: string }[]} announced @param {Deb} deb */
function fileOf(announced, deb) {
  const found = announced.find(({ file }) => file.startsWith(`${deb.package}_`));
  if (!found) throw new SetupError(`apt-get announced no file for ${deb.package}`);
  return found.file;
}
