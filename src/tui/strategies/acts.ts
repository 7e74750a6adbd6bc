import { NoAnswerError, type SvcClient, SvcError } from '../../client/index.js'
import type { DaemonAccess } from '../live/live-feed.js'

/** A change of a strategy: the words for it, and its request. */
export interface Act {
  strategyId: number
  /** In a few words, for messages: `Stop of 3`. */
  name: string
  /** Sends the change. @returns its result, as a sentence */
  send(client: SvcClient): Promise<string>
}

/** A start or a stop waits for every order of the strategy. */
const ACT_LIMIT_MS = 120_000

/** The changes made on this screen, one at a time. None is repeated by itself. */
export class StrategyActs {
  readonly #daemon: DaemonAccess
  readonly #onAnswer: () => void
  readonly #listeners = new Set<() => void>()
  #current: Act | undefined
  #message = ''
  #work: Promise<void> = Promise.resolve()

  /** `onAnswer` is called after each answer, or its absence. */
  constructor(daemon: DaemonAccess, onAnswer: () => void) {
    this.#daemon = daemon
    this.#onAnswer = onAnswer
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** The progress or the result of the last change; empty when there is none. */
  readonly message = (): string => this.#message

  /** Returns the strategy whose change has been sent, and not answered. */
  unanswered(): number | undefined {
    return this.#current?.strategyId
  }

  say(message: string): void {
    if (this.#current === undefined) this.#set(message)
  }

  /** Sends a change, unless another one waits for its answer. */
  start(act: Act): void {
    if (this.#current !== undefined) return
    this.#current = act
    this.#set(`${act.name} …`)
    this.#work = this.#send(act)
  }

  /** Resolves when no change waits for an answer. */
  async settled(): Promise<void> {
    await this.#work
  }

  async #send(act: Act): Promise<void> {
    const text = await act.send(this.#daemon.client(ACT_LIMIT_MS)).catch(failureText)
    this.#current = undefined
    this.#set(`${act.name}: ${text}`)
    this.#onAnswer()
  }

  #set(message: string): void {
    this.#message = message
    for (const listener of this.#listeners) listener()
  }
}

function failureText(thrown: unknown): string {
  if (thrown instanceof NoAnswerError && thrown.sent) {
    return 'no answer, in doubt. Look at the run and the events before you repeat it.'
  }
  if (thrown instanceof SvcError) return `refused. ${thrown.message}`
  return `not sent. ${thrown instanceof Error ? thrown.message : String(thrown)}`
}
