/** The change of a price since the close of the day before. */
export interface PriceChange {
  change?: number
  change_percent?: number
}

/** Returns the change of a price; nothing while the price or the close is not known. */
export function changeOf(last: number | undefined, close: number | undefined): PriceChange {
  if (last === undefined || close === undefined || !(last > 0 && close > 0)) return {}
  const change = last - close
  return {
    change: Number(change.toFixed(4)),
    change_percent: Number(((change / close) * 100).toFixed(2)),
  }
}
