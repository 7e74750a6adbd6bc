import { ServiceError } from '../errors/index.js'
import { type Quote, type SymbolRef, symbolKey } from '../market/index.js'
import type { OptionSources } from './ports.js'

/** Quotes fetched in batches and read one by one. A failed quote is stored as its error. */
export class QuoteSheet {
  readonly #market: OptionSources['market']
  readonly #answers = new Map<string, Quote | ServiceError>()

  constructor(market: OptionSources['market']) {
    this.#market = market
  }

  /** Fetches the quotes that are missing, in one batch. */
  async fetch(refs: readonly SymbolRef[]): Promise<void> {
    const unanswered = new Map<string, SymbolRef>()
    for (const ref of refs) if (!this.#answers.has(symbolKey(ref))) unanswered.set(symbolKey(ref), ref)
    if (unanswered.size === 0) return
    const answers = await this.#ask([...unanswered.values()])
    for (const [place, key] of [...unanswered.keys()].entries()) {
      const answer = answers[place]
      if (answer) this.#answers.set(key, answer)
    }
  }

  /** Returns the last price; 0 if there is none. @throws ServiceError the error of the quote */
  ltp(ref: SymbolRef): number {
    const answer = this.#answers.get(symbolKey(ref))
    if (answer instanceof ServiceError) throw answer
    return answer?.ltp ?? 0
  }

  /** Returns the last price; 0 if there is none or the quote failed. */
  knownLtp(ref: SymbolRef): number {
    const answer = this.#answers.get(symbolKey(ref))
    return answer instanceof ServiceError ? 0 : (answer?.ltp ?? 0)
  }

  async #ask(refs: readonly SymbolRef[]): Promise<(Quote | ServiceError)[]> {
    try {
      const answers = await this.#market.quotes(refs)
      return answers.map((answer) =>
        'error' in answer ? new ServiceError('validation', answer.error) : answer,
      )
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      return refs.map(() => error)
    }
  }
}
