import type { Quote } from '../../live/prices/quote.js'

export type Book = NonNullable<Quote['depth']>

/** A level of both sides of the order book, with a bar for each quantity. */
export interface LadderRow {
  buy: LadderLevel
  sell: LadderLevel
}

export interface LadderLevel {
  price: number | undefined
  quantity: number | undefined
  /** Exactly as wide as asked for; it grows from the middle of the ladder. */
  bar: string
}

/** The levels that every broker has. */
const LEVELS = 5

/** Returns the best levels of both sides; the longest bar stands for the largest quantity of all. */
export function ladderRows({ buy, sell }: Book, barWidth: number): readonly LadderRow[] {
  const [bids, asks] = [given(buy), given(sell)]
  const most = Math.max(1, ...[...bids, ...asks].map(({ quantity }) => quantity))
  const level = (side: Book['buy'], place: number, align: 'left' | 'right'): LadderLevel => {
    const { price, quantity } = side[place] ?? {}
    return { price, quantity, bar: barOf((quantity ?? 0) / most, barWidth, align) }
  }
  return Array.from({ length: LEVELS }, (_, place) => ({
    buy: level(bids, place, 'right'),
    sell: level(asks, place, 'left'),
  }))
}

/** The daemon fills missing levels with zeros. */
function given(side: Book['buy']): Book['buy'] {
  return side.filter(({ price, quantity }) => price > 0 && quantity > 0).slice(0, LEVELS)
}

/** Returns a bar in half cells. A share above zero always shows. */
export function barOf(share: number, width: number, align: 'left' | 'right'): string {
  const halves = share > 0 ? Math.max(1, Math.round(Math.min(1, share) * width * 2)) : 0
  const whole = '█'.repeat(halves >> 1)
  if (align === 'left') return (halves % 2 === 1 ? `${whole}▌` : whole).padEnd(width)
  return (halves % 2 === 1 ? `▐${whole}` : whole).padStart(width)
}

/** Returns the words for the quantities of the whole book: `total buy 1,200 (60%)  sell 800`. */
export function totalsText({ totalBuy = 0, totalSell = 0 }: Pick<Quote, 'totalBuy' | 'totalSell'>): string {
  const total = totalBuy + totalSell
  if (total === 0) return 'no orders in the book'
  const [bought, sold] = [totalBuy, totalSell].map((quantity) => quantity.toLocaleString('en-IN'))
  return `total buy ${bought} (${Math.round((totalBuy / total) * 100)}%)  sell ${sold}`
}
