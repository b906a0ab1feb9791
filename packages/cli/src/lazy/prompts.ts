/** The questions to a person at the keyboard. */
import type { OutputStream } from '../context';
import { getTerminalWidth, wrap } from '../output/text';

export { confirm, password, text } from '@clack/prompts';

/** The symbol before a question and the two spaces after it, in cells. */
const symbolWidth = 3;

/**
 * Wraps a question beside its symbol. The prompt would wrap it as if no symbol were before it, and then wrap
 * the result again.
 */
export function wrapQuestion(question: string, stderr: OutputStream): string {
  const width = Math.max(getTerminalWidth(stderr) - symbolWidth, 1);
  return wrap(question, width).join('\n');
}
