import type { Context } from '../context.js'
import type { OrderDestination } from './guard.js'

/** What would become of an order: the broker gets it, it is simulated, or it waits for approval. */
type Fate = OrderDestination['mode'] | 'semi_auto'

const WORDS = {
  live: 'live (the broker would get it)',
  analyze: 'analyze (it would be simulated)',
  semi_auto: 'semi_auto (it would wait for approval)',
} as const satisfies Record<Fate, string>

/**
 * Says on stderr, as the last line of every dry run, that nothing was sent, and in which mode it would have been.
 * @param fate undefined where nobody could be asked
 */
export function noteNothingSent({ out }: Context, fate: Fate | undefined): void {
  out.note(`Dry run: nothing was sent.${fate === undefined ? '' : ` Mode: ${WORDS[fate]}.`}`)
}
