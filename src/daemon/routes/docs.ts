import { Hono } from 'hono'
import type { AppEnv } from '../env.js'
import { OPERATIONS, openApiDocument, referencePage } from '../openapi/index.js'

export interface DocsRoutesParts {
  version: string
  cookieName: string
}

/**
 * The description of the interface, for programs and for people. It is put together when somebody asks for it the
 * first time, and kept: the start of the service does not wait for it.
 */
export function docsRoutes(parts: DocsRoutesParts): Hono<AppEnv> {
  let described: ReturnType<typeof describe> | undefined
  const description = () => {
    described ??= describe(parts)
    return described
  }
  return new Hono<AppEnv>()
    .get('/openapi.json', async (c) => {
      const { json } = await description()
      return c.body(json, 200, { 'Content-Type': 'application/json' })
    })
    .get('/docs', async (c) => {
      const { page } = await description()
      c.header('Content-Security-Policy', page.policy)
      return c.html(page.html)
    })
}

async function describe({ version, cookieName }: DocsRoutesParts) {
  const document = await openApiDocument(OPERATIONS, { version, cookieName })
  return { json: JSON.stringify(document), page: referencePage(document) }
}
