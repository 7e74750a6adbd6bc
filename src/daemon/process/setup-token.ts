import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomToken, safeEqual } from '../../core/secrets/index.js'

/** The file in the home that contains the token until the set-up is done. */
export const SETUP_TOKEN_FILE = 'setup-token'

/**
 * The token that proves, for a set-up from another machine, that the caller can read the home. Without it,
 * the first person to find an open port would own the service.
 */
export class SetupToken {
  readonly #file: string
  #token: string | undefined

  private constructor(file: string, token: string) {
    this.#file = file
    this.#token = token
  }

  /** Creates a random token and writes it to the home, readable for the owner of the file only. */
  static write(home: string): SetupToken {
    const file = join(home, SETUP_TOKEN_FILE)
    const token = randomToken(24)
    rmSync(file, { force: true })
    writeFileSync(file, `${token}\n`, { mode: 0o600 })
    return new SetupToken(file, token)
  }

  matches(text: string): boolean {
    return this.#token !== undefined && safeEqual(this.#token, text)
  }

  /** Invalidates the token, once the set-up is done. */
  spend(): void {
    this.#token = undefined
    rmSync(this.#file, { force: true })
  }
}
