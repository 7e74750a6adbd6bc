import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { ConcurrencyLimit } from '../concurrency-limit.js'

interface Cost {
  /** In KiB. */
  memoryCost: number
  timeCost: number
  parallelism: number
}

/**
 * The cost of a hash, by its use. Attackers guess passwords, so each guess should take 50 ms or more on a
 * fast machine (70 ms on the machine where the cost was chosen). An API key is 256 random bits that nobody
 * can guess: an expensive hash would only make a flood of wrong keys more expensive for the daemon.
 */
const COSTS = {
  password: { memoryCost: 65_536, timeCost: 3, parallelism: 1 },
  key: { memoryCost: 19_456, timeCost: 2, parallelism: 1 },
} as const satisfies Record<string, Cost>

/**
 * The number of hashes that run at once: at most half of the thread pool, because SQLite needs it too.
 */
const RUNNING = 2
/**
 * The maximum number of waiting hashes: about a second of work in each lane. A flood in one lane does not
 * block the other, and passwords go first.
 */
const LANES = { password: 32, key: 64 }

/** The secret that a hash protects: a password or an API key. */
type HashUse = keyof typeof COSTS

/**
 * Hashes secrets with argon2id and the server's pepper. Its work is bounded, so a flood cannot stall the
 * daemon.
 */
export class Hasher {
  readonly #pepper: string
  readonly #running = new ConcurrencyLimit<HashUse>(RUNNING, LANES)
  /** A hash that no password matches, at the usual cost: an unknown user's password is checked against it. */
  readonly unmatchable =
    `${prefixOf(COSTS.password)}${unpadded(randomBytes(16))}$${unpadded(randomBytes(32))}`

  /** @param pepper API_KEY_PEPPER */
  constructor(pepper: string) {
    this.#pepper = pepper
  }

  /**
   * Hashes a secret at the cost of its use. Only a person's own account gets a new secret, so the call always
   * waits with the sign-ins, and a flood of unknown keys delays no new key.
   * @throws ServiceError `unavailable` when too many calls wait
   */
  hash(use: HashUse, secret: string): Promise<string> {
    return this.#running.run('password', () => hash(secret + this.#pepper, COSTS[use]))
  }

  /**
   * Checks a secret against its hash, in the lane of its use.
   * @throws ServiceError `unavailable` when too many calls wait
   */
  verify(use: HashUse, hashed: string, secret: string): Promise<boolean> {
    return this.#running.run(use, () => verify(hashed, secret + this.#pepper))
  }

  /** Returns true when a password's hash was made at a different cost than today's. */
  isOutdated(hashed: string): boolean {
    return !hashed.startsWith(prefixOf(COSTS.password))
  }
}

/** Returns the start of a hash of that cost: argon2id, the default of the library. */
function prefixOf({ memoryCost, timeCost, parallelism }: Cost): string {
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}
