import { Hono } from 'hono'
import { z } from 'zod'
import { ServiceError } from '../../core/errors/index.js'
import type { Identity } from '../../core/identity/index.js'
import { type AccountViews, type Margins, marginBody } from '../../core/orders/index.js'
import { PRODUCTS } from '../../core/orders/schema.js'
import { fields } from '../../core/validation/index.js'
import type { AppEnv } from '../env.js'
import { parseKeyed } from '../http/api-route.js'
import { principalIn, readApiBody } from '../middleware/api-key.js'

type Body = Record<string, unknown>

export interface AccountRoutesParts {
  identity: Identity
  account: AccountViews
  margins: Margins
  /** Mode, and how much has been logged in Analyzer mode. */
  analyzer(): Promise<Body>
  setAnalyzeMode(on: boolean, by: string): Promise<void>
  log(entry: RequestLog): void
}

/** A request that publishes nothing and is logged by itself: in the log of the mode, or always in the order log. */
export interface RequestLog {
  apiType: string
  userId: string
  request: Body
  response: Body
  log: 'of the mode' | 'orders'
}

const apikey = fields.apiKeyField()
const keyOnly = z.strictObject({ apikey })
export const openPositionBody = z.strictObject({
  apikey,
  strategy: fields.text(),
  symbol: fields.text(100),
  exchange: fields.text(20),
  product: fields.oneOf(PRODUCTS),
})
export const toggleBody = z.strictObject({ apikey, mode: fields.boolean() })

const TOGGLE_BLOCKED =
  'Operation analyzer/toggle is not allowed in Semi-Auto mode. Only the account owner may switch the mode, from a signed-in session.'

/** Account endpoints beside the account: position, margin, mode, profit by symbol (contract, api-orders 9 and 10). */
export function accountRoutes(parts: AccountRoutesParts): Hono<AppEnv> {
  const { account, identity, margins } = parts
  return new Hono<AppEnv>()
    .post('/openposition', async (c) => {
      const { body, principal } = await parseKeyed(identity, openPositionBody, await readApiBody(c))
      const { apikey: _, ...request } = body
      const { username } = principal
      const response = { status: 'success', ...(await account.openPosition(username, request)) }
      parts.log({ apiType: 'openposition', userId: username, request, response, log: 'of the mode' })
      return c.json(response)
    })
    .post('/margin', async (c) => {
      const { body, principal } = await parseKeyed(identity, marginBody, await readApiBody(c))
      const { apikey: _, ...request } = body
      const { username } = principal
      const response = { status: 'success', data: await margins.estimate(username, request.positions) }
      parts.log({ apiType: 'margin', userId: username, request, response, log: 'orders' })
      return c.json(response)
    })
    .post('/analyzer/toggle', async (c) => {
      const { body, principal } = await parseKeyed(identity, toggleBody, await readApiBody(c))
      const { username } = principal
      const on = body.mode
      const entry = { apiType: 'analyzer_toggle', userId: username, request: { mode: on } }
      const logged = (response: Body) => parts.log({ ...entry, response, log: 'orders' })
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
      const given = await readApiBody(c)
      await principalIn(identity, given)
      // By contract the mode is told before the rest of the body is looked at.
      account.requireSimulated()
      const { principal } = await parseKeyed(identity, keyOnly, given)
      return c.json({ status: 'success', ...(await account.pnlBySymbol(principal.username)) })
    })
}
