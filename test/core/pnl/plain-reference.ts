/**
 * The profit and loss of a day, written down as plainly as possible: every window is looked at again for every
 * minute. It shares no code with the tracker, and counts in whole units: prices in ten-thousandths of a rupee,
 * quantities in hundred-millionths.
 */

export interface PlainTrade {
  side: 'BUY' | 'SELL'
  quantity: bigint
  price: bigint
  at: number
}

export interface PlainInstrument {
  trades: readonly PlainTrade[]
  /** Signed; undefined if nothing was carried. */
  carried: { quantity: bigint; close: bigint } | undefined
  bars: readonly { at: number; close: bigint }[]
}

interface Lot {
  long: boolean
  quantity: bigint
  paid: bigint
  from: number
  closed: { at: number; got: bigint } | undefined
}

const MINUTE = 60_000

/** Returns the exact profit, in ten-thousandths times hundred-millionths, of each minute of the series. */
export function plainSeries(
  instruments: readonly PlainInstrument[],
  { quarterPastNine, now }: { quarterPastNine: number; now: number },
): { at: number; value: bigint }[] {
  const times = instruments.flatMap(({ trades }) => trades.map(({ at }) => at))
  const first = times.length === 0 ? quarterPastNine : times.reduce((a, b) => (a < b ? a : b))
  const isCarrying = instruments.some(({ carried }) => carried !== undefined)
  const from = isCarrying && quarterPastNine < first ? quarterPastNine : first
  const counted = (at: number) => at >= from && at <= now
  const minutes: number[] = instruments.flatMap(({ bars }) => bars.map(({ at }) => at).filter(counted))
  if (!isCarrying) {
    const minuteOfFirst = Math.floor(first / MINUTE) * MINUTE
    for (let at = quarterPastNine; at < minuteOfFirst; at += MINUTE) minutes.push(at)
  }
  const series = [...new Set(minutes)].sort((a, b) => a - b)
  return series.map((at) => {
    let value = 0n
    for (const instrument of instruments) {
      for (const lot of lotsOf(instrument, from)) {
        value += profitOf(lot, instrument, { at, from, isLast: at === series[series.length - 1] })
      }
    }
    return { at, value }
  })
}

function profitOf(
  lot: Lot,
  { bars }: PlainInstrument,
  { at, from, isLast }: { at: number; from: number; isLast: boolean },
): bigint {
  const sign = lot.long ? 1n : -1n
  if (lot.closed && (lot.closed.at < at || isLast)) return sign * (lot.closed.got - lot.paid) * lot.quantity
  const since = bars.filter((bar) => bar.at >= lot.from && bar.at >= from && bar.at <= at)
  const last = since[since.length - 1]
  return last ? sign * (last.close - lot.paid) * lot.quantity : 0n
}

/** First in, first out, for both sides: what closes a lot is taken from the oldest of the other side. */
function lotsOf({ carried, trades }: PlainInstrument, from: number): Lot[] {
  const lots: Lot[] = []
  if (carried) {
    const long = carried.quantity > 0n
    lots.push({
      long,
      quantity: long ? carried.quantity : -carried.quantity,
      paid: carried.close,
      from,
      closed: undefined,
    })
  }
  for (const trade of trades) {
    const buys = trade.side === 'BUY'
    let left = trade.quantity
    while (left > 0n) {
      const lot = lots.find((one) => one.closed === undefined && one.long !== buys)
      if (!lot) break
      const taken = lot.quantity < left ? lot.quantity : left
      if (taken < lot.quantity) {
        lots.splice(lots.indexOf(lot) + 1, 0, { ...lot, quantity: lot.quantity - taken })
        lot.quantity = taken
      }
      lot.closed = { at: trade.at, got: trade.price }
      left -= taken
    }
    if (left > 0n)
      lots.push({ long: buys, quantity: left, paid: trade.price, from: trade.at, closed: undefined })
  }
  return lots
}

/** Rounds an exact profit to paise, half away from zero. */
export function paise(value: bigint): number {
  const size = value < 0n ? -value : value
  const whole = (size + 5_000_000_000n) / 10_000_000_000n
  const sign = value < 0n && whole > 0n ? -1 : 1
  return (sign * Number(whole)) / 100
}
