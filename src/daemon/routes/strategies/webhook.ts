import type { Context } from 'hono'
import { type ErrorCode, ServiceError } from '../../../core/errors/index.js'
import type {
  SenderName,
  StrategyWebhook,
  WebhookAnswer,
  WebhookResult,
} from '../../../core/strategies/index.js'
import { callerAddress, callOf, isAddressCertain, type TrustedProxies } from '../../http/client.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import { noteRefusal } from '../../http/request.js'
import { STATUS_OF_CODE } from '../../http/response/error-status.js'
import { CODE_HEADER } from '../../http/response/errors.js'
import type { AppEnv } from '../../process/env.js'
import { MAX_BODY_BYTES, readDelivery } from './webhook-body.js'

interface StrategyWebhookParts {
  webhook: Pick<StrategyWebhook, 'deliver'>
  proxies: TrustedProxies
}

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

/**
 * Returns the handlers for `POST /strategy/webhook/{token}`, and for the same path with the form of the sender's
 * bodies. The token is the only credential. The rate limit runs before them.
 */
export function strategyWebhookHandlers({ proxies, webhook }: StrategyWebhookParts) {
  const answer = async (c: Context<AppEnv>, sender: SenderName) => {
    if (Number(c.req.header('content-length')) > MAX_BODY_BYTES) {
      throw new ServiceError('too_large', `Payload larger than ${MAX_BODY_BYTES} bytes`)
    }
    const reply = await webhook.deliver({
      token: c.req.param('token') ?? '',
      sender,
      address: callerAddress(callOf(c), proxies),
      isAddressCertain: isAddressCertain(callOf(c), proxies),
      userAgent: c.req.header('user-agent'),
      body: () => readDelivery(c),
    })
    const code = CODE_OF_RESULT[reply.result]
    if (code === undefined) return c.json(bodyOf(reply, 'success'))
    noteRefusal(c, reply.message)
    c.header(CODE_HEADER, code)
    return c.json(bodyOf(reply, 'error'), STATUS_OF_CODE[code])
  }
  return {
    'POST /strategy/webhook/:token': httpHandler((c) => answer(c, 'native')),
    'POST /strategy/webhook/:token/:sender': httpHandler((c) => answer(c, senderOf(c.req.param('sender')))),
  } satisfies Partial<Handlers>
}

/** A wrong form is answered here, because the service bans addresses that ask for many paths without a route. */
function senderOf(name: string | undefined): SenderName {
  const known = FORMS.find((form) => form === name)
  if (known) return known
  throw new ServiceError('not_found', `The path may end with ${FORMS.map((form) => `/${form}`).join(' or ')}`)
}

const FORMS = ['tradingview', 'chartink'] as const satisfies readonly SenderName[]

function bodyOf(answer: WebhookAnswer, status: 'success' | 'error') {
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
