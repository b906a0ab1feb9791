import type { Command } from 'commander';
import type { CliContext } from '../../context';
import { addHelp } from '../../help/help';
import { addId } from '../../input/options';
import { describeShape } from '../../output/format';
import { addReplayOptions, checkTimeout, type ReplayOptions } from './finish-replays';
import { replayMany, replaysOutput, replaysView } from './replay-many';

export function configure(command: Command, context: CliContext): void {
  addReplayOptions(addId(command, 'whk')).action(async (webhook: string) => {
    const options = command.optsWithGlobals<ReplayOptions>();
    checkTimeout(options);
    await replayMany('pending', { ...options, webhook }, context);
  });
  addHelp(command, {
    fields: replaysView.fields,
    Examples: [
      '$ tradepost webhooks retry whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW',
      '$ tradepost webhooks retry whk_01KAJ8Q0V7T3M5X9R2C4D6F8GW --yes --wait',
    ],
    Output: [`json: an array of one ${describeShape(replaysView)}`, ...replaysOutput],
    Notes: [
      'It ends the backoff of the endpoint. Fix the receiver first: `tradepost webhooks explain` says what is wrong.',
      'Each delivery has 24 hours from now on. More than one needs confirmation, or --yes.',
      'Of a webhook that is paused or disabled it sends nothing: exit code 6. `tradepost webhooks resume` sends what waits.',
    ],
  });
}
