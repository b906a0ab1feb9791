import type { Command } from 'commander';
import type { CliContext } from './context';

/** The module of a command. */
interface CommandModule {
  /**
   * Adds arguments, options and action to the command.
   *
   * @param load loads another command, for commands about commands
   */
  configure: (
    command: Command,
    context: CliContext,
    load: (command: Command) => Promise<void>,
  ) => void;
}

/** A command. */
export interface CommandSpec {
  /** What it does, for the list of commands. */
  summary: string;
  /** Loads its module. Only the command that runs is loaded, so that start-up stays fast. */
  load: () => Promise<CommandModule>;
  /** Whether help omits it: it is for programs. */
  hidden?: true;
}

/** The commands of a noun. */
export interface CommandGroup {
  summary: string;
  /** The commands by name. */
  commands: Record<string, CommandSpec>;
}

/** The commands under a heading of the help. */
export type HelpSection = Record<string, CommandGroup | CommandSpec>;

/** All commands. The path is the command: `orders list` is in `commands/orders/list.ts`. */
export const helpSections: Record<string, HelpSection> = {
  'Orders:': {
    orders: {
      summary: 'List, view and update orders',
      commands: {
        list: {
          summary: 'List orders, newest first',
          load: () => import('./commands/orders/list'),
        },
        get: { summary: 'Show one order', load: () => import('./commands/orders/get') },
        create: { summary: 'Create an order', load: () => import('./commands/orders/create') },
        'set-status': {
          summary: 'Move orders to another status',
          load: () => import('./commands/orders/set-status/command'),
        },
        watch: {
          summary: 'Print changes of orders as they happen',
          load: () => import('./commands/orders/watch/command'),
        },
      },
    },
    notifications: {
      summary: 'List notifications, mark them as read',
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
      summary: 'Register endpoints for signed events, inspect and retry deliveries',
      commands: {
        register: {
          summary: 'Register a webhook and show its secret once',
          load: () => import('./commands/webhooks/register'),
        },
        list: {
          summary: 'List webhooks, newest first',
          load: () => import('./commands/webhooks/list'),
        },
        get: { summary: 'Show one webhook', load: () => import('./commands/webhooks/get') },
        update: {
          summary: 'Change the URL or the event types of a webhook',
          load: () => import('./commands/webhooks/update'),
        },
        pause: {
          summary: 'Pause deliveries to a webhook',
          load: () => import('./commands/webhooks/pause'),
        },
        resume: {
          summary: 'Resume deliveries to a webhook',
          load: () => import('./commands/webhooks/resume'),
        },
        delete: { summary: 'Delete a webhook', load: () => import('./commands/webhooks/delete') },
        test: {
          summary: 'Send a test event to a webhook',
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
          summary: "Explain a delivery's status",
          load: () => import('./commands/webhooks/explain/command'),
        },
        verify: {
          summary: 'Verify the signature of a delivery, offline',
          load: () => import('./commands/webhooks/verify'),
        },
        listen: {
          summary: 'Forward events to a local receiver as they happen',
          load: () => import('./commands/webhooks/listen/command'),
        },
      },
    },
    events: {
      summary: 'List events',
      commands: {
        list: {
          summary: 'List events, oldest first',
          load: () => import('./commands/events/list'),
        },
      },
    },
  },
  'Account and settings:': {
    login: { summary: 'Log in with an API key', load: () => import('./commands/login') },
    logout: { summary: 'Delete a saved profile', load: () => import('./commands/logout') },
    whoami: {
      summary: 'Show the current account and service',
      load: () => import('./commands/whoami'),
    },
    profiles: {
      summary: 'List profiles, choose the current one',
      commands: {
        list: { summary: 'List profiles', load: () => import('./commands/profiles/list') },
        use: {
          summary: 'Choose the current profile',
          load: () => import('./commands/profiles/use'),
        },
      },
    },
    doctor: {
      summary: 'Diagnose settings, API key and service',
      load: () => import('./commands/doctor/command'),
    },
  },
  'More:': {
    completion: {
      summary: 'Generate a shell completion script',
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
