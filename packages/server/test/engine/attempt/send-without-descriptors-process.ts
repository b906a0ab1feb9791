import { openSync } from 'node:fs';
import { devNull } from 'node:os';
import { systemClock } from '@tradepost/domain/kernel/context';
import { aLeasedDelivery } from '@tradepost/domain/test/builders';
import { insecureWebhookPolicy } from '@tradepost/domain/webhooks/webhook-policy';
import { createSender } from '../../../src/engine/attempt/send';
import { createDnsResolver, systemResolver } from '../../../src/engine/attempt/ssrf-guard';

// A process that makes attempts for each URL, first with free file descriptors and then without, and prints how they ended.
const [dnsServer = '', ...urls] = process.argv.slice(2);
const resolvers = [createDnsResolver([dnsServer], 1_000), systemResolver()];

async function attempts(): Promise<(string | null)[]> {
  const errors: (string | null)[] = [];
  for (const resolver of resolvers) {
    for (const url of urls) {
      // A new sender has no open connection.
      const sender = createSender(insecureWebhookPolicy, systemClock, { timeout: 5_000, resolver });
      errors.push((await sender.send(aLeasedDelivery({ url }))).error);
      await sender.close();
    }
  }
  return errors;
}

const before = await attempts();
try {
  for (;;) openSync(devNull, 'r');
} catch {
  // That was the last file descriptor.
}
console.log(JSON.stringify({ before, without: await attempts() }));
process.exit();
