import { z } from 'zod'
import { MadeFile } from '../../http/response/reply.js'
import { PAGE_POLICY, REFERENCE_PAGE, referenceScript } from '../../openapi/index.js'
import { http, open } from '../running.js'

const anyone = open('Service')

/** The OpenAPI document, the page that shows it, and the page's script. */
export const DOCS_OPERATIONS = {
  'GET /openapi.json': anyone('Returns the OpenAPI document.', {
    answer: z.looseObject({ openapi: z.string() }),
    errors: ['unavailable'],
    run: http('a file', async ({ daemon }, c) =>
      c.body(await daemon.apiReference(), 200, { 'Content-Type': 'application/json' }),
    ),
  }),
  'GET /docs': anyone('Returns a web page that shows the OpenAPI document and can send requests.', {
    answerText: 'text/html',
    run: http('a page', (_service, c) => {
      c.header('Content-Security-Policy', PAGE_POLICY)
      return c.html(REFERENCE_PAGE)
    }),
  }),
  'GET /docs/reference.js': anyone('Returns the script of GET /docs, compressed with gzip.', {
    answerText: 'text/javascript',
    run: async () =>
      new MadeFile(await referenceScript(), {
        'Content-Type': 'text/javascript; charset=utf-8',
        'Content-Encoding': 'gzip',
        'Cache-Control': 'public, max-age=3600',
      }),
  }),
  'GET /': anyone('Redirects to GET /docs.', {
    status: 302,
    run: http('a redirect', (_service, c) => c.redirect('/docs')),
  }),
}
