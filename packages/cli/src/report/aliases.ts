import type { Command } from 'commander';

/** What is often typed, and what it is called here: the first words of a command line, or its last word in any group. */
const commandAliases: Readonly<Record<string, string>> = {
  'orders update': 'orders set-status',
  'orders cancel': 'orders set-status ID cancelled',
  'notifications mark-read': 'notifications read',
  'webhooks create': 'webhooks register',
  'webhooks disable': 'webhooks pause',
  'webhooks enable': 'webhooks resume',
  'webhooks redeliver': 'webhooks replay',
  'webhooks trigger': 'webhooks test',
  'events listen': 'webhooks listen',
  auth: 'login',
  deliveries: 'webhooks deliveries',
  listen: 'webhooks listen',
  'set-status': 'orders set-status',
  status: 'whoami',
  ls: 'list',
  describe: 'get',
  show: 'get',
  view: 'get',
  remove: 'delete',
  rm: 'delete',
};

const optionAliases: Readonly<Record<string, string>> = {
  '--before': '--until',
  '--csv': '--output csv',
  '--filter': '--jq',
  '--force': '--yes',
  '--format': '--output',
  '--from': '--since',
  '--to': '--until',
  '--verbose': '--debug',
};

export function commandPath(command: Command): string[] {
  return command.parent ? [...commandPath(command.parent), command.name()] : [];
}

/** Finds what an unknown command, with the words after it, is called here. */
export function findCommandAlias(command: Command): string | null {
  const path = commandPath(command);
  const [word = '', next = ''] = command.args;
  for (const typed of [
    [...path, word],
    [word, next],
  ]) {
    const whole = commandAliases[typed.join(' ')];
    if (whole !== undefined) return `\`tradepost ${whole}\``;
  }
  const alias = commandAliases[word];
  if (alias === undefined) return null;
  if (path.length === 0)
    return alias.includes(' ') || exists(command, alias) ? `\`tradepost ${alias}\`` : null;
  return exists(command, alias) ? `\`tradepost ${[...path, alias].join(' ')}\`` : null;
}

function exists(group: Command, name: string): boolean {
  return group.commands.some((command) => command.name() === name);
}

/** Finds what an unknown option is called here, if the command has that. */
export function findOptionAlias(flag: string, command: Command): string | null {
  const meant = optionAliases[flag];
  const [option = ''] = meant?.split(' ') ?? [];
  return meant !== undefined && findKnownOption(command, option) ? meant : null;
}

/** Returns the option of a command, or of the groups that it is in. */
export function findKnownOption(command: Command, flag: string): boolean {
  if (command.options.some(({ long }) => long === flag)) return true;
  return command.parent !== null && flag !== '--version' && findKnownOption(command.parent, flag);
}
