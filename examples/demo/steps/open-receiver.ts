import { type Receiver, startReceiver } from '../receiver';
import type { Stage } from '../stage';

/** Starts the buyer's HTTPS receiver and closes it in the end. */
export async function openReceiver({ narrator, signal, atEnd }: Stage): Promise<Receiver> {
  narrator.step("Start the buyer's receiver: HTTPS, verifying with @tradepost/sdk/webhooks");
  const receiver = await startReceiver(signal);
  atEnd(() => receiver.close());
  narrator.result(`listening on ${receiver.url}`);
  return receiver;
}
