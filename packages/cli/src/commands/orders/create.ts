import { randomUUID } from 'node:crypto';
import {
  type AnyTradepostError,
  isTradepostError,
  type Order,
  orderQuantity,
} from '@tradepost/sdk';
import type { Command } from 'commander';
import { AdvisedError } from '../../advised-error';
import { connect } from '../../connect';
import type { GlobalOptions } from '../../global-options';
import { sections } from '../../help/sections';
import { checkId } from '../../input/id-argument';
import { InvalidArgument } from '../../input/invalid-argument';
import { countParser } from '../../input/parse-count';
import { mayBeDone } from '../../may-be-done';
import { chooseFormat } from '../../output/choose-format';
import { shellWord } from '../../output/shell-word';
import { showChange } from '../../output/show-change';
import type { Terminal } from '../../terminal';
import { orderShape, orderView } from './order-view';

interface Options extends GlobalOptions {
  listing: string;
  quantity: number;
  idempotencyKey?: string;
}

/** `tradepost orders create --listing <id> --quantity <n>`. */
export function define(command: Command, terminal: Terminal): void {
  command
    .addOption(
      command
        .createOption('--listing <id>', 'the listing to buy from, lst_…')
        .argParser((text: string) => checkId(text, 'lst'))
        .makeOptionMandatory(),
    )
    .addOption(
      command
        .createOption(
          '--quantity <n>',
          `how many units, ${orderQuantity.min} to ${orderQuantity.max}`,
        )
        .argParser(countParser(orderQuantity.min, orderQuantity.max))
        .makeOptionMandatory(),
    )
    .option(
      '--idempotency-key <key>',
      'a text of your own for this order: the same command again places no second one',
      parseKey,
    )
    .addHelpText('after', () =>
      sections({
        Examples: [
          '$ tradepost orders create --listing lst_01KAJ8Q0V7T3M5X9R2C4D6F8GL --quantity 5',
          '$ tradepost orders create --listing lst_01KAJ8Q0V7T3M5X9R2C4D6F8GL --quantity 5 --idempotency-key ticket-4711',
        ],
        Output: [`json: the order, ${orderShape}`],
        Notes: [
          'It takes the key of a buyer account.',
          'An idempotency key is kept for 24 hours. With another listing or quantity it is refused.',
        ],
      }),
    )
    .action(() => create(command.optsWithGlobals<Options>(), terminal));
}

function parseKey(text: string): string {
  if (/^[\x21-\x7e]{1,255}$/.test(text)) return text;
  throw new InvalidArgument('It must be 1 to 255 visible characters of ASCII, without spaces.');
}

async function create(options: Options, terminal: Terminal): Promise<void> {
  const { listing, quantity, idempotencyKey = randomUUID() } = options;
  // Before anything is sent: an order that is placed by a wrong command would be placed again.
  const format = await chooseFormat(options, orderView, terminal.stdout);
  const { orders } = connect(terminal, options);
  let order: Order;
  try {
    order = await orders.create(
      { listingId: listing, quantity },
      { signal: terminal.signal, idempotencyKey },
    );
  } catch (error) {
    throw isTradepostError(error) && mayBeDone(error) ? mayBePlaced(error, idempotencyKey) : error;
  }
  const what = `order ${order.id} is placed`;
  const look = `tradepost orders get ${order.id}`;
  await showChange({ what, look, text: () => format.one(order) }, terminal);
}

/** The order may be placed, and its answer be lost: with its key it can be asked for again. */
function mayBePlaced(error: AnyTradepostError, key: string): AdvisedError {
  return new AdvisedError(
    error,
    `It may have been done all the same: look before you repeat it. The same command with \`--idempotency-key ${shellWord(key)}\` places no second order for 24 hours, where the service keeps such keys.`,
  );
}
