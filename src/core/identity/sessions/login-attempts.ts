import { messageOf } from '../../errors/index.js'
import type { Clock } from '../../time/index.js'
import type { IdentityLog } from '../identity-listeners.js'
import type { AttemptFilter, LoginAttempt, LoginAttemptView } from '../schema.js'
import type { IdentityStore } from '../store.js'
import { istIso } from './sessions.js'

const MAX_LISTED = 500

interface LoginAttemptsParts {
  store: IdentityStore
  clock: Clock
  log: IdentityLog
}

/** The record of all sign-in attempts. */
export class LoginAttempts {
  readonly #parts: LoginAttemptsParts
  readonly #writing = new Set<Promise<void>>()

  constructor(parts: LoginAttemptsParts) {
    this.#parts = parts
  }

  /** Writes an attempt. Resolves once it is stored or has failed; a failure is logged. Never rejects. */
  record(attempt: LoginAttempt): Promise<void> {
    const { store, clock, log } = this.#parts
    const written = store
      .addAttempt({
        username: attempt.username.slice(0, 255),
        ipAddress: attempt.ipAddress?.slice(0, 45) ?? null,
        ownAddress: attempt.ownAddress ?? null,
        deviceInfo: attempt.deviceInfo?.slice(0, 500) ?? null,
        status: attempt.status,
        loginType: attempt.loginType,
        broker: attempt.broker ?? null,
        failureReason: attempt.failureReason?.slice(0, 255) ?? null,
        timestamp: clock.now(),
      })
      .catch((error) => log.error('identity.attempt_not_recorded', { reason: messageOf(error) }))
      .finally(() => this.#writing.delete(written))
    this.#writing.add(written)
    return written
  }

  /** Returns the newest attempts first, at most 500, from an instant on. `status` filters by exact match. */
  async list(options: Partial<AttemptFilter> = {}): Promise<LoginAttemptView[]> {
    const limit = Math.min(Math.max(1, options.limit ?? 100), MAX_LISTED)
    const rows = await this.#parts.store.attempts({ ...options, limit })
    return rows.map((row) => ({
      username: row.username,
      ip_address: row.ipAddress,
      device_info: row.deviceInfo,
      status: row.status,
      login_type: row.loginType,
      broker: row.broker,
      failure_reason: row.failureReason,
      timestamp: istIso(row.timestamp),
    }))
  }

  clear(): Promise<void> {
    return this.#parts.store.clearAttempts()
  }

  /** Resolves when no attempt waits to be written. */
  async settled(): Promise<void> {
    await Promise.all(this.#writing)
  }
}
