import type { Express, Request, RequestHandler } from 'express';
import helmet from 'helmet';
import { rejectOtherMethods } from '../not-found';
import { PageFolder } from '../static/page-folder';
import { loadOnce, type Resource, sendResource } from '../static/resource';

const readMethods = ['GET', 'HEAD'];
/**
 * All paths of the console. Those below belong to its pages, which the page itself distinguishes. One template, because logs and metrics
 * have it as the route of a request.
 */
export const consolePath = '/console{/{*path}}';
const assetPath = '/console/assets/:file';
const iconPath = '/console/favicon.svg';

/**
 * The page runs only its own scripts and styles, requests only this server, is never framed, and creates no markup from text. Source:
 * Content Security Policy Level 3; Trusted Types.
 */
const securityPolicy = helmet.contentSecurityPolicy({
  // The defaults would upgrade requests to HTTPS, which this server does not have without a proxy.
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'"],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
    requireTrustedTypesFor: ["'script'"],
    trustedTypes: ["'none'"],
  },
});

/**
 * Whether browsers let a page separate itself from the one that opened it, and from others: over HTTPS, and on this machine. Elsewhere
 * they ignore the headers, and report that as errors of the page. Source: HTML, section 7.1.3; Secure Contexts, section 3.1.
 */
function canIsolate({ secure, hostname, headers }: Request): boolean {
  return (
    secure ||
    // A proxy that is not trusted may say it too: it decides about nothing else.
    headers['x-forwarded-proto'] === 'https' ||
    /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
  );
}

/** How many folders a page is below `/console/`; -1 for `/console` itself. */
function getDepth({ path }: Request): number {
  return path.split('/').length - 3;
}

/** Returns the relative path from a page to the folder of the console. It works below any path prefix of a proxy. */
function toConsole(depth: number): string {
  return depth < 0 ? 'console/' : depth === 0 ? './' : '../'.repeat(depth);
}

/** How deep an address may be. No page is that deep, and each depth is remembered. */
const maxDepth = 8;

/**
 * Adds the console: one page for all addresses below `/console`, and its assets.
 *
 * @param rejectPath Responds to what does not exist.
 */
export function addConsole(app: Express, rejectPath: RequestHandler): void {
  const folder = new PageFolder('console');
  const getAssets = loadOnce(() => folder.listAssets());
  const getIcon = loadOnce(() => folder.readFile('favicon.svg'));
  const pages = new Map<number, () => Promise<Resource>>();

  app.get(iconPath, async (req, res) => sendResource(req, res, await getIcon()));
  rejectOtherMethods(app, iconPath, readMethods);

  app.all(assetPath, async (req, res, next) => {
    const load = (await getAssets()).get(String(req.params.file));
    if (load === undefined) {
      rejectPath(req, res, next);
    } else if (readMethods.includes(req.method)) {
      sendResource(req, res, await load());
    } else {
      next();
    }
  });
  rejectOtherMethods(app, assetPath, readMethods);

  app.get(consolePath, securityPolicy, async (req, res, next) => {
    const depth = getDepth(req);
    if (depth > maxDepth) {
      rejectPath(req, res, next);
      return;
    }
    if (!canIsolate(req)) {
      res.removeHeader('Cross-Origin-Opener-Policy');
      res.removeHeader('Origin-Agent-Cluster');
    }
    const load =
      pages.get(depth) ??
      loadOnce(() => folder.readPage((html) => html.replaceAll('"./', `"${toConsole(depth)}`)));
    pages.set(depth, load);
    sendResource(req, res, await load());
  });
  rejectOtherMethods(app, consolePath, readMethods);
}
