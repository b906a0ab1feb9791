import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { systemClock } from '@tradepost/domain/kernel/context';
import { aLeasedDelivery } from '@tradepost/domain/test/builders';
import { settle } from '@tradepost/domain/test/fake-clock';
import { insecureWebhookPolicy } from '@tradepost/domain/webhooks/webhook-policy';
import { createSender } from '../../../src/engine/attempt/send';

// A process that makes a number of attempts for each given URL, and prints how much its memory has grown.
const [count, ...urls] = process.argv.slice(2);
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const atOnce = 50;
const errors = new Map<string, Set<string | null>>();

function openSockets(): number {
  return process.getActiveResourcesInfo().filter((kind) => /^(TCP|TLS)/.test(kind)).length;
}

/** Makes attempts for each URL and closes everything. Returns the used memory in bytes. */
async function attempt(times: number): Promise<number> {
  const sender = createSender(insecureWebhookPolicy, systemClock, { timeout: 500 });
  for (let time = 0; time < times; time += atOnce) {
    const targets = urls.flatMap((url) => Array<string>(atOnce).fill(url));
    const made = targets.map((url) => sender.send(aLeasedDelivery({ url })));
    for (const { url, error } of await Promise.all(made)) {
      errors.set(url, (errors.get(url) ?? new Set()).add(error));
    }
  }
  await sender.close();
  for (let turn = 0; turn < 1_000 && openSockets() > 0; turn += 1) await settle();
  // A lookup that is still running refers to all attempts that wait for it.
  while (process.getActiveResourcesInfo().includes('GetAddrInfoReqWrap')) await settle();
  collectGarbage();
  await settle();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

// The first attempts fill caches.
const before = await attempt(2 * atOnce);
const grown = (await attempt(Number(count))) - before;
const named = urls.map((url) => [...(errors.get(url) ?? [])]);
console.log(JSON.stringify({ grown, sockets: openSockets(), errors: named }));
