import type { TradepostHooks, TradepostOptions } from '../../src/index';
import { aPatientClient } from './a-client';
import { type Step, scriptedService } from './scripted-service';

/** A client with hooks before a service that plays these steps, and what its logger was told as errors. */
export async function aHookedClient(hooks: TradepostHooks, ...steps: Step[]) {
  const service = await scriptedService(...steps);
  const errors: string[] = [];
  const logger = { error: (message: string) => errors.push(message) };
  const options: TradepostOptions = { ...service, apiKey: 'tpk_test', hooks, logger };
  return { service, errors, ...aPatientClient(options) };
}
