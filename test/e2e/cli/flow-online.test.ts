import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { SvcClient, SvcError } from '../../../src/client/index.js'
import { commandDesk } from '../../support/desk/command-desk.js'
import { flowsOf } from '../../support/desk/flow-desk.js'
import { tempDir } from '../../support/files/temp.js'
import { freeUrl } from '../../support/traffic/gateway.js'

const HELLO = `id: hello
name: Hello
nodes:
  go: {type: start, next: note}
  note: {type: log, with: {message: hello}}
`
const OTHER = HELLO.replace('id: hello', 'id: other').replace('Hello', 'Other')
const FAILS = `id: fails
name: Fails
nodes:
  go: {type: webhookTrigger, next: order}
  order: {type: placeOrder, with: {symbol: SBIN, exchange: NSE, action: BUY, quantity: "{{webhook.qty}}"}}
`
const SAYS = HELLO.replace('hello}', '"got {{who}} {{webhook.side}}"}').replace('id: hello', 'id: says')

function folder(files: Readonly<Record<string, string>>): string {
  const directory = tempDir()
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text)
  return directory
}

const desk = commandDesk()
const svc: typeof desk.terminal.svc = (line, options) => desk.terminal.svc(line, options)
const json = async (line: string | readonly string[]) => {
  const words = typeof line === 'string' ? line.split(' ') : line
  return JSON.parse((await svc([...words, '--json'])).stdout)
}
afterEach(async () => {
  for (const { id } of (await flowsOf(desk.daemon)).values()) {
    await desk.daemon.request('POST', `/flow/api/workflows/${id}/deactivate`)
    await desk.daemon.request('DELETE', `/flow/api/workflows/${id}`)
  }
})

/** Returns a daemon with one applied workflow. */
async function withHello() {
  const directory = folder({ 'hello.yaml': HELLO })
  expect((await svc(['flow', 'apply', directory, '--yes'])).exit).toBe(0)
  const [{ id }] = await json('flow list')
  return { directory, id: Number(id) }
}

