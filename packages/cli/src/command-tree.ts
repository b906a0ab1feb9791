import type { Command } from 'commander';
import type { Terminal } from './terminal';

/** What a command's file has: it gives the command its arguments, options and action. */
interface CommandModule {
  /** @param load gives another command of the tree what it takes, for commands about commands */
  define: (command: Command, terminal: Terminal, load: (command: Command) => Promise<void>) => void;
}

/** A command that does something. */
export interface Leaf {
  /** What it does, for the list of commands. */
  summary: string;
  /** Loads the command's file. Only the command that is run is ever loaded: start-up stays fast. */
  load: () => Promise<CommandModule>;
  /** Whether it is left out of the help: programs call it, people do not. */
  hidden?: true;
}

/** A noun, and what can be done with it. */
export interface Group {
  /** What its commands do, in a few words. */
  summary: string;
  /** Its commands by their names. */
  commands: Record<string, Leaf>;
}

/** The commands that stand together in the help, under a heading. */
export type Chapter = Record<string, Group | Leaf>;

/** The tree of commands. The path is the command: `orders list` is in `commands/orders/list.ts`. */
export const chapters: Record<string, Chapter> = {
  'Orders:': {
    orders: {
      summary: 'List orders, look at one, move them on',
      commands: {
        list: {
          summary: 'List orders, newest first',
          load: () => import('./commands/orders/list'),
        },
        get: { summary: 'Show one order', load: () => import('./commands/orders/get') },
        create: { summary: 'Place an order', load: () => import('./commands/orders/create') },
        'set-status': {
          summary: 'Move orders to another status',
          load: () => import('./commands/orders/set-status'),
        },
        watch: {
          summary: 'Follow what happens to orders, live',
          load: () => import('./commands/orders/watch'),
        },
      },
    },
    notifications: {
      summary: 'List notifications, mark them read',
      commands: {
        list: {
          summary: 'List notifications, newest first',
          load: () => import('./commands/notifications/list'),
        },
        read: {
          summary: 'Mark notifications as read',
          load: () => import('./commands/notifications/read'),
        },
      },
    },
  },
  'Webhooks:': {
    webhooks: {
      summary: 'Register endpoints for signed events, see and mend their deliveries',
      commands: {
        register: {
          summary: 'Register a webhook and show its secret, once',
          load: () => import('./commands/webhooks/register'),
        },
        list: {
          summary: 'List webhooks, newest first',
          load: () => import('./commands/webhooks/list'),
        },
        get: { summary: 'Show one webhook', load: () => import('./commands/webhooks/get') },
        update: {
          summary: 'Change the URL or the events of a webhook',
          load: () => import('./commands/webhooks/update'),
        },
        pause: {
          summary: 'Hold back what is sent to a webhook',
          load: () => import('./commands/webhooks/pause'),
        },
        resume: {
          summary: 'Let what was held back go on',
          load: () => import('./commands/webhooks/resume'),
        },
        delete: { summary: 'Remove a webhook', load: () => import('./commands/webhooks/delete') },
        test: {
          summary: 'Send a sample of an event to a webhook',
          load: () => import('./commands/webhooks/test'),
        },
        'rotate-secret': {
          summary: 'Replace the secret of a webhook, in two steps',
          load: () => import('./commands/webhooks/rotate-secret'),
        },
        deliveries: {
          summary: 'List deliveries to webhooks, newest first',
          load: () => import('./commands/webhooks/deliveries'),
        },
        replay: {
          summary: 'Send deliveries again',
          load: () => import('./commands/webhooks/replay'),
        },
        explain: {
          summary: 'Tell why a delivery stands where it stands, and what to do',
          load: () => import('./commands/webhooks/explain'),
        },
        verify: {
          summary: 'Check the signature of a delivery, without the service',
          load: () => import('./commands/webhooks/verify'),
        },
        listen: {
          summary: 'Forward events to a receiver on this machine as they happen',
          load: () => import('./commands/webhooks/listen'),
        },
      },
    },
    events: {
      summary: 'List what happened',
      commands: {
        list: {
          summary: 'List events, oldest first',
          load: () => import('./commands/events/list'),
        },
      },
    },
  },
  'Account and settings:': {
    login: {
      summary: 'Store the key of an account, for the commands to come',
      load: () => import('./commands/login'),
    },
    logout: { summary: 'Remove a stored login', load: () => import('./commands/logout') },
    whoami: {
      summary: 'Tell which service is asked, and as whom',
      load: () => import('./commands/whoami'),
    },
    profiles: {
      summary: 'List logins, choose the current one',
      commands: {
        list: { summary: 'List the logins', load: () => import('./commands/profiles/list') },
        use: { summary: 'Choose the current login', load: () => import('./commands/profiles/use') },
      },
    },
    doctor: {
      summary: 'Check settings, key and service, and say what to do',
      load: () => import('./commands/doctor'),
    },
  },
  'More:': {
    completion: {
      summary: 'Print what lets a shell complete commands',
      load: () => import('./commands/completion'),
    },
    complete: {
      summary: 'Suggest words to a shell',
      load: () => import('./commands/complete'),
      hidden: true,
    },
    help: {
      summary: 'Show help for a command or a topic',
      load: () => import('./commands/help'),
    },
  },
};
