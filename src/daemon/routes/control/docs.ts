import { type Handlers, httpHandler } from '../../http/handlers.js'
import { openApiDocument, referencePage } from '../../openapi/index.js'
import { OPERATION_LIST } from '../../operations/index.js'

interface DocsParts {
  version: string
  cookieName: string
}

/**
 * Returns the handlers for the OpenAPI document and its HTML page. Both are built on the first request and
 * cached, so that the start of the service does not wait for them.
 */
export function docsHandlers(parts: DocsParts) {
  let described: ReturnType<typeof describe> | undefined
  const description = () => {
    described ??= describe(parts)
    return described
  }
  return {
    'GET /openapi.json': httpHandler(async (c) => {
      const { json } = await description()
      return c.body(json, 200, { 'Content-Type': 'application/json' })
    }),
    'GET /docs': httpHandler(async (c) => {
      const { page } = await description()
      c.header('Content-Security-Policy', page.policy)
      return c.html(page.html)
    }),
  } satisfies Partial<Handlers>
}

async function describe({ version, cookieName }: DocsParts) {
  const document = await openApiDocument(OPERATION_LIST, { version, cookieName })
  return { json: JSON.stringify(document), page: referencePage(document) }
}
