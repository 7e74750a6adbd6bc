import { z } from 'zod'
import { ServiceError } from '../../../core/errors/index.js'
import { ORDER_MODES } from '../../../core/identity/index.js'
import { requestValue, VALUED_OPERATIONS } from '../../../core/orders/index.js'
import { fields } from '../../../core/validation/index.js'
import type { RunningService } from '../../daemon.js'
import { readerOf, readingInput } from '../../http/api-route.js'
import { principalIn, readApiBody } from '../../middleware/api-key.js'
import type { ActRequest } from '../audit-facts.js'
import { amount, count, message, ok, text } from '../common/answers.js'
import { noFields } from '../common/payloads.js'
import { terminalFields, terminalView } from '../common/user.js'
import { http, keyed } from '../running.js'
import { pnlSymbols } from './book-schemas.js'

const account = keyed('Account', 'api')

const togglePayload = z.strictObject({ mode: fields.boolean() })

const deskPayload = z.strictObject({
  operation: fields
    .oneOf(VALUED_OPERATIONS)
    .optional()
    .meta({ description: 'The endpoint of the request below, such as basketorder.' }),
  request: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ description: 'A request whose value is to be known, without its key.' }),
})

const ping = ok({ data: z.strictObject({ message: z.literal('pong'), broker: text }) })

const deskAnswer = ok({
  data: z.strictObject({
    mode: z.enum(['live', 'analyze']),
    order_mode: z.enum(ORDER_MODES),
    broker: text,
    ...terminalFields,
    value: amount.nullable().meta({
      description: 'The value in rupees of the orders that the request would send; null if it is not known.',
    }),
  }),
})

const modeFields = { mode: z.enum(['live', 'analyze']), analyze_mode: z.boolean(), total_logs: count }
const analyzer = ok({ data: z.strictObject(modeFields) })
const analyzerToggle = ok({ data: z.strictObject({ ...modeFields, message }) })

const TOGGLE_BLOCKED =
  'Operation analyzer/toggle is not allowed in Semi-Auto mode. Only the account owner may switch the mode, from a signed-in session.'

/** The mode of the account, and where its orders go. */
export const MODE_OPERATIONS = {
  'POST /api/v1/analyzer': account('Returns the mode: live or Analyzer.', {
    body: noFields,
    answer: analyzer,
    log: { as: 'analyzer_status', into: 'orders' },
    tool: { name: 'analyzer_status', title: 'Get the mode', scope: 'read:account', toolset: 'account' },
    run: async (service) => ({ status: 'success', data: await analyzerState(service) }),
  }),
  'POST /api/v1/analyzer/toggle': account('Switches the mode. Refused for users in semi-auto mode.', {
    changes: true,
    body: togglePayload,
    example: { mode: true },
    answer: analyzerToggle,
    errors: ['forbidden'],
    audit: { act: 'mode.set', values: modeValues, turn: 'mode' },
    log: { as: 'analyzer_toggle', into: 'orders', refusals: true },
    tool: {
      name: 'analyzer_toggle',
      title: 'Switch between Analyzer and Live mode',
      scope: 'write:orders',
      toolset: 'orders',
      more: 'Refused while the orders of assistants wait for approval (queue_writes).',
      hints: { destructive: true, idempotent: true },
    },
    run: async (service, { body: { mode: on } }, { username }) => {
      if (service.identity.apiKeys.orderMode(username) === 'semi_auto') {
        throw new ServiceError('forbidden', TOGGLE_BLOCKED)
      }
      await service.modeSwitch.set(on, username)
      const message = `Analyzer mode switched to ${on ? 'analyze' : 'live'}`
      return { status: 'success', data: { ...(await analyzerState(service)), message } }
    },
  }),
  'POST /api/v1/pnl/symbols': account('Returns the profit by symbol, in Analyzer mode only.', {
    body: noFields,
    answer: pnlSymbols,
    errors: ['refused'],
    run: http('its own refusals', async ({ account, identity }, c) => {
      const given = await readApiBody(c)
      if (!readerOf(c, identity, given)) await principalIn(identity, given)
      // The mode is checked before the rest of the body.
      account.requireSimulated()
      const { principal } = await readingInput(c, identity, noFields, given)
      return c.json({ status: 'success', ...(await account.pnlBySymbol(principal.username)) })
    }),
  }),
  'POST /api/v1/desk': account('Returns where orders go now, and the value of a request.', {
    body: deskPayload,
    example: {
      operation: 'placeorder',
      request: { strategy: 'example', symbol: 'SBIN', exchange: 'NSE', action: 'BUY', quantity: 10 },
    },
    answer: deskAnswer,
    run: async (service, { body: { operation, request = {} } }, { username: userId }) => {
      const context = { userId, source: 'api' as const }
      const value =
        operation === undefined ? undefined : await requestValue(service.orders, operation, request, context)
      return {
        status: 'success',
        data: {
          mode: service.mode(),
          order_mode: service.identity.apiKeys.orderMode(userId),
          broker: service.brokers.brokerId,
          ...terminalView(service),
          value: value ?? null,
        },
      }
    },
  }),
  'POST /api/v1/ping': account('Checks the API key.', {
    body: noFields,
    answer: ping,
    run: ({ brokers }) => {
      // Without a session it refuses.
      brokers.client()
      return { status: 'success', data: { message: 'pong', broker: brokers.brokerId } }
    },
  }),
}

/** Returns the mode, for the record of an act that changes it. */
export function modeValues({ service }: ActRequest<RunningService>) {
  return { mode: service.mode() }
}

async function analyzerState({ mode, orderLogs }: RunningService) {
  return {
    mode: mode(),
    analyze_mode: mode() === 'analyze',
    total_logs: await orderLogs.total('analyze'),
  }
}
