import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readSavedPlan, savedPlanText } from '../../../../src/core/documents/index.js'
import { CliDesk } from '../../../support/desk/cli-desk.js'
import { Files, flow, straddle } from '../../../support/files/kept-files.js'
import { recordFaults } from '../../../support/files/record-faults.js'

/** A daemon with one active workflow, and a saved plan that changes it and makes a second one. */
async function planned() {
  const desk = await CliDesk.open()
  const files = new Files()
  const folder = join(files.folder, 'flows')
  files.write('flows/a.yaml', flow('one', 'a'))
  await desk.svc(`flow apply ${folder} --activate`)
  files.write('flows/a.yaml', flow('two', 'a'))
  files.write('flows/b.yaml', flow('new', 'b'))
  const plan = join(files.folder, 'monday.plan.json')
  const made = await desk.svc(`flow plan ${folder} --out ${plan}`)
  return { desk, files, folder, plan, made }
}

test('a saved plan is applied as it was shown, whatever became of the files; a second time there is nothing to do', async () => {
  const { desk, files, folder, plan, made } = await planned()
  expect([made.exit, made.stderr]).toEqual([9, expect.stringContaining(`Saved: ${plan}.`)])
  expect(statSync(plan).mode & 0o777).toBe(0o600)
  files.write('flows/a.yaml', flow('three', 'a'))
  files.remove('flows/b.yaml')

  const applied = await desk.svc(`flow apply ${plan} --commit merged`)
  expect([applied.exit, applied.stdout]).toEqual([
    0,
    '~ update a (version 2)\n    ~ nodes.say.with.message: "one" -> "two"\n+ create b (version 1)\n',
  ])
  expect(applied.stderr).toContain('1 created, 1 updated, 0 deleted, 0 unchanged.\n')
  const history = JSON.parse((await desk.svc('flow history a --json')).stdout)
  expect(history[0]).toMatchObject({ version: 2, commit: 'merged', file: join(folder, 'a.yaml') })

  const again = await desk.svc(`flow apply ${plan}`)
  expect([again.exit, again.stderr]).toEqual([
    0,
    expect.stringContaining('Nothing to do: the daemon has what the plan says.'),
  ])
  expect((await desk.svc('flow list -q')).stdout.split('\n').filter(Boolean).sort()).toEqual(['1', '2'])
  expect(JSON.parse((await desk.svc('flow history a --json')).stdout)).toHaveLength(2)
})

test.each([
  ['changed', 'flow rollback a 1', /a: the plan saw version 1 by asha .*, the daemon has version 3 by asha/],
  [
    'deleted',
    'flow delete a --yes',
    /a: the plan saw version 1 by asha .*, and it is not there|daemon has none/,
  ],
  ['deactivated', 'flow deactivate a', /a: it was active in the plan, and is inactive now/],
])('a plan is refused once its workflow was %s, and nothing is applied', async (_, act, message) => {
  const { desk, files, plan } = await planned()
  if (act.includes('rollback')) await desk.svc(`flow apply ${files.write('flows/a.yaml', flow('x', 'a'))}`)
  expect(await desk.svc(act)).toMatchObject({ exit: 0 })
  const before = (await desk.svc('flow list --json')).stdout
  const { exit, stderr } = await desk.svc(`flow apply ${plan} --yes`)
  expect([exit, stderr]).toEqual([5, expect.stringMatching(message)])
  expect(stderr).toContain('Make a new plan')
  expect((await desk.svc('flow list --json')).stdout).toBe(before)
})

test('a plan for another daemon is refused, and both are named', async () => {
  const { desk, plan } = await planned()
  const read = readSavedPlan(readFileSync(plan, 'utf8'))
  if (!('plan' in read)) throw new Error(read.problem)
  writeFileSync(plan, savedPlanText({ ...read.plan, daemon: 'b2f1' }))
  const { exit, stderr } = await desk.svc(`flow apply ${plan} --yes`)
  expect([exit, stderr]).toEqual([
    5,
    expect.stringContaining(`was made for the daemon b2f1, and ${desk.url} is ${read.plan.daemon}`),
  ])
  expect((await desk.svc('flow list -q')).stdout).toBe('1\n')
})

