import { startMinimalService } from '../../../test/conformance/minimal-service/start';
import { createProfile } from '../src/profile/profile';
import { startReceiver } from '../src/receiver/receiver';
import { watchStalls } from '../src/receiver/stalls';
import { createFacts, type Facts } from '../src/run/facts';
import { awaitSilence } from '../src/run/phases/end';
import { checkEvents } from '../src/run/phases/events';
import { checkNotifications } from '../src/run/phases/notifications';
import { checkOrders } from '../src/run/phases/orders';
import { start } from '../src/run/phases/start';
import type { Run } from '../src/run/run';
import { createService } from '../src/service/service';

/** Runs all phases against a conforming service and returns what they have seen. Deliveries count as if TLS had carried them. */
export async function recordFacts(): Promise<Facts> {
  const minimal = await startMinimalService({ baseDelayMs: 100, attemptTimeoutMs: 800 });
  const { buyer, seller, agent, stranger } = minimal.accounts;
  const profile = createProfile({
    baseUrl: minimal.baseUrl,
    keys: { buyer: buyer.key, seller: seller.key, agent: agent.key, stranger: stranger.key },
    accounts: { agent: agent.id },
    listing: minimal.listings.plain,
    listingWithAgent: minimal.listings.withAgent,
    receiver: { http: {} },
    events: { withinSeconds: 5, quietSeconds: 0.3 },
    retries: { firstWithinSeconds: 0.5, factor: 2, timeoutSeconds: 1 },
    waivers: [{ check: 'EVT-3', reason: 'the receiver of this test has no certificate' }],
  });
  const receiver = await startReceiver(profile.receiver, 'run-1');
  const watch = watchStalls();
  const facts = createFacts(profile, 'default', receiver, watch.stalls);
  const { signal } = new AbortController();
  const service = createService(profile, signal, (call) => facts.calls.push(call));
  const run: Run = {
    ...{ profile, facts, service, receiver, signal, mode: 'default' },
    log: () => undefined,
    listings: new Map(),
    isTardy: false,
  };
  try {
    await start(run);
    await checkOrders(run);
    await checkEvents(run, true);
    await checkNotifications(run);
    await awaitSilence(run, true);
  } finally {
    watch.stop();
    receiver.calm();
    service.close();
    await receiver.close();
    await minimal.stop();
  }
  for (const delivery of facts.deliveries) delivery.tls = true;
  return facts;
}
