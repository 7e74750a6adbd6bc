import { compactExpiry, compareExpiries, storedExpiry } from '../../../instruments/index.js'
import { EXPIRY_RANKS, type ExpiryRank, expiryOfRank, liveAt } from '../../../options/index.js'
import { NodeError, type NodeRun } from '../definition.js'
import type { Fields } from '../field.js'
import { expiryOr } from '../form.js'

/** Names of relative expiries. */
export const EXPIRY_KEYWORDS = EXPIRY_RANKS

export const expiryFields = {
  expiryType: {
    kind: 'text',
    description:
      'Relative expiry: the nearest that has not expired, the one after it, the nearest monthly, or the monthly after it. ' +
      'Monthlies are the expiries of the futures of the underlying.',
    default: 'current_week',
    choices: EXPIRY_KEYWORDS,
    guarded: true,
  },
  expiryDate: {
    kind: 'text',
    description: 'Expiry date, such as `28OCT25` or `28-OCT-25`. It overrides `expiryType`.',
    form: expiryOr(EXPIRY_KEYWORDS),
    aliases: ['expiry'],
    guarded: true,
  },
} as const satisfies Fields

type Kind = 'options' | 'futures'

/**
 * Resolves the expiry of a node to a date such as `28OCT25`. Reads each list of expiries once for all legs.
 */
export class ExpiryResolver {
  readonly #run: NodeRun
  readonly #underlying: string
  readonly #exchange: string
  readonly #lists = new Map<Kind, Promise<readonly string[]>>()

  /** @param exchange the exchange of the options: NFO, BFO */
  constructor(run: NodeRun, underlying: string, exchange: string) {
    this.#run = run
    this.#underlying = underlying
    this.#exchange = exchange
  }

  /** @throws NodeError if the expiry does not exist or the expiries cannot be read */
  async resolve(spec: string): Promise<string> {
    const keyword = spec.trim().toLowerCase()
    const rank = EXPIRY_KEYWORDS.find((name) => name === keyword)
    if (rank === undefined) return explicit(spec)
    const contracts = await this.#listed('options', rank)
    const futures = rank.endsWith('month') ? await this.#listed('futures', rank) : []
    const { calendar, clock } = this.#run.ports
    const isLive = liveAt(calendar, clock.now())
    const found = expiryOfRank(rank, { contracts, futures }, (expiry) => isLive(expiry, this.#exchange))
    if (found === undefined) throw new NodeError(`Could not resolve expiry for ${rank}`)
    return compactExpiry(found)
  }

  #listed(kind: Kind, rank: ExpiryRank): Promise<readonly string[]> {
    const list = this.#lists.get(kind) ?? this.#read(kind, rank)
    this.#lists.set(kind, list)
    return list
  }

  async #read(instrumenttype: Kind, rank: ExpiryRank): Promise<readonly string[]> {
    const body = { symbol: this.#underlying, exchange: this.#exchange, instrumenttype }
    const { status, message, data } = await this.#run.read('expiry', body)
    if (status === 'error') throw new NodeError(`Could not resolve expiry for ${rank}: ${message}`)
    return (Array.isArray(data) ? data : [])
      .flatMap((listed: unknown) => (typeof listed === 'string' ? (storedExpiry(listed) ?? []) : []))
      .sort(compareExpiries)
  }
}

function explicit(spec: string): string {
  const stored = storedExpiry(spec)
  if (stored === undefined) throw new NodeError(`expiryDate '${spec}' is not an expiry such as 28OCT25`)
  return compactExpiry(stored)
}
