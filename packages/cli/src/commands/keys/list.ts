import type { Command } from 'commander';
import { createClient } from '../../client/create-client';
import type { CliContext } from '../../context';
import { addHelp } from '../../help/help';
import {
  addPaginationOptions,
  type GlobalOptions,
  getPageSize,
  type PaginationOptions,
} from '../../input/options';
import { describeShape } from '../../output/format';
import { printList } from '../../output/print';
import { createKeyView } from './key-view';

export function configure(command: Command, context: CliContext): void {
  const view = createKeyView(context);
  addPaginationOptions(command, 'keys').action(async () => {
    const options = command.optsWithGlobals<GlobalOptions & PaginationOptions>();
    const { keys } = createClient(context, options);
    const pages = keys.list({ limit: getPageSize(options) }, { signal: context.signal }).pages();
    await printList(pages, ['key', 'keys'], view, context, options);
  });
  addHelp(command, {
    fields: view.fields,
    Examples: [
      '$ tradepost keys list',
      "$ tradepost keys list --all --jq '.[] | select(.revokedAt == null and .lastUsedAt == null) | .id'",
    ],
    Output: [
      `json: an array of ${describeShape(view)}`,
      'table, STATE: current (the key of this command), valid, revoked, expired',
    ],
    Notes: [
      'Keys themselves are not stored: only their first characters are shown.',
      'A session is the key of a person who signed in with `tradepost open`. It ends with the key in createdBy.',
      'The last use is known to the minute.',
    ],
  });
}
