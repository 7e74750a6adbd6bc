import { z } from 'zod'
import { ORDER_MODES } from '../../../core/identity/index.js'
import type { Service } from '../../service.js'
import { amount, text } from './answers.js'

/** The modes and the broker of a user. */
export const userFields = {
  order_mode: z.enum(ORDER_MODES),
  analyze_mode: z.boolean(),
  broker: text,
  broker_available: z.boolean(),
  broker_connected: z.boolean(),
}

/** Returns the trading mode, order mode and broker of a user. */
export function userView(
  { brokers, identity, mode }: Pick<Service, 'brokers' | 'identity' | 'mode'>,
  username: string,
) {
  return {
    order_mode: identity.apiKeys.orderMode(username),
    analyze_mode: mode() === 'analyze',
    broker: brokers.brokerId,
    broker_available: brokers.available(),
    broker_connected: brokers.connected(),
  }
}

/** What a terminal shows and asks before a change while orders are live. */
export const terminalFields = {
  account: text.nullable().meta({ description: 'The account at the broker; null if it is not known.' }),
  confirm_live: z.union([z.enum(['never', 'always']), amount]).meta({
    description: 'When a command on a terminal asks before a change in live mode: CONFIRM_LIVE.',
  }),
}

export function terminalView({ brokers, config }: Pick<Service, 'brokers' | 'config'>) {
  return { account: brokers.session?.userId ?? null, confirm_live: config.CONFIRM_LIVE }
}
