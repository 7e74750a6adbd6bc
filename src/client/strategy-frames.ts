import type { RouteAnswer } from './endpoints.js'
import { bearerOf, STREAM_REFUSALS } from './events.js'
import type { Trust } from './transport/agents.js'
import type { Json } from './transport/json.js'
import { messagesOf } from './transport/socket.js'

/** A run as it is now. Amounts and prices are rupees. */
export type LiveRun = NonNullable<RouteAnswer<'GET /strategies/:id'>['data']['live']>
type LiveLeg = LiveRun['legs'][number]

const TYPES = ['strategy_snapshot', 'strategy_delta', 'strategy_terminal'] as const

/** The whole state of a run (`strategy_snapshot`, at its end `strategy_terminal`), or the members that changed. */
export interface StrategyFrame extends Partial<Omit<LiveRun, 'legs' | 'run_id'>> {
  type: (typeof TYPES)[number]
  strategy_id: number
  /** Null if nothing runs. */
  run_id: number | null
  legs?: readonly (Partial<LiveLeg> & Pick<LiveLeg, 'leg_id'>)[]
  /** Epoch milliseconds. */
  ts_ms: number
}

/** Chooses the strategies of a connection. */
export interface Following {
  follow(strategyId: number): void
  unfollow(strategyId: number): void
}

export interface StrategyFrameOptions {
  /** Called when the connection is open. */
  onOpen(following: Following): void
  signal?: AbortSignal
  /** How the daemon must prove who it is. */
  trust?: Trust | undefined
}

/** Yields the frames of the followed strategies, until the connection ends. @throws as {@link messagesOf} */
export async function* followStrategies(
  base: string,
  token: string | undefined,
  { onOpen, signal, trust }: StrategyFrameOptions,
): AsyncGenerator<StrategyFrame> {
  const messages = messagesOf(new URL('/events', base.replace(/^http/, 'ws')), {
    headers: bearerOf(token),
    signal,
    trust,
    refusals: STREAM_REFUSALS,
    onOpen: (socket) => {
      const send = (action: string) => (strategyId: number) =>
        socket.send(JSON.stringify({ action, strategy_id: strategyId }))
      onOpen({ follow: send('strategy_subscribe'), unfollow: send('strategy_unsubscribe') })
    },
  })
  for await (const message of messages) if (isFrame(message)) yield message
}

/** Returns the state of a run after a frame. */
export function stateAfter(before: LiveRun | undefined, frame: StrategyFrame): LiveRun | undefined {
  if (frame.type !== 'strategy_delta') return isWhole(frame) ? frame : undefined
  if (before?.run_id !== frame.run_id) return before
  const { legs = [], run_id: _, ...run } = frame
  const changed = new Map(legs.map((leg) => [leg.leg_id, leg]))
  return {
    ...before,
    ...run,
    legs: before.legs.map((leg) => ({ ...leg, ...changed.get(leg.leg_id) })),
  }
}

/** The daemon's tests check its frames; the client does not check them again. */
function isFrame(message: Json): message is Json & StrategyFrame {
  return TYPES.some((type) => type === message.type)
}

function isWhole(frame: StrategyFrame): frame is StrategyFrame & LiveRun {
  return frame.run_id !== null
}
