import { systemClock } from '@tradepost/domain/kernel/context';
import { aLeasedDelivery } from '@tradepost/domain/test/builders';
import { strictWebhookPolicy } from '@tradepost/domain/webhooks/webhook-policy';
import { createSender } from '../../../src/engine/attempt/send';
import { createDnsResolver } from '../../../src/engine/attempt/ssrf-guard';

// A process that makes one attempt for each given URL, and prints how it ended.
const [dnsServer, ...urls] = process.argv.slice(2);
if (dnsServer === undefined) throw new Error('name the DNS server and the URLs');
// Test receivers are local.
const policy = { ...strictWebhookPolicy, publicAddressesOnly: false };
const sender = createSender(policy, systemClock, {
  timeout: 5_000,
  resolver: createDnsResolver([dnsServer]),
});
for (const url of urls) {
  const { status, error } = await sender.send(aLeasedDelivery({ url }));
  console.log(JSON.stringify({ status, error }));
}
await sender.close();