test('a plan that somebody edited, and what is no plan, are wrong usage', async () => {
  const { desk, folder, plan } = await planned()
  const text = readFileSync(plan, 'utf8')
  for (const [content, message] of [
    [text.replace('"two"', '"2"'), 'it was changed or damaged after it was written'],
    [text.replace('"svc_plan": 1', '"svc_plan": 0'), 'another version of svc wrote it'],
    ['{}', 'it is no plan of svc flow plan --out'],
    ['', 'it is no plan of svc flow plan --out'],
  ]) {
    writeFileSync(plan, content ?? '')
    const { exit, stderr } = await desk.svc(`flow apply ${plan}`)
    expect([exit, stderr]).toEqual([2, expect.stringContaining(`cannot be applied: ${message}.`)])
  }
  writeFileSync(plan, text)
  for (const more of ['--prune', '--activate', '--expect 1', folder]) {
    expect(await desk.svc(`flow apply ${plan} ${more}`)).toMatchObject({ exit: 2 })
  }
  expect(await desk.svc(`flow plan ${folder} --out ${join(folder, 'plan.json')}`)).toMatchObject({ exit: 2 })
  // A plan beside the files is none of them.
  writeFileSync(join(folder, 'x.plan.json'), text)
  expect(await desk.svc(`flow validate ${folder}`)).toMatchObject({ exit: 0 })
})

test('a plan that apply would refuse is shown and not saved', async () => {
  const { desk, folder, plan } = await planned()
  const { databases } = desk.service
  await databases.svc.write((tx) => tx.exec(`update flow_versions set "by" = 'ravi'`))
  const other = plan.replace('monday', 'tuesday')
  const refused = await desk.svc(`flow plan ${folder} --out ${other}`)
  expect([refused.exit, refused.stdout]).toEqual([5, expect.stringContaining('apply needs --expect')])
  expect(() => statSync(other)).toThrow()
  expect(await desk.svc(`flow plan ${folder} --out ${other} --expect a=2`)).toMatchObject({
    exit: 5,
    stderr: expect.stringContaining('a has version 1, not 2'),
  })
  expect(await desk.svc(`flow plan ${folder} --out ${other} --expect a=1`)).toMatchObject({ exit: 9 })
  expect(await desk.svc(`flow apply ${other}`)).toMatchObject({ exit: 0 })
})

test('a terminal is asked before a saved plan is applied, a script is not, also for deletions', async () => {
  const { desk, files, folder, plan } = await planned()
  files.remove('flows/a.yaml')
  await desk.svc(`flow plan ${folder} --prune --out ${plan}`)
  expect(await desk.svc(`flow apply ${plan}`, { answers: ['n'] })).toMatchObject({ exit: 1 })
  expect(await desk.svc(`flow apply ${plan}`)).toMatchObject({
    exit: 0,
    stdout: '+ create b (version 1)\n- delete a (active: it stops)\n',
  })
})

/** A folder with workflows, and strategies in a folder of their own and beside them. */
function mixed(files: Files) {
  files.write('desk/a.yaml', flow('one', 'same'))
  files.write('desk/strategies/s.yaml', straddle('In a folder', 's'))
  files.write('desk/t.yaml', straddle('Beside', 'same'))
  return join(files.folder, 'desk')
}

test('a folder of both is one plan with one summary, and is applied as one', async () => {
  const desk = await CliDesk.open()
  const files = new Files()
  const folder = mixed(files)
  expect(await desk.svc(`flow validate ${folder}`)).toMatchObject({
    exit: 0,
    stderr: expect.stringContaining('3 files'),
  })
  const plan = join(files.folder, 'all.plan.json')
  const made = await desk.svc(`flow plan ${folder} --out ${plan}`)
  expect([made.exit, made.stdout]).toEqual([
    9,
    '+ create workflow same\n+ create strategy s\n+ create strategy same\n',
  ])
  expect(made.stderr).toContain('3 to create, 0 to update, 0 to delete, 0 unchanged.')
  expect(await desk.svc(`strategy apply ${plan}`)).toMatchObject({ exit: 2 })

  const applied = await desk.svc(`flow apply ${plan}`)
  expect(applied).toMatchObject({ exit: 0, stderr: expect.stringContaining('3 created, 0 updated') })
  expect(applied.stderr).toContain('Webhook token of s, shown only now: ')
  expect(await desk.svc(`flow apply ${folder}`)).toMatchObject({
    exit: 0,
    stdout:
      '= unchanged workflow same (version 1)\n= unchanged strategy s (version 1)\n= unchanged strategy same (version 1)\n',
  })
  expect(await desk.svc(`flow drift ${folder}`)).toMatchObject({ exit: 0 })
  // The verbs of strategies take only those of a folder.
  expect(await desk.svc(`strategy plan ${folder}`)).toMatchObject({
    exit: 0,
    stdout: '= unchanged s (stopped)\n= unchanged same (stopped)\n',
    stderr: '0 to create, 0 to update, 0 to delete, 2 unchanged.\n',
  })
  expect(await desk.svc(`flow plan ${folder} --expect same=1`)).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('--expect workflow:same=1'),
  })
  expect(await desk.svc(`flow plan ${folder} --expect strategy:same=1`)).toMatchObject({ exit: 0 })
})

