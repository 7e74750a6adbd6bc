import type { Candle } from '../../market/schema.js'
import { addDays, istDate } from '../../time/index.js'
import type { BrokerContext } from '../broker.js'
import { barTime } from '../kit/market/bars.js'
import type { AskedBars } from '../kit/market/rest-market.js'
import type { UpstoxApi } from './api.js'
import type { Interval } from './mappings.js'
import { type CandleRow, candles } from './wire.js'

const PATH = '/v3/historical-candle'

/** Reads bars over Upstox's REST API: those of earlier days, and those of today with a call of its own. */
export async function barsOf(
  api: UpstoxApi,
  { clock }: Pick<BrokerContext, 'clock'>,
  { from, instrument, interval, to }: AskedBars<Interval>,
): Promise<Candle[]> {
  const today = istDate(clock.now())
  const key = encodeURIComponent(instrument.token)
  const size = `${interval.unit}/${interval.count}`
  const last = to < today ? to : addDays(today, -1)
  const earlier = from <= last ? await api.get(`${PATH}/${key}/${size}/${last}/${from}`, candles) : undefined
  const hasToday = from <= today && to >= today
  const ofToday = hasToday ? await api.get(`${PATH}/intraday/${key}/${size}`, candles) : undefined
  return [...(earlier?.candles ?? []), ...(ofToday?.candles ?? [])].map(toCandle)
}

function toCandle([time, open, high, low, close, volume, oi]: CandleRow): Candle {
  return { timestamp: barTime(time), open, high, low, close, volume, oi: oi ?? 0 }
}
