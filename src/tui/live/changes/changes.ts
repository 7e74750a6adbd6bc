import type { DaemonAccess } from '../../../client/daemon-access.js'
import { NoAnswerError, type SvcClient, SvcError } from '../../../client/index.js'
import { messageOf } from '../../../core/errors/index.js'
import { Store } from '../store.js'
import { asked, type ProofRequest, wantsProof } from './proof.js'

/** A change in the daemon: the words for it, and its request. */
export interface Change {
  /** In a few words, for messages: `Stop of 3`. */
  name: string
  /** The command that shows what became of it, for the case that no answer comes: `svc strategy events 3`. */
  check: string
  /** Sends the change. @returns its result */
  send(client: SvcClient): Promise<ChangeResult>
  /** True for a change that waits for no other one: the kill switch. */
  isUrgent?: true
  /** Called after the answer, or its absence. */
  onAnswer?(): void
}

/**
 * The result of a change that the daemon answered, as a sentence. A bad one is not all that the user asked for: the
 * program does not end before they have seen it.
 */
export type ChangeResult = string | { text: string; isBad: true }

/** Returns a result that is not all that the user asked for. */
export const badResult = (text: string): ChangeResult => ({ text, isBad: true })

export const textOf = (result: ChangeResult): string => (typeof result === 'string' ? result : result.text)

/** A change may wait for orders of a broker. */
const CHANGE_LIMIT_MS = 120_000

const WAITING = 'not sent. Another change waits for its answer. Try again.'

/** The changes that the user makes, one at a time. None is repeated by itself. */
export class Changes {
  /** The progress or the result of the last change, or another message for the user; empty when there is none. */
  readonly message = new Store('')
  /** The change for which the daemon wants the password again. */
  readonly proof = new Store<ProofRequest | undefined>(undefined)
  readonly #daemon: DaemonAccess
  /** Returns why no change can be sent now; undefined if one can. */
  readonly #refusal: () => string | undefined
  readonly #failures: string[]
  /** The messages that are shown with the next answer. */
  readonly #warnings: string[] = []
  /** The changes that wait for their answers: one, and urgent ones. */
  readonly #sent = new Map<Change, Promise<void>>()
  /** The confirmed changes whose facts are checked once more before they are sent. */
  readonly #checks = new Map<Check, Promise<boolean>>()
  /** The proof that the user is asked for now. */
  #proving: Promise<boolean> | undefined

  /** @param failures takes each change that is refused, in doubt, or made in part */
  constructor(daemon: DaemonAccess, refusal: () => string | undefined, failures: string[]) {
    this.#daemon = daemon
    this.#refusal = refusal
    this.#failures = failures
  }

  /** Returns the commands that show what became of the changes that have been sent, and not answered. */
  unanswered(): readonly string[] {
    return [...this.#sent.keys()].map(({ check }) => check)
  }

  /** Shows a message, unless a change waits for its answer. */
  say(message: string): void {
    if (this.#sent.size === 0) this.message.set(message)
  }

  /**
   * Sends a change, unless another one waits for its answer or the connection is lost; the message says so then. An
   * urgent one is always tried.
   * @returns whether it is sent
   */
  start(change: Change): boolean {
    if (change.isUrgent !== true && !this.#maySend(change)) return false
    this.message.set(`${change.name} …`)
    this.#sent.set(change, this.#send(change))
    return true
  }

  #maySend({ name }: Change): boolean {
    const refusal = this.#sent.size > 0 ? WAITING : this.#refusal()
    if (refusal !== undefined) this.message.set(`${name}: ${refusal}`)
    return refusal === undefined
  }

  /**
   * Runs the last check of a confirmed change, which then starts or refuses it. Until its end the change counts as
   * not sent yet. `dropped` returns why it may not be sent any more.
   */
  async checked(
    change: Change,
    run: (dropped: () => string | undefined) => Promise<boolean>,
  ): Promise<boolean> {
    const check: Check = { change, dropped: undefined }
    const started = run(() => check.dropped)
    this.#checks.set(check, started)
    return started.finally(() => this.#checks.delete(check))
  }

  /** Shows a message that must not be lost: after the answer, while a change waits for one. */
  warn(message: string): void {
    if (this.#sent.size === 0) this.message.set(message)
    else this.#warnings.push(message)
  }

  /** Says why something that the user confirmed is not made. */
  refuse(message: string): void {
    this.#failures.push(message)
    this.warn(message)
  }

  /** Returns the confirmed changes that are checked once more. */
  unsent(): readonly string[] {
    return [...this.#checks.keys()].map(({ change }) => change.name)
  }

  dropUnsent(why: string): void {
    for (const check of this.#checks.keys()) check.dropped ??= `${check.change.name}: ${why}`
  }

  isSettled(): boolean {
    return this.#sent.size === 0 && this.#checks.size === 0
  }

  /** Resolves when no change is checked, or waits for an answer. */
  async settled(): Promise<void> {
    await Promise.allSettled([...this.#sent.values(), ...this.#checks.values()])
  }

  async #send(change: Change): Promise<void> {
    const result = await this.#sendProven(change).catch((thrown: unknown) =>
      badResult(failureText(thrown, change)),
    )
    const message = `${change.name}: ${textOf(result)}`
    if (typeof result !== 'string') this.#failures.push(message)
    this.#sent.delete(change)
    const warnings = this.#sent.size === 0 ? this.#warnings.splice(0) : []
    this.message.set([message, ...warnings].join(' '))
    change.onAnswer?.()
  }

  /** Sends a change, and once more when the user has proven who they are. */
  async #sendProven(change: Change): Promise<ChangeResult> {
    try {
      return await send(change, this.#daemon)
    } catch (thrown) {
      if (!wantsProof(thrown)) throw thrown
      return (await this.#prove(change)) ? send(change, this.#daemon) : badResult('not made.')
    }
  }

  /** Asks for one proof at a time. A proof that was given meanwhile for another change proves this one too. */
  async #prove({ name }: Change): Promise<boolean> {
    while (this.#proving) if (await this.#proving.catch(() => false)) return true
    this.#proving = asked(this.#daemon, name, (request) => this.proof.set(request)).finally(() => {
      this.#proving = undefined
    })
    return this.#proving
  }
}

/** The last check of a confirmed change. */
interface Check {
  change: Change
  /** Why it is not sent, whatever the check says. */
  dropped: string | undefined
}

/** Without a session there is no client; that refusal is an answer like any other. */
async function send(change: Change, daemon: DaemonAccess): Promise<ChangeResult> {
  return change.send(daemon.client(CHANGE_LIMIT_MS))
}

function failureText(thrown: unknown, { check }: Change): string {
  if (thrown instanceof NoAnswerError && thrown.sent) {
    return `no answer, in doubt. Look before you repeat it: ${check}`
  }
  if (thrown instanceof SvcError) return refusalText(thrown, check)
  const reason = messageOf(thrown)
  return `not sent. ${reason.charAt(0).toUpperCase()}${reason.slice(1)}`
}

/** An order that the broker did not answer is no refused one. */
function refusalText({ code, message, orderRef }: SvcError, check: string): string {
  if (code !== 'outcome_unknown') return `refused. ${message}`
  const look = orderRef === undefined ? check : `svc order status ${orderRef}`
  return `in doubt. ${message} Look before you repeat it: ${look}`
}
