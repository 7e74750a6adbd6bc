import {
  type Payoff,
  type PayoffLeg,
  type PayoffPoint,
  payoffOf,
  profitAt,
} from '../../../views/market/payoff.js'
import { cellText, rupees } from '../../../views/table/cells.js'
import { signedTone, type Tone } from '../../terminal/theme.js'
import { actionOf, type Entry, type MarkedLeg } from './legs.js'

/** A marked option with the price at which it begins; undefined while it has none. */
export interface PricedLeg extends MarkedLeg {
  entry: Entry | undefined
}

/** The payoff of the marked options, or why there is none. */
export type ChainPayoff = LegsAlone | DrawnPayoff

interface LegsAlone {
  legs: readonly PricedLeg[]
  problem: string
}

export interface DrawnPayoff {
  legs: readonly PricedLeg[]
  problem?: undefined
  expiry: string
  /** The exchange of the options, on which the decimals of prices depend. */
  venue: string
  terms: readonly PayoffLeg[]
  payoff: Payoff
  /** The result at the present price of the underlying; undefined while that is not known. */
  now: PayoffPoint | undefined
}

/** @param price the present price of the underlying; zero and undefined mean that it is not known */
export function chainPayoff(
  legs: readonly PricedLeg[],
  venue: string,
  price: number | undefined,
): ChainPayoff | undefined {
  const [first] = legs
  if (first === undefined) return undefined
  const problem = problemOf(legs, venue)
  if (problem !== undefined) return { legs, problem }
  const terms = legs.flatMap(termsOf)
  const now = price !== undefined && price > 0 ? { price, profit: profitAt(terms, price) } : undefined
  return { legs, expiry: first.expiry, venue, terms, payoff: payoffOf(terms), now }
}

function termsOf(leg: PricedLeg): PayoffLeg[] {
  if (leg.entry === undefined) return []
  const kind = leg.side === 'ce' ? 'CE' : 'PE'
  const quantity = Math.abs(leg.lots) * leg.lotsize
  return [{ kind, strike: leg.strike, action: actionOf(leg), quantity, price: leg.entry.price }]
}

/** Returns why the legs have no payoff that would be true. */
function problemOf(legs: readonly PricedLeg[], venue: string): string | undefined {
  const expiries = [...new Set(legs.map(({ expiry }) => expiry))]
  if (expiries.length > 1) return `No payoff: the legs have different expiries, ${expiries.join(' and ')}.`
  // The contracts of this exchange have sizes that the chain does not name.
  if (venue === 'CRYPTO') return 'No payoff: the size of a contract on CRYPTO is not known here.'
  const unsized = legs.find(({ lotsize }) => !(lotsize > 0))
  if (unsized !== undefined) return `No payoff: the lot size of ${unsized.symbol} is not known.`
  const unpriced = legs.filter(({ entry }) => entry === undefined).map(({ symbol }) => symbol)
  if (unpriced.length === 0) return undefined
  return `No payoff: ${unpriced.join(', ')} ${unpriced.length === 1 ? 'has' : 'have'} no price.`
}

/** A figure of the payoff, in words. */
export interface Figure {
  name: string
  text: string
  tone?: Tone | undefined
}

const STYLE = { human: true, utc: false, now: 0 }
const priceText = (price: number, venue: string) => cellText(price, 'price', STYLE, venue)

/** Returns a result in words: `profit ₹650.00`. */
function resultText(profit: number): string {
  if (profit === 0) return 'zero'
  return `${profit > 0 ? 'profit' : 'loss'} ${rupees(Math.abs(profit))}`
}

/** Returns the figures of a payoff, the result of now first. */
export function figuresOf({ now, payoff, venue }: DrawnPayoff): readonly Figure[] {
  const { best, worst, breakEvens, premium } = payoff
  const evens = breakEvens.map((price) => priceText(price, venue)).join(', ')
  return [
    now === undefined
      ? { name: 'Now', text: 'the price of the underlying is not known' }
      : {
          name: `At ${priceText(now.price, venue)}`,
          text: resultText(now.profit),
          tone: signedTone(now.profit),
        },
    { name: 'Max profit', text: bestText(best), tone: best === 'unlimited' || best > 0 ? 'good' : undefined },
    {
      name: 'Max loss',
      text: worstText(worst),
      tone: worst === 'unlimited' || worst < 0 ? 'danger' : undefined,
    },
    { name: breakEvens.length > 1 ? 'Break-evens' : 'Break-even', text: evens === '' ? 'none' : evens },
    { name: 'Premium', text: premiumText(premium) },
  ]
}

function bestText(best: Payoff['best']): string {
  if (best === 'unlimited') return best
  if (best > 0) return rupees(best)
  return best === 0 ? 'none' : `none, ${resultText(best)} at best`
}

function worstText(worst: Payoff['worst']): string {
  if (worst === 'unlimited') return worst
  if (worst < 0) return rupees(-worst)
  return worst === 0 ? 'none' : `none, ${resultText(worst)} at worst`
}

function premiumText(premium: number): string {
  if (premium === 0) return 'zero'
  return `${premium > 0 ? 'received' : 'paid'} ${rupees(Math.abs(premium))}`
}

/** Returns the payoff in one sentence, for a terminal without room for the chart. */
export function payoffSentence(shown: ChainPayoff): string {
  if (shown.problem !== undefined) return shown.problem
  const prices = [...new Set(shown.legs.flatMap(({ entry }) => entry?.of ?? []))]
  const figures = figuresOf(shown).map(({ name, text }) => `${lower(name)} ${text}`)
  return `Payoff ${shown.expiry} (${prices.join(' and ')} prices): ${figures.join(', ')}`
}

const lower = (name: string) => name[0]?.toLowerCase() + name.slice(1)

/** Returns a leg in words: `BUY 2×65 26,000 CE 125.45 ask`. */
export function legWords(
  leg: PricedLeg,
  venue: string,
  withExpiry: boolean,
): { action: string; rest: string } {
  const { entry, expiry, lots, lotsize, side, strike } = leg
  const price = entry === undefined ? 'no price' : `${priceText(entry.price, venue)} ${entry.of}`
  const when = withExpiry ? ` ${expiry}` : ''
  const what = `${cellText(strike, 'quantity', STYLE)} ${side.toUpperCase()}`
  return { action: actionOf(leg), rest: ` ${Math.abs(lots)}×${lotsize}${when} ${what} ${price}` }
}
