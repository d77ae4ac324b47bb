import { Adam, init } from 'headwise/models';

/**
 * The layer, for acts that compute on the page: what they show is too small for threads. It is the models' build, which
 * workers take, too, so that all take one WebAssembly file: bundlers choose it if anything is used that needs it.
 */
export async function loadLayer(): Promise<typeof Adam> {
  await init({ threads: 1 });
  return Adam;
}
