import type { AnswerOf, SvcClient } from '../../../client/index.js'
import { symbolKey } from '../../../views/text/symbol.js'
import type { LiveDaemon } from '../../live/daemon.js'
import { Feed } from '../../live/feed.js'
import type { Underlying } from '../symbol-key.js'

export interface Chain {
  /** The underlying that all of this belongs to: `NSE_INDEX:NIFTY`. */
  key: string
  /** As `24NOV26`, the nearest first. */
  expiries: readonly string[]
  expiry: string
  /** Undefined for an underlying without options. */
  answer: AnswerOf<'optionchain'> | undefined
}

/** Strikes on each side of the money. */
const STRIKES = 20

type Content = Chain | undefined

/** The option chain on the screen. Prices of the shown rows come live; the rest is read from time to time. */
export class ChainFeed extends Feed<Content> {
  #underlying: Underlying | undefined
  #expiry: string | undefined

  constructor(daemon: LiveDaemon) {
    super(
      daemon,
      {
        read: (client, before) => this.#read(client, before),
        isChangedBy: ({ event }) => ['active_sessions_update', 'master_contract_download'].includes(event),
        pauseMs: 10_000,
        gatherMs: 50,
      },
      undefined,
    )
  }

  /** Chooses an underlying, and an expiry; by default the nearest. */
  choose(underlying: Underlying, expiry: string | undefined): void {
    const isSame = this.#underlying && symbolKey(this.#underlying) === symbolKey(underlying)
    if (isSame && expiry === this.#expiry) return
    this.#underlying = underlying
    this.#expiry = expiry
    void this.refresh()
  }

  async #read(client: SvcClient, before: Content): Promise<Content> {
    const [underlying, chosen] = [this.#underlying, this.#expiry]
    if (underlying === undefined) return undefined
    const key = symbolKey(underlying)
    const expiries = before?.key === key ? before.expiries : await readExpiries(client, underlying)
    const expiry = chosen ?? expiries[0]
    if (expiry === undefined) return { key, expiries, expiry: '', answer: undefined }
    const answer = await client.call('optionchain', {
      underlying: underlying.symbol,
      exchange: underlying.exchange,
      expiry_date: expiry,
      strike_count: STRIKES,
      with_greeks: true,
    })
    return { key, expiries, expiry, answer }
  }
}

async function readExpiries(client: SvcClient, { symbol, venue }: Underlying): Promise<readonly string[]> {
  const { data } = await client.call('expiry', { symbol, exchange: venue, instrumenttype: 'options' })
  return data.map((expiry) => expiry.replaceAll('-', ''))
}