describe('svc flow plan and apply', () => {
  it('plan lists the changes with exit 9; apply makes them once', async () => {
    const directory = folder({ 'hello.yaml': HELLO, 'other.yaml': OTHER })
    const first = await svc(['flow', 'plan', directory])
    expect(first).toEqual({
      exit: 9,
      stdout: '+ create hello\n+ create other\n',
      stderr: '2 to create, 0 to update, 0 to delete, 0 unchanged.\n',
    })
    const applied = await svc(['flow', 'apply', directory])
    expect(applied).toEqual({
      exit: 0,
      stdout: '+ create hello (version 1)\n+ create other (version 1)\n',
      stderr: '2 created, 0 updated, 0 deleted, 0 unchanged.\n',
    })
    const again = await svc(['flow', 'plan', directory])
    expect([again.exit, again.stdout]).toEqual([
      0,
      '= unchanged hello (inactive)\n= unchanged other (inactive)\n',
    ])
    expect((await svc(['flow', 'apply', directory])).stderr).toMatch(/^0 created, 0 updated/)
  })

  it('says what is active, and what a change means for it', async () => {
    const { id } = await withHello()
    expect((await svc(['flow', 'activate', String(id)])).exit).toBe(0)
    const changed = folder({ 'hello.yaml': HELLO.replace('message: hello', 'message: bye') })
    expect((await svc(['flow', 'plan', changed])).stdout).toMatch(
      /^~ update hello \(active: the next run uses the change\)\n/,
    )
    const same = folder({ 'hello.yaml': HELLO })
    expect((await svc(['flow', 'plan', same])).stdout).toBe('= unchanged hello (active)\n')
  })

  it('shows an update field by field', async () => {
    const { id } = await withHello()
    const changed = folder({ 'hello.yaml': HELLO.replace('message: hello', 'message: bye') })
    const { exit, stdout } = await svc(['flow', 'plan', changed])
    expect([exit, stdout]).toEqual([
      9,
      '~ update hello (inactive)\n    ~ nodes.note.with.message: "hello" -> "bye"\n',
    ])
    expect(await json(['flow', 'plan', changed])).toMatchObject([
      {
        key: 'hello',
        action: 'update',
        workflow_id: id,
        changes: [{ kind: 'changed', path: 'nodes.note.with.message', before: 'hello', after: 'bye' }],
      },
    ])
  })

  it('sends nothing while a file has an error or an unlisted symbol', async () => {
    const broken = folder({ 'a.yaml': HELLO, 'b.yaml': OTHER.replace('next: note', 'next: nota') })
    const { exit, stdout, stderr } = await svc(['flow', 'apply', broken, '--yes'])
    expect([exit, stdout]).toEqual([2, ''])
    expect(stderr).toContain('b.yaml:4:27: error[dangling_edge]: ')
    expect(stderr).toContain('1 error in the files; nothing was sent.')
    const stranger = folder({ 'fails.yaml': FAILS.replace('SBIN', 'NOSUCH') })
    const refused = await svc(['flow', 'plan', stranger])
    expect([refused.exit, refused.stderr]).toEqual([2, expect.stringContaining('error[unknown_symbol]')])
    expect((await svc(['flow', 'validate', stranger])).exit).toBe(2)
    expect(await json('flow list')).toEqual([])
  })

  it('--prune deletes workflows without a file, only after a yes', async () => {
    await withHello()
    const rest = folder({ 'other.yaml': OTHER })
    const refused = await svc(['flow', 'apply', rest, '--prune'])
    expect([refused.exit, refused.stderr]).toEqual([
      2,
      expect.stringContaining('- delete hello (inactive)\n'),
    ])
    expect(await json('flow list')).toHaveLength(1)
    const { exit, stdout } = await svc(['flow', 'apply', rest, '--prune', '--yes'])
    expect([exit, stdout]).toEqual([0, '+ create other (version 1)\n- delete hello (inactive)\n'])
    expect((await json('flow list')).map((row: { file_key: string }) => row.file_key)).toEqual(['other'])
  })

  it('asks on a terminal before every change', async () => {
    const directory = folder({ 'hello.yaml': HELLO })
    const ask = (...typed: string[]) => svc(['flow', 'apply', directory, '--no-color'], { typed })
    const no = await ask('n')
    expect(no.exit).toBe(1)
    expect(no.stdout).toContain('+ create hello\n')
    expect(no.stdout).toContain('Apply 1 change? [y/N]')
    expect(await json('flow list')).toEqual([])
    expect((await ask('y')).exit).toBe(0)
    const unchanged = await ask()
    expect([unchanged.exit, unchanged.stdout]).toEqual([0, expect.not.stringContaining('[y/N]')])
  })

  it('stores the file and the commit of its repository with each version', async () => {
    const directory = folder({ 'hello.yaml': HELLO })
    const git = (...words: string[]) =>
      execFileSync('git', ['-C', directory, '-c', 'user.name=a', '-c', 'user.email=a@b', ...words], {
        encoding: 'utf8',
      }).trim()
    git('init', '-q')
    git('add', '.')
    git('commit', '-q', '-m', 'first')
    await svc(['flow', 'apply', directory])
    expect(await json('flow history hello')).toMatchObject([
      { version: 1, origin: 'apply', commit: git('rev-parse', 'HEAD'), file: join(directory, 'hello.yaml') },
    ])
    writeFileSync(join(directory, 'hello.yaml'), HELLO.replace('message: hello', 'message: bye'))
    await svc(['flow', 'apply', directory, '--commit', 'abc123'])
    expect((await json('flow history hello'))[0]).toMatchObject({ version: 2, commit: 'abc123' })
  })

  it('--activate activates the applied workflows', async () => {
    const { stdout } = await svc(['flow', 'apply', folder({ 'hello.yaml': HELLO }), '--activate'])
    expect(stdout).toBe('+ create hello (version 1, activated)\n')
    expect(await json('flow list')).toMatchObject([{ is_active: true }])
  })
})

describe('svc flow drift', () => {
  it('is silent with exit 0, and exit 9 after a change by hand', async () => {
    const { directory, id } = await withHello()
    expect(await svc('flow drift')).toMatchObject({ exit: 0, stdout: '' })
    await desk.daemon.request('PUT', `/flow/api/workflows/${id}`, { name: 'Mine' })
    const bare = await svc('flow drift')
    expect([bare.exit, bare.stdout]).toEqual([
      9,
      expect.stringMatching(new RegExp(`^${id}\thello\tMine\t2\t`)),
    ])
    const fields = await svc(['flow', 'drift', directory])
    expect([fields.exit, fields.stdout]).toEqual([
      9,
      expect.stringMatching(
        /^~ update hello \(inactive, was changed here since this file was last applied \(changed by \S+ at \S+, version 2\): apply asks, a script needs --expect\)\n {4}~ name: "Mine" -> "Hello"\n$/,
      ),
    ])
    const refused = await svc(['flow', 'apply', directory, '--yes'])
    expect([refused.exit, refused.stdout]).toEqual([5, ''])
    expect((await svc(['flow', 'apply', directory, '--expect', 'hello=2'])).exit).toBe(0)
    expect((await svc('flow drift')).exit).toBe(0)
  })
})

