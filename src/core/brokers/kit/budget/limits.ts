/** A broker's limit: the number of calls in so many milliseconds. */
export interface CallWindow {
  count: number
  perMs: number
}

/**
 * The limits by class of call. A class that names another one shares its calls. A class that is not listed counts as
 * `other`; one without any limit never waits.
 */
export type RateLimits = Readonly<Record<string, readonly CallWindow[] | string>>

/** The class of the calls that place, change and cancel orders. The core waits for it before its last check. */
export const ORDER_CLASS = 'order'

/** The class of calls without a class of their own. */
export const OTHER_CLASS = 'other'

/**
 * How urgent a call is: cancels go first, then exits with the readings that an exit, a cancel or an order in doubt needs, then
 * other orders, then everything else that only reads, however often a client asks.
 */
export type CallRank = 'cancel' | 'exit' | 'order' | 'read'

const PACE = 0.9
/** The part of a longer limit that new orders leave to cancels and exits. */
const RESERVED = 0.1
const MINUTE_MS = 60_000
/** The distance that a minute keeps. Longer limits keep it, too, because the way to the broker takes no longer then. */
const LATE_MS = Math.ceil(MINUTE_MS / PACE) - MINUTE_MS
/** Fewer calls are not reduced in number, because nine tenths of them is no whole number. */
const REDUCED_FROM = 10

/**
 * Returns the windows for calls that are neither cancels nor exits. Of a limit of a minute or longer they leave a tenth: a
 * strategy that uses up the orders of a day must still get out. A shorter limit frees itself.
 */
export function unreservedWindows(windows: readonly CallWindow[]): readonly CallWindow[] {
  return windows.map(({ count, perMs }) => {
    const isLong = perMs >= MINUTE_MS && count >= REDUCED_FROM
    return { count: isLong ? count - Math.ceil(count * RESERVED) : count, perMs }
  })
}

/**
 * Returns the windows that keep calls within limits at the broker. Calls take different times to the broker, and it counts
 * them there: a full second that arrives late, and the next one, would be one second with twice as many. So each limit of a
 * minute or less also holds over a longer time by a ninth, and of ten calls or more only nine tenths are used. A limit of half
 * an hour, an hour or a day can be used up, and frees itself a few seconds late.
 */
export function pacedWindows(limits: readonly CallWindow[]): readonly CallWindow[] {
  return limits.flatMap((limit) => {
    const { count, perMs } = limit
    if (perMs > MINUTE_MS) return [{ count, perMs: perMs + LATE_MS }]
    const stretched = { count, perMs: Math.ceil(perMs / PACE) }
    return count < REDUCED_FROM ? [stretched] : [{ count: Math.floor(count * PACE), perMs }, stretched]
  })
}
