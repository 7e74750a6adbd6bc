import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CliDesk } from '../../../support/desk/cli-desk.js'
import { Files, flow, straddle } from '../../../support/files/kept-files.js'

const at = (files: Files, name = 'flows') => join(files.folder, name)

test('a workflow whose file has a new id is listed as active without a file, and is not activated beside', async () => {
  const desk = await CliDesk.open()
  const files = new Files()
  const path = files.write('flows/note.yaml', flow('hello', 'first'))
  await desk.svc(`flow apply ${path} --activate`)
  files.write('flows/note.yaml', flow('hello', 'second'))

  for (const paths of [path, at(files)]) {
    for (const verb of ['plan', 'drift']) {
      const { exit, stdout, stderr } = await desk.svc(`flow ${verb} ${paths}`)
      expect([verb, exit, stdout]).toEqual([
        verb,
        9,
        `+ create second\n! no file first (active, applied from ${path})\n`,
      ])
      expect(stderr).toContain('1 has no file, 1 active. Delete it: --prune')
    }
    const refused = await desk.svc(`flow apply ${paths} --activate`)
    expect([refused.exit, refused.stdout]).toEqual([2, ''])
    expect(refused.stderr).toContain('Apply 1 change, beside 1 active workflow without a file')
    expect(refused.stderr).toContain('Pass --yes.')
  }
  const declined = await desk.svc(`flow apply ${path} --activate`, { answers: ['n'] })
  expect([declined.exit, await desk.svc('flow list -q')]).toMatchObject([1, { stdout: '1\n' }])

  expect((await desk.svc(`flow apply ${path}`)).exit).toBe(0)
  expect((await desk.svc(`flow drift ${path}`)).exit).toBe(9)
  const pruned = await desk.svc(`flow apply ${at(files)} --activate --prune --yes`)
  expect(pruned.stdout).toBe('= unchanged second (version 1, activated)\n- delete first (active: it stops)\n')
  expect((await desk.svc(`flow drift ${at(files)}`)).exit).toBe(0)
})

