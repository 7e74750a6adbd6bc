import { brokerFailure } from '../../core/brokers/index.js'
import { remoteTime } from '../../core/diagnostics/index.js'
import { publicMessageOf } from '../../core/errors/index.js'
import type { Quote, SymbolRef } from '../../core/market/index.js'
import { type ProposedRule, proposeFirstDay } from '../../core/risk/index.js'
import type { Service } from '../service.js'

type Checked = Pick<Service, 'brokers' | 'clock' | 'market'>
type Asked<T> = { value: T } | { error: string }

/** What the broker answers before a first day of live orders. */
export interface LiveCheck {
  broker: string
  availableCash: Asked<number>
  quote: Asked<Quote>
  feed: { streams: boolean; refused: boolean; silentMs: number | undefined }
  /** By how much the clock of this machine is ahead of that of the broker, in milliseconds; undefined if it tells none. */
  clockAheadMs: number | undefined
  /** Empty without funds or a price. */
  proposals: readonly ProposedRule[]
}

/** Asks the broker for the funds, the price of a share and its time. Nothing reaches the exchange. */
export async function checkLive(service: Checked, ref: SymbolRef): Promise<LiveCheck> {
  const { brokers, market } = service
  const [availableCash, quote, clockAheadMs] = await Promise.all([
    asked(async () => Number((await brokers.client().portfolio.funds()).availableCash)),
    asked(() => market.quote(ref)),
    clockAhead(service),
  ])
  return {
    broker: brokers.brokerId,
    availableCash,
    quote,
    feed: {
      streams: brokers.connected() && brokers.client().ticks !== undefined,
      refused: brokers.feedRefused(),
      silentMs: brokers.feedSilentMs(),
    },
    clockAheadMs,
    proposals:
      'value' in availableCash && 'value' in quote
        ? proposeFirstDay({ availableCash: availableCash.value, quote: quote.value })
        : [],
  }
}

async function asked<T>(ask: () => Promise<T>): Promise<Asked<T>> {
  try {
    return { value: await ask() }
  } catch (error) {
    return { error: publicMessageOf(brokerFailure(error)) }
  }
}

/** The header has whole seconds. */
const SECOND_MS = 1000

/** Returns by how much the clocks differ at least: neither the second of the header nor the way of the answer counts. */
async function clockAhead({ brokers, clock }: Checked): Promise<number | undefined> {
  const url = brokers.apiUrl()
  if (url === undefined) return undefined
  try {
    const budgets = brokers.budgets()
    await budgets.take(UNLISTED)
    budgets.noteLeft(UNLISTED)
    const before = clock.now()
    const time = await remoteTime(url, clock)
    const after = clock.now()
    if (time === undefined) return undefined
    if (before > time + SECOND_MS) return before - time - SECOND_MS
    return Math.min(0, after - time)
  } catch {
    return undefined
  }
}

/** The class of calls without a class of their own. */
const UNLISTED = 'other'
