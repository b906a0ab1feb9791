import { createSender } from '../../../src/deliveries/attempt/send';
import { createDnsResolver } from '../../../src/deliveries/attempt/ssrf-guard';
import { strictWebhookPolicy } from '../../../src/features/webhooks/webhook-policy';
import { systemClock } from '../../../src/kernel/context';
import { aLeasedDelivery } from '../../helpers/builders';

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
