import type { Express, RequestHandler } from 'express';
import helmet from 'helmet';
import { rejectOtherMethods } from '../not-found';
import { PageFolder } from '../static/page-folder';
import { loadOnce, type Resource, sendResource } from '../static/resource';
import { openApiDocuments, readOpenApiDocument } from './openapi-documents';

const readMethods = ['GET', 'HEAD'];
const assetPath = '/docs/assets/:file';

/** The paths below which everything belongs to the API reference. */
export const apiDocsPaths = ['/docs', ...Object.keys(openApiDocuments)];

/**
 * The page runs only its own scripts and styles, requests only this server, and is never framed. Swagger UI sets styles
 * through the DOM, which needs no permission, and its stylesheet has its icons as `data:` URLs.
 */
const pageSecurityPolicy = helmet.contentSecurityPolicy({
  // The defaults would upgrade requests to HTTPS, which this server does not have without a proxy.
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'", 'data:'],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
});

const folder = new PageFolder('api-docs');

function serve(load: () => Promise<Resource>): RequestHandler {
  return async (req, res) => sendResource(req, res, await load());
}

/**
 * Adds the API reference at `/docs` and the OpenAPI documents. They need no API key and are not part of the contract. Files are read at the first request for each, so that a start takes no longer.
 *
 * @param rejectPath Responds to what does not exist.
 */
export function addApiDocs(app: Express, rejectPath: RequestHandler): void {
  for (const [path, file] of Object.entries(openApiDocuments)) {
    app.get(path, serve(loadOnce(() => readOpenApiDocument(file))));
    rejectOtherMethods(app, path, readMethods);
  }

  app.get('/docs', pageSecurityPolicy, serve(loadOnce(() => folder.readPage())));
  rejectOtherMethods(app, '/docs', readMethods);

  // The page refers to its assets by relative paths, so that it also works under a path prefix of a proxy.
  app.get('/docs/', (_req, res) => res.redirect(308, '../docs'));
  rejectOtherMethods(app, '/docs/', readMethods);

  const getAssets = loadOnce(() => folder.listAssets());
  app.all(assetPath, async (req, res, next) => {
    const load = (await getAssets()).get(req.params.file ?? '');
    if (load === undefined) {
      rejectPath(req, res, next);
    } else {
      res.locals.loadAsset = load;
      next();
    }
  });
  app.get(assetPath, async (req, res) => sendResource(req, res, await res.locals.loadAsset()));
  rejectOtherMethods(app, assetPath, readMethods);
}
