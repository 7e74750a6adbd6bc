import { expect, test } from 'vitest'
import { CliDesk } from '../../../support/desk/cli-desk.js'
import { Files, flow, straddle } from '../../../support/files/kept-files.js'

/** A strategy that was applied from a file with three quantities, and its file with a fourth. */
async function versions() {
  const desk = await CliDesk.open()
  const files = new Files()
  const text = (qty: number) => straddle('One', 'first').replace('qty: 10', `qty: ${qty}`)
  const write = (qty: number) => files.write('strategies/one.yaml', text(qty))
  for (const qty of [10, 20, 30]) await desk.svc(`strategy apply ${write(qty)}`)
  return { desk, files, file: write(40) }
}

const changed = (before: number, after: number) => `~ legs[0].qty: ${before} -> ${after}\n`

test('the versions are listed with their authors and files, and page by page', async () => {
  const { desk, file } = await versions()
  const listed = await desk.svc('strategy history first --json')
  expect(JSON.parse(listed.stdout)).toMatchObject([
    { version: 3, current: true, by: 'asha', credential: 'session', origin: 'apply', file, name: 'One' },
    { version: 2, current: false },
    { version: 1, current: false },
  ])
  expect(await desk.svc('strategy history first --limit 2 -q')).toMatchObject({ exit: 0, stdout: '3\n2\n' })
  const page = await desk.svc('strategy history first --limit 2', { answers: [] })
  expect(page.stderr).toContain('There are earlier versions: svc strategy history first --before 2')
  expect((await desk.svc('strategy history first --before 2 -q')).stdout).toBe('1\n')
  expect(await desk.svc('strategy history nothing')).toMatchObject({ exit: 4 })
})

test('two versions, a version and the current one, and the last change', async () => {
  const { desk } = await versions()
  expect(await desk.svc('strategy diff first 1 3')).toMatchObject({
    exit: 9,
    stdout: `--- first@1\n+++ first@3\n${changed(10, 30)}`,
    stderr: '1 difference.\n',
  })
  expect((await desk.svc('strategy diff first 1')).stdout).toBe(
    `--- first@1\n+++ first@3\n${changed(10, 30)}`,
  )
  expect((await desk.svc('strategy diff first')).stdout).toBe(`--- first@2\n+++ first@3\n${changed(20, 30)}`)
  expect(await desk.svc('strategy diff first 3')).toMatchObject({
    exit: 0,
    stdout: '',
    stderr: 'No differences.\n',
  })
  const document = await desk.svc('strategy diff first 2 1 --json')
  expect(JSON.parse(document.stdout)).toEqual([
    { kind: 'changed', path: 'legs[0].qty', before: 20, after: 10 },
  ])
  expect(await desk.svc('strategy diff first 9')).toMatchObject({
    exit: 4,
    stderr: expect.stringContaining('Strategy 1 has no version 9'),
  })
  expect(await desk.svc('strategy diff first one')).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('"one" is not a version number.'),
  })
})

test('a file and the strategy that it would change, or a version of it', async () => {
  const { desk, file, files } = await versions()
  expect(await desk.svc(`strategy diff ${file}`)).toMatchObject({
    exit: 9,
    stdout: `--- first@3\n+++ ${file}\n${changed(30, 40)}`,
  })
  expect((await desk.svc(`strategy diff ${file} 1`)).stdout).toBe(
    `--- first@1\n+++ ${file}\n${changed(10, 40)}`,
  )
  expect(await desk.svc(`strategy diff ${file} 1 2`)).toMatchObject({ exit: 2 })
  const other = files.write('strategies/other.yaml', straddle('Other', 'other'))
  expect(await desk.svc(`strategy diff ${other}`)).toMatchObject({
    exit: 4,
    stderr: expect.stringContaining('The daemon has no strategy "other" yet.'),
  })
  const faulty = files.write(
    'strategies/faulty.yaml',
    straddle('Faulty', 'faulty').replace('qty: 10', 'qty: 0'),
  )
  expect(await desk.svc(`strategy diff ${faulty}`)).toMatchObject({
    exit: 2,
    stderr: expect.stringMatching(/faulty\.yaml:9:\d+: /),
  })
})

