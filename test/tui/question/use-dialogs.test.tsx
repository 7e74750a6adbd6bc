import { Text } from 'ink'
import { expect, test } from 'vitest'
import { type Dialogs, useDialogs } from '../../../src/tui/question/use-dialogs.js'
import { liveDesk } from '../support/live-desk.js'
import { shown } from '../support/shown.js'

test('a form that is submitted again before the next drawing is sent once, also when its answer has come', async () => {
  const { access } = await liveDesk()
  const drawn: Dialogs[] = []
  const Screen = () => {
    const dialogs = useDialogs()
    drawn.push(dialogs)
    return <Text>{dialogs.dialog?.kind ?? 'nothing'}</Text>
  }
  const { desk, shows } = await shown(access, <Screen />)
  await expect.poll(() => desk.connection.state.get().kind).toBe('connected')
  let sent = 0
  drawn.at(-1)?.open({
    kind: 'form',
    title: 'Ban an address',
    fields: [],
    first: {},
    changeOf: () => ({
      name: 'Ban',
      check: 'svc ban list',
      async send() {
        sent += 1
        return 'done.'
      },
    }),
  })
  await shows('form')
  const form = drawn.at(-1)
  form?.submit({})
  form?.submit({})
  await desk.settled()
  form?.submit({})
  await desk.settled()
  await shows('nothing')
  expect(sent).toBe(1)
})
