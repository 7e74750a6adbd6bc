import { messageOf } from '../../../core/errors/index.js'
import type { Logger } from '../../../core/logging/index.js'
import { type LiveLeg, type LiveRun, liveRunView, type RunService } from '../../../core/strategies/index.js'
import { type Clock, utcIso } from '../../../core/time/index.js'

/** The pause between two frames of one run: ten a second, however many ticks come. */
export const FRAME_MS = 100
/** Strategies that one connection may follow at a time. */
export const MAX_FOLLOWED = 100

/** A connection that follows runs. */
export interface Follower {
  readonly username: string
  send(text: string): void
}

interface RoomParts {
  clock: Clock
  log: Logger
  runs: Pick<RunService, 'active'>
  /** Returns whether the strategy exists and belongs to the user. */
  isOwner(username: string, strategyId: number): Promise<boolean>
  lotSizeOf(symbol: string, exchange: string): number | undefined
}

type ActiveRun = NonNullable<ReturnType<RunService['active']>>

/** The followers of one strategy. All of them have the same state of its run. */
interface Room {
  readonly strategyId: number
  readonly followers: Set<Follower>
  /** The run, and its state as the followers have it; undefined while nothing runs. */
  current: { run: ActiveRun; shown: LiveRun } | undefined
}

type FrameType = 'strategy_snapshot' | 'strategy_delta' | 'strategy_terminal'

/**
 * Sends the runs of strategies to the connections that follow them: the whole state first and at each new run, then
 * what changed since the last frame, and the whole state again at the end. Frames are states and no events: they have
 * no number, and nobody replays them.
 */
export class StrategyRooms {
  readonly #parts: RoomParts
  readonly #rooms = new Map<number, Room>()
  /** The strategies of each follower, also those whose owner is being looked up. */
  readonly #followed = new Map<Follower, Set<number>>()
  #timer: ReturnType<Clock['setInterval']> | undefined

  constructor(parts: RoomParts) {
    this.#parts = parts
  }

  /** Follows a strategy. `answer` gets the reason of a refusal; after an answer without one, the first frame follows. */
  async follow(
    follower: Follower,
    strategyId: number,
    answer: (refusal: string | undefined) => void,
  ): Promise<void> {
    const followed = this.#followed.get(follower) ?? new Set()
    if (!followed.has(strategyId) && followed.size >= MAX_FOLLOWED) {
      return answer(`One connection may follow at most ${MAX_FOLLOWED} strategies.`)
    }
    this.#followed.set(follower, followed.add(strategyId))
    const isOwner = await this.#parts.isOwner(follower.username, strategyId).catch(() => undefined)
    // The connection may have ended since, or have unsubscribed.
    if (!this.#followed.get(follower)?.has(strategyId)) return
    if (isOwner === true) {
      answer(undefined)
      this.#join(follower, strategyId)
    } else {
      this.unfollow(follower, strategyId)
      answer(isOwner === false ? 'Strategy not found' : 'The strategy cannot be read now.')
    }
  }

  unfollow(follower: Follower, strategyId: number): void {
    const followed = this.#followed.get(follower)
    followed?.delete(strategyId)
    if (followed?.size === 0) this.#followed.delete(follower)
    const room = this.#rooms.get(strategyId)
    room?.followers.delete(follower)
    if (room?.followers.size === 0) this.#rooms.delete(strategyId)
    if (this.#rooms.size > 0) return
    this.#parts.clock.clear(this.#timer)
    this.#timer = undefined
  }

  /** Forgets a connection that has ended. */
  leave(follower: Follower): void {
    for (const strategyId of this.#followed.get(follower) ?? []) this.unfollow(follower, strategyId)
  }

  /** Sends the state that the other followers have, so that the next changes fit all of them. */
  #join(follower: Follower, strategyId: number): void {
    const room = this.#rooms.get(strategyId) ?? { strategyId, followers: new Set(), current: undefined }
    this.#rooms.set(strategyId, room)
    room.current ??= this.#currentOf(strategyId)
    room.followers.add(follower)
    follower.send(this.#frame(strategyId, 'strategy_snapshot', room.current?.shown))
    this.#timer ??= this.#parts.clock.setInterval(() => this.#sendAll(), FRAME_MS)
  }

  #sendAll(): void {
    for (const room of this.#rooms.values()) {
      try {
        this.#sendChanges(room)
      } catch (error) {
        const { strategyId: strategy } = room
        this.#parts.log.error('strategy_rooms.failed', { strategy, error: messageOf(error) })
      }
    }
  }

  #sendChanges(room: Room): void {
    const { current, strategyId } = room
    if (!current) {
      room.current = this.#currentOf(strategyId)
      if (room.current) this.#send(room, 'strategy_snapshot', room.current.shown)
      return
    }
    const now = this.#stateOf(current.run)
    if (current.run.hasEnded) {
      room.current = undefined
      this.#send(room, 'strategy_terminal', now)
      return
    }
    const changes = changesOf(current.shown, now)
    current.shown = now
    if (changes) this.#send(room, 'strategy_delta', { run_id: now.run_id, ...changes })
  }

  #currentOf(strategyId: number): Room['current'] {
    const run = this.#parts.runs.active(strategyId)
    return run && !run.hasEnded ? { run, shown: this.#stateOf(run) } : undefined
  }

  #stateOf(run: ActiveRun): LiveRun {
    return liveRunView(run, this.#parts.lotSizeOf)
  }

  /** Writes a frame once for all followers. */
  #send({ followers, strategyId }: Room, type: FrameType, members: object): void {
    const text = this.#frame(strategyId, type, members)
    for (const follower of followers) follower.send(text)
  }

  #frame(strategyId: number, type: FrameType, members: object = { run_id: null, legs: [] }): string {
    const at = this.#parts.clock.now()
    return JSON.stringify({ type, strategy_id: strategyId, ...members, ts: utcIso(at), ts_ms: at })
  }
}

/** The members of a run that changed. A leg has its id and its own members that changed. */
type RunChanges = Partial<Omit<LiveRun, 'legs'>> & {
  legs?: (Partial<LiveLeg> & Pick<LiveLeg, 'leg_id'>)[]
}

/** Returns the difference between two states of one run; undefined without any. */
function changesOf(before: LiveRun, now: LiveRun): RunChanges | undefined {
  const { legs: legsBefore, ...runBefore } = before
  const { legs: legsNow, ...runNow } = now
  const run = changedMembers(runBefore, runNow)
  const legs = legsNow.flatMap((leg, index) => {
    const changed = changedMembers(legsBefore[index], leg)
    return isEmpty(changed) ? [] : { ...changed, leg_id: leg.leg_id }
  })
  if (isEmpty(run) && legs.length === 0) return undefined
  return legs.length === 0 ? run : { ...run, legs }
}

function changedMembers<T extends object>(before: T | undefined, now: T): Partial<T> {
  const changed: Partial<T> = {}
  for (const name of keysOf(now)) if (before?.[name] !== now[name]) changed[name] = now[name]
  return changed
}

/** The members of a view are exactly those of its type. */
const keysOf = <T extends object>(value: T) => Object.keys(value) as (keyof T)[]

const isEmpty = (value: object) => Object.keys(value).length === 0