describe('svc flow run', () => {
  const run = async (text: string, ...options: string[]) => {
    return svc(['flow', 'run', join(folder({ 'a.yaml': text }), 'a.yaml'), ...options])
  }

  it('runs a file once, with its variables and its payload, and stores no workflow', async () => {
    const payload = join(folder({ 'p.json': '{"side": "long"}' }), 'p.json')
    const { exit, stdout, stderr } = await run(SAYS, '--dry-run', '--var', 'who=me', '--payload', payload)
    expect([exit, stdout]).toEqual([0, expect.stringMatching(/^\S+\+05:30\tinfo\t.*got me long$/m)])
    expect(stderr).toMatch(
      /Completed\.\nDry run: nothing was sent\. Mode: analyze \(it would be simulated\)\.\n$/,
    )
  })

  it('is exit 1 after a failed run of a file, with the node and the reason', async () => {
    const { exit, stderr } = await run(FAILS, '--dry-run')
    expect(exit).toBe(1)
    expect(stderr).toMatch(/^error: placeOrder: .*unresolved.*quantity/)
  })

  it('--json prints one document with the log, --jsonl one line per entry', async () => {
    const file = join(folder({ 'a.yaml': HELLO }), 'a.yaml')
    const one = JSON.parse((await svc(['flow', 'run', file, '--json'])).stdout)
    expect(one).toMatchObject({ status: 'completed', failures: [], visited: ['go', 'note'] })
    expect(one.logs.map((line: { message: string }) => line.message).join()).toContain('hello')
    const lines = (await svc(['flow', 'run', file, '--jsonl'])).stdout.trim().split('\n')
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ status: 'completed' })
    expect(lines.length).toBe(one.logs.length + 1)
  })

  it('runs a stored workflow by id, key or name, and prints each line of its log once', async () => {
    const { id } = await withHello()
    for (const word of [String(id), 'hello', 'Hello', 'HELLO']) {
      const { exit, stdout } = await svc(['flow', 'run', word])
      expect(exit).toBe(0)
      expect(stdout.match(/hello$/gm)).toHaveLength(1)
    }
    const runs = await json('flow executions hello')
    expect(runs).toMatchObject(Array(4).fill({ status: 'completed', version: 1 }))
    const ids = runs.map((run: { id: number }) => run.id)
    expect(ids).toEqual([...ids].sort((a, b) => b - a))
    expect(await json(`flow executions ${id} --limit 2`)).toEqual(runs.slice(0, 2))
  })

  it('--dry-run runs a stored workflow without orders and stores no run', async () => {
    await withHello()
    expect((await svc('flow run hello --dry-run')).exit).toBe(0)
    expect(await json('flow executions hello')).toEqual([])
    expect((await svc('flow run hello --var a=1')).exit).toBe(2)
  })

  it('is exit 1 after a failed run of a stored workflow', async () => {
    const directory = folder({ 'fails.yaml': FAILS })
    await svc(['flow', 'apply', directory])
    const { exit, stderr } = await svc('flow run fails')
    expect([exit, stderr]).toEqual([1, expect.stringContaining('1 node(s) failed: placeOrder')])
  })
})

describe('svc flow logs', () => {
  it('shows the last run, or the given one', async () => {
    await withHello()
    expect((await svc('flow logs hello')).exit).toBe(4)
    await svc('flow run hello')
    const last = await svc('flow logs hello')
    expect(last).toMatchObject({ exit: 0, stdout: expect.stringMatching(/hello\n/) })
    const run = /^Run (\d+): completed\.\n$/.exec(last.stderr)?.[1]
    expect((await svc(`flow logs hello --execution ${run}`)).stdout).toBe(last.stdout)
    expect((await svc('flow logs hello --execution 999')).exit).toBe(4)
  })

  it('--follow shows new runs until Ctrl-C', async () => {
    await withHello()
    const following = desk.terminal.follow('flow logs hello --follow --jsonl')
    // The first run that it shows can be one that had started before.
    while (!/"started".*"finished"/s.test(following.stdout())) await svc('flow run hello')
    following.interrupt()
    const { exit, stdout } = await following.ended
    expect(exit).toBe(130)
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).type)
    expect(events).toEqual(expect.arrayContaining(['started', 'log', 'finished']))
  })

  it('is exit 4 for an unknown workflow', async () => {
    expect((await svc('flow logs 9 --follow')).exit).toBe(4)
  })

  it('refuses to cancel a finished run, and does not find an unknown one', async () => {
    await withHello()
    await svc('flow run hello')
    const [{ id }] = await json('flow executions hello')
    expect((await svc(`flow cancel ${id}`)).exit).toBe(5)
    expect((await svc('flow cancel 999')).exit).toBe(4)
  })
})

