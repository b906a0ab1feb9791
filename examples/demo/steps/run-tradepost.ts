import { runCommand } from '../../local-service/run-command';
import { shorten } from '../narrate';
import type { Stage } from '../stage';
import type { Shop } from './open-shop';

/** Shows a command of the CLI with whose key it runs, runs it and returns what it wrote to stdout. */
export function runTradepost(
  { narrator, signal }: Stage,
  { url }: Shop,
  { apiKey }: { apiKey: string },
  args: readonly string[],
): Promise<string> {
  narrator.command(`TRADEPOST_API_KEY=${shorten(apiKey)} tradepost ${args.join(' ')}`);
  const env = { TRADEPOST_BASE_URL: url, TRADEPOST_API_KEY: apiKey };
  return runCommand('tradepost', args, { env, signal });
}
