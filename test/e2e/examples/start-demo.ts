import { readdir } from 'node:fs/promises';
import type { TestContext } from 'vitest';
import { temporaryFolder } from '../../helpers/temporary-folder';
import { startExample } from './start-example';

/** Lists the demo's temporary folders; the TypeScript runner has its cache in the same folder. */
export const listDemoFolders = async (folder: string) =>
  (await readdir(folder)).filter((name) => name.startsWith('tradepost-demo-'));

/** Finds the address of the demo's server in what the demo wrote. */
export const findUrl = (transcript: string) =>
  /listening on (http:\S+)/.exec(transcript)?.[1] ?? '';

/** Starts the demo with a folder for temporary files that the test can list. */
export async function startDemo(onTestFinished: TestContext['onTestFinished']) {
  const folder = await temporaryFolder();
  onTestFinished(folder.remove);
  const demo = startExample('demo/main.ts', [], { env: { TMPDIR: folder.path } });
  onTestFinished(async () => {
    await demo.stop();
  });
  return { folder: folder.path, demo };
}
