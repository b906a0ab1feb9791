import type { Command, Option } from 'commander';
import { countParser } from './parse-count';

/** The option of commands that go on and on: how long they wait for a service that is away. */
export function giveUpOption(command: Command): Option {
  return command
    .createOption('--give-up-after <seconds>', 'how long the service may be away in between')
    .argParser(countParser(0, 86_400))
    .default(300);
}
