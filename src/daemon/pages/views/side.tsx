/** @jsxImportSource hono/jsx */
import { cell } from '../components/format.js'

/** The side of an order, in a colour of its own. */
export function Side({ action }: { action: string }) {
  const side = action.toUpperCase()
  return <span class={side === 'BUY' ? 'buy' : side === 'SELL' ? 'sell' : ''}>{cell(action)}</span>
}
