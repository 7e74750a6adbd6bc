import { type SvcClient, SvcError } from '../../../client/index.js'
import { messageOf } from '../../../core/errors/index.js'
import { symbolKey } from '../../../views/text/symbol.js'
import type { Changes } from '../../live/changes/changes.js'
import type { LiveDaemon, Sender } from '../../live/daemon.js'
import { Feed, type Source } from '../../live/feed.js'
import { type Quote, quoteOf } from '../../live/prices/quote.js'
import { Store } from '../../live/store.js'
import { parsedSymbol } from '../symbol-key.js'
import { type Edit, edited, listIn, preferenceOf, type WatchList } from './watch-list.js'

/** The list and the prices of all its symbols. The live prices of the shown ones are newer. */
export interface Watch {
  list: WatchList
  quotes: ReadonlyMap<string, Quote>
  /** The reasons why symbols have no price. */
  refused: ReadonlyMap<string, string>
  /** The reason why no symbol has a new price: the broker, for example. */
  problem: string | undefined
}

const EMPTY: Watch = { list: [], quotes: new Map(), refused: new Map(), problem: undefined }

const SOURCE: Source<Watch> = {
  read: readWatch,
  isChangedBy: ({ event }) => event === 'active_sessions_update',
  pauseMs: 10_000,
  gatherMs: 250,
}

async function readWatch(client: SvcClient, before: Watch): Promise<Watch> {
  const list = await readList(client)
  if (list.length === 0) return EMPTY
  try {
    return { list, problem: undefined, ...(await readPrices(client, list)) }
  } catch (thrown) {
    // Without a broker the list is still there.
    if (!(thrown instanceof SvcError)) throw thrown
    return { ...before, list, problem: messageOf(thrown) }
  }
}

async function readList(client: SvcClient): Promise<WatchList> {
  return listIn((await client.request('GET /api/v1/chart', {})).data)
}

async function readPrices(client: SvcClient, list: WatchList): Promise<Pick<Watch, 'quotes' | 'refused'>> {
  const { results } = await client.call('multiquotes', { symbols: list.map(parsedSymbol) })
  const at = Date.now()
  const quotes = new Map<string, Quote>()
  const refused = new Map<string, string>()
  for (const result of results) {
    if ('error' in result) refused.set(symbolKey(result), result.error)
    else quotes.set(symbolKey(result), quoteOf(result.data, at))
  }
  return { quotes, refused }
}

/** The watch list, which the daemon keeps with the user's preferences. A change shows at once, and is then saved. */
export class WatchFeed extends Feed<Watch> implements Sender {
  /** The changes that are not saved yet. */
  readonly edits = new Store<readonly Edit[]>([])
  readonly #changes: Changes
  readonly #fault: LiveDaemon['fault']
  #saving: Promise<void> | undefined

  constructor(daemon: LiveDaemon) {
    super(daemon, SOURCE, EMPTY)
    this.#changes = daemon.changes
    this.#fault = daemon.fault
    daemon.addSender(this)
  }

  edit(edit: Edit): void {
    this.edits.set([...this.edits.get(), edit])
    this.#saving ??= this.#saveAll().catch(this.#fault)
  }

  /** A list of symbols is nothing to look after: it is there again at the next start. */
  unanswered(): readonly string[] {
    return []
  }

  isSettled(): boolean {
    return this.#saving === undefined
  }

  async settled(): Promise<void> {
    await this.#saving
  }

  async #saveAll(): Promise<void> {
    try {
      while (this.edits.get().length > 0) {
        const edits = this.edits.get()
        await this.#save(edits).catch((thrown: unknown) =>
          this.#changes.refuse(`The watch list is not saved. ${messageOf(thrown)}`),
        )
        await this.refresh()
        this.edits.set(this.edits.get().slice(edits.length))
      }
    } finally {
      // The program waits for the end of a save before it ends, also of one that met an error.
      this.#saving = undefined
    }
  }

  /** Changes the list as it is now: another terminal may have changed it too. */
  async #save(edits: readonly Edit[]): Promise<void> {
    const client = this.daemon.reader()
    await client.call('chart', preferenceOf(edited(await readList(client), edits)))
  }
}
