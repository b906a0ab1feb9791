import { runCommand } from '../../local-service/run-command';
import type { DemoContext } from '../context';
import { shorten } from '../narrator';
import type { DemoService } from './start-service';

/** Prints a command of the CLI with the key that it uses, runs it, and returns its stdout. */
export function runTradepost(
  { narrator, signal }: DemoContext,
  { url }: DemoService,
  { apiKey }: { apiKey: string },
  args: readonly string[],
): Promise<string> {
  narrator.command(`TRADEPOST_API_KEY=${shorten(apiKey)} tradepost ${args.join(' ')}`);
  const env = { TRADEPOST_BASE_URL: url, TRADEPOST_API_KEY: apiKey };
  return runCommand('tradepost', args, { env, signal });
}
