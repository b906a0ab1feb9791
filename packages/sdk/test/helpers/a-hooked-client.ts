import type { TradepostHooks, TradepostOptions } from '../../src/index';
import { createTestClient } from './a-client';
import { type Step, scriptedService } from './scripted-service';

/** Creates a client with hooks and a service with these steps, and collects the errors in its log. */
export async function createHookedClient(hooks: TradepostHooks, ...steps: Step[]) {
  const service = await scriptedService(...steps);
  const errors: string[] = [];
  const logger = { error: (message: string) => errors.push(message) };
  const options: TradepostOptions = { ...service, apiKey: 'tpk_test', hooks, logger };
  return { service, errors, ...createTestClient(options) };
}