test('one file of many says nothing of the others, and a folder without a file names its workflow', async () => {
  const desk = await CliDesk.open()
  const files = new Files()
  const a = files.write('flows/a.yaml', flow('a'))
  files.write('flows/b.yaml', flow('b'))
  await desk.svc(`flow apply ${at(files)}`)
  expect(await desk.svc(`flow plan ${a}`)).toMatchObject({ exit: 0, stdout: '= unchanged a (inactive)\n' })
  files.remove('flows/b.yaml')
  const { exit, stdout, stderr } = await desk.svc(`flow drift ${at(files)}`)
  expect([exit, stdout.split('\n')[1]]).toEqual([
    9,
    expect.stringMatching(/^! no file b \(inactive, applied from /),
  ])
  expect(stderr).toContain('1 has no file, 0 active. Delete it: --prune')
  // Nothing that is active stays beside the files, so nothing is asked.
  expect((await desk.svc(`flow apply ${at(files)} --activate`)).exit).toBe(0)
})

test.each(['readable', 'graph'])(
  'the %s export of a workflow without a key changes that workflow',
  async (form) => {
    const desk = await CliDesk.open()
    const files = new Files()
    const nodes = [
      { id: 'go', type: 'start', position: { x: 0, y: 0 }, data: {} },
      { id: 'say', type: 'log', position: { x: 0, y: 90 }, data: { message: 'hello' } },
    ]
    const edges = [{ id: 'e', source: 'go', target: 'say' }]
    const rt = files.write('rt.json', JSON.stringify({ name: 'RT', nodes, edges }))
    await desk.svc(`flow import ${rt}`)
    const { stdout } = await desk.svc(`flow export 1 --form ${form}`)
    const name = form === 'graph' ? 'rt.json' : 'rt.yaml'
    files.remove('rt.json')
    const path = files.write(name, stdout)
    expect((await desk.svc(`flow plan ${path}`)).exit).toBe(0)
    expect((await desk.svc(`flow apply ${path}`)).stdout).toBe('= unchanged rt-imported-1 (version 1)\n')
    files.write(name, stdout.replaceAll('hello', 'good morning'))
    expect((await desk.svc(`flow apply ${path}`)).stdout).toMatch(/^~ update rt-imported-1 \(version 2\)\n/)
    expect((await desk.svc('flow list -q')).stdout).toBe('1\n')
  },
)

test('a file without the key of a workflow made by hand says that the name is taken', async () => {
  const desk = await CliDesk.open()
  const files = new Files()
  const note = files.write('note.yaml', flow('hello'))
  await desk.svc(`flow apply ${note}`)
  const { stdout } = await desk.svc('flow export note --form graph')
  const graph = files.write('graph.json', stdout)
  await desk.svc('flow delete note --yes')
  await desk.svc(`flow import ${graph}`)
  await desk.svc('flow activate 2')
  const path = files.write('own.yaml', flow('hello').replace('Note', 'Note (imported)'))
  expect(await desk.svc(`flow plan ${path}`)).toMatchObject({
    exit: 9,
    stdout: '+ create own (workflow 2, which is not from a file, has the same name)\n',
  })
  expect((await desk.svc(`flow apply ${path} --activate`)).exit).toBe(2)
})

test('a version keeps the commit it came from, with -dirty if the file is not as in it', async () => {
  const desk = await CliDesk.open()
  const files = new Files()
  const path = files.write('flows/note.yaml', flow('one'))
  files.write('README', 'one')
  const first = files.commit()
  files.write('README', 'two')
  await desk.svc(`flow apply ${path}`)
  files.write('flows/note.yaml', flow('two'))
  await desk.svc(`flow apply ${path}`)
  const second = files.commit()
  files.write('flows/note.yaml', flow('three'))
  const other = files.write('flows/new.yaml', flow('new'))
  await desk.svc(`flow apply ${other} --commit named`)
  await desk.svc(`flow apply ${at(files)}`)
  // A name that is no commit here says nothing of its history.
  files.write('flows/new.yaml', flow('newer'))
  await desk.svc(`flow apply ${other} --commit later`)
  const commits = async (name: string) =>
    JSON.parse((await desk.svc(`flow history ${name} --json`)).stdout).map(
      ({ commit }: { commit: string }) => commit,
    )
  expect(await commits('note')).toEqual([`${second}-dirty`, `${first}-dirty`, first])
  expect(await commits('new')).toEqual(['later', 'named'])
})

/** Two checkouts of one repository: the second one has applied a commit that the first does not have. */
async function twoCheckouts(kind: 'flow' | 'strategy') {
  const desk = await CliDesk.open()
  const [mine, theirs] = [new Files(), new Files()]
  const text = (word: string) => (kind === 'flow' ? flow(word, 'note') : straddle(word, 'note'))
  const write = (files: Files, word: string) => files.write('files/note.yaml', text(word))
  write(mine, 'one')
  mine.commit()
  theirs.git('clone', '-q', mine.folder, '.')
  await desk.svc(`${kind} apply ${at(mine, 'files')}`)
  write(theirs, 'two')
  theirs.commit()
  await desk.svc(`${kind} apply ${at(theirs, 'files')}`)
  write(mine, 'three')
  mine.commit()
  return { desk, mine, theirs, write }
}

test.each(['flow', 'strategy'] as const)(
  'a newer version from another checkout is overwritten only when its number is named (%s)',
  async (kind) => {
    const { desk, mine, theirs } = await twoCheckouts(kind)
    const [path, other] = [at(mine, 'files'), at(theirs, 'files')]
    const planned = await desk.svc(`${kind} plan ${path}`)
    expect(planned.stdout).toMatch(
      /version 2 was applied by asha from commit [0-9a-f]{10}, which is not in this checkout/,
    )
    const refused = await desk.svc(`${kind} apply ${path} --yes`)
    expect([refused.exit, refused.stdout]).toEqual([5, ''])
    expect(refused.stderr).toContain('--expect note=2')
    expect((await desk.svc(`${kind} apply ${path} --yes --expect 1`)).exit).toBe(5)
    expect((await desk.svc(`${kind} plan ${other}`)).exit).toBe(0)
    expect((await desk.svc(`${kind} apply ${path} --yes --expect note=2`)).exit).toBe(0)
    expect((await desk.svc(`${kind} plan ${path}`)).exit).toBe(0)
    // The other one has to get that change first.
    expect((await desk.svc(`${kind} apply ${other}`)).exit).toBe(5)
    theirs.git('pull', '-q', '--no-rebase', '-s', 'ours', 'origin', 'HEAD')
    expect((await desk.svc(`${kind} apply ${other}`)).exit).toBe(0)
  },
)

test('a workflow that another checkout has added is not deleted', async () => {
  const { desk, mine, theirs } = await twoCheckouts('flow')
  theirs.write('files/more.yaml', flow('more'))
  theirs.commit()
  await desk.svc(`flow apply ${at(theirs, 'files')}`)
  theirs.git('push', '-q', 'origin', 'HEAD:refs/heads/theirs')
  mine.git('merge', '-q', '-s', 'ours', 'theirs~1')
  const { exit, stderr } = await desk.svc(`flow apply ${at(mine, 'files')} --prune --yes`)
  expect([exit, stderr]).toEqual([5, expect.stringContaining('more: version 1 was applied by asha')])
})

test('without a repository the author decides, and the daemon checks the version that was seen', async () => {
  const desk = await CliDesk.open()
  const files = new Files()
  const path = files.write('note.yaml', flow('one'))
  await desk.svc(`flow apply ${path}`)
  files.write('note.yaml', flow('two'))
  expect((await desk.svc(`flow apply ${path}`)).exit).toBe(0)
  const { databases } = desk.service
  await databases.svc.write((tx) => tx.exec(`update flow_versions set "by" = 'ravi' where version = 2`))
  files.write('note.yaml', flow('three'))
  const refused = await desk.svc(`flow apply ${path}`)
  expect([refused.exit, refused.stderr]).toEqual([
    5,
    expect.stringContaining('version 2 is by ravi, not by you'),
  ])
  expect((await desk.svc(`flow apply ${path} --expect 2`)).exit).toBe(0)
})

test('a refusal names the kind where a workflow and a strategy have one id, and its --expect is taken', async () => {
  const desk = await CliDesk.open()
  const files = new Files()
  const folder = files.folder
  const write = (word: string) => {
    files.write('a.yaml', flow(word, 'same'))
    files.write('b.yaml', straddle(word, 'same'))
  }
  write('One')
  expect(await desk.svc(`flow apply ${folder}`)).toMatchObject({ exit: 0 })
  write('Two')
  const { databases } = desk.service
  await databases.svc.write((tx) => tx.exec(`update flow_versions set "by" = 'ravi'`))
  const refused = await desk.svc(`flow apply ${folder}`)
  expect([refused.exit, refused.stderr]).toEqual([
    5,
    expect.stringContaining('workflow:same: version 1 is by ravi'),
  ])
  const [expects] = /--expect workflow:same=1/.exec(refused.stderr) ?? []
  expect(await desk.svc(`flow apply ${folder} ${expects}`)).toMatchObject({ exit: 0 })
})

test.each([
  ['--expect two', '--expect two is not a version'],
  ['--expect other=2', 'no file has the id other'],
])('%s is wrong usage', async (option, message) => {
  const desk = await CliDesk.open()
  const path = new Files().write('note.yaml', flow('one'))
  const { exit, stderr } = await desk.svc(`flow apply ${path} ${option}`)
  expect([exit, stderr]).toEqual([2, expect.stringContaining(message)])
})

test('a strategy whose file has a new id is listed without a file', async () => {
  const desk = await CliDesk.open()
  const files = new Files()
  const path = files.write('strategies/one.yaml', straddle('One', 'first'))
  await desk.svc(`strategy apply ${path}`)
  files.write('strategies/one.yaml', straddle('Two', 'second'))
  for (const paths of [path, at(files, 'strategies')]) {
    const { exit, stdout, stderr } = await desk.svc(`strategy drift ${paths}`)
    expect([exit, stdout]).toEqual([9, `+ create second\n! no file first (stopped, applied from ${path})\n`])
    expect(stderr).toContain('1 has no file, 0 running. Delete it: --prune')
  }
})

test('of a folder of both kinds, --prune deletes what of either has no file any more, and nothing is left', async () => {
  const desk = await CliDesk.open()
  const files = new Files()
  files.write('flows/note.yaml', flow('hello', 'note'))
  files.write('flows/first.yaml', straddle('One', 'first'))
  await desk.svc(`flow apply ${at(files)}`)
  files.remove('flows/first.yaml')
  files.write('flows/second.yaml', straddle('Two', 'second'))
  files.write('flows/note.yaml', flow('hello', 'other'))
  const { stderr } = await desk.svc(`flow plan ${at(files)}`)
  expect(stderr).toContain('1 workflow has no file, 0 active. Delete it: --prune. 1 strategy has no file')
  expect(stderr).toContain('0 running. Delete it: --prune')
  const pruned = await desk.svc(`flow plan ${at(files)} --prune`)
  expect([pruned.exit, pruned.stdout]).toEqual([9, expect.stringContaining('- delete strategy first')])
  expect(await desk.svc(`flow apply ${at(files)} --prune`)).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('Pass --yes.'),
  })
  expect(await desk.svc(`flow apply ${at(files)} --prune --yes`)).toMatchObject({ exit: 0 })
  expect(await desk.svc(`flow plan ${at(files)} --prune`)).toMatchObject({ exit: 0 })
})

