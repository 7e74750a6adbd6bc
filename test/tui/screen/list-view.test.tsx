import { describe, expect, it } from 'vitest'
import type { Live, LiveSource } from '../../../src/tui/live/feed.js'
import { listView } from '../../../src/tui/screen/list-view.js'
import { screenOf } from '../../../src/tui/screen/screen-of.js'
import { liveDesk } from '../support/live-desk.js'
import { DOWN, ENTER, ESC, shown } from '../support/shown.js'

interface Row {
  id: number
  name: string
}

const SIZE = { width: 60, height: 10 }
const ROWS: readonly Row[] = Array.from({ length: 30 }, (_, at) => ({ id: at + 1, name: `row ${at + 1}` }))
const LIVE: Live<readonly Row[]> = { content: ROWS, problem: undefined, readAt: 1 }

class Rows implements LiveSource<readonly Row[]> {
  readonly state = () => LIVE
  readonly subscribe = () => () => undefined
  hold() {
    return () => undefined
  }
  async refresh() {}
}

/** A screen of one list, in which esc also goes back, as in a list that another view opens. */
async function opened() {
  const backs: string[] = []
  const view = listView({
    name: 'rows',
    feed: Rows,
    useRows: ({ content }) => content,
    columns: [{ key: 'id' }, { key: 'name' }],
    empty: 'No rows.',
    summary: () => 'the figures of this screen, of which there are many more than fit',
    keys: [{ id: 'back', keys: ['esc'], does: 'back', act: () => backs.push('back') }],
  })
  const { View } = screenOf({ id: 'system', title: 'Lists', views: [view] })
  const { access } = await liveDesk()
  return { backs, ...(await shown(access, <View {...SIZE} />)) }
}

describe('a filter of a list', () => {
  it('is cleared by esc, which the last line names while it is on', async () => {
    const { shows, press, screen, backs } = await opened()
    await shows(/esc back/)
    expect(screen()).not.toContain('clear filter')
    for (const key of ['/', '1', '2']) await press(key)
    await shows('esc clear it')
    await press(ENTER)
    await shows(/^esc clear filter {2}/m)
    await shows(/1 of 30 with "12"/)
    await press(ESC)
    await shows(/12 of 30$/m)
    expect(screen()).not.toMatch(/clear filter|with "12"/)
    expect(backs).toEqual([])
    await press(ESC)
    expect(backs).toEqual(['back'])
  })
})

describe('the place in a list', () => {
  it('is the row under the cursor, of those that the filter leaves, whole beside long figures', async () => {
    const { shows, press } = await opened()
    await shows(/^ the figures .*… +1 of 30$/m)
    await press(DOWN)
    await shows(/ 2 of 30$/m)
    await press('G')
    await shows(/ 30 of 30$/m)
    for (const key of ['/', '2', ENTER]) await press(key)
    await shows(/ \d+ of 12$/m)
  })

  it('has a mark where the list goes on, above and below', async () => {
    const { shows, press, screen } = await opened()
    await shows(/^> {2}1 /m)
    expect(screen()).toMatch(/^ {2}↓\d+ /m)
    expect(screen()).not.toContain('↑')
    await press('G')
    await shows(/^> {2}30 /m)
    expect(screen()).toMatch(/^ {2}↑\d+ /m)
    expect(screen()).not.toMatch(/^.{2}↓/m)
  })
})
