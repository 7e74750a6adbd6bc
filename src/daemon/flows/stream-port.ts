import type { StreamedTick, StreamPort } from '../../core/flows/index.js'
import {
  depthView,
  type ListedMarket,
  modeOfTick,
  type SymbolRef,
  type Tick,
  type TickHub,
} from '../../core/market/index.js'
import type { Clock } from '../../core/time/index.js'

interface FlowStreamParts {
  hub: Pick<TickHub, 'subscribe' | 'last' | 'ageMs' | 'mode'>
  listed: Pick<ListedMarket, 'isListed'>
  clock: Clock
}

/** The maximum age of a tick that is returned at once, in place of the next tick. */
const FRESH_MS = 1000

type Mode = 1 | 2 | 3

/**
 * Returns the port for single ticks of the market stream. Each call subscribes, takes one tick and
 * unsubscribes.
 */
export function flowStream({ hub, listed, clock }: FlowStreamParts): StreamPort {
  const fresh = (ref: SymbolRef, mode: Mode): Tick | undefined => {
    const age = hub.ageMs(ref)
    const isFresh = age !== undefined && age <= FRESH_MS && (hub.mode(ref) ?? 0) >= mode
    const tick = isFresh ? hub.last(ref) : undefined
    return tick && tells(tick, mode) ? tick : undefined
  }
  return {
    async next(ref, mode, timeoutMs, signal) {
      signal.throwIfAborted()
      if (!listed.isListed(ref)) return undefined
      const tick = fresh(ref, mode) ?? (await nextTick(hub, clock, ref, mode, timeoutMs, signal))
      return tick && viewOf(tick, mode)
    },
  }
}

/**
 * Returns the next tick with the data of the mode, or undefined on timeout or when the feed refuses the
 * symbol.
 */
function nextTick(
  hub: FlowStreamParts['hub'],
  clock: Clock,
  ref: SymbolRef,
  mode: Mode,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<Tick | undefined> {
  return new Promise((resolve, reject) => {
    let leave = () => {}
    const end = (settle: () => void) => {
      clock.clear(timer)
      signal.removeEventListener('abort', onAbort)
      leave()
      settle()
    }
    const onAbort = () => end(() => reject(signal.reason))
    const timer = clock.setTimeout(() => end(() => resolve(undefined)), timeoutMs)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      leave = hub.subscribe([ref], mode, (tick) => {
        if (tells(tick, mode)) end(() => resolve(tick))
      })
    } catch {
      end(() => resolve(undefined))
    }
  })
}

function tells(tick: Tick, mode: Mode): boolean {
  return tick.ltp > 0 && modeOfTick(tick) >= mode
}

function viewOf(tick: Tick, mode: Mode): StreamedTick {
  const { ltp, open, high, low, volume, prevClose } = tick
  if (mode === 1) return { ltp }
  const quote = { ltp, open, high, low, close: prevClose, volume, prev_close: prevClose }
  if (mode === 2 || !tick.depth) return quote
  const { bids, asks, totalbuyqty, totalsellqty } = depthView({ ...tick, depth: tick.depth })
  return { ...quote, bids, asks, totalbuyqty, totalsellqty }
}