test('a kind that has no file at the paths is left alone, also by --prune', async () => {
  const desk = await CliDesk.open()
  const files = new Files()
  const folder = mixed(files)
  await desk.svc(`flow apply ${folder}`)
  mkdirSync(join(files.folder, 'empty'))
  files.write('empty/a.test.yaml', '[]\n')
  for (const [path, exit] of [
    [join(folder, 'strategies'), 0],
    [join(files.folder, 'empty'), 2],
  ]) {
    expect(await desk.svc(`flow apply ${path} --prune --yes`)).toMatchObject({ exit })
    expect((await desk.svc('flow list -q')).stdout).toBe('1\n')
  }
})

test('no name hides a workflow or a strategy from --prune: its content decides, or it is refused by its name', async () => {
  const desk = await CliDesk.open()
  const files = new Files()
  const folder = join(files.folder, 'desk')
  const workflow = (message: string) =>
    JSON.stringify({
      id: 'w',
      name: 'W',
      nodes: { go: { type: 'start', next: 'say' }, say: { type: 'log', with: { message } } },
    })
  const json = files.write('desk/w.json', workflow('one'))
  const note = files.write('desk/note.yaml', flow('one', 'note'))
  const strategy = files.write('desk/s.yaml', straddle('S', 's'))
  expect(await desk.svc(`flow apply ${folder}`)).toMatchObject({ exit: 0 })
  const names = async () =>
    [
      (await desk.svc('flow list --columns file_key')).stdout,
      (await desk.svc('strategy list --columns file_key')).stdout,
    ]
      .join('')
      .trim()
      .split('\n')
      .sort()

  // A strategy named like scenarios, and a workflow named like a saved plan or a schema.
  for (const path of [json, strategy]) files.remove(path.slice(files.folder.length + 1))
  files.write('desk/morning.test.yaml', straddle('S', 's'))
  for (const name of ['monday.plan.json', 'editor.schema.json']) {
    files.write(`desk/${name}`, workflow(name))
    expect(await desk.svc(`flow apply ${folder} --prune --yes`)).toMatchObject({ exit: 0 })
    expect(await desk.svc(`strategy apply ${folder} --prune --yes`)).toMatchObject({ exit: 0 })
    expect(await names()).toEqual(['note', 's', 'w'])
    files.remove(`desk/${name}`)
  }

  // Scenarios have that name, so a workflow cannot.
  files.write('desk/w.json', workflow('one'))
  files.remove(note.slice(files.folder.length + 1))
  const misnamed = files.write('desk/note.test.yaml', flow('one', 'note'))
  for (const verb of ['plan', 'validate', 'test', 'apply --prune --yes']) {
    const { exit, stdout, stderr } = await desk.svc(`flow ${verb} ${folder}`)
    expect([verb, exit, stdout + stderr]).toEqual([verb, 2, expect.stringContaining(misnamed)])
  }
  expect(await names()).toEqual(['note', 's', 'w'])
  files.remove('desk/note.test.yaml')
  // Half a file says nothing of what it was.
  const torn = files.write('desk/w.plan.json', '{"nodes": ')
  expect(await desk.svc(`flow apply ${folder} --prune --yes`)).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining(torn),
  })
})

test('if the daemon refuses the strategies, no workflow changes either', async () => {
  const desk = await CliDesk.open()
  const files = new Files()
  const folder = mixed(files)
  const created = files.write('hand.yaml', straddle('Beside', 'x').replace(/^id.*\n/, ''))
  await desk.svc(`strategy create ${created}`)
  expect(await desk.svc(`flow apply ${folder}`)).toMatchObject({ exit: 5 })
  expect((await desk.svc('flow list -q')).stdout).toBe('')
})

