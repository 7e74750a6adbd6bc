import { applyClosures, endWithoutPositions } from './acts/elsewhere.js'
import { ordersInDoubt } from './acts/requests/attempts.js'
import { closeLeg, start } from './acts/requests/requests.js'
import { applySignal } from './acts/requests/signals.js'
import { requestStop } from './acts/requests/stop.js'
import { finishIfFlat } from './acts/settle.js'
import { applyFeed, applyTick } from './acts/ticks.js'
import { actOnTime, applyLimits, isWaitingForBroker, nextMoment, retry, retryAtOnce } from './acts/times.js'
import { applyAck, applyUpdate } from './acts/updates.js'
import { followWatches } from './acts/watches.js'
import type { Contract, RunDefinition } from './definition.js'
import type { ExitReport, RunEffect, RunInput } from './messages.js'
import type { Checkpoint, RunRecord } from './records.js'
import { restoreState } from './restore.js'
import { RunState } from './state/run-state.js'
import type { Claim, Hedge, IdMaker, Restored, Run, RunSnapshot } from './types.js'
import {
  checkpointOf,
  claimsOf,
  closedClaimOf,
  exitsOf,
  hedgeOf,
  openingOf,
  snapshotOf,
  stateName,
} from './view.js'

/** One run of a strategy in memory. See {@link Run}. */
export class StrategyRun implements Run {
  readonly #state: RunState
  #nextMoment: number

  private constructor(state: RunState) {
    this.#state = state
    this.#nextMoment = nextMoment(state)
  }

  /** Makes a run that has done nothing yet. The input `start` opens the legs of a batch run. */
  static start(definition: RunDefinition, ids: IdMaker, at: number, elapsed = at): StrategyRun {
    return new StrategyRun(new RunState(definition, ids, at, elapsed))
  }

  /**
   * Builds a run from its stored facts. The positions follow from the orders, the levels from the checkpoint.
   * The run places nothing until its first input: settle its working orders first, then send `retry`.
   */
  static restore(record: RunRecord, ids: IdMaker, at: number, elapsed = at): Restored {
    const { outcome, state, effects } = restoreState(record, ids, { at, elapsed })
    return { outcome, run: state && new StrategyRun(state), effects }
  }

  get definition(): RunDefinition {
    return this.#state.definition
  }

  get state(): RunSnapshot['state'] {
    return stateName(this.#state)
  }

  get symbols(): readonly Contract[] {
    return this.#state.watched
  }

  apply(input: RunInput, elapsed = input.at): readonly RunEffect[] {
    const state = this.#state
    state.now = input.at
    state.elapsed = elapsed
    if (state.now >= this.#nextMoment) actOnTime(state)
    this.#dispatch(input)
    if (input.type === 'tick' && !state.hasEffects) return state.takeEffects()
    finishIfFlat(state)
    followWatches(state)
    this.#nextMoment = nextMoment(state)
    return state.takeEffects()
  }

  snapshot(): RunSnapshot {
    return snapshotOf(this.#state)
  }

  checkpoint(at: number): Checkpoint {
    return checkpointOf(this.#state, at)
  }

  get claims(): readonly Claim[] {
    return claimsOf(this.#state)
  }

  get opening(): readonly Claim[] {
    return openingOf(this.#state)
  }

  closed(positionRef: string): Claim | undefined {
    return closedClaimOf(this.#state, positionRef)
  }

  hedgeOf(orderRef: string): Hedge | undefined {
    return hedgeOf(this.#state, orderRef)
  }

  get workingOrders(): readonly string[] {
    return [...this.#state.orders.values()].flatMap(({ isWorking, order }) => (isWorking ? [order.id] : []))
  }

  get isWaitingForBroker(): boolean {
    return isWaitingForBroker(this.#state)
  }

  get ordersInDoubt(): readonly string[] {
    return ordersInDoubt(this.#state).map(({ order }) => order.id)
  }

  exits(): readonly ExitReport[] {
    return exitsOf(this.#state)
  }

  #dispatch(input: RunInput): void {
    const state = this.#state
    switch (input.type) {
      case 'tick':
        applyTick(state, input)
        break
      case 'order':
        applyUpdate(state, input)
        break
      case 'ack':
        applyAck(state, input.orderId, input.ack)
        break
      case 'signal':
        applySignal(state, input.legId, input.signal, input.request)
        break
      case 'start':
        start(state, input.request)
        break
      case 'stop':
        requestStop(state, input.reason, input)
        break
      case 'close_leg':
        closeLeg(state, input.legId, input.request)
        break
      case 'feed':
        applyFeed(state, input, input.source)
        break
      case 'retry':
        retry(state, input.closed)
        break
      case 'limits':
        applyLimits(state, input.legs)
        break
      case 'broker_back':
        retryAtOnce(state)
        break
      case 'lost':
        endWithoutPositions(state, input.why)
        break
      case 'closed_elsewhere':
        applyClosures(state, input.closures)
        break
    }
  }
}