describe('svc flow export and import', () => {
  it('an export into a folder equals the applied files: the plan is empty', async () => {
    const { directory } = await withHello()
    const out = join(tempDir(), 'deep', 'flows')
    const { exit, stdout } = await svc(['flow', 'export', '--all', '--out', out])
    expect([exit, stdout]).toEqual([0, `${join(out, 'hello.yaml')}\n`])
    expect(readFileSync(join(out, 'hello.yaml'), 'utf8')).toMatch(/^name: Hello\n/)
    expect((await svc(['flow', 'plan', out, '--prune'])).exit).toBe(0)
    expect(readdirSync(directory)).toEqual(['hello.yaml'])
  })

  it('the readable form on stdout has its id; the graph form is JSON that can be imported', async () => {
    await withHello()
    expect((await svc('flow export hello')).stdout).toMatch(/^id: hello\nname: Hello\n/)
    const graph = (await svc('flow export hello --form graph')).stdout
    expect(JSON.parse(graph)).toMatchObject({ id: 'hello', nodes: [{ id: 'go' }, { id: 'note' }] })
    const imported = await svc('flow import - -q', { stdin: graph })
    expect(imported).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^\d+\n$/) })
    expect(await json(`flow show ${imported.stdout.trim()}`)).toMatchObject({
      name: 'Hello (imported)',
      file_key: null,
      is_active: false,
    })
  })

  it('an import replaces a workflow only on request', async () => {
    const { id } = await withHello()
    const file = join(folder({ 'b.yaml': OTHER }), 'b.yaml')
    expect((await svc(['flow', 'import', file, '--replace', 'hello'])).exit).toBe(0)
    expect(await json(`flow show ${id}`)).toMatchObject({ name: 'Other', drifted: true, version: 2 })
    expect((await svc('flow import -', { stdin: 'nothing' })).exit).toBe(2)
  })

  it('needs a workflow and a target', async () => {
    for (const line of ['flow export', 'flow export 1 --all', 'flow export --all']) {
      expect((await svc(line)).exit).toBe(2)
    }
  })
})

describe('svc flow list, show and the state of workflows', () => {
  it('show prints the nodes, and never the secrets of the webhook', async () => {
    await withHello()
    const { webhook_token, webhook_secret } = await json('flow webhook show hello --reveal')
    const shown = await svc('flow show hello')
    expect(shown.stdout).toMatch(/^name\tHello$/m)
    expect(shown.stdout).toMatch(/^go\tstart\t.*\tnote$/m)
    for (const line of [
      'flow show hello',
      'flow show hello --json',
      'flow show hello -v',
      'flow list --json',
    ]) {
      const { stdout, stderr } = await svc(line)
      expect(stdout + stderr).not.toContain(webhook_token)
      expect(stdout + stderr).not.toContain(webhook_secret)
    }
  })

  it('a mistyped name is not found, with the nearest name; a name of two workflows is refused', async () => {
    await withHello()
    const { exit, stderr } = await svc('flow show helo')
    expect([exit, stderr]).toEqual([4, 'error: There is no workflow "helo". Did you mean "hello"?\n'])
    expect((await svc('flow show 9077')).exit).toBe(4)
    await svc('flow import -', { stdin: HELLO })
    await svc('flow import -', { stdin: HELLO })
    const both = await svc(['flow', 'show', 'Hello (imported)'])
    expect([both.exit, both.stderr]).toEqual([2, expect.stringMatching(/one of \d+, \d+/)])
  })

  it('activate reports a disabled webhook', async () => {
    expect((await svc(['flow', 'apply', folder({ 'fails.yaml': FAILS }), '--yes'])).exit).toBe(0)
    const [{ id }] = await json('flow list')
    const hint = `Its webhook is off, so nothing starts it yet. Next: svc flow webhook enable ${id}`
    expect((await svc('flow activate fails')).stderr).toContain(hint)
    await svc('flow webhook enable fails')
    expect(await svc('flow activate fails')).toMatchObject({ exit: 0, stderr: '' })
  })

  it('activate and deactivate report when there is nothing to do, exit 0', async () => {
    const { id } = await withHello()
    const said = async (line: string) => (await svc(line)).stdout
    expect(await said('flow activate hello')).toMatch(/^message\tWorkflow activated/m)
    expect(await said('flow activate hello')).toMatch(/^message\tWorkflow is already active$/m)
    expect(await said('flow deactivate hello')).toMatch(/^message\tWorkflow deactivated$/m)
    expect(await svc('flow deactivate hello 9055')).toMatchObject({
      exit: 4,
      stderr: expect.stringContaining('workflow 9055: '),
    })
    const { stdout } = await svc('flow deactivate hello 9055 hello --json')
    const row = { id, message: 'Workflow is already inactive' }
    expect(JSON.parse(stdout)).toMatchObject([row, row])
  })

  it('delete needs a yes', async () => {
    await withHello()
    expect((await svc('flow delete hello')).exit).toBe(2)
    expect(await json('flow list')).toHaveLength(1)
    expect((await svc('flow delete hello --yes')).exit).toBe(0)
    expect(await json('flow list')).toEqual([])
  })

  it('rollback stores an earlier version as a new one', async () => {
    await withHello()
    await svc(['flow', 'apply', folder({ 'hello.yaml': HELLO.replace('Hello', 'Bye') })])
    expect((await svc('flow rollback hello 1')).exit).toBe(0)
    expect(await json('flow show hello')).toMatchObject({ name: 'Hello', version: 3 })
    expect((await json('flow history hello')).map((row: { version: number }) => row.version)).toEqual([
      3, 2, 1,
    ])
    expect((await svc('flow rollback hello 9')).exit).toBe(4)
    expect((await svc('flow rollback hello last')).exit).toBe(2)
  })
})

