import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { Gate } from '../gate.js'

/** OWASP's least for argon2id, which is the library's default algorithm: 19 MiB, two passes, one lane. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const PREFIX = `$argon2id$v=19$m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=${PARAMETERS.parallelism}$`

/** Hashes computed at once. They run on the thread pool that SQLite needs as well, so half of it at most. */
const RUNNING = 2
/** How many may wait: about a second of work for keys. People who sign in go first. */
const LANES = { password: 32, key: 64 }

/** What a hash is for; a flood in one lane does not shut the other. */
export type HashLane = keyof typeof LANES

/** argon2id over a secret and the server's pepper. Work is bounded, so that a flood cannot stall the daemon. */
export class Hasher {
  readonly #pepper: string
  readonly #gate = new Gate<HashLane>(RUNNING, LANES)
  /** A hash that no secret opens, at the usual cost: what an unknown user's password is checked against. */
  readonly unmatchable = `${PREFIX}${unpadded(randomBytes(16))}$${unpadded(randomBytes(32))}`

  /** @param pepper API_KEY_PEPPER */
  constructor(pepper: string) {
    this.#pepper = pepper
  }

  /** @throws ServiceError `unavailable` when too many wait. */
  hash(lane: HashLane, secret: string): Promise<string> {
    return this.#gate.run(lane, () => hash(secret + this.#pepper, PARAMETERS))
  }

  /** @throws ServiceError `unavailable` when too many wait. */
  verify(lane: HashLane, hashed: string, secret: string): Promise<boolean> {
    return this.#gate.run(lane, () => verify(hashed, secret + this.#pepper))
  }

  /** Whether the hash was made with other parameters than today's. */
  isOutdated(hashed: string): boolean {
    return !hashed.startsWith(PREFIX)
  }
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}
