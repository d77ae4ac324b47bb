import { spawnSync } from 'node:child_process';

/** The build, the number of threads and the Node that a step of tests/node has. */
export async function loadedBy({ run }) {
  let printed;
  await run((node, _args, { cwd, env }) => {
    const probe =
      "import { init } from 'headwise'; const { variant, threads } = await init();" +
      'console.log(variant, threads, process.version);';
    const { stdout, stderr } = spawnSync(node, ['--input-type=module', '--eval', probe], {
      cwd,
      encoding: 'utf8',
      env: { ...process.env, ...env },
    });
    printed = stdout.trim() || stderr;
  });
  return printed;
}