test('what refuses the workflows refuses the strategies, too: scope, and a workflow that cannot be activated', async () => {
  const desk = await CliDesk.open()
  const files = new Files()
  const folder = mixed(files)
  const none = async () => expect((await desk.svc('strategy list -q')).stdout).toBe('')

  const { stdout: token } = await desk.svc('token create --name half --scope read,strategies --expires 1d -q')
  const refused = await desk.svc(`flow apply ${folder}`, { env: { SVC_TOKEN: token.trim() } })
  expect([refused.exit, refused.stderr]).toEqual([3, expect.stringContaining('lacks the scope: flows')])
  await none()

  files.write(
    'desk/a.yaml',
    flow('one', 'same').replace('scheduleType: daily', 'scheduleType: once, executeAt: "2020-01-01"'),
  )
  const late = await desk.svc(`flow apply ${folder} --activate`)
  expect([late.exit, late.stdout]).toEqual([2, ''])
  await none()
})

/** A folder of both, of which the daemon takes the strategies, and breaks off at the workflows. */
async function brokenOff(words: string) {
  const desk = await CliDesk.open()
  const files = new Files()
  const folder = mixed(files)
  const plan = join(files.folder, 'all.plan.json')
  await desk.svc(`flow plan ${folder} --out ${plan}`)
  const path = words === 'plan' ? plan : folder
  const { databases } = desk.service
  await databases.svc.write((tx) =>
    tx.exec(`create trigger broken before insert on flow_workflows begin select raise(abort, 'full'); end`),
  )
  const broken = await desk.svc(`flow apply ${path}`)
  await databases.svc.write((tx) => tx.exec('drop trigger broken'))
  return { desk, path, broken }
}

test.each(['plan', 'folder'])(
  'an apply that breaks off says what was applied, and a second one goes on (%s)',
  async (words) => {
    const { broken, desk, path } = await brokenOff(words)
    expect([broken.exit, broken.stdout]).toEqual([
      expect.toSatisfy((exit) => exit !== 0 && exit !== 2),
      '+ create s (version 1)\n+ create same (version 1)\n',
    ])
    expect(broken.stderr).toContain('Webhook token of s, shown only now: ')
    expect(broken.stderr).toMatch(
      /error: Applied: strategy s, strategy same\. Not applied: workflow same\. .*run the same command again/,
    )
    expect((await desk.svc('flow list -q')).stdout).toBe('')

    const again = await desk.svc(`flow apply ${path}`)
    expect([again.exit, again.stdout]).toEqual([0, expect.stringContaining('+ create ')])
    expect((await desk.svc('flow list -q')).stdout).toBe('1\n')
    expect((await desk.svc('strategy list -q')).stdout.split('\n').filter(Boolean)).toHaveLength(2)
    expect(await desk.svc(`flow apply ${path}`)).toMatchObject({ exit: 0 })
  },
)

test('a new id that names the earlier one moves the workflow and the strategy', async () => {
  const desk = await CliDesk.open()
  const files = new Files()
  const folder = mixed(files)
  await desk.svc(`flow apply ${folder} --activate`)
  files.write('desk/a.yaml', `moved: same\n${flow('one', 'range')}`)
  files.write('desk/t.yaml', `moved: [older, same]\n${straddle('Beside', 'new')}`)
  expect(await desk.svc(`flow plan ${folder}`)).toMatchObject({
    exit: 9,
    stdout:
      '~ moved workflow same -> range (active)\n= unchanged strategy s (stopped)\n~ moved strategy same -> new (stopped)\n',
    stderr: '0 to create, 2 to update (2 moved), 0 to delete, 1 unchanged.\n',
  })
  expect(await desk.svc(`flow apply ${folder} --prune`)).toMatchObject({ exit: 0 })
  expect((await desk.svc('flow list -q')).stdout).toBe('1\n')
  expect(await desk.svc(`flow plan ${folder}`)).toMatchObject({ exit: 0 })
  expect((await desk.svc('flow export range')).stdout).not.toContain('moved')
})

