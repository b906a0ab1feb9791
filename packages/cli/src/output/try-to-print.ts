import type { OutputStream } from '../terminal';
import type { Format } from './format';
import { isReaderGone } from './is-reader-gone';
import { writeData } from './write';

/**
 * Prints what came of several changes. They are done whatever comes of that: so what goes wrong is
 * returned, for whoever has more to tell, and a reader who has gone is no failure.
 *
 * @returns why it could not be printed; null when it could, or when nobody reads it
 */
export async function tryToPrint<Item>(
  items: readonly Item[],
  format: Format<Item>,
  stdout: OutputStream,
): Promise<unknown> {
  try {
    await writeData(stdout, format.part(items));
    await writeData(stdout, format.end());
    return null;
  } catch (error) {
    return isReaderGone(error) ? null : error;
  }
}
