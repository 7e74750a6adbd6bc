import { Text } from 'ink'
import { useState } from 'react'
import { expect, it } from 'vitest'
import { type Opened, openedIn, type RowId } from '../../../../src/tui/components/list/use-list.js'
import { render } from '../../support/render.js'

interface Row {
  id: number
}
let opened: Opened<Row> | undefined
function Probe({ rows }: { rows: readonly Row[] }) {
  opened = openedIn(rows, rows[0], ...useState<RowId>())
  return <Text>{`${opened.isOpen} ${opened.row?.id ?? 'gone'}`}</Text>
}

it('the open row stays the same one, and is gone with its row', async () => {
  const app = render(<Probe rows={[{ id: 1 }, { id: 2 }]} />)
  expect(app.lastFrame()).toBe('false 1')
  opened?.open()
  await expect.poll(app.lastFrame).toBe('true 1')
  app.rerender(<Probe rows={[{ id: 3 }, { id: 1 }]} />)
  await expect.poll(app.lastFrame).toBe('true 1')
  app.rerender(<Probe rows={[{ id: 3 }]} />)
  await expect.poll(app.lastFrame).toBe('true gone')
  opened?.close()
  await expect.poll(app.lastFrame).toBe('false 3')
  app.unmount()
})
