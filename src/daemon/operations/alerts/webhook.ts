import type { Context } from 'hono'
import { z } from 'zod'
import { type ErrorCode, ServiceError } from '../../../core/errors/index.js'
import {
  type SenderName,
  WEBHOOK_RESULTS,
  type WebhookAnswer,
  type WebhookResult,
} from '../../../core/strategies/index.js'
import type { RunningService } from '../../daemon.js'
import { callerAddress, callOf, isAddressCertain } from '../../http/client.js'
import { noteRefusal } from '../../http/request.js'
import { STATUS_OF_CODE } from '../../http/response/error-status.js'
import { CODE_HEADER } from '../../http/response/errors.js'
import type { AppEnv } from '../../process/env.js'
import { count, errorBody, message, text } from '../common/answers.js'
import { http, open } from '../running.js'
import { MAX_BODY_BYTES, readDelivery } from './webhook-body.js'

/** The error code of each result; undefined for a success, which a duplicate is, too. */
const CODE_OF_RESULT: Readonly<Record<WebhookResult, ErrorCode | undefined>> = {
  ok: undefined,
  rejected_token: 'not_found',
  rejected_locked: 'forbidden',
  rejected_ip: 'forbidden',
  rejected_payload: 'validation',
  rejected_invalid_action: 'validation',
  rejected_live_disabled: 'forbidden',
  rejected_dedupe: undefined,
  rejected_cooling_off: 'conflict',
  rejected_engine_error: 'internal',
  rate_limited: 'rate_limited',
}

const FORMS = ['tradingview', 'chartink'] as const satisfies readonly SenderName[]

const signalEnd = {
  result: z.enum(WEBHOOK_RESULTS),
  message,
  run_id: count.optional(),
}

const delivered = {
  ...signalEnd,
  strategy_id: count.optional().meta({ description: 'Absent for an unknown token.' }),
  stop_pending: z
    .literal(true)
    .optional()
    .meta({ description: 'Present while positions are still to be closed: the run goes on until they are.' }),
  exits: z
    .array(
      z.strictObject({
        leg_id: count,
        ok: z.boolean(),
        position_ref: text,
        exit_owner: text,
        error: text.nullable(),
      }),
    )
    .optional()
    .meta({ description: 'The exit orders of a stop.' }),
  signals: z
    .array(z.strictObject({ symbol: text.nullable(), ...signalEnd }))
    .optional()
    .meta({ description: 'The end of each signal, for a body with several symbols.' }),
}

const delivery = z.strictObject({ status: z.literal('success'), ...delivered })
const refusedDelivery = z.strictObject({ status: z.literal('error'), ...delivered })
const limitedDelivery = z.strictObject({
  status: z.literal('error'),
  message,
  retry_after: count,
  result: z.literal('rate_limited'),
})

/** A path with an unknown end belongs to no strategy. */
const unknownDelivery = z.union([refusedDelivery, errorBody])

const webhook = (
  summary: string,
  params: Readonly<Record<string, string>>,
  example: object,
  sender: (c: Context<AppEnv>) => SenderName,
) =>
  open('Strategies')(summary, {
    params: { token: 'The token of the strategy, which is the only credential.', ...params },
    limit: 'strategyWebhook',
    body: z.looseObject({}),
    example,
    answer: delivery,
    others: {
      400: refusedDelivery,
      403: refusedDelivery,
      404: unknownDelivery,
      409: refusedDelivery,
      429: limitedDelivery,
      500: refusedDelivery,
    },
    errors: ['validation', 'forbidden', 'not_found', 'conflict', 'too_large', 'rate_limited', 'unavailable'],
    audit: {
      unrecorded: 'Each delivery is a row of the audit of webhooks; the orders of the run are recorded.',
    },
    run: http('its own refusals', (service, c) => answerTo(service, c, sender(c))),
  })

/** The public webhook of strategies. The token is the only credential. The rate limit runs before the handlers. */
export const STRATEGY_WEBHOOK_OPERATIONS = {
  'POST /strategy/webhook/:token': webhook(
    'Starts or stops a batch strategy, or sends a signal to a leg of a signal strategy.',
    {},
    { action: 'start', mode: 'sandbox' },
    () => 'native',
  ),
  'POST /strategy/webhook/:token/:sender': webhook(
    'Takes the alerts of TradingView strategies and ChartInk scans as signals.',
    { sender: '`tradingview` or `chartink`: the form of the body.' },
    { scan_name: 'Breakout BUY', stocks: 'SBIN,INFY', trigger_prices: '812.5,1520' },
    (c) => senderNamed(c.req.param('sender')),
  ),
}

async function answerTo(
  { daemon: { proxies }, strategyWebhook }: RunningService,
  c: Context<AppEnv>,
  sender: SenderName,
): Promise<Response> {
  if (Number(c.req.header('content-length')) > MAX_BODY_BYTES) {
    throw new ServiceError('too_large', `Payload larger than ${MAX_BODY_BYTES} bytes`)
  }
  const reply = await strategyWebhook.deliver({
    token: c.req.param('token') ?? '',
    sender,
    address: callerAddress(callOf(c), proxies),
    isAddressCertain: isAddressCertain(callOf(c), proxies),
    userAgent: c.req.header('user-agent'),
    body: () => readDelivery(c),
  })
  const code = CODE_OF_RESULT[reply.result]
  if (code === undefined) return c.json(deliveryBody(reply, 'success'))
  noteRefusal(c, reply.message)
  c.header(CODE_HEADER, code)
  return c.json(deliveryBody(reply, 'error'), STATUS_OF_CODE[code])
}

/** A wrong form is answered here, because the service bans addresses that ask for many paths without a route. */
function senderNamed(name: string | undefined): SenderName {
  const known = FORMS.find((form) => form === name)
  if (known) return known
  throw new ServiceError('not_found', `The path may end with ${FORMS.map((form) => `/${form}`).join(' or ')}`)
}

function deliveryBody(answer: WebhookAnswer, status: 'success' | 'error') {
  const { exits, message, result, runId, signals, stopPending, strategyId } = answer
  return {
    status,
    result,
    message,
    strategy_id: strategyId,
    run_id: runId,
    stop_pending: stopPending || undefined,
    exits:
      exits && exits.length > 0
        ? exits.map(({ error, exitOwner, legId, ok, positionRef }) => ({
            leg_id: legId,
            ok,
            position_ref: positionRef,
            exit_owner: exitOwner,
            error,
          }))
        : undefined,
    signals: signals?.map(({ message: text, result: end, runId: run, symbol }) => ({
      symbol,
      result: end,
      message: text,
      run_id: run,
    })),
  }
}
