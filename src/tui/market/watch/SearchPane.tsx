import { useState } from 'react'
import { TextField } from '../../components/form/TextField.js'
import { Table } from '../../components/list/Table.js'
import { useCursor } from '../../components/list/use-cursor.js'
import { Notice } from '../../components/Notice.js'
import { useKeyLayer } from '../../keys/KeysProvider.js'
import { useDaemon } from '../../live/use-daemon.js'
import { type Read, useRead } from '../../live/use-read.js'
import { ScreenFrame } from '../../screen/ScreenFrame.js'
import { useNow } from '../../terminal/use-now.js'
import { SEARCH_KEYS } from '../keys.js'
import type { PaneProps } from '../pane.js'
import { useSymbolActs } from '../use-symbol-acts.js'
import { chooseWatched } from './kept-list.js'
import { FOUND, type Found, foundBy, SEARCH_PAUSE_MS } from './search.js'

/** The search for a symbol to add: the results follow the typing. */
export function SearchPane({ width, height, ways }: PaneProps) {
  const daemon = useDaemon()
  const acts = useSymbolActs()
  const [text, setText] = useState('')
  const answer = useRead(text.trim() === '' ? undefined : text, foundBy, SEARCH_PAUSE_MS)
  const found = answer.value ?? NOTHING
  const cursor = useCursor(found)
  const now = useNow(60_000)
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
    chooseWatched(daemon, id)
    ways.back()
  }
  const field = <TextField label="Add: " onChange={setText} onSubmit={add} onCancel={ways.back} />
  return (
    <ScreenFrame
      {...{ width, height, bindings: [], pane: 'search', keys: SEARCH_KEYS, prompt: field }}
      summary={summaryOf(text, answer)}
    >
      {(area) =>
        found.length === 0 ? (
          <Notice {...area} text={emptyText(text, answer)} />
        ) : (
          <Table
            {...{ ...area, rows: found, columns: FOUND, selected: cursor.selected?.id, marked: NONE, now }}
          />
        )
      }
    </ScreenFrame>
  )
}

const NOTHING: readonly Found[] = []
const NONE: ReadonlySet<string> = new Set()
const MOVES: Readonly<Record<string, number>> = { up: -1, down: 1, pgup: -10, pgdn: 10 }
/** The daemon returns no more rows of a search. */
const MOST_FOUND = 500

type Answer = Read<readonly Found[]>

function summaryOf(text: string, { value }: Answer): string {
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