test('an earlier id that is none is found offline, with its place', async () => {
  const desk = await CliDesk.open()
  const files = new Files()
  const a = files.write('flows/a.yaml', `moved: b\n${flow('one', 'a')}`)
  files.write('flows/b.yaml', flow('two', 'b'))
  const folder = join(files.folder, 'flows')
  const { exit, stdout } = await desk.svc(`flow validate ${folder}`)
  expect([exit, stdout]).toEqual([
    2,
    `${a}:1:8: error[invalid_id]: "b" is still the id of ${join(folder, 'b.yaml')}.\n`,
  ])
  const s = files.write('strategies/s.yaml', `moved: s\n${straddle('S', 's')}`)
  expect(await desk.svc(`strategy validate ${s}`)).toMatchObject({
    exit: 2,
    stdout: `${s}:1:8: error[duplicate_id]: "s" is the id that the file has now.\n`,
  })
})

test('a plan that activates is refused once a workflow without a file is active: both would order', async () => {
  const { desk, files, folder, plan } = await planned()
  await desk.svc('flow deactivate a')
  files.remove('flows/a.yaml')
  expect(await desk.svc(`flow plan ${folder} --activate --out ${plan}`)).toMatchObject({ exit: 9 })
  await desk.svc('flow activate a')
  const refused = await desk.svc(`flow apply ${plan}`)
  const words = expect.stringContaining('a: it has no file and is active now')
  expect([refused.exit, refused.stderr]).toEqual([5, words])
})

test('a plan that activates is refused once a workflow of the same name is active: both would order', async () => {
  const { desk, files, folder, plan } = await planned()
  files.remove('flows/a.yaml')
  files.write('flows/b.yaml', flow('new', 'b').replace('name: Note', 'name: Note (imported)'))
  await desk.svc('flow delete a --yes')
  await desk.svc(`flow import ${files.write('hand.yaml', flow('new'))}`)
  expect(await desk.svc(`flow plan ${folder} --activate --out ${plan}`)).toMatchObject({ exit: 9 })
  expect(await desk.svc('flow activate 2')).toMatchObject({ exit: 0 })
  const refused = await desk.svc(`flow apply ${plan}`)
  const words = expect.stringContaining('b: an active workflow, made by hand, has its name now')
  expect([refused.exit, refused.stderr]).toEqual([5, words])
})

test('a saved plan of others is applied when a workflow without a file was changed since', async () => {
  const { desk, files, folder, plan } = await planned()
  const other = files.write('other/c.yaml', flow('c', 'c'))
  await desk.svc(`flow apply ${other}`)
  files.write('flows/s.yaml', straddle('S', 's'))
  await desk.svc(`flow plan ${folder} --out ${plan}`)
  files.write('other/c.yaml', flow('changed', 'c'))
  await desk.svc(`flow apply ${other}`)
  expect(await desk.svc(`flow apply ${plan}`)).toMatchObject({ exit: 0 })
})

test('a version that is not the expected one stops the strategies, too', async () => {
  const desk = await CliDesk.open()
  const folder = mixed(new Files())
  expect(await desk.svc(`flow apply ${folder} --expect workflow:same=7`)).toMatchObject({ exit: 5 })
  expect((await desk.svc('strategy list -q')).stdout).toBe('')
})

test('--prune deletes no strategy that was made by hand', async () => {
  const desk = await CliDesk.open()
  const files = new Files()
  const byHand = files.write('own.yaml', straddle('By hand', 'u').replace(/^id.*\n/, ''))
  await desk.svc(`strategy create ${byHand}`)
  expect(await desk.svc(`flow apply ${mixed(files)} --prune --yes`)).toMatchObject({ exit: 0 })
  expect((await desk.svc('strategy list -q')).stdout.split('\n').filter(Boolean)).toHaveLength(3)
})

test('ids alone are those of what would change', async () => {
  const { desk, folder } = await planned()
  const ids = async (more = '') => (await desk.svc(`flow plan ${folder} -q${more}`)).stdout.trim().split('\n')
  const before = await ids()
  await desk.svc(`flow apply ${folder}`)
  expect([before.length > 0 && before[0] !== '', await ids()]).toEqual([true, ['']])
  expect(await ids(' --activate')).toEqual(['b'])
})

test('an activation is in the summary and in the rows of a plan, also if nothing else changes', async () => {
  const { desk, folder } = await planned()
  // a is active, and b is new.
  await desk.svc(`flow apply ${folder}`)
  const plan = await desk.svc(`flow plan ${folder} --activate --json`)
  expect([plan.exit, plan.stderr]).toEqual([
    9,
    '0 to create, 0 to update, 0 to delete, 1 to activate, 2 unchanged.\n',
  ])
  expect(JSON.parse(plan.stdout)).toMatchObject([
    { key: 'a', action: 'none', will_activate: false },
    { key: 'b', action: 'none', will_activate: true },
  ])
  const applied = await desk.svc(`flow apply ${folder} --activate`)
  expect(applied.stderr).toContain('0 deleted, 1 activated, 2 unchanged.')
  const again = await desk.svc(`flow plan ${folder} --activate`)
  expect([again.exit, again.stderr]).toEqual([0, '0 to create, 0 to update, 0 to delete, 2 unchanged.\n'])
})

