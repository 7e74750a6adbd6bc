import { setTimeout } from 'node:timers/promises'
import { generateSync } from 'otplib'
import type { DaemonProcess } from './daemon-process.js'

const STEP_MS = 30_000
/** The part of a step in which the code of the step before is still accepted for long enough. */
const EARLY_MS = 20_000

/** The authenticator app of a daemon's user. It gives each code once. */
export class Authenticator {
  #lastStep = 0

  private constructor(readonly secret: string) {}

  /** The app that has scanned this secret. */
  static with(secret: string): Authenticator {
    return new Authenticator(secret)
  }

  static async of(daemon: DaemonProcess): Promise<Authenticator> {
    const { body } = await daemon.request<{ data: { totp_secret: string } }>('GET', '/auth/profile-data')
    return new Authenticator(body.data.totp_secret)
  }

  /** Returns the first valid code that was not given before; waits for it if necessary. */
  async next(): Promise<string> {
    const now = Date.now()
    const step = Math.floor(now / STEP_MS)
    const first = now % STEP_MS < EARLY_MS ? step - 1 : step
    this.#lastStep = Math.max(first, this.#lastStep + 1)
    // A code is valid from one step before its own.
    await setTimeout(Math.max(0, (this.#lastStep - 1) * STEP_MS - now))
    return generateSync({ secret: this.secret, epoch: (this.#lastStep * STEP_MS) / 1000 })
  }

  /** Asks for a code at each sign-in. */
  async turnOn(daemon: DaemonProcess): Promise<void> {
    const body = { totp_code: await this.next(), totp_enabled: true, totp_required_for_login: true }
    const { status, text } = await daemon.request('POST', '/auth/2fa/configure', body)
    if (status !== 200) throw new Error(`the second factor is not on: ${text}`)
  }
}
