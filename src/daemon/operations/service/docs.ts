import { z } from 'zod'
import { HTML, MadeFile } from '../../http/response/reply.js'
import { sessionOfCookie, sessionOptions } from '../../middleware/session.js'
import { PAGE_POLICY, REFERENCE_PAGE, referenceScript } from '../../openapi/index.js'
import { HOME, SIGN_IN } from '../../pages/addresses.js'
import { wantsPage } from '../../pages/negotiate.js'
import { http, open } from '../running.js'

const anyone = open('Service')

/** The OpenAPI document, the page that shows it, and the page's script. */
export const DOCS_OPERATIONS = {
  'GET /openapi.json': anyone('Returns the OpenAPI document.', {
    answer: z.looseObject({ openapi: z.string() }),
    errors: ['unavailable'],
    run: async ({ daemon }) =>
      new MadeFile(await daemon.apiReference(), { 'Content-Type': 'application/json' }),
  }),
  'GET /docs': anyone('Returns a web page that shows the OpenAPI document and can send requests.', {
    answerText: 'text/html',
    run: () => new MadeFile(REFERENCE_PAGE, { ...HTML, 'Content-Security-Policy': PAGE_POLICY }),
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
  'GET /': anyone('Redirects a browser to its first page, and a script to GET /docs.', {
    status: 302,
    run: http('a redirect', (service, c) => {
      if (!wantsPage(c)) return c.redirect('/docs')
      const session = sessionOfCookie(c, sessionOptions(service))
      return c.redirect(session === undefined ? SIGN_IN : HOME)
    }),
  }),
}
