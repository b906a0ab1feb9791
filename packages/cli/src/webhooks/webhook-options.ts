import { eventKinds } from '@tradepost/sdk';
import type { Command, Option } from 'commander';
import { listParser } from '../input/parse-list';
import { parseWebhookUrl } from './webhook-url';

/** An option that takes the endpoint that receives the deliveries. */
export function urlOption(command: Command): Option {
  return command
    .createOption('--url <url>', 'the https:// endpoint that receives the deliveries')
    .argParser(parseWebhookUrl);
}

/** An option that takes event kinds, separated by commas. */
export function eventsOption(command: Command, what = 'event kinds'): Option {
  return command
    .createOption('--events <kinds>', `${what}, separated by commas: ${eventKinds.join(', ')}`)
    .argParser(listParser(eventKinds, 'event kind'));
}

/** An option that takes one event kind. */
export function eventOption(command: Command, description: string): Option {
  return command.createOption('--event <kind>', description).choices(eventKinds);
}
