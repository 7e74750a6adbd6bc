import { Hono } from 'hono'
import { z } from 'zod'
import type { Identity } from '../../core/identity/index.js'
import type { AccountViews } from '../../core/orders/index.js'
import { fields } from '../../core/validation/index.js'
import type { AppEnv } from '../env.js'
import { apiRoute } from '../http/api-route.js'
import type { RequestLog } from './account.js'

export interface AccountViewRoutesParts {
  identity: Identity
  account: AccountViews
  /** @throws ServiceError `forbidden` without a broker session */
  connectedBroker(): string
  analyzer(): Promise<Record<string, unknown>>
  log(entry: RequestLog): void
}

export const keyOnly = z.strictObject({ apikey: fields.apiKeyField() })
export const orderStatusBody = z.strictObject({
  apikey: fields.apiKeyField(),
  strategy: fields.text(),
  orderid: fields.text(100),
})

type Answer = (userId: string, parts: AccountViewRoutesParts) => Promise<Record<string, unknown>>

/** Endpoints that take nothing but the key: what each answers beside `status`. */
const VIEWS: Readonly<Record<string, Answer>> = {
  orderbook: (userId, { account }) => account.orderbook(userId),
  tradebook: (userId, { account }) => account.tradebook(userId),
  positionbook: (userId, { account }) => account.positionbook(userId),
  holdings: (userId, { account }) => account.holdings(userId),
  funds: (userId, { account }) => account.funds(userId),
  ping: async (_userId, { connectedBroker }) => ({ data: { message: 'pong', broker: connectedBroker() } }),
  analyzer: async (userId, { analyzer, log }) => {
    const data = await analyzer()
    const response = { status: 'success', data }
    log({ apiType: 'analyzer_status', userId, request: {}, response, log: 'orders' })
    return { data }
  },
}

/** Account endpoints of `/api/v1`: read-only, never queued. */
export function accountViewRoutes(parts: AccountViewRoutesParts): Hono<AppEnv> {
  const app = new Hono<AppEnv>()
  for (const [name, answer] of Object.entries(VIEWS)) {
    app.post(
      `/${name}`,
      apiRoute(parts.identity, keyOnly, (_body, userId) => answer(userId, parts)),
    )
  }
  return app.post(
    '/orderstatus',
    apiRoute(parts.identity, orderStatusBody, async ({ apikey: _, ...request }, userId) => {
      const answer = await parts.account.orderStatus(userId, request.orderid)
      const response = { status: 'success', ...answer }
      parts.log({ apiType: 'orderstatus', userId, request, response, log: 'of the mode' })
      return answer
    }),
  )
}
