import { crashPoint, messageOf } from '../errors/index.js'
import type { Logger } from '../logging/index.js'
import { SerialQueue } from '../storage/index.js'
import type { Clock, Timer } from '../time/index.js'
import type { KillSwitchState } from './schema.js'
import type { RiskStore } from './store.js'

/** The time between two attempts to store a switch that the disk refused. */
const RETRY_MS = 1_000

/**
 * Stops new orders. It goes on in memory before it is stored, so that no order slips through during the write
 * and a full disk cannot keep it off. It goes off only once that is stored. The stored state survives a
 * restart.
 */
export class KillSwitch {
  readonly #store: RiskStore
  readonly #clock: Clock
  readonly #log: Logger
  /** Changes and retries are stored one after another, so that the last request is stored last. */
  readonly #inTurn = new SerialQueue()
  #state: KillSwitchState
  /** A state that is in force but not on disk. */
  #unstored: KillSwitchState | undefined
  #retry: Timer | undefined

  private constructor(store: RiskStore, clock: Clock, log: Logger, state: KillSwitchState) {
    this.#store = store
    this.#clock = clock
    this.#log = log
    this.#state = state
  }

  static async open(store: RiskStore, clock: Clock, log: Logger): Promise<KillSwitch> {
    return new KillSwitch(store, clock, log, await store.killSwitch())
  }

  get state(): Readonly<KillSwitchState> {
    return this.#state
  }

  /** False while the disk refused a switch that is on: a restart would come up without it. */
  get stored(): boolean {
    return this.#unstored === undefined
  }

  /**
   * Turns the kill switch on at once. If it is on already, it keeps its time, and its reason unless a new one
   * is given. If the disk cannot store it, it stays on and is stored as soon as the disk works.
   */
  async putOn(reason: string | undefined, by: string): Promise<void> {
    const before = this.#state
    const state: KillSwitchState = before.on
      ? { ...before, ...(reason !== undefined && { reason, by }) }
      : { on: true, reason: reason ?? 'No reason given', since: this.#clock.now(), by }
    this.#state = state
    await this.#inTurn.run(async () => {
      try {
        await this.#store.saveKillSwitch(state)
      } catch (error) {
        this.#log.error('kill_switch.not_stored', { error: messageOf(error) })
        this.#keepTrying(state)
        return
      }
      crashPoint('killswitch.on.afterCommit')
      this.#settled()
    })
  }

  /** Switches it off. @throws ServiceError when that cannot be stored: it then stays on */
  async putOff(reason: string, by: string): Promise<void> {
    const state: KillSwitchState = { on: false, reason, since: this.#clock.now(), by }
    const before = this.#state
    await this.#inTurn.run(async () => {
      await this.#store.saveKillSwitch(state)
      // Another caller may have switched it on in between; the next turn stores that.
      if (this.#state.on && this.#state !== before) return
      this.#state = state
      this.#settled()
    })
  }

  /** Tries to store a pending state one last time, and stops the retries. */
  async close(): Promise<void> {
    await this.#storeAgain()
    this.#clock.clear(this.#retry)
  }

  #keepTrying(state: KillSwitchState): void {
    this.#unstored = state
    this.#clock.clear(this.#retry)
    this.#retry = this.#clock.setTimeout(() => void this.#storeAgain(), RETRY_MS)
  }

  async #storeAgain(): Promise<void> {
    await this.#inTurn.run(async () => {
      const state = this.#unstored
      if (!state) return
      try {
        await this.#store.saveKillSwitch(state)
      } catch {
        this.#keepTrying(state)
        return
      }
      this.#settled()
      this.#log.info('kill_switch.stored', { since: state.since })
    })
  }

  #settled(): void {
    this.#unstored = undefined
    this.#clock.clear(this.#retry)
  }
}
