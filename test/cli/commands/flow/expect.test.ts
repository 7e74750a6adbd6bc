import { expect, test } from 'vitest'
import { CliDesk } from '../../../support/desk/cli-desk.js'
import { Files, flow } from '../../../support/files/kept-files.js'

test.each([
  ['activate', 'flow activate note'],
  ['rollback', 'flow rollback note 1'],
  ['delete', 'flow delete note --yes'],
])('%s refuses a version that is not the expected one, and changes nothing', async (verb, line) => {
  const desk = await CliDesk.open()
  const files = new Files()
  for (const message of ['one', 'two']) {
    await desk.svc(`flow apply ${files.write('note.yaml', flow(message, 'note'))}`)
  }
  const before = (await desk.svc('flow list --json')).stdout
  expect(await desk.svc(`${line} --expect 1`)).toMatchObject({
    exit: 5,
    stderr: expect.stringContaining('the workflow has version 2, not 1'),
  })
  expect(await desk.svc(`${line} --expect two`)).toMatchObject({ exit: 2 })
  if (verb !== 'rollback') expect(await desk.svc(`${line} other --expect 2`)).toMatchObject({ exit: 2 })
  expect((await desk.svc('flow list --json')).stdout).toBe(before)
  expect(await desk.svc(`${line} --expect 2`)).toMatchObject({ exit: 0 })
  expect((await desk.svc('flow list --json')).stdout).not.toBe(before)
})
