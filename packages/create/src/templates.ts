/** A host that a project can be created for: a folder of `templates`, besides `templates/shared`. */
export interface Template {
  /** The name of the host. */
  title: string;
  /** The lowest version of Node that its tools run on. */
  node: string;
  /** Where `npm run dev` receives deliveries. */
  receiver: string;
  /** The file of the variables while developing. */
  environment: string;
  /** Where the production environment gets its secret, and how it is started. A paragraph of Markdown. */
  deployment: string;
}

/** The hosts, by the value of `--template`. */
export const templates = {
  express: {
    title: 'Express',
    node: '20.19',
    receiver: 'localhost:3000/webhooks',
    environment: '.env',
    deployment:
      'Set `TRADEPOST_WEBHOOK_SECRET` and `PORT` in the environment, then `npm run build` and `npm start`. Serve it over HTTPS: behind a proxy, or on a platform that does that.',
  },
  next: {
    title: 'Next.js',
    node: '20.19',
    receiver: 'localhost:3000/webhooks',
    environment: '.env',
    deployment:
      'Set `TRADEPOST_WEBHOOK_SECRET` in the environment of the deployment. The build needs no secret.',
  },
  worker: {
    title: 'a Cloudflare Worker',
    node: '22.12',
    receiver: 'localhost:8787/webhooks',
    environment: '.dev.vars',
    deployment:
      '`npx wrangler secret put TRADEPOST_WEBHOOK_SECRET` stores the secret, `npm run deploy` publishes the Worker.',
  },
} satisfies Record<string, Template>;

/** The value of `--template`. */
export type TemplateName = keyof typeof templates;

/** All values of `--template`. */
export const templateNames = Object.keys(templates) as TemplateName[];
