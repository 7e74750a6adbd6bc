import type { Principal, Revocation } from '../../core/identity/index.js'
import { randomToken } from '../../core/secrets/index.js'
import type { Clock } from '../../core/time/index.js'

const LIFETIME_MS = 30_000
const MAX_TICKETS = 1000

/**
 * One-time tickets for clients that cannot send a header when they open a WebSocket. A ticket allows one
 * connection within thirty seconds. So it may be part of a URL, where a token may not.
 */
export class Tickets {
  readonly #tickets = new Map<string, { principal: Principal; endsAt: number }>()

  constructor(private readonly clock: Clock) {}

  issue(principal: Principal): string {
    for (const [ticket, { endsAt }] of this.#tickets) {
      if (endsAt > this.clock.monotonic() && this.#tickets.size < MAX_TICKETS) break
      this.#tickets.delete(ticket)
    }
    const ticket = randomToken(24)
    this.#tickets.set(ticket, { principal, endsAt: this.clock.monotonic() + LIFETIME_MS })
    return ticket
  }

  /** Drops the tickets of a credential that has ended. */
  forget({ credential, credentialId }: Pick<Revocation, 'credential' | 'credentialId'>): void {
    for (const [ticket, { principal }] of this.#tickets) {
      if (principal.credential === credential && principal.credentialId === credentialId) {
        this.#tickets.delete(ticket)
      }
    }
  }

  /** Returns the owner of a ticket, and invalidates the ticket. */
  redeem(ticket: string): Principal | undefined {
    const found = this.#tickets.get(ticket)
    this.#tickets.delete(ticket)
    return found && found.endsAt > this.clock.monotonic() ? found.principal : undefined
  }
}
