/** @jsxImportSource hono/jsx */
import { rupees } from './format.js'

/** An amount with its sign: the colour only repeats it. */
export function Amount({ value }: { value: number }) {
  return <span class={value > 0 ? 'gain' : value < 0 ? 'loss' : ''}>{rupees(value)}</span>
}