describe('svc flow webhook, secret and monitor', () => {
  it('only show and rotate print token and secret, with --reveal', async () => {
    await withHello()
    const before = await json('flow webhook show hello --reveal')
    const quiet = ['enable hello', 'auth-type hello url', 'auth-type hello', 'disable hello']
    for (const line of quiet) {
      for (const format of ['', ' --json']) {
        const { exit, stdout, stderr } = await svc(`flow webhook ${line}${format}`)
        expect(exit).toBe(0)
        expect(stdout + stderr).not.toContain(before.webhook_token)
        expect(stdout + stderr).not.toContain(before.webhook_secret)
      }
    }
    expect(await json('flow webhook auth-type hello')).toEqual({ webhook_auth_type: 'url' })
    expect((await svc('flow webhook rotate hello')).exit).toBe(2)
    const [secret] = (await svc('flow webhook rotate hello --secret-only --reveal --yes -q')).stdout.split(
      '\n',
    )
    const after = await json('flow webhook show hello --reveal')
    expect(after).toMatchObject({ webhook_token: before.webhook_token, webhook_secret: secret })
    await svc('flow webhook rotate hello --yes')
    expect((await json('flow webhook show hello --reveal')).webhook_token).not.toBe(before.webhook_token)
  })

  it('a secret comes from stdin or a prompt, and is never printed', async () => {
    const set = await svc('flow secret set telegram', { stdin: 's3cr3t\n' })
    expect(set).toEqual({
      exit: 0,
      stdout: '',
      stderr: `Secret telegram is stored. Use it: ${'$'}{secret:telegram}\n`,
    })
    const typed = await svc('flow secret set other', { tty: 'all', stdin: 'typed\r' })
    expect(typed.exit).toBe(0)
    const rows = await json('flow secret list')
    expect(rows.map((row: { name: string }) => row.name)).toEqual(['other', 'telegram'])
    expect(JSON.stringify(rows)).not.toMatch(/s3cr3t|typed/)
    expect((await svc('flow secret set empty', { stdin: '' })).exit).toBe(2)
    expect((await svc('flow secret remove other')).exit).toBe(2)
    expect((await svc('flow secret remove other --yes')).exit).toBe(0)
    expect((await svc('flow secret remove other --yes')).exit).toBe(4)
  })

  it('monitor lists the armed triggers', async () => {
    const alert = `id: alert
name: Alert
nodes:
  go: {type: priceAlert, with: {symbol: SBIN, exchange: NSE, condition: greater_than, price: 90000}, next: note}
  note: {type: log, with: {message: hello}}
`
    expect((await svc('flow monitor')).stdout).toBe('')
    await svc(['flow', 'apply', folder({ 'alert.yaml': alert }), '--activate'])
    expect((await svc('flow monitor')).stdout).toMatch(/^\d+\tprice\tSBIN\tNSE\t/)
    expect(await json('flow monitor')).toMatchObject({ alerts_count: 1 })
  })
})

