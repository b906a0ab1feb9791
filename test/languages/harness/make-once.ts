import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Makes a folder, unless it was made from the same inputs before.
 *
 * @param folder What `make` creates. It is removed before.
 * @param inputs Files on which the result depends.
 */
export async function makeOnce(
  folder: string,
  inputs: readonly string[],
  make: () => Promise<unknown>,
): Promise<void> {
  const hash = createHash('sha256');
  for (const input of inputs) hash.update(readFileSync(input));
  const digest = hash.digest('hex');
  const stamp = `${folder}.stamp`;
  if (existsSync(folder) && existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  rmSync(stamp, { force: true });
  rmSync(folder, { recursive: true, force: true });
  await make();
  writeFileSync(stamp, digest);
}
