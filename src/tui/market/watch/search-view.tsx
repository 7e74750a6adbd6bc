import { useEffect, useState } from 'react'
import type { AnswerOf, Body, SvcClient } from '../../../client/index.js'
import { messageOf } from '../../../core/errors/index.js'
import { INSTRUMENT_COLUMNS } from '../../../views/market/instrument.js'
import type { Column } from '../../../views/table/column.js'
import { byExpiry } from '../../../views/table/sort.js'
import { symbolKey } from '../../../views/text/symbol.js'
import { TextField } from '../../components/form/TextField.js'
import { Table } from '../../components/list/Table.js'
import { type Cursor, useCursor } from '../../components/list/use-list.js'
import { Notice } from '../../components/Notice.js'
import type { KeyHelp } from '../../keys/KeyLine.js'
import { useKeyLayer } from '../../keys/KeysProvider.js'
import { useDaemon } from '../../live/use-daemon.js'
import { drawnView } from '../../screen/fields-view.js'
import { FIGURES_ALONE } from '../../screen/first-line.js'
import type { Shown } from '../../screen/record.js'
import { MarketPanes, showAsked, useSymbolActs } from '../symbol-acts.js'
import { parsedKey } from '../symbol-key.js'
import { WatchFeed } from './watch-feed.js'
import { watchView } from './watch-view.js'

/** A search begins so long after the last key, in milliseconds. */
const SEARCH_PAUSE_MS = 250

type Found = AnswerOf<'search'>['data'][number] & { id: string }

const FOUND: readonly Column[] = [
  { key: 'id', title: 'SYMBOL' },
  ...INSTRUMENT_COLUMNS.filter(({ key }) => key !== 'symbol' && key !== 'exchange'),
]

/** Finds instruments by words; those without an expiry come first. */
async function foundBy(client: SvcClient, text: string): Promise<readonly Found[]> {
  const { data } = await client.call('search', queryOf(text))
  return byExpiry(data).map((row) => ({ ...row, id: symbolKey(row) }))
}

/** Returns the search for a text: `NSE:SBIN` looks on that exchange only. */
export function queryOf(text: string): Body<'search'> {
  const named = parsedKey(text.trim())
  return named === undefined ? { query: text.trim() } : { query: named.symbol, exchange: named.exchange }
}

interface Search {
  text: string
  setText(text: string): void
  answer: Answer
  cursor: Cursor<Found>
  /** Adds the symbol under the cursor to the watch list. */
  add(): void
}

/** A hook: searches for what is typed. */
function useSearch({ daemon }: Pick<Shown, 'daemon'>): Search {
  const acts = useSymbolActs()
  const [text, setText] = useState('')
  const answer = useRead(text.trim() === '' ? undefined : text, foundBy, SEARCH_PAUSE_MS)
  const cursor = useCursor(answer.value ?? NOTHING)
  // Added after the text field, so that it sees the keys first.
  useKeyLayer('pane', ({ name }) => {
    const by = MOVES[name]
    if (by !== undefined) cursor.move(by)
    return by !== undefined
  })
  const add = () => {
    if (cursor.selected === undefined) return
    const { id } = cursor.selected
    acts.watch(id)
    watchView.choose(daemon, id)
    daemon.part(MarketPanes).back()
  }
  return { text, setText, answer, cursor, add }
}

/** The search for a symbol to add: the results follow the typing. */
export const searchView = drawnView({
  name: 'search',
  feed: WatchFeed,
  use: useSearch,
  summary: ({ own }) => searchFigures(own.text, own.answer),
  firstLine: FIGURES_ALONE,
  place: ({ own }) => own.cursor.place,
  Draw({ shown: { own, now }, ...area }) {
    const { text, answer, cursor } = own
    const found = answer.value ?? NOTHING
    if (found.length === 0) return <Notice {...area} text={emptyText(text, answer)} />
    const table = { rows: found, columns: FOUND, selected: cursor.selected?.id, marked: NONE, now }
    return <Table {...area} {...table} />
  },
  cover: ({ own, daemon }) => ({
    keys: own.text === '' ? SEARCH_KEYS : TYPED_KEYS,
    prompt: (
      <TextField
        label="Add: "
        emptiesFirst
        onChange={own.setText}
        onSubmit={own.add}
        onCancel={() => daemon.part(MarketPanes).back()}
      />
    ),
  }),
  // The text field and the arrows take every key.
  keys: [],
  commonKeys: [],
  asked: showAsked,
})

const MOVE_AND_ADD: readonly KeyHelp[] = [
  { keys: '↑↓', does: 'move' },
  { keys: 'enter', does: 'add' },
]
const SEARCH_KEYS: readonly KeyHelp[] = [...MOVE_AND_ADD, { keys: 'esc', does: 'cancel' }]
const TYPED_KEYS: readonly KeyHelp[] = [...MOVE_AND_ADD, { keys: 'esc', does: 'clear the text' }]
const NOTHING: readonly Found[] = []
const NONE: ReadonlySet<string> = new Set()
const MOVES: Readonly<Record<string, number>> = { up: -1, down: 1, pgup: -10, pgdn: 10 }
/** The daemon returns no more rows of a search. */
const MOST_FOUND = 500

type Answer = Read<readonly Found[]>

function searchFigures(text: string, { value }: Answer): string {
  if (text.trim() === '' || value?.length === 0) return 'Add a symbol to the watch list'
  if (value === undefined) return 'Searching …'
  return value.length < MOST_FOUND
    ? `${value.length} found`
    : `the first ${value.length}: more words find fewer`
}

function emptyText(text: string, { value, problem }: Answer): string {
  if (problem !== undefined) return problem
  if (text.trim() === '') return 'Type parts of a symbol, a name, a strike or an expiry: nifty 26000 ce'
  return value === undefined ? '' : `Nothing matches "${text}".`
}

/** The result of one read: neither value nor problem while it is on its way. */
interface Read<Value> {
  value?: Value
  problem?: string
}

/**
 * Reads once for each key, after a pause in which the key does not change; without a key it reads nothing. An
 * answer for a former key is not shown.
 */
function useRead<Value>(
  key: string | undefined,
  read: (client: SvcClient, key: string) => Promise<Value>,
  pauseMs = 0,
): Read<Value> {
  const daemon = useDaemon()
  const [found, setFound] = useState<Read<Value> & { key?: string }>({})
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the read
  useEffect(() => {
    if (key === undefined) return
    let isCurrent = true
    const timer = setTimeout(() => {
      Promise.resolve()
        .then(() => read(daemon.reader(), key))
        .then((value) => isCurrent && setFound({ key, value }))
        .catch((thrown: unknown) => isCurrent && setFound({ key, problem: messageOf(thrown) }))
    }, pauseMs)
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [daemon, key])
  return found.key === key ? found : {}
}
