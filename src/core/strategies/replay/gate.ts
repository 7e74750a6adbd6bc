import type { SignalConfig } from '../config/schema.js'
import type { WebhookInstruments } from '../webhook/index.js'
import { type AcceptedSignal, checkSignal, type SignalRules } from '../webhook/signal.js'
import type { RecordedSignal } from './recorded/signals.js'

/** Decides about a recorded signal as the webhook does. A row that names no leg is for the only one. */
export function admit(
  { exchange, legId, signal, symbol, time }: RecordedSignal,
  config: SignalConfig,
  instruments: WebhookInstruments,
): AcceptedSignal | { refusal: string } {
  const [only, another] = config.legs
  const isUnnamed = legId === null && symbol === null && another === undefined
  const request = { action: signal, legId: isUnnamed ? only?.id : legId, symbol, exchange }
  const result = checkSignal(request, rulesOf(config), { instruments, now: time })
  return 'leg' in result ? result : { refusal: result.message }
}

function rulesOf(config: SignalConfig): SignalRules {
  return {
    direction: config.direction,
    strategyType: config.strategy_type,
    product: config.product,
    entryTime: config.entry_time,
    exitTime: config.exit_time,
    legs: config.legs.map(({ qty_mode: qtyMode, ...leg }) => ({ ...leg, qtyMode })),
  }
}
