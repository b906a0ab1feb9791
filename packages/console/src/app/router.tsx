import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
  useNavigate,
} from '@tanstack/react-router';
import { basePath } from '../kernel/location';
import { noteSearch } from '../kernel/places';
import { only, parseSearch, type Search, stringifySearch } from '../kernel/search';
import { SignInByLink } from '../sign-in/sign-in';
import { NoSuchPage } from '../ui/no-such-page';
import { BrokenPage } from './broken-page';
import { Gate } from './gate';

const root = createRootRoute();

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: function SignInPage() {
    const navigate = useNavigate();
    return <SignInByLink onDone={() => void navigate({ to: '/', replace: true })} />;
  },
});

/** All other pages need a session. */
const gate = createRoute({ getParentRoute: () => root, id: 'gate', component: Gate });

const home = createRoute({
  getParentRoute: () => gate,
  path: '/',
  component: lazyRouteComponent(() => import('../home/home-page'), 'HomePage'),
});

const orders = createRoute({
  getParentRoute: () => gate,
  path: '/orders',
  validateSearch: only('status', 'buyer', 'seller', 'listing', 'from', 'to', 'sort'),
  component: lazyRouteComponent(() => import('../orders/orders-page'), 'OrdersPage'),
});

const order = createRoute({
  getParentRoute: () => gate,
  path: '/orders/$id',
  validateSearch: only('at'),
  component: lazyRouteComponent(() => import('../orders/order-page'), 'OrderPage'),
});

const webhooks = createRoute({
  getParentRoute: () => gate,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('../webhooks/webhooks-page'), 'WebhooksPage'),
});

const webhook = createRoute({
  getParentRoute: () => gate,
  path: '/webhooks/$id',
  beforeLoad: ({ params }) => {
    throw redirect({
      to: '/webhooks/$id/$part',
      params: { ...params, part: 'health' },
      replace: true,
    });
  },
});

const webhookPart = createRoute({
  getParentRoute: () => gate,
  path: '/webhooks/$id/$part',
  validateSearch: only('window'),
  component: lazyRouteComponent(() => import('../webhooks/webhook-page'), 'WebhookPage'),
});

const deliveries = createRoute({
  getParentRoute: () => gate,
  path: '/deliveries',
  validateSearch: only('webhook', 'event', 'order', 'type', 'state', 'status', 'from', 'to'),
  component: lazyRouteComponent(() => import('../deliveries/deliveries-page'), 'DeliveriesPage'),
});

const delivery = createRoute({
  getParentRoute: () => gate,
  path: '/deliveries/$id',
  component: lazyRouteComponent(() => import('../deliveries/delivery-page'), 'DeliveryPage'),
});

const events = createRoute({
  getParentRoute: () => gate,
  path: '/events',
  validateSearch: only('type', 'order'),
  component: lazyRouteComponent(() => import('../events/events-page'), 'EventsPage'),
});

const event = createRoute({
  getParentRoute: () => gate,
  path: '/events/$id',
  component: lazyRouteComponent(() => import('../events/event-page'), 'EventPage'),
});

const notifications = createRoute({
  getParentRoute: () => gate,
  path: '/notifications',
  validateSearch: only('read'),
  component: lazyRouteComponent(
    () => import('../notifications/notifications-page'),
    'NotificationsPage',
  ),
});

const developer = createRoute({
  getParentRoute: () => gate,
  path: '/developer',
  beforeLoad: () => {
    throw redirect({ to: '/developer/$part', params: { part: 'snippets' }, replace: true });
  },
});

const developerPart = createRoute({
  getParentRoute: () => gate,
  path: '/developer/$part',
  component: lazyRouteComponent(() => import('../developer/developer-page'), 'DeveloperPage'),
});

/** All other addresses. */
const other = createRoute({ getParentRoute: () => gate, path: '$', component: NoSuchPage });

const pages = [
  ...[home, orders, order, webhooks, webhook, webhookPart, deliveries, delivery],
  ...[events, event, notifications, developer, developerPart, other],
] as const;

/** The pages and their addresses. */
export const router = createRouter({
  routeTree: root.addChildren([signIn, gate.addChildren(pages)]),
  basepath: basePath,
  parseSearch,
  stringifySearch,
  trailingSlash: 'never',
  scrollRestoration: true,
  defaultErrorComponent: BrokenPage,
  defaultNotFoundComponent: NoSuchPage,
});

router.subscribe('onResolved', ({ toLocation: { pathname, search } }) =>
  noteSearch(pathname, search as Search),
);

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
