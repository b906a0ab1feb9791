import type { Delivery, EventKind, Tradepost } from '@tradepost/sdk';
import type { Command } from 'commander';
import { CliError } from '../../cli-error';
import { connect } from '../../connect';
import type { GlobalOptions } from '../../global-options';
import { sections } from '../../help/sections';
import { idArgument } from '../../input/id-argument';
import { chooseFormat } from '../../output/choose-format';
import { note } from '../../output/note';
import { showChange } from '../../output/show-change';
import type { Terminal } from '../../terminal';
import { failureText } from '../../webhooks/attempt-failure';
import { awaitDelivery } from '../../webhooks/await-delivery';
import { parseSpan } from '../../webhooks/parse-span';
import { eventOption } from '../../webhooks/webhook-options';
import { deliveryShape, deliveryView } from './delivery-view';

interface Options extends GlobalOptions {
  event: EventKind;
  wait?: true;
  timeout: number;
}

/** `tradepost webhooks test <id> --event <kind> [--wait]`. */
export function define(command: Command, terminal: Terminal): void {
  command
    .addArgument(idArgument(command, 'whk'))
    .addOption(eventOption(command, 'the kind of event to send a sample of').makeOptionMandatory())
    .option('--wait', 'wait until it is delivered, and exit with 1 when it fails')
    .addOption(
      command
        .createOption('--timeout <span>', 'how long --wait waits')
        .argParser(parseSpan)
        .default(30_000, '30s'),
    )
    .addHelpText('after', () =>
      sections({
        Examples: [
          '$ tradepost webhooks test whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW --event order.created --wait',
        ],
        Output: [`json: the delivery that carries the sample, ${deliveryShape}`],
        Notes: [
          'The sample is signed and sent as any delivery is, with the header `Tradepost-Test: true` besides, and tried once.',
        ],
      }),
    )
    .action((id: string) => test(id, command.optsWithGlobals<Options>(), terminal));
}

async function test(id: string, options: Options, terminal: Terminal): Promise<void> {
  const format = await chooseFormat(options, deliveryView, terminal.stdout);
  const client = connect(terminal, options);
  const { signal } = terminal;
  const queued = await client.webhooks.test(id, { event: options.event }, { signal });
  const delivery = options.wait ? await ended(client, queued.id, options, terminal) : queued;
  const explain = `tradepost webhooks explain ${queued.id}`;
  const what = `a sample is sent to ${id}`;
  await showChange({ what, look: explain, text: () => format.one(delivery) }, terminal);
  const look = `\`${explain}\``;
  if (!options.wait) {
    note(terminal, `It is on its way: ${look} tells what came of it.`);
  } else if (delivery.state === 'failed') {
    throw new CliError(
      'delivery_failed',
      `the sample was not delivered: ${failureText(delivery)}`,
      `${look} tells more, and what to do.`,
    );
  } else if (delivery.state === 'pending') {
    throw new CliError(
      'delivery_failed',
      `the sample was not delivered within ${options.timeout / 1000} s, and has not failed yet`,
      `Look again later: ${look}.`,
    );
  }
}

/** The delivery once it is final or the time is over, without what was sent and answered. */
async function ended(
  client: Tradepost,
  id: string,
  { timeout }: Options,
  terminal: Terminal,
): Promise<Delivery> {
  const { body, attemptLog, ...delivery } = await awaitDelivery(client, id, terminal, timeout);
  return delivery;
}
