import type { Command } from 'commander';
import { createClient } from '../../client/create-client';
import type { CliContext } from '../../context';
import { addHelp } from '../../help/help';
import { addId, type GlobalOptions } from '../../input/options';
import { describeShape } from '../../output/format';
import { printItem } from '../../output/print';
import { type EventRow, eventView } from './event-view';

export function configure(command: Command, context: CliContext): void {
  addId(command, 'evt').action(async (id: string) => {
    const options = command.optsWithGlobals<GlobalOptions>();
    const load = async (): Promise<EventRow> =>
      await createClient(context, options).events.get(id, { signal: context.signal });
    await printItem(load, eventView, context, options);
  });
  addHelp(command, {
    fields: eventView.fields,
    Examples: ['$ tradepost events get evt_01KAJ8Q0V7T3M5X9R2C4D6F8GH'],
    Output: [`json: ${describeShape(eventView)}`],
  });
}
