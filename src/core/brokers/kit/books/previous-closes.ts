import { type SymbolRef, symbolKey } from '../../../market/schema.js'
import { type Clock, sessionDate } from '../../../time/index.js'
import type { BrokerMarket, CallRank } from '../../broker.js'
import { quotesIfAny } from '../market/quotes-if-any.js'

/** A broker that gave no quote is asked again after this time: each order may read the positions. */
const ASK_AGAIN_MS = 60_000

/** The previous closes that a broker's rows lack. A close stays the same for a session, so each is asked for once. */
export class PreviousCloses {
  readonly #closes = new Map<string, number>()
  #session = ''
  #asksAgainAt = 0

  constructor(
    private readonly market: Pick<BrokerMarket, 'quotes'>,
    private readonly clock: Pick<Clock, 'now' | 'monotonic'>,
  ) {}

  /**
   * Returns the closes that are known, by symbol. An exit asks for none.
   * @throws BrokerError `auth`, if the session is refused
   */
  async of(refs: readonly SymbolRef[], rank: CallRank): Promise<ReadonlyMap<string, number>> {
    const session = sessionDate(this.clock.now())
    if (session !== this.#session) {
      this.#closes.clear()
      this.#session = session
      this.#asksAgainAt = 0
    }
    const missing = refs.filter((ref) => !this.#closes.has(symbolKey(ref)))
    const mayAsk = rank !== 'exit' && rank !== 'cancel' && this.clock.monotonic() >= this.#asksAgainAt
    if (missing.length > 0 && mayAsk) await this.#ask(missing)
    return this.#closes
  }

  async #ask(refs: readonly SymbolRef[]): Promise<void> {
    this.#asksAgainAt = this.clock.monotonic() + ASK_AGAIN_MS
    const quotes = await quotesIfAny(this.market, refs)
    for (const [place, ref] of refs.entries()) {
      const quote = quotes[place]
      if (quote && 'ltp' in quote && quote.prevClose > 0) this.#closes.set(symbolKey(ref), quote.prevClose)
    }
    if (refs.every((ref) => this.#closes.has(symbolKey(ref)))) this.#asksAgainAt = 0
  }
}
