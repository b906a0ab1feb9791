import { useQuery } from '@tanstack/react-query';
import { allEventTypes } from '@tradepost/sdk';
import { hiddenCharacters } from '@tradepost/sdk/explain';
import { useClient } from '../kernel/client';
import { useExtension } from '../kernel/extensions';
import { serviceUrl } from '../kernel/location';
import { Copy } from '../ui/copy';
import { Panel } from '../ui/page';
import styles from './developer-page.module.css';

/** What a receiver has to know of a webhook. */
interface Endpoint {
  url: string;
  events: readonly string[];
}

const listOrders = `import { Tradepost } from '@tradepost/sdk';

const tradepost = new Tradepost({ baseUrl: '${serviceUrl}', apiKey: process.env.TRADEPOST_API_KEY });
for await (const order of tradepost.orders.list({ status: 'pending' })) console.log(order.id);`;

const useCli = `# It is not on npm before its first release: this is it in a checkout of the repository that was built.
alias tradepost="node $PWD/packages/cli/bin/tradepost.cjs"
tradepost login --base-url ${serviceUrl}
tradepost orders list --status pending`;

const useCurl = `curl ${serviceUrl}/v1/orders --header "Authorization: Bearer $TRADEPOST_API_KEY"`;

/** Returns a receiver: of a webhook, or of one that is still to be registered. */
function receive(endpoint: Endpoint | undefined): string {
  const events = allEventTypes.filter((type) => endpoint?.events.includes(type));
  const handled = events.length === 0 ? ['order.created'] : events;
  // A line end in the URL would end the comment.
  const isNamed = endpoint !== undefined && !hiddenCharacters.test(endpoint.url);
  return `import { webhookReceiver } from '@tradepost/sdk/webhooks';

${isNamed ? `// Deliveries are sent to ${endpoint.url}\n` : ''}const receiver = webhookReceiver({
  secret: process.env.WEBHOOK_SECRET,
  requireTimestamp: true,
  on: {
${handled.map((type) => `    '${type}': async ({ data }) => console.log(data),`).join('\n')}
  },
});`;
}

/** Code that works with this service, and with the account's first webhook. */
export function Snippets() {
  const client = useClient();
  const hasList = useExtension('webhooks.manage');
  const params = { limit: 1 };
  const { data } = useQuery({
    queryKey: ['webhooks', 'first', params],
    queryFn: ({ signal }) => client.webhooks.list(params, { signal }),
    enabled: hasList,
  });
  const snippets = [
    ['List orders with the SDK', listOrders],
    ['Receive webhooks', receive(data?.data[0])],
    ['Use the command line', useCli],
    ['Without a library', useCurl],
  ] as const;
  return snippets.map(([title, text]) => (
    <Panel key={title} title={title} action={<Copy text={text} what={title} />}>
      <pre className={styles.snippet}>
        <code>{text}</code>
      </pre>
    </Panel>
  ));
}