test('a strategy whose name is taken is refused before a plan is saved or anything is applied', async () => {
  const desk = await CliDesk.open()
  const files = new Files()
  const byHand = files.write('own.yaml', straddle('Other', 'x').replace(/^id.*\n/, ''))
  await desk.svc(`strategy create ${byHand}`)
  files.write('flows/other.yaml', straddle('Other', 'other'))
  files.write('flows/note.yaml', flow('hello', 'note'))
  const out = join(files.folder, 'p.plan.json')
  for (const line of [`flow plan ${at(files)} --out ${out}`, `flow apply ${at(files)}`]) {
    const refused = await desk.svc(line)
    expect([refused.exit, refused.stderr]).toEqual([
      5,
      expect.stringContaining('other: its name, Other, is taken by strategy 1, which is not from a file.'),
    ])
  }
  expect(existsSync(out)).toBe(false)
  expect((await desk.svc('flow list -q')).stdout).toBe('')
})

test('the export of a strategy without a key changes that strategy', async () => {
  const desk = await CliDesk.open()
  const files = new Files()
  const created = files.write('new.yaml', straddle('Own', 'x').replace(/^id.*\n/, ''))
  await desk.svc(`strategy create ${created}`)
  const { stdout } = await desk.svc('strategy export 1')
  const path = files.write('own.yaml', stdout)
  expect((await desk.svc(`strategy apply ${path}`)).stdout).toBe('= unchanged own-1 (version 1)\n')
  expect((await desk.svc('strategy list -q')).stdout).toBe('1\n')
})
