import { compactExpiry, expiryToDate, storedExpiry } from '../../../instruments/index.js'
import { istDate } from '../../../time/index.js'
import { NodeError, type NodeRun } from '../definition.js'
import type { Fields } from '../field.js'
import { expiryOr } from '../form.js'

/** Names of relative expiries. */
export const EXPIRY_KEYWORDS = ['current_week', 'next_week', 'current_month', 'next_month'] as const
type Keyword = (typeof EXPIRY_KEYWORDS)[number]

export const expiryFields = {
  expiryType: {
    kind: 'text',
    description:
      'Relative expiry: the next one, the one after it, the last of this month, or the last of next month.',
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

/** An expiry that has not passed: as text of the instruments, and as a date. */
interface Expiry {
  text: string
  date: string
}

/** Choose an expiry by keyword. `today` is a date in IST. */
const CHOOSERS: Readonly<
  Record<Keyword, (upcoming: readonly Expiry[], today: string) => Expiry | undefined>
> = {
  current_week: ([first]) => first,
  next_week: ([, second]) => second,
  current_month: (upcoming, today) => lastOf(upcoming, monthOf(today, 0)),
  next_month: (upcoming, today) => lastOf(upcoming, monthOf(today, 1)),
}

/**
 * Resolves the expiry of a node to a date such as `28OCT25`. Reads the list of expiries once for all legs.
 */
export class ExpiryResolver {
  readonly #run: NodeRun
  readonly #underlying: string
  readonly #exchange: string
  #upcoming: Promise<readonly Expiry[]> | undefined

  /** @param exchange the exchange of the options: NFO, BFO */
  constructor(run: NodeRun, underlying: string, exchange: string) {
    this.#run = run
    this.#underlying = underlying
    this.#exchange = exchange
  }

  /** @throws NodeError if the expiry does not exist or the expiries cannot be read */
  async resolve(spec: string): Promise<string> {
    const wanted = spec.trim().toLowerCase()
    const keyword = EXPIRY_KEYWORDS.find((name) => name === wanted)
    if (keyword === undefined) return explicit(spec)
    this.#upcoming ??= this.#read(keyword)
    const found = CHOOSERS[keyword](await this.#upcoming, this.#today())
    if (found === undefined) throw new NodeError(`Could not resolve expiry for ${keyword}`)
    return compactExpiry(found.text)
  }

  async #read(keyword: Keyword): Promise<readonly Expiry[]> {
    const body = { symbol: this.#underlying, exchange: this.#exchange, instrumenttype: 'options' }
    const { status, message, data } = await this.#run.read('expiry', body)
    if (status === 'error') throw new NodeError(`Could not resolve expiry for ${keyword}: ${message}`)
    const today = this.#today()
    return (Array.isArray(data) ? data : [])
      .flatMap(expiryOf)
      .filter(({ date }) => date >= today)
      .sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0))
  }

  #today(): string {
    return istDate(this.#run.ports.clock.now())
  }
}

function explicit(spec: string): string {
  const stored = storedExpiry(spec)
  if (stored === undefined) throw new NodeError(`expiryDate '${spec}' is not an expiry such as 28OCT25`)
  return compactExpiry(stored)
}

function expiryOf(listed: unknown): Expiry[] {
  const text = typeof listed === 'string' ? storedExpiry(listed) : undefined
  const date = text === undefined ? undefined : expiryToDate(text)
  return text === undefined || date === undefined ? [] : [{ text, date }]
}

/** Returns the month of a date, or of `months` months later, as `YYYY-MM`. */
function monthOf(date: string, months: number): string {
  const [year = 0, month = 1] = date.split('-').map(Number)
  return new Date(Date.UTC(year, month - 1 + months, 1)).toISOString().slice(0, 7)
}

function lastOf(upcoming: readonly Expiry[], month: string): Expiry | undefined {
  return upcoming.findLast(({ date }) => date.startsWith(month))
}