describe('a workflow that somebody deactivated', () => {
  const SAID = 'was deactivated here'

  test('is activated again in a script only with --expect, and the plan says so', async () => {
    const { desk, folder } = await planned()
    await desk.svc(`flow apply ${folder} --activate`)
    await desk.svc('flow deactivate a')
    const plan = await desk.svc(`flow plan ${folder} --activate`)
    expect([plan.exit, plan.stdout]).toEqual([
      9,
      expect.stringContaining(`${SAID}: apply asks, a script needs --expect`),
    ])
    for (const yes of ['', ' --yes']) {
      const refused = await desk.svc(`flow apply ${folder} --activate${yes}`)
      expect([refused.exit, refused.stderr]).toEqual([
        5,
        expect.stringMatching(
          /a: was deactivated here.*Leave --activate out, or activate it again: --expect a=\d+/,
        ),
      ])
    }
    // Without --activate nothing is activated, so there is nothing to agree to.
    expect((await desk.svc(`flow apply ${folder}`)).exit).toBe(0)
    expect(await isActive(desk)).toBe(false)
    const version = /--expect a=(\d+)/.exec((await desk.svc(`flow apply ${folder} --activate`)).stderr)?.[1]
    expect((await desk.svc(`flow apply ${folder} --activate --expect a=${version}`)).exit).toBe(0)
    expect(await isActive(desk)).toBe(true)
  })

  test('is asked about on a terminal, also when its file has no change', async () => {
    const { desk, folder } = await planned()
    await desk.svc(`flow apply ${folder}`)
    await desk.svc('flow deactivate a')
    const declined = await desk.svc(`flow apply ${folder} --activate`, { answers: ['n'] })
    expect([declined.exit, declined.stderr]).toEqual([1, expect.stringContaining(SAID)])
    expect(await isActive(desk)).toBe(false)
    expect((await desk.svc(`flow apply ${folder} --activate`, { answers: ['y'] })).exit).toBe(0)
    expect(await isActive(desk)).toBe(true)
  })

  test('a new one, and one that was never active, need no word', async () => {
    const desk = await CliDesk.open()
    const files = new Files()
    const path = files.write('flows/n.yaml', flow('n'))
    await desk.svc(`flow apply ${path}`)
    expect((await desk.svc(`flow apply ${path} --activate`)).exit).toBe(0)
    expect(await isActive(desk, 'n')).toBe(true)
  })

  async function isActive(desk: CliDesk, key = 'a'): Promise<boolean | undefined> {
    const rows: { file_key: string; is_active: boolean }[] = JSON.parse(
      (await desk.svc('flow list --json')).stdout,
    )
    return rows.find((row) => row.file_key === key)?.is_active
  }
})

test('the rows of a plan of workflows and strategies have the record of their schema', async () => {
  const { desk, files, folder } = await planned()
  files.write('strategies/s.yaml', straddle('Morning', 'morning'))
  const { exit, stdout } = await desk.svc(
    `flow plan ${folder} ${join(files.folder, 'strategies')} --activate --json`,
  )
  const rows: { kind: string }[] = JSON.parse(stdout)
  expect([exit, rows.map(({ kind }) => kind).sort()]).toEqual([9, ['strategy', 'workflow', 'workflow']])
  expect(recordFaults('plan', rows)).toEqual([])
  const [first] = rows
  expect(recordFaults('plan', [{ ...first, action: 'nothing' }])).toHaveLength(1)
})

test.each(['flow plan', 'flow drift', 'strategy plan', 'strategy drift'])(
  'a saved plan is no file of svc %s, which says how it is applied',
  async (command) => {
    const { desk, plan } = await planned()
    const { exit, stderr } = await desk.svc(`${command} ${plan}`)
    const [noun] = command.split(' ')
    expect([exit, stderr]).toEqual([2, expect.stringContaining(`${plan} is a saved plan`)])
    expect(stderr).toContain(`svc ${noun} apply ${plan}`)
  },
)
