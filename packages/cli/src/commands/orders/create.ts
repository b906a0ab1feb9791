import { randomUUID } from 'node:crypto';
import { isTradepostError, type Order, orderQuantity } from '@tradepost/sdk';
import type { Command } from 'commander';
import { createClient } from '../../client/create-client';
import type { CliContext } from '../../context';
import { commandHint, ErrorWithHint, InvalidArgument } from '../../errors/cli-error';
import { mayHaveBeenApplied } from '../../errors/exit-codes';
import { addHelp } from '../../help/help';
import { type GlobalOptions, integerParser, parseId } from '../../input/options';
import { chooseFormat, describeShape } from '../../output/format';
import { printChange } from '../../output/print';
import { quoteWord } from '../../report/hint';
import { orderView } from './order-view';

interface Options extends GlobalOptions {
  listing: string;
  quantity: number;
  idempotencyKey?: string;
}

export function configure(command: Command, context: CliContext): void {
  const { min, max } = orderQuantity;
  command
    .requiredOption('--listing <id>', 'listing ID, lst_…', (text) => parseId(text, 'lst'))
    .requiredOption('--quantity <n>', `number of units, ${min} to ${max}`, integerParser(min, max))
    .option(
      '--idempotency-key <key>',
      'your own key for this order: repeating the command creates no second order',
      parseKey,
    )
    .action(() => create(command.optsWithGlobals<Options>(), context));
  addHelp(command, {
    fields: orderView.fields,
    Examples: [
      '$ tradepost orders create --listing lst_01KAJ8Q0V7T3M5X9R2C4D6F8GL --quantity 5',
      '$ tradepost orders create --listing lst_01KAJ8Q0V7T3M5X9R2C4D6F8GL --quantity 5 --idempotency-key ticket-4711',
    ],
    Output: [`json: the order, ${describeShape(orderView)}`],
    Notes: [
      'It needs the key of a buyer account.',
      'The service keeps an idempotency key for 24 hours, and rejects it with another listing or quantity.',
    ],
  });
}

function parseKey(text: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(text)) return text;
  throw new InvalidArgument('Use 1 to 255 visible ASCII characters without spaces.');
}

async function create(options: Options, context: CliContext): Promise<void> {
  const { listing, quantity, idempotencyKey = randomUUID() } = options;
  // Before the request: a user would correct the command and repeat it.
  const format = await chooseFormat(options, orderView, context);
  const { orders } = createClient(context, options);
  let order: Order;
  try {
    order = await orders.create(
      { listingId: listing, quantity },
      { signal: context.signal, idempotencyKey },
    );
  } catch (error) {
    if (!isTradepostError(error) || !mayHaveBeenApplied(error)) throw error;
    throw new ErrorWithHint(
      error,
      'The order may have been created. Check before you repeat it.',
      `For 24 hours, the same command with \`--idempotency-key ${quoteWord(idempotencyKey)}\` creates no second order, if the service supports such keys.`,
    );
  }
  await printChange(
    context,
    `order ${order.id} is created`,
    () => format.formatItem(order),
    commandHint('To see it, run', 'orders get', order.id),
  );
}
