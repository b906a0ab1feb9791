import type { Command } from 'commander';
import type { CliContext } from './context';

interface CommandModule {
  /** Adds arguments, options and action to the command. `load` is for commands about commands. */
  configure(command: Command, context: CliContext, load: (command: Command) => Promise<void>): void;
}

export interface CommandSpec {
  summary: string;
  /** Loads its module. Only the command that runs is loaded, so that start-up stays fast. */
  load: () => Promise<CommandModule>;
  /** Whether help omits it: it is for programs. */
  hidden?: true;
}

export interface CommandGroup {
  summary: string;
  commands: Record<string, CommandSpec>;
}

export type HelpSection = Record<string, CommandGroup | CommandSpec>;

function command(summary: string, load: CommandSpec['load']): CommandSpec {
  return { summary, load };
}

/** All commands. The path is the command: `orders list` is in `commands/orders/list.ts`. */
export const helpSections: Record<string, HelpSection> = {
  'Orders:': {
    orders: {
      summary: 'List, view and update orders',
      commands: {
        list: command('List orders', () => import('./commands/orders/list')),
        count: command('Count orders', () => import('./commands/orders/count')),
        get: command(
          'Show orders with their history',
          () => import('./commands/orders/get/command'),
        ),
        timeline: command(
          'Show what happened to an order, down to the attempts',
          () => import('./commands/orders/timeline'),
        ),
        create: command('Create an order', () => import('./commands/orders/create')),
        'set-status': command(
          'Move orders to another status',
          () => import('./commands/orders/set-status/command'),
        ),
        watch: command(
          'Print changes of orders as they happen',
          () => import('./commands/orders/watch/command'),
        ),
      },
    },
    jobs: {
      summary: 'Report on bulk changes of orders',
      commands: {
        list: command('List bulk changes, newest first', () => import('./commands/jobs/list')),
        show: command('Report what a bulk change did', () => import('./commands/jobs/show')),
      },
    },
    notifications: {
      summary: 'List notifications, mark them as read',
      commands: {
        list: command(
          'List notifications, newest first',
          () => import('./commands/notifications/list'),
        ),
        read: command('Mark notifications as read', () => import('./commands/notifications/read')),
      },
    },
  },
  'Webhooks:': {
    webhooks: {
      summary: 'Register endpoints for signed events, inspect and retry deliveries',
      commands: {
        register: command(
          'Register a webhook and show its secret once',
          () => import('./commands/webhooks/register'),
        ),
        list: command('List webhooks, newest first', () => import('./commands/webhooks/list')),
        get: command('Show one webhook', () => import('./commands/webhooks/get')),
        stats: command(
          'Show how deliveries to a webhook fared over time',
          () => import('./commands/webhooks/stats'),
        ),
        update: command(
          'Change the URL, the event types or the settings of a webhook',
          () => import('./commands/webhooks/update'),
        ),
        pause: command('Pause deliveries to a webhook', () => import('./commands/webhooks/pause')),
        resume: command(
          'Resume deliveries to a webhook',
          () => import('./commands/webhooks/resume'),
        ),
        delete: command('Delete a webhook', () => import('./commands/webhooks/delete')),
        test: command('Send a test event to a webhook', () => import('./commands/webhooks/test')),
        'rotate-secret': command(
          'Replace the secret of a webhook, in two steps',
          () => import('./commands/webhooks/rotate-secret'),
        ),
        deliveries: command(
          'List deliveries to webhooks, newest first',
          () => import('./commands/webhooks/deliveries'),
        ),
        replay: command('Send deliveries again', () => import('./commands/webhooks/replay')),
        retry: command(
          'Send all that is pending for a webhook now',
          () => import('./commands/webhooks/retry'),
        ),
        explain: command(
          'Explain a delivery, or how an endpoint fares',
          () => import('./commands/webhooks/explain/command'),
        ),
        verify: command(
          'Verify the signature of a delivery, offline',
          () => import('./commands/webhooks/verify/command'),
        ),
        probe: command(
          'Find mistakes of a receiver by what it accepts and refuses',
          () => import('./commands/webhooks/probe/command'),
        ),
        listen: command(
          'Forward events to a local receiver as they happen',
          () => import('./commands/webhooks/listen/command'),
        ),
      },
    },
    events: {
      summary: 'List events, show one',
      commands: {
        list: command('List events, newest first', () => import('./commands/events/list')),
        get: command('Show one event with its data', () => import('./commands/events/get')),
      },
    },
  },
  'Account and settings:': {
    login: command('Log in with an API key', () => import('./commands/login')),
    logout: command('Delete a saved profile', () => import('./commands/logout')),
    summary: command(
      'Show orders by status, unread notifications, webhooks',
      () => import('./commands/summary'),
    ),
    whoami: command('Show the current account and service', () => import('./commands/whoami')),
    profiles: {
      summary: 'List profiles, choose the current one',
      commands: {
        list: command('List profiles', () => import('./commands/profiles/list')),
        use: command('Choose the current profile', () => import('./commands/profiles/use')),
      },
    },
    keys: {
      summary: 'List, create and revoke API keys',
      commands: {
        list: command(
          'List API keys and sessions, newest first',
          () => import('./commands/keys/list'),
        ),
        create: command(
          'Create an API key and show it once',
          () => import('./commands/keys/create'),
        ),
        revoke: command('Revoke an API key', () => import('./commands/keys/revoke')),
      },
    },
    open: command('Sign in to the console in the browser', () => import('./commands/open')),
    doctor: command(
      'Diagnose settings, API key and service',
      () => import('./commands/doctor/command'),
    ),
  },
  'More:': {
    api: command('Send a request to any endpoint', () => import('./commands/api')),
    mcp: command(
      'Serve the Model Context Protocol to an assistant',
      () => import('./commands/mcp/command'),
    ),
    completion: command(
      'Generate a shell completion script',
      () => import('./commands/completion'),
    ),
    complete: {
      summary: 'Suggest words to a shell',
      load: () => import('./commands/complete'),
      hidden: true,
    },
    help: command('Show help for a command or a topic', () => import('./commands/help')),
  },
};
