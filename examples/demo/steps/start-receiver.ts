import type { DemoContext } from '../context';
import { type Receiver, startReceiver } from '../receiver';

/** Starts the buyer's HTTPS receiver and closes it when the demo ends. */
export async function startDemoReceiver({
  narrator,
  signal,
  onCleanup,
}: DemoContext): Promise<Receiver> {
  narrator.step("Start the buyer's receiver: HTTPS, verifying with @tradepost/sdk/webhooks");
  const receiver = await startReceiver(signal);
  onCleanup(() => receiver.close());
  narrator.result(`listening on ${receiver.url}`);
  return receiver;
}
