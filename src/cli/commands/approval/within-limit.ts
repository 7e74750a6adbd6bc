import { textMember } from '../../../client/answers/json.js'
import type { Context } from '../../framework/context.js'
import { CliError } from '../../framework/errors.js'

/** A list may have more orders than the daemon answers in a second. */
const PAUSE_MS = 1000
const MOST_TRIES = 60

/** Sends a request again after a pause while the daemon's own limit of calls refuses it, which is before it does anything. */
export async function withinLimit<T>(context: Context, send: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await send()
    } catch (thrown) {
      if (!isOverLimit(thrown) || tries === MOST_TRIES) throw thrown
      await context.io.sleep(PAUSE_MS)
    }
  }
}

/** A `warning` is about an order that was approved: the limit was that of the broker. */
function isOverLimit(thrown: unknown): boolean {
  if (!(thrown instanceof CliError) || thrown.code !== 'rate_limited') return false
  return textMember(Object(thrown.response), 'status') !== 'warning'
}
