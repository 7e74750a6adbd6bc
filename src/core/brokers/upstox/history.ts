import type { Instrument } from '../../instruments/schema.js'
import type { Candle, SymbolRef } from '../../market/schema.js'
import { addDays, istDate } from '../../time/index.js'
import type { BrokerContext } from '../broker.js'
import { instrumentOf } from '../kit/books/symbols.js'
import { barTime, intervalOf } from '../kit/market/bars.js'
import { dateSpans } from '../kit/market/date-spans.js'
import type { UpstoxApi } from './api.js'
import { UNITS } from './contracts.js'
import { INTERVALS } from './mappings.js'
import { type CandleRow, candles } from './wire.js'

const PATH = '/v3/historical-candle'

/** Bars over Upstox's REST API: earlier days, newest first and limited in each call, and today with a call of its own. */
export class History {
  constructor(
    private readonly api: UpstoxApi,
    private readonly context: BrokerContext,
  ) {}

  /** @throws BrokerError `validation`, never sent, for another interval or an unknown symbol */
  async read(query: SymbolRef & { interval: string; from: string; to: string }): Promise<Candle[]> {
    const interval = intervalOf(INTERVALS, query.interval)
    const instrument = instrumentOf(this.context, query)
    const today = istDate(this.context.clock.now())
    const key = encodeURIComponent(instrument.token)
    const bars = new Map<number, Candle>()
    const add = async (path: string) => {
      const read = await this.api.get(path, candles)
      for (const row of read.candles) {
        const bar = toCandle(instrument, row)
        const date = istDate(bar.timestamp * 1000)
        if (date >= query.from && date <= query.to) bars.set(bar.timestamp, bar)
      }
    }
    const from = query.from < interval.since ? interval.since : query.from
    const to = query.to < today ? query.to : addDays(today, -1)
    for (const span of from <= to ? dateSpans({ from, to }, interval.chunkDays) : []) {
      await add(`${PATH}/${key}/${interval.unit}/${interval.count}/${span.to}/${span.from}`)
    }
    if (query.from <= today && query.to >= today) {
      await add(`${PATH}/intraday/${key}/${interval.unit}/${interval.count}`)
    }
    return [...bars.values()].sort((a, b) => a.timestamp - b.timestamp)
  }
}

function toCandle(instrument: Instrument, [time, open, high, low, close, volume, oi]: CandleRow): Candle {
  return {
    timestamp: barTime(time),
    open,
    high,
    low,
    close,
    volume: UNITS.unitsOf(instrument, volume),
    oi: UNITS.unitsOf(instrument, oi ?? 0),
  }
}
