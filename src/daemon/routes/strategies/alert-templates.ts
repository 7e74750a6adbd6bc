import type { z } from 'zod'
import type { Identity } from '../../../core/identity/index.js'
import type { InstrumentDirectory } from '../../../core/instruments/index.js'
import { readJson } from '../../http/body/body.js'
import { parsePlain, plainError } from '../../http/body/plain-error.js'
import { type Handlers, httpHandler } from '../../http/handlers.js'
import type { lineAlert } from '../../operations/alerts/answers.js'
import {
  lineAlertPayload,
  MISSING_FIELDS,
  tradingviewAlertPayload,
} from '../../operations/alerts/payloads.js'

interface AlertTemplateParts {
  identity: Pick<Identity, 'apiKeys'>
  directory: Pick<InstrumentDirectory, 'find'>
}

type Contract = Pick<z.output<typeof lineAlertPayload>, 'symbol' | 'exchange' | 'product'>

/** Returns the handlers for the messages of alerts that place orders with the API key. */
export function alertTemplateHandlers({ directory, identity }: AlertTemplateParts) {
  const messageFor = ({ exchange, product, symbol }: Contract, username: string) => {
    const apikey = identity.apiKeys.reveal(username)
    if (apikey === undefined) throw plainError('not_found', 'API key not found')
    if (!directory.find(symbol, exchange)) throw plainError('not_found', 'Symbol not found')
    return { apikey, symbol, exchange, pricetype: 'MARKET', product } as const
  }
  const lineMessage = (
    strategy: z.output<typeof lineAlert>['strategy'],
    { action, quantity, ...contract }: z.output<typeof lineAlertPayload>,
    username: string,
  ) => ({ ...messageFor(contract, username), strategy, action, quantity: String(quantity) })
  return {
    'POST /tradingview': httpHandler(async (c) => {
      const { username } = c.get('principal')
      const { action, mode, quantity, ...contract } = parsePlain(tradingviewAlertPayload, await readJson(c))
      if (mode === 'strategy') {
        return c.json({
          ...messageFor(contract, username),
          strategy: 'TradingView Strategy',
          ...PLACEHOLDERS,
        })
      }
      if (action === undefined || quantity === undefined) throw plainError('validation', MISSING_FIELDS)
      return c.json(lineMessage('TradingView Line Alert', { ...contract, action, quantity }, username))
    }),
    'POST /gocharting': httpHandler(async (c) => {
      const order = parsePlain(lineAlertPayload, await readJson(c))
      return c.json(lineMessage('GoCharting', order, c.get('principal').username))
    }),
  } satisfies Partial<Handlers>
}

/**
 * TradingView fills these in when the alert fires. The target alone decides: with a quantity, a repeated exit would open
 * the reverse position.
 */
const PLACEHOLDERS = {
  action: '{{strategy.order.action}}',
  quantity: '0',
  position_size: '{{strategy.position_size}}',
} as const
