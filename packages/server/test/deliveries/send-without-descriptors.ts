import { openSync } from 'node:fs';
import { devNull } from 'node:os';
import { systemClock } from '../../src/clock';
import { dnsResolver, systemResolver } from '../../src/deliveries/resolve-host';
import { createSender } from '../../src/deliveries/send';
import { insecureWebhookPolicy } from '../../src/webhooks/webhook-policy';
import { aClaimedDelivery } from '../builders';

// A process that makes attempts at each URL, first with file descriptors left and then without, and says how they ended.
const [dnsServer = '', ...urls] = process.argv.slice(2);
const resolvers = [dnsResolver([dnsServer], 1_000), systemResolver()];

async function attempts(): Promise<(string | null)[]> {
  const errors: (string | null)[] = [];
  for (const resolver of resolvers) {
    for (const url of urls) {
      // A sender of its own has no connection from before.
      const sender = createSender(insecureWebhookPolicy, systemClock, { timeout: 5_000, resolver });
      errors.push((await sender.send(aClaimedDelivery({ url }))).error);
      await sender.close();
    }
  }
  return errors;
}

const before = await attempts();
try {
  for (;;) openSync(devNull, 'r');
} catch {
  // That was the last one.
}
console.log(JSON.stringify({ before, without: await attempts() }));
process.exit();
