import { Argument, InvalidArgumentError } from 'commander';

/** What an id begins with, and what has such an id. Source: the interface, "Resources and their fields". */
const nouns = { ord: 'an order', ntf: 'a notification' } as const;

type Prefix = keyof typeof nouns;

function checkId(text: string, prefix: Prefix): string {
  if (!new RegExp(`^${prefix}_[^\\s/]+$`).test(text)) {
    throw new InvalidArgumentError(`The id of ${nouns[prefix]} begins with ${prefix}_.`);
  }
  return text;
}

/** An argument that takes one id. What cannot be one is refused before anything is sent. */
export function idArgument(prefix: Prefix): Argument {
  return new Argument('<id>', `the id of ${nouns[prefix]}, ${prefix}_…`).argParser((text) =>
    checkId(text, prefix),
  );
}

/** An argument that takes one id or more, each checked as `idArgument` does. */
export function idsArgument(prefix: Prefix): Argument {
  return new Argument('<id...>', `the id of ${nouns[prefix]}, ${prefix}_…`).argParser(
    (text, before: string[] | undefined) => [...(before ?? []), checkId(text, prefix)],
  );
}
