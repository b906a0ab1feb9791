/** A program for an edge runtime, which has the web's interfaces and perhaps some of Node's. */
import { exampleSecret as secret } from '@tradepost/sdk/testing';
import { verifyWebhook, webhookReceiver } from '@tradepost/sdk/webhooks';
import { callTheService, type Service } from './call-the-service';
import { verifyDeliveries, verifyWithoutPromise } from './verify-deliveries';

/** What the runtime is configured with. */
interface Bindings extends Service {
  /** Takes a POST of what was handled. */
  inbox: string;
}

/** What the runtime passes beside a request. */
interface Context {
  waitUntil(work: Promise<unknown>): void;
}

type Route = (request: Request, bindings: Bindings, context: Context) => unknown;

const routes: Record<string, Route> = {
  '/has-node': () => 'process' in globalThis,
  '/call-the-service': (_, bindings) => callTheService(bindings),
  '/verify-deliveries': () => verifyDeliveries(),
  '/verify-without-promise': () => verifyWithoutPromise(),
  '/verify': (request) => verifyWebhook({ payload: request, secret }),
  '/receive': (request, { inbox }, context) =>
    webhookReceiver(settings(inbox)).fetch(request, context),
  '/receive-first': (request, { inbox }, context) => {
    const answersFirst = { ...settings(inbox), background: true, onError: console.error } as const;
    return webhookReceiver(answersFirst).fetch(request, context);
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
    const answer = await route?.(request, bindings, context);
    return answer instanceof Response ? answer : Response.json(answer ?? null);
  },
};
