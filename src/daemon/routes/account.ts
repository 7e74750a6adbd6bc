import { Hono } from 'hono'
import { z } from 'zod'
import { ServiceError } from '../../core/errors/index.js'
import type { Identity } from '../../core/identity/index.js'
import { type Books, type Margins, marginBody } from '../../core/orders/index.js'
import { PRODUCTS } from '../../core/orders/schema.js'
import { fields, parseWith } from '../../core/validation/index.js'
import type { AppEnv } from '../env.js'
import { principalOf, readApiBody } from '../middleware/api-key.js'

type Body = Record<string, unknown>

export interface AccountRoutesParts {
  identity: Identity
  books: Books
  margins: Margins
  /** Mode, and how much has been logged in Analyzer mode. */
  analyzer(): Promise<Body>
  setAnalyzeMode(on: boolean, by: string): Promise<void>
  /** These requests publish nothing; they are logged by themselves. */
  log(entry: { apiType: string; userId: string; request: Body; response: Body }): void
}

const apikey = fields.apiKeyField()
const keyOnly = z.strictObject({ apikey })
const openPositionBody = z.strictObject({
  apikey,
  strategy: fields.text(),
  symbol: fields.text(100),
  exchange: fields.text(20),
  product: fields.oneOf(PRODUCTS),
})
const toggleBody = z.strictObject({ apikey, mode: fields.boolean() })

const TOGGLE_BLOCKED =
  'Operation analyzer/toggle is not allowed in Semi-Auto mode. Only the account owner may switch the mode, from a signed-in session.'

/** Account endpoints beside the books: position, margin, mode, profit by symbol (contract, api-orders 9 and 10). */
export function accountRoutes(parts: AccountRoutesParts): Hono<AppEnv> {
  const { books, identity, margins } = parts
  return new Hono<AppEnv>()
    .post('/openposition', async (c) => {
      const { apikey: key, ...request } = parseWith(openPositionBody, await readApiBody(c))
      const { username } = await principalOf(identity, key)
      const response = { status: 'success', ...(await books.openPosition(username, request)) }
      parts.log({ apiType: 'openposition', userId: username, request, response })
      return c.json(response)
    })
    .post('/margin', async (c) => {
      const { apikey: key, ...request } = parseWith(marginBody, await readApiBody(c))
      const { username } = await principalOf(identity, key)
      const response = { status: 'success', data: await margins.estimate(username, request.positions) }
      parts.log({ apiType: 'margin', userId: username, request, response })
      return c.json(response)
    })
    .post('/analyzer/toggle', async (c) => {
      const { apikey: key, mode: on } = parseWith(toggleBody, await readApiBody(c))
      const { username } = await principalOf(identity, key)
      const logged = (response: Body) =>
        parts.log({ apiType: 'analyzer_toggle', userId: username, request: { mode: on }, response })
      if (identity.apiKeys.orderMode(username) === 'semi_auto') {
        logged({ status: 'error', message: TOGGLE_BLOCKED })
        throw new ServiceError('forbidden', TOGGLE_BLOCKED)
      }
      await parts.setAnalyzeMode(on, username)
      const message = `Analyzer mode switched to ${on ? 'analyze' : 'live'}`
      const response = { status: 'success', data: { ...(await parts.analyzer()), message } }
      logged(response)
      return c.json(response)
    })
    .post('/pnl/symbols', async (c) => {
      // By contract the mode is told before the body is looked at.
      books.requireSimulated()
      const { apikey: key } = parseWith(keyOnly, await readApiBody(c))
      const { username } = await principalOf(identity, key)
      return c.json({ status: 'success', ...(await books.pnlBySymbol(username)) })
    })
}
