import { systemClock } from '../../src/clock';
import { dnsResolver } from '../../src/deliveries/resolve-host';
import { createSender } from '../../src/deliveries/send';
import { strictWebhookPolicy } from '../../src/webhooks/webhook-policy';
import { aClaimedDelivery } from '../builders';

// A process that makes one attempt at each URL that it is given, and says how it ended.
const [dnsServer, ...urls] = process.argv.slice(2);
if (dnsServer === undefined) throw new Error('name the DNS server and the URLs');
// Receivers of tests are local.
const policy = { ...strictWebhookPolicy, publicAddressesOnly: false };
const sender = createSender(policy, systemClock, {
  timeout: 5_000,
  resolver: dnsResolver([dnsServer]),
});
for (const url of urls) {
  const { status, error } = await sender.send(aClaimedDelivery({ url }));
  console.log(JSON.stringify({ status, error }));
}
await sender.close();
