import { receiver } from './receiver';

export default {
  async fetch(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname !== '/webhooks') return new Response('Not found', { status: 404 });
    return await receiver.fetch(request);
  },
};
