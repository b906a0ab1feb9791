/** A program for an edge runtime, which has web interfaces and maybe some of Node's. */
import { exampleSecret as secret } from '@tradepost/sdk/testing';
import { verifyWebhook, webhookReceiver } from '@tradepost/sdk/webhooks';
import { callService, type Service } from './call-the-service';
import { verifyDeliveries, verifySync } from './verify-deliveries';

/** The bindings in the configuration. */
interface Bindings extends Service {
  /** The URL to which handled events are posted. */
  inbox: string;
}

/** The context that the runtime passes with a request. */
interface Context {
  waitUntil(work: Promise<unknown>): void;
}

type Route = (request: Request, bindings: Bindings, context: Context) => unknown;

const routes: Record<string, Route> = {
  '/has-node': () => 'process' in globalThis,
  '/call-service': (_, bindings) => callService(bindings),
  '/verify-deliveries': () => verifyDeliveries(),
  '/verify-sync': () => verifySync(),
  '/verify': (request) => verifyWebhook({ payload: request, secret }),
  '/receive': (request, { inbox }, context) =>
    webhookReceiver(settings(inbox)).fetch(request, context),
  '/receive-first': (request, { inbox }, context) => {
    const respondFirst = { ...settings(inbox), background: true, onError: console.error } as const;
    return webhookReceiver(respondFirst).fetch(request, context);
  },
};

function settings(inbox: string) {
  return {
    secret,
    onVerificationError: () => {},
    on: {
      'order.status_changed': ({ data }: { data: { status: string } }) =>
        fetch(inbox, { method: 'POST', body: data.status }),
    },
  };
}

export default {
  async fetch(request: Request, bindings: Bindings, context: Context): Promise<Response> {
    const route = routes[new URL(request.url).pathname];
    const result = await route?.(request, bindings, context);
    return result instanceof Response ? result : Response.json(result ?? null);
  },
};
