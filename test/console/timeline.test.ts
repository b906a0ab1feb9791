import { expect, test } from 'vitest';
import { forTest } from '../helpers/for-test';
import { findOrderId } from '../helpers/seed';
import { startHttpReceiver } from '../helpers/start-receiver';
import { describeOnBothStores } from './open-console';

describeOnBothStores((site) => {
  test('an order shows what the API says happened, and follows it', async () => {
    const client = site.client('seller');
    const id = findOrderId(site.seeded.seed, 'pending');
    let isBroken = true;
    const receiver = await forTest(
      startHttpReceiver((response) => response.writeHead(isBroken ? 500 : 204).end()),
    );
    await client.webhooks.create({ url: receiver.url, events: ['order.status_changed'] });
    const page = await site.signIn('seller', `orders/${id}`);
    await page.getByText('Created by the buyer').waitFor();

    await client.orders.update(id, { status: 'confirmed', reason: 'מִלּוּי <b>bank</b> &amp;' });
    const entry = page.getByRole('listitem').filter({ hasText: 'by you' });
    await entry.getByText('מִלּוּי <b>bank</b> &amp;').waitFor();
    await entry.getByText('500').first().waitFor();
    const { entries } = await client.orders.timeline(id);
    const changed = entries.find(({ change }) => change?.to === 'confirmed');
    const [delivery] = changed?.deliveries ?? [];
    await entry.getByText(delivery?.id ?? '').waitFor();

    // Verdict, repair, replay, delivered: without a reload.
    await page.evaluate('window.isSamePage = true');
    await entry.getByRole('link', { name: delivery?.id ?? '', exact: true }).click();
    const verdict = page.getByRole('region', { name: 'Verdict' });
    await verdict.getByText(/^(retrying|backoff)$/i).waitFor();
    isBroken = false;
    await page.getByRole('button', { name: 'Replay' }).click();
    await verdict.getByText(/^delivered$/i).waitFor();
    await page.goBack();
    await entry.getByText('delivered', { exact: true }).waitFor();
    const { attempts } = await client.deliveries.get(delivery?.id ?? '');
    expect(attempts.at(-1)?.status).toBe(204);

    // A test event is not retried: it fails for good, until somebody replays it.
    isBroken = true;
    await entry.getByRole('link', { name: delivery?.webhookId ?? '', exact: true }).click();
    await page.getByRole('button', { name: 'Send a test event' }).click();
    await verdict.getByText(/^failed$/i).waitFor();
    await verdict.getByText(/^Test events are not retried, and the attempt failed: /).waitFor();
    isBroken = false;
    await page.getByRole('button', { name: 'Replay' }).click();
    await verdict.getByText(/^delivered$/i).waitFor();
    expect(await page.evaluate('window.isSamePage')).toBe(true);
  });
});
