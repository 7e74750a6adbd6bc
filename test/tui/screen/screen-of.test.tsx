import { expect, it } from 'vitest'
import type { Live, LiveSource } from '../../../src/tui/live/feed.js'
import { listView } from '../../../src/tui/screen/list-view.js'
import type { ViewKey } from '../../../src/tui/screen/record.js'
import { screenOf } from '../../../src/tui/screen/screen-of.js'
import { liveDesk } from '../support/live-desk.js'
import { ENTER, ESC, shown, TAB } from '../support/shown.js'

interface Row {
  id: number
}

const LIVE: Live<readonly Row[]> = { content: [{ id: 1 }, { id: 2 }], problem: undefined, readAt: 1 }

class Rows implements LiveSource<readonly Row[]> {
  readonly state = () => LIVE
  readonly subscribe = () => () => undefined
  hold() {
    return () => undefined
  }
  async refresh() {}
}

const key = (id: string): ViewKey<object> => ({ id, keys: [id], act: () => undefined })

/** A screen of two lists, which notes the objects that it is asked to show. */
function screen(keyOrder?: readonly string[]) {
  const asked: string[] = []
  const view = (name: string, keys: readonly ViewKey<object>[]) =>
    listView({
      name,
      feed: Rows,
      useRows: ({ content }) => content,
      columns: [{ key: 'id' }],
      empty: 'No rows.',
      keys,
      asked({ id }) {
        asked.push(`${id} in ${name}`)
      },
    })
  const views = [view('one', [key('a'), key('b')]), view('two', [key('c')])] as const
  return { asked, ...screenOf({ id: 'system', title: 'Lists', views, keyOrder }) }
}

const SIZE = { width: 60, height: 10 }

it('an object that is asked for is shown once, whatever view is shown later', async () => {
  const { View, asked } = screen()
  const { access } = await liveDesk()
  const target = { kind: 'order', id: '7' } as const
  const { shows, press } = await shown(access, <View {...SIZE} asked={{ target, count: 1 }} />)
  await shows('[one]')
  await press(TAB)
  await shows('[two]')
  await press(TAB)
  await shows('[one]')
  expect(asked).toEqual(['7 in one'])
})

it('the details of a row cover the list until they are closed', async () => {
  const { View } = screen()
  const { access } = await liveDesk()
  const { shows, press } = await shown(access, <View {...SIZE} />)
  await shows(/^> {2}1$/m)
  await press(ENTER)
  await shows(/^ID {2}1$/m)
  await press(ESC)
  await shows(/^> {2}1$/m)
})

const idsOf = (keyOrder?: readonly string[]) => [...new Set(screen(keyOrder).keys.map(({ id }) => id))]

it('the keys of the views come before those that all views have', () => {
  expect(idsOf().slice(0, 4)).toEqual(['a', 'b', 'c', 'tabs.next'])
})

it('keys may have an order of their own, after those that it does not name', () => {
  const order = ['c', 'a', 'b']
  expect(idsOf(order).slice(-3)).toEqual(order)
})