describe('without an answer', () => {
  const route = (id: number, act: string) => `/flow/api/workflows/${id}/${act}`
  const page = (text: string) => ({ status: 200, headers: { 'x-request-id': 'r' }, text })

  it('a run has an unknown outcome, exit 8', async () => {
    const { id } = await withHello()
    desk.gateway.on(`GET ${route(id, 'follow')}`, page('')).on(`POST ${route(id, 'execute')}`, 'lost')
    const { exit, stderr } = await svc(`flow run ${id}`)
    expect([exit, stderr]).toEqual([8, expect.stringContaining(`svc flow executions ${id}`)])
    expect(await json(`flow executions ${id}`)).toMatchObject([{ status: 'completed' }])
  })

  it('a run longer than its request is followed to its end', async () => {
    await svc(['flow', 'apply', folder({ 'hello.yaml': HELLO, 'fails.yaml': FAILS }), '--yes'])
    const flows = await flowsOf(desk.daemon)
    for (const { id } of flows.values()) desk.gateway.on(`POST ${route(id, 'execute')}`, 'lost')
    expect(await svc('flow run hello')).toMatchObject({ exit: 0, stdout: expect.stringMatching(/hello\n$/m) })
    const failed = await svc('flow run fails')
    expect([failed.exit, failed.stderr]).toEqual([1, expect.stringContaining('placeOrder')])
  })

  it('a running workflow is refused, exit 5', async () => {
    const pause = HELLO.replace('log, with: {message: hello}', 'delay, with: {delayValue: 120}')
    await svc(['flow', 'apply', folder({ 'hello.yaml': pause }), '--yes'])
    const running = desk.terminal.follow('flow run hello')
    await expect.poll(async () => (await json('flow executions hello')).length).toBe(1)
    const { exit, stderr } = await svc('flow run hello')
    expect([exit, stderr]).toEqual([5, expect.stringContaining('already running')])
    const [{ id }] = await json('flow executions hello')
    expect((await svc(`flow cancel ${id}`)).exit).toBe(0)
    expect((await running.ended).exit).toBe(1)
  })

  it.each([
    { options: [], exit: 8 },
    { options: ['--dry-run'], exit: 1 },
  ])('a file whose result never came is exit $exit with $options', async ({ options, exit }) => {
    desk.gateway.on(
      'POST /flow/api/run',
      page('{"type":"log","time":"now","message":"hello","level":"info"}\n'),
    )
    const file = join(folder({ 'a.yaml': HELLO }), 'a.yaml')
    expect((await svc(['flow', 'run', file, ...options])).exit).toBe(exit)
  })

  it('Ctrl-C during a run of a file is exit 130', async () => {
    desk.gateway.on('POST /flow/api/run', 'withheld')
    const running = desk.terminal.follow(['flow', 'run', join(folder({ 'a.yaml': HELLO }), 'a.yaml')])
    await expect.poll(() => desk.gateway.received.some(({ path }) => path === '/flow/api/run')).toBe(true)
    running.interrupt()
    expect((await running.ended).exit).toBe(130)
  })
})

it('without a daemon each verb that needs one is exit 7, and validate works', async () => {
  const env = { SVC_URL: await freeUrl(), SVC_TOKEN: 't' }
  for (const line of ['list', 'show 1', 'logs 1 --follow', 'run 1', 'activate 1', 'monitor']) {
    expect([line, (await svc(`flow ${line}`, { env })).exit]).toEqual([line, 7])
  }
  expect((await svc(['flow', 'validate', folder({ 'hello.yaml': HELLO })], { env })).exit).toBe(0)
})

describe('the typed client', () => {
  it('reads the lines of a run', async () => {
    const { url, token } = desk.daemon
    const client = new SvcClient({ url, token })
    const nodes = [{ id: 'go', type: 'start', position: { x: 0, y: 0 }, data: {} }]
    const types: unknown[] = []
    for await (const line of client.lines('POST /flow/api/run', { body: { name: 'a', nodes, edges: [] } })) {
      types.push(line.type)
    }
    expect(types.at(-1)).toBe('result')
    const refused = client.lines('POST /flow/api/run', { body: { name: 'a', nodes: [], edges: [] } })
    await expect(refused.next()).rejects.toBeInstanceOf(SvcError)
  })
})
