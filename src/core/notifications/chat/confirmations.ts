import type { LegTerms } from '../../approvals/index.js'
import { randomToken } from '../../secrets/index.js'
import type { Clock } from '../../time/index.js'
import type { TradingMode } from '../../trading/index.js'
import type { ChatActor } from '../schema.js'
import type { Ask } from './buttons.js'

/** The time in which a confirmation must be pressed. */
export const CONFIRM_MS = 60_000
/** The number of confirmations that may be open; the oldest goes first. */
const MAX_OPEN = 1_000

/** An act that waits for its confirmation. */
export interface AskedAct {
  ask: Ask
  /** The queued order; 0 for an act without one. */
  id: number
}

/** An asked act with the mode that the question named, and the orders that it showed. */
export interface PendingAct extends AskedAct {
  mode: TradingMode
  /** Only of an approval: the broker, and the orders that would be sent. */
  broker?: string | undefined
  legs?: readonly LegTerms[] | undefined
}

interface Open {
  act: PendingAct
  actor: ChatActor
  /** The message with the buttons; undefined until it is sent. */
  messageId: number | undefined
  endsAt: number
}

/**
 * The confirmations that are open. Each belongs to one chat, one person and one message, works once and for a
 * minute, and not after a restart.
 */
export class Confirmations {
  readonly #open = new Map<string, Open>()

  constructor(private readonly clock: Clock) {}

  open(act: PendingAct, actor: ChatActor): string {
    const token = randomToken(24)
    for (const oldest of this.#open.keys()) {
      if (this.#open.size < MAX_OPEN) break
      this.#open.delete(oldest)
    }
    this.#open.set(token, { act, actor, messageId: undefined, endsAt: this.clock.monotonic() + CONFIRM_MS })
    return token
  }

  /** Binds a confirmation to the message that shows its buttons. */
  bind(token: string, messageId: number): void {
    const open = this.#open.get(token)
    if (open) open.messageId = messageId
  }

  /**
   * Returns the act of a confirmation and ends it, also when it does not fit: a token that came from elsewhere
   * is known to somebody else.
   */
  take(token: string, actor: ChatActor, messageId: number): PendingAct | undefined {
    const open = this.#open.get(token)
    this.#open.delete(token)
    if (!open || open.endsAt <= this.clock.monotonic() || open.messageId !== messageId) return undefined
    const isSame = (['channel', 'username', 'address'] as const).every(
      (key) => open.actor[key] === actor[key],
    )
    return isSame ? open.act : undefined
  }
}
