import { test } from 'vitest'
import { Header } from '../../../src/tui/shell/Header.js'
import { liveDesk } from '../support/live-desk.js'
import { shown } from '../support/shown.js'

/** Shows the header of a daemon. */
async function header(context: { name: string; colour: 'red' } | undefined) {
  const { access } = await liveDesk()
  return shown({ ...access, context }, <Header screen="approvals" width={80} />)
}

test('the header names the context, right after the mode', async () => {
  const { shows } = await header({ name: 'prod', colour: 'red' })
  await shows('LIVE  prod ')
})

test('a long name leaves room for the facts', async () => {
  const { shows } = await header({ name: 'x'.repeat(63), colour: 'red' })
  await shows(`${'x'.repeat(19)}…`)
  await shows('kill off')
})
