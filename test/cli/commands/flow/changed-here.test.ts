import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CliDesk } from '../../../support/desk/cli-desk.js'
import { Files, flow, straddle } from '../../../support/files/kept-files.js'

/** A workflow of which the file has the second version, and the daemon the first one again: somebody rolled it back. */
async function rolledBack() {
  const desk = await CliDesk.open()
  const files = new Files()
  const path = files.write('flows/note.yaml', flow('good'))
  await desk.svc(`flow apply ${path}`)
  files.write('flows/note.yaml', flow('bad'))
  await desk.svc(`flow apply ${path}`)
  await desk.svc('flow rollback note 1')
  const message = async () => (await desk.svc('flow show note --json')).stdout.match(/good|bad/)?.[0]
  return { desk, files, path, message }
}

const SAID =
  /was changed here since this file was last applied \(rolled back to version 1 by asha at \d{4}-\d{2}-\d{2}T\S+, version 3\)/

test.each(['', ' --yes', ' --prune --yes', ' --activate --yes'])(
  'a script does not undo a rollback (flow apply%s), and is told the word that would',
  async (options) => {
    const { desk, path, message } = await rolledBack()
    const { exit, stdout, stderr } = await desk.svc(`flow apply ${path}${options}`)
    expect([exit, stdout]).toEqual([5, ''])
    expect(stderr).toMatch(SAID)
    expect(stderr).toContain('Take that change into the file, or overwrite it: --expect note=3')
    expect(await message()).toBe('good')
    expect(await desk.svc(`flow apply ${path}${options} --expect note=2`)).toMatchObject({ exit: 5 })
    expect(await desk.svc(`flow apply ${path}${options} --expect note=3`)).toMatchObject({ exit: 0 })
    expect(await message()).toBe('bad')
    // From now on the file is what the daemon has.
    expect(await desk.svc(`flow apply ${path}${options}`)).toMatchObject({ exit: 0 })
  },
)

test('a terminal shows the change and asks; --yes there is no answer to it', async () => {
  const { desk, path, message } = await rolledBack()
  const planned = await desk.svc(`flow plan ${path}`)
  expect([planned.exit, planned.stdout]).toEqual([9, expect.stringMatching(SAID)])
  expect(planned.stdout).toContain('apply asks, a script needs --expect')
  const yes = await desk.svc(`flow apply ${path} --yes`, { answers: [] })
  expect(yes.exit).toBe(5)
  let shown = ''
  const no = await desk.svc(`flow apply ${path}`, {
    answers: [
      async (text) => {
        shown = text
        return 'n'
      },
    ],
  })
  expect([no.exit, shown]).toEqual([1, expect.stringMatching(SAID)])
  expect(await message()).toBe('good')
  expect(await desk.svc(`flow apply ${path}`, { answers: ['y'] })).toMatchObject({ exit: 0 })
  expect(await message()).toBe('bad')
})

test('a saved plan names the version that it overwrites, so it is applied', async () => {
  const { desk, files, path, message } = await rolledBack()
  const plan = join(files.folder, 'monday.plan.json')
  const made = await desk.svc(`flow plan ${path} --out ${plan}`)
  expect([made.exit, made.stdout]).toEqual([9, expect.stringMatching(SAID)])
  expect(await desk.svc(`flow apply ${plan}`)).toMatchObject({ exit: 0 })
  expect(await message()).toBe('bad')
})

test('a rollback to what the file has is no change, and the next change of the file is applied', async () => {
  const { desk, files, path } = await rolledBack()
  files.write('flows/note.yaml', flow('good'))
  expect(await desk.svc(`flow apply ${path}`)).toMatchObject({ exit: 0 })
  files.write('flows/note.yaml', flow('better'))
  expect(await desk.svc(`flow apply ${path}`)).toMatchObject({ exit: 0 })
})

test('a script does not delete what was changed here', async () => {
  const { desk, files, message } = await rolledBack()
  files.remove('flows/note.yaml')
  files.write('flows/other.yaml', flow('other'))
  const refused = await desk.svc(`flow apply ${join(files.folder, 'flows')} --prune --yes`)
  expect([refused.exit, refused.stderr]).toEqual([5, expect.stringMatching(SAID)])
  expect(await message()).toBe('good')
})

test('a script does not overwrite a strategy that was changed here', async () => {
  const desk = await CliDesk.open()
  const files = new Files()
  const path = files.write('strategies/one.yaml', straddle('One', 'one'))
  await desk.svc(`strategy apply ${path}`)
  const edited = files.write('edited.yaml', 'name: By hand\n')
  expect(await desk.svc(`strategy update one ${edited}`)).toMatchObject({ exit: 0 })
  files.write('strategies/one.yaml', straddle('Two', 'one'))
  const refused = await desk.svc(`strategy apply ${path} --yes`)
  expect([refused.exit, refused.stderr]).toEqual([
    5,
    expect.stringMatching(
      /changed here since this file was last applied \(changed by \S+ at \S+, version 2\)/,
    ),
  ])
  expect(await desk.svc(`strategy apply ${path} --expect one=2`)).toMatchObject({ exit: 0 })
})
