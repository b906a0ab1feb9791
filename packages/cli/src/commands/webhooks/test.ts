import type { Delivery, EventType } from '@tradepost/sdk';
import type { Command } from 'commander';
import { createClient } from '../../client/create-client';
import type { CliContext } from '../../context';
import { CliError } from '../../errors/cli-error';
import { addHelp } from '../../help/help';
import { addId, type GlobalOptions, parseDuration } from '../../input/options';
import { chooseFormat, describeShape } from '../../output/format';
import { printChange, printNotice } from '../../output/print';
import { formatHints } from '../../report/hint';
import { deliveryView, formatFailure } from './delivery-view';
import { waitForDeliveries } from './finish-replays';
import { eventOption } from './webhook-options';

interface Options extends GlobalOptions {
  event: EventType;
  wait?: true;
  timeout: number;
}

export function configure(command: Command, context: CliContext): void {
  addId(command, 'whk')
    .addOption(eventOption(command, 'event type of the test event').makeOptionMandatory())
    .option('--wait', 'wait for the delivery; exit with code 1 if it fails')
    .addOption(
      command
        .createOption('--timeout <duration>', 'how long --wait waits')
        .argParser(parseDuration)
        .default(30_000, '30s'),
    )
    .action((id: string) => test(id, command.optsWithGlobals<Options>(), context));
  addHelp(command, {
    fields: deliveryView.fields,
    Examples: [
      '$ tradepost webhooks test whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW --event order.created --wait',
    ],
    Output: [`json: the delivery of the test event, ${describeShape(deliveryView)}`],
    Notes: [
      'The test event is signed and sent like any other, with the header `Tradepost-Test: true`, and is not retried.',
      "A receiver of the SDK verifies it and responds, but calls its handlers only with `test: 'deliver'`.",
    ],
  });
}

async function test(id: string, options: Options, context: CliContext): Promise<void> {
  const format = await chooseFormat(options, deliveryView, context);
  const client = createClient(context, options);
  const { signal } = context;
  const queued = await client.webhooks.test(id, { event: options.event }, { signal });
  let delivery: Delivery = queued;
  if (options.wait) {
    const { timeout } = options;
    const waiting = { timeout, reconnectTimeout: timeout / 1_000 };
    const ids = new Set([queued.id]);
    const { seen, error } = await waitForDeliveries(client, ids, null, waiting, context);
    if (error !== null) throw error;
    delivery = seen.get(queued.id) ?? queued;
  }
  const explain = { command: 'webhooks explain', args: [queued.id] };
  await printChange(context, `a test event is sent to ${id}`, () => format.formatItem(delivery), {
    text: 'For its result, run',
    ...explain,
  });
  if (!options.wait) {
    const notice = formatHints([{ text: 'Sent. Check it with', ...explain }], options);
    printNotice(context, notice ?? '');
  } else if (delivery.state === 'failed') {
    throw new CliError(
      'delivery_failed',
      `The test event was not delivered: ${formatFailure(delivery)}`,
      { text: 'For details, run', ...explain },
    );
  } else if (delivery.state === 'pending' && signal.aborted) {
    throw new CliError('interrupted', 'Interrupted. The test event is still pending');
  } else if (delivery.state === 'pending') {
    throw new CliError(
      'delivery_failed',
      `The test event is still pending after ${options.timeout / 1000} s`,
      { text: 'Check it later with', ...explain },
    );
  }
}
