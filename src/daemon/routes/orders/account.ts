import { ServiceError } from '../../../core/errors/index.js'
import type { Identity } from '../../../core/identity/index.js'
import {
  type AccountViews,
  type Margins,
  type OrderServices,
  requestValue,
} from '../../../core/orders/index.js'
import { keyedInput } from '../../http/api-route.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { principalIn, readApiBody } from '../../middleware/api-key.js'
import { noFields } from '../../operations/common/payloads.js'
import type { AnswerOf } from '../../operations/types.js'

/**
 * A log entry of a request that publishes no event. It goes to the log of the current mode or to the order
 * log.
 */
export interface RequestLog {
  /** Its name in the log. */
  operation: string
  userId: string
  request: object
  response: object
  log: 'of the mode' | 'orders'
}

interface AccountParts {
  identity: Identity
  account: AccountViews
  margins: Margins
  /** Returns where the orders of a user go now. */
  desk(username: string): Omit<AnswerOf<'POST /api/v1/desk'>['data'], 'value'>
  orders: OrderServices
  /** @throws ServiceError `forbidden` without a broker session */
  connectedBroker(): string
  /** Returns the mode and the number of entries in the Analyzer log. */
  analyzer(): Promise<AnswerOf<'POST /api/v1/analyzer'>['data']>
  setAnalyzeMode(on: boolean, by: string): Promise<void>
  log(entry: RequestLog): void
}

/** Returns the handlers for the account views that take only the API key. */
export function accountViewHandlers({ account }: Pick<AccountParts, 'account'>) {
  return {
    'POST /api/v1/orderbook': async (_input, { username }) => ({
      status: 'success',
      ...(await account.orderbook(username)),
    }),
    'POST /api/v1/tradebook': async (_input, { username }) => ({
      status: 'success',
      ...(await account.tradebook(username)),
    }),
    'POST /api/v1/positionbook': async (_input, { username }) => ({
      status: 'success',
      ...(await account.positionbook(username)),
    }),
    'POST /api/v1/holdings': async (_input, { username }) => ({
      status: 'success',
      ...(await account.holdings(username)),
    }),
    'POST /api/v1/funds': async (_input, { username }) => ({
      status: 'success',
      ...(await account.funds(username)),
    }),
  } satisfies Partial<Handlers>
}

const TOGGLE_BLOCKED =
  'Operation analyzer/toggle is not allowed in Semi-Auto mode. Only the account owner may switch the mode, from a signed-in session.'

/** Returns the handlers for one order, one position, margin, mode and profit by symbol. */
export function accountHandlers(parts: AccountParts) {
  const { account, identity, log, margins } = parts
  return {
    'POST /api/v1/orderstatus': async ({ body: request }, { username: userId }) => {
      const response = { status: 'success' as const, ...(await account.orderStatus(userId, request.orderid)) }
      log({ operation: 'orderstatus', userId, request, response, log: 'of the mode' })
      return response
    },
    'POST /api/v1/openposition': async ({ body: request }, { username: userId }) => {
      const response = { status: 'success' as const, ...(await account.openPosition(userId, request)) }
      log({ operation: 'openposition', userId, request, response, log: 'of the mode' })
      return response
    },
    'POST /api/v1/margin': async ({ body: request }, { username: userId }) => {
      const data = await margins.estimate(userId, request.positions)
      const response = { status: 'success' as const, data }
      log({ operation: 'margin', userId, request, response, log: 'orders' })
      return response
    },
    'POST /api/v1/desk': async ({ body: { operation, request = {} } }, { username: userId }) => {
      const context = { userId, source: 'api' as const }
      const value =
        operation === undefined ? undefined : await requestValue(parts.orders, operation, request, context)
      return { status: 'success', data: { ...parts.desk(userId), value: value ?? null } }
    },
    'POST /api/v1/ping': () => ({
      status: 'success',
      data: { message: 'pong', broker: parts.connectedBroker() },
    }),
    'POST /api/v1/analyzer': async (_input, { username: userId }) => {
      const response = { status: 'success' as const, data: await parts.analyzer() }
      log({ operation: 'analyzer_status', userId, request: {}, response, log: 'orders' })
      return response
    },
    'POST /api/v1/analyzer/toggle': async ({ body: { mode: on } }, { username: userId }) => {
      const entry = { operation: 'analyzer_toggle', userId, request: { mode: on } }
      const logged = (response: object) => log({ ...entry, response, log: 'orders' })
      if (identity.apiKeys.orderMode(userId) === 'semi_auto') {
        logged({ status: 'error', message: TOGGLE_BLOCKED })
        throw new ServiceError('forbidden', TOGGLE_BLOCKED)
      }
      await parts.setAnalyzeMode(on, userId)
      const message = `Analyzer mode switched to ${on ? 'analyze' : 'live'}`
      const response = { status: 'success' as const, data: { ...(await parts.analyzer()), message } }
      logged(response)
      return response
    },
    'POST /api/v1/pnl/symbols': httpHandler(async (c) => {
      const given = await readApiBody(c)
      await principalIn(identity, given)
      // The mode is checked before the rest of the body.
      account.requireSimulated()
      const { principal } = await keyedInput(identity, noFields, given)
      return c.json({ status: 'success', ...(await account.pnlBySymbol(principal.username)) })
    }),
  } satisfies Partial<Handlers>
}
