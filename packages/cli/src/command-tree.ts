import type { Command } from 'commander';
import type { Terminal } from './terminal';

/** What a command's file has: it gives the command its arguments, options and action. */
interface CommandModule {
  define: (command: Command, terminal: Terminal) => void;
}

/** A command that does something. */
export interface Leaf {
  /** What it does, for the list of commands. */
  summary: string;
  /** Loads the command's file. Only the command that is run is ever loaded: start-up stays fast. */
  load: () => Promise<CommandModule>;
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
        'set-status': {
          summary: 'Move orders to another status',
          load: () => import('./commands/orders/set-status'),
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
      summary: 'Register endpoints that receive signed events',
      commands: {
        register: {
          summary: 'Register a webhook and show its secret, once',
          load: () => import('./commands/webhooks/register'),
        },
      },
    },
  },
  'More:': {
    help: {
      summary: 'Show help for a command or a topic',
      load: () => import('./commands/help'),
    },
  },
};
