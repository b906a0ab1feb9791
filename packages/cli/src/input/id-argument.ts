import type { Argument, Command } from 'commander';
import { InvalidArgument } from './invalid-argument';

/**
 * What an id begins with, and what has such an id. Source: the interface, "Resources and their
 * fields"; webhooks, deliveries and events go beyond it.
 */
const nouns = {
  ord: 'an order',
  ntf: 'a notification',
  lst: 'a listing',
  whk: 'a webhook',
  dlv: 'a delivery',
  evt: 'an event',
} as const;

/** What an id begins with. */
export type IdPrefix = keyof typeof nouns;

/** Whether a text can be an id of that kind. What can leads to no other path, and is no row of CSV. */
export function isId(text: string, prefix: IdPrefix): boolean {
  return text.startsWith(`${prefix}_`) && /^\w{3}_[\w.~=+:-]{1,196}$/.test(text);
}

/** @throws {InvalidArgument} when the text cannot be an id of that kind. */
export function checkId(text: string, prefix: IdPrefix): string {
  if (isId(text, prefix)) return text;
  throw new InvalidArgument(`The id of ${nouns[prefix]} begins with ${prefix}_.`);
}

/** An argument that takes one id. What cannot be one is refused before anything is sent. */
export function idArgument(command: Command, prefix: IdPrefix): Argument {
  return command
    .createArgument('<id>', `the id of ${nouns[prefix]}, ${prefix}_…`)
    .argParser((text) => checkId(text, prefix));
}

/**
 * An argument that takes several ids, each checked as `idArgument` does.
 *
 * @param name `<id...>` where there must be one at least, `[id...]` where an option may stand instead
 */
export function idsArgument(
  command: Command,
  prefix: IdPrefix,
  name: '<id...>' | '[id...]' = '<id...>',
): Argument {
  return command
    .createArgument(name, `the id of ${nouns[prefix]}, ${prefix}_…`)
    .argParser((text, before: string[] | undefined) => [...(before ?? []), checkId(text, prefix)]);
}
