import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { Gate } from '../gate.js'

interface Cost {
  /** In KiB. */
  memoryCost: number
  timeCost: number
  parallelism: number
}

/**
 * What a hash costs, by what it is for. A password is guessed, so each guess is to cost 50 ms or more on a fast machine
 * (70 ms where it was chosen). An API key is 256 random bits that nobody guesses: a dear hash would only make a flood of
 * wrong keys dearer for the daemon.
 */
const COSTS = {
  password: { memoryCost: 65_536, timeCost: 3, parallelism: 1 },
  key: { memoryCost: 19_456, timeCost: 2, parallelism: 1 },
} as const satisfies Record<string, Cost>

/** Hashes computed at once. They run on the thread pool that SQLite needs as well, so half of it at most. */
const RUNNING = 2
/** How many may wait, about a second of work for each. People who sign in go first. */
const LANES = { password: 32, key: 64 }

/** What a hash is for; a flood in one lane does not shut the other. */
export type HashLane = keyof typeof COSTS

/** argon2id over a secret and the server's pepper. Work is bounded, so that a flood cannot stall the daemon. */
export class Hasher {
  readonly #pepper: string
  readonly #gate = new Gate<HashLane>(RUNNING, LANES)
  /** A hash that no password opens, at the usual cost: an unknown user's password is checked against it. */
  readonly unmatchable =
    `${prefixOf(COSTS.password)}${unpadded(randomBytes(16))}$${unpadded(randomBytes(32))}`

  /** @param pepper API_KEY_PEPPER */
  constructor(pepper: string) {
    this.#pepper = pepper
  }

  /** @throws ServiceError `unavailable` when too many wait. */
  hash(lane: HashLane, secret: string): Promise<string> {
    return this.#gate.run(lane, () => hash(secret + this.#pepper, COSTS[lane]))
  }

  /** @throws ServiceError `unavailable` when too many wait. */
  verify(lane: HashLane, hashed: string, secret: string): Promise<boolean> {
    return this.#gate.run(lane, () => verify(hashed, secret + this.#pepper))
  }

  /** Whether a password's hash was made at another cost than today's. */
  isOutdated(hashed: string): boolean {
    return !hashed.startsWith(prefixOf(COSTS.password))
  }
}

/** How a hash of that cost begins: argon2id, the default of the library. */
function prefixOf({ memoryCost, timeCost, parallelism }: Cost): string {
  return `$argon2id$v=19$m=${memoryCost},t=${timeCost},p=${parallelism}$`
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}
