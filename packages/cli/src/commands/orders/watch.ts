import { isTradepostError, type OrderStatus, orderStatuses, type Tradepost } from '@tradepost/sdk';
import type { Command } from 'commander';
import { isLacking } from '../../account/identify';
import { CliError } from '../../cli-error';
import { connect } from '../../connect';
import type { GlobalOptions } from '../../global-options';
import { sections } from '../../help/sections';
import { giveUpOption } from '../../input/give-up-option';
import { idsArgument } from '../../input/id-argument';
import { momentOption } from '../../input/moment';
import { countParser } from '../../input/parse-count';
import { steadiness } from '../../outage';
import { chooseFormat } from '../../output/choose-format';
import { note } from '../../output/note';
import { writeData } from '../../output/write';
import type { Terminal } from '../../terminal';
import { changesOfEvents } from '../../watch/changes-of-events';
import { changesOfNotifications } from '../../watch/changes-of-notifications';
import { type OrderChange, orderChangeShape, orderChangeView } from '../../watch/order-change';

interface Options extends GlobalOptions {
  status?: OrderStatus;
  since?: string;
  poll: number;
  giveUpAfter: number;
}

/** `tradepost orders watch [id...]`. */
export function define(command: Command, terminal: Terminal): void {
  command
    .addArgument(idsArgument(command, 'ord', '[id...]'))
    .addOption(
      command
        .createOption('--status <status>', 'only orders that come into this status')
        .choices(orderStatuses),
    )
    .addOption(
      momentOption(
        command,
        terminal,
        '--since <when>',
        'begin with what happened since: 6h, 2d or a moment',
      ),
    )
    .addOption(
      command
        .createOption('--poll <seconds>', 'how often to ask a service that has no event log')
        .argParser(countParser(1, 3600))
        .default(5),
    )
    .addOption(giveUpOption(command))
    .addHelpText('after', () =>
      sections({
        Examples: [
          '$ tradepost orders watch',
          '$ tradepost orders watch --since 1h --status cancelled',
          '$ tradepost orders watch --output ndjson | while read -r change; do echo "$change"; done',
        ],
        Output: [`json, ndjson: ${orderChangeShape}, a line each as it happens`],
        Notes: [
          'It goes on until Ctrl-C, which ends it with exit code 130, or until the service was away for too long (9).',
          "With the service's event log (an extension) nothing is missed. Without it notifications are polled: then `from` is not told, and `to` is the status that the order has when it is looked at.",
        ],
      }),
    )
    .action((ids: string[]) => watch(ids, command.optsWithGlobals<Options>(), terminal));
}

async function watch(ids: string[], options: Options, terminal: Terminal): Promise<void> {
  // A list without an end has no closing bracket: each change is a line of its own.
  const output = options.output === 'json' ? 'ndjson' : options.output;
  const format = await chooseFormat({ ...options, output }, orderChangeView, terminal.stdout);
  const client = connect(terminal, options);
  const isMeant = ({ orderId, to }: OrderChange) =>
    (ids.length === 0 || ids.includes(orderId)) &&
    (options.status === undefined || options.status === to);
  // Of one that there is not nothing would ever be told.
  for (const id of ids) await client.orders.get(id, { signal: terminal.signal });
  for await (const change of changesOf(client, options, terminal)) {
    if (isMeant(change)) await writeData(terminal.stdout, format.part([change]));
  }
  throw new CliError('interrupted', 'interrupted');
}

async function* changesOf(
  client: Tradepost,
  { since: given, poll, giveUpAfter }: Pick<Options, 'since' | 'poll' | 'giveUpAfter'>,
  terminal: Terminal,
): AsyncIterable<OrderChange> {
  const since = given ?? null;
  const steadily = steadiness(giveUpAfter, (text) => note(terminal, text));
  let hasLog = false;
  try {
    const onContact = () => {
      hasLog = true;
    };
    yield* changesOfEvents(client, since, { ...steadily, onContact }, terminal);
  } catch (error) {
    // One that was there is not given up: from the notifications the same would be told again.
    if (hasLog || !isTradepostError(error) || !isLacking(error)) throw error;
    note(
      terminal,
      `This service has no event log: its notifications are asked for every ${poll} s.`,
    );
    const onCut = (most: number) =>
      note(
        terminal,
        `More happened than can be told at once: what is older than the newest ${most} is left out. \`tradepost notifications list --all\` has it.`,
      );
    yield* changesOfNotifications(client, since, poll * 1_000, steadily, terminal, onCut);
  }
}