test('a file of the other kind is named as such, with the command that takes it', async () => {
  const { desk, file, files } = await versions()
  const note = files.write('flows/note.yaml', flow('hello', 'note'))
  const said: [string, string, string][] = [
    [`flow diff ${file}`, `${file} is a strategy, not a workflow.`, `svc strategy diff ${file}`],
    [`flow diff ${note} ${file}`, `${file} is a strategy, not a workflow.`, `svc strategy diff ${file}`],
    [`flow graph ${file}`, `${file} is a strategy, not a workflow.`, 'svc strategy --help'],
    [`strategy diff ${note}`, `${note} is a workflow, not a strategy.`, `svc flow diff ${note}`],
  ]
  for (const [command, message, hint] of said) {
    const { exit, stderr } = await desk.svc(command)
    expect([command, exit, stderr]).toEqual([command, 2, expect.stringContaining(message)])
    expect(stderr).toContain(hint)
  }
})

test('a rollback shows what it changes, asks, and is a new version', async () => {
  const { desk } = await versions()
  const shown = `--- first@3\n+++ first@1\n${changed(30, 10)}`
  const refused = await desk.svc('strategy rollback first 1', { answers: ['n'], env: { NO_COLOR: '1' } })
  expect([refused.exit, refused.stderr]).toEqual([1, expect.stringContaining(shown)])
  expect(refused.stderr).toContain('Restore version 1 of strategy first? [y/N] ')
  expect((await desk.svc('strategy history first -q')).stdout).toBe('3\n2\n1\n')

  const done = await desk.svc('strategy rollback first 1 --json', { answers: ['y'] })
  expect([done.exit, JSON.parse(done.stdout)]).toEqual([
    0,
    { id: 1, version: 4, message: 'Strategy restored to version 1.' },
  ])
  expect((await desk.svc('strategy diff first 1')).exit).toBe(0)
  const [newest] = JSON.parse((await desk.svc('strategy history first --limit 1 --json')).stdout)
  expect(newest).toMatchObject({ version: 4, origin: 'rollback', rolled_back_to: 1 })
  expect((await desk.svc('strategy drift')).exit).toBe(9)
})

test('a script restores a version only with --yes, and only over the version that it expects', async () => {
  const { desk } = await versions()
  expect(await desk.svc('strategy rollback first 1')).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('Pass --yes.'),
  })
  expect(await desk.svc('strategy rollback first 1 --expect 2 --yes')).toMatchObject({
    exit: 5,
    stderr: expect.stringContaining('Nothing was changed: the strategy has version 3, not 2'),
  })
  expect(await desk.svc('strategy rollback first 9 --yes')).toMatchObject({ exit: 4 })
  expect(await desk.svc('strategy rollback first one --yes')).toMatchObject({ exit: 2 })
  expect(await desk.svc('strategy rollback first 1 --expect x --yes')).toMatchObject({ exit: 2 })
  expect((await desk.svc('strategy history first -q')).stdout).toBe('3\n2\n1\n')
  expect(await desk.svc('strategy rollback first 1 --expect 3 --yes')).toMatchObject({ exit: 0 })
})

test('a version that does not exist is refused before anybody is asked', async () => {
  const { desk } = await versions()
  const { exit, stderr } = await desk.svc('strategy rollback first 9', { answers: [] })
  expect([exit, stderr]).toEqual([4, expect.stringContaining('Strategy 1 has no version 9')])
})

test('a change while the question waits is not overwritten', async () => {
  const { desk } = await versions()
  const elsewhere = async () => {
    await desk.service.strategyCatalog.change('asha', 1, { overall_sl_mtm: 500 })
    return 'y'
  }
  const { exit, stderr } = await desk.svc('strategy rollback first 1', { answers: [elsewhere] })
  expect([exit, stderr]).toEqual([5, expect.stringContaining('the strategy has version 4, not 3')])
  expect((await desk.service.strategyCatalog.get('asha', 1)).config.overall_sl_mtm).toBe(500)
})
