import { type Handlers, httpHandler } from '../../http/handlers.js'
import { openApiDocument, PAGE_POLICY, REFERENCE_PAGE, referenceScript } from '../../openapi/index.js'
import { OPERATION_LIST } from '../../operations/index.js'

interface DocsParts {
  version: string
  cookieName: string
}

/**
 * Returns the handlers for the OpenAPI document, the page that shows it, and the page's script. The document
 * and the script are prepared on the first request and cached, so that the start does not wait for them.
 */
export function docsHandlers(parts: DocsParts) {
  const document = cached(async () => JSON.stringify(await openApiDocument(OPERATION_LIST, parts)))
  const script = cached(referenceScript)
  return {
    'GET /openapi.json': httpHandler(async (c) =>
      c.body(await document(), 200, { 'Content-Type': 'application/json' }),
    ),
    'GET /docs': httpHandler((c) => {
      c.header('Content-Security-Policy', PAGE_POLICY)
      return c.html(REFERENCE_PAGE)
    }),
    'GET /docs/reference.js': httpHandler(async (c) =>
      c.body(await script(), 200, {
        'Content-Type': 'text/javascript; charset=utf-8',
        'Content-Encoding': 'gzip',
        'Cache-Control': 'public, max-age=3600',
      }),
    ),
    'GET /': httpHandler((c) => c.redirect('/docs')),
  } satisfies Partial<Handlers>
}

/** Returns a function that prepares a value on its first call. A failure is not cached. */
function cached<Value>(prepare: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined
  return () => {
    value ??= prepare().catch((error: unknown) => {
      value = undefined
      throw error
    })
    return value
  }
}
