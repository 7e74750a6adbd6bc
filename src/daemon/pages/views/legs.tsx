/** @jsxImportSource hono/jsx */
import { z } from 'zod'
import { cell, number } from '../components/format.js'

const legs = z.array(z.record(z.string(), z.unknown())).catch([])

type AllLegs = z.infer<typeof legs>

/** The most legs that are listed. */
const MOST = 25

/**
 * The orders of a basket, or the legs of an option strategy: nobody approves what he cannot see. The row has their
 * number by side, and opens.
 */
export function Legs({ request }: { request: Readonly<Record<string, unknown>> }) {
  const all = legs.parse(request.orders ?? request.legs)
  if (all.length === 0) return null
  return (
    <details>
      <summary>{inWords(all)}</summary>
      <List all={all} />
    </details>
  )
}

function List({ all }: { all: AllLegs }) {
  return (
    <ul class="legs">
      {all.slice(0, MOST).map((leg) => (
        <li>
          <Side action={cell(leg.action)} /> {cell(leg.quantity)}{' '}
          {cell(leg.symbol ?? `${leg.offset} ${leg.option_type}`)} {cell(leg.pricetype ?? leg.price_type)}{' '}
          {isPriced(leg.price) && cell(leg.price)}
        </li>
      ))}
      {all.length > MOST && <li>and {number(all.length - MOST)} more</li>}
    </ul>
  )
}

/** How many orders there are of each side. */
function inWords(all: AllLegs): string {
  const sides = ['BUY', 'SELL'].map((side) => all.filter((leg) => cell(leg.action).toUpperCase() === side))
  const [buys = [], sells = []] = sides
  return `${number(buys.length)} to buy, ${number(sells.length)} to sell`
}

const isPriced = (price: unknown) => price !== undefined && Number(price) !== 0

/** The side of an order, in a colour of its own. */
export function Side({ action }: { action: string }) {
  const side = action.toUpperCase()
  return <span class={side === 'BUY' ? 'buy' : side === 'SELL' ? 'sell' : ''}>{cell(action)}</span>
}
