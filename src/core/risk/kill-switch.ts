import { crashPoint, messageOf } from '../errors/index.js'
import type { Logger } from '../logging/index.js'
import { SerialQueue } from '../storage/index.js'
import type { Clock, Timer } from '../time/index.js'
import type { KillSwitchState } from './schema.js'
import type { RiskStore } from './store.js'

/** Between two attempts to store a switch that the disk refused. */
const RETRY_MS = 1_000

/**
 * Stops new orders. It goes on in memory before it is stored, so that no order slips through while the disk is written
 * and a full disk cannot keep it off. It goes off only once that is stored. What is stored outlives a restart.
 */
export class KillSwitch {
  readonly #store: RiskStore
  readonly #clock: Clock
  readonly #log: Logger
  /** One change is stored after another, a retry too: what is stored last is what was asked for last. */
  readonly #inTurn = new SerialQueue()
  #state: KillSwitchState
  /** In force, but not on the disk. */
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

  /** False while the disk refused a switch that is on: a restart then would come up without it. */
  get stored(): boolean {
    return this.#unstored === undefined
  }

  /** Puts it on at once. Where the disk refuses to store that, it stays on and is stored when the disk accepts it. */
  async putOn(reason: string, by: string): Promise<void> {
    const state: KillSwitchState = { on: true, reason, since: this.#clock.now(), by }
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

  /** @throws ServiceError when that cannot be stored: it then stays on */
  async putOff(reason: string, by: string): Promise<void> {
    const state: KillSwitchState = { on: false, reason, since: this.#clock.now(), by }
    const before = this.#state
    await this.#inTurn.run(async () => {
      await this.#store.saveKillSwitch(state)
      // Somebody may have put it on again meanwhile: that is stored in the next turn.
      if (this.#state.on && this.#state !== before) return
      this.#state = state
      this.#settled()
    })
  }

  /** Tries to store it for the last time, and no more after that. */
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
