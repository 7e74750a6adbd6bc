import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SvcClient, SvcError } from '../../src/client/index.js'
import { HttpDesk } from '../support/http-desk.js'
import { tempDir } from '../support/temp.js'
import { signedIn } from './support/desk.js'
import { Terminal, type TerminalOptions } from './support/terminal.js'

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

/** The whole daemon on a port, and a terminal that is signed in at it. */
async function open(options: TerminalOptions = {}) {
  const http = await HttpDesk.open()
  const { port } = await http.listen()
  const token = await http.signIn()
  const env = { SVC_URL: `http://127.0.0.1:${port}`, SVC_TOKEN: token }
  const terminal = new Terminal({ ...options, env })
  const json = async (line: string | readonly string[]) => {
    const words = typeof line === 'string' ? line.split(' ') : line
    return JSON.parse((await terminal.svc([...words, '--json'])).stdout)
  }
  return { http, terminal, json, url: env.SVC_URL, token }
}

/** A daemon to which one workflow was applied; it has the id 1. */
async function withHello(options: TerminalOptions = {}) {
  const desk = await open(options)
  const directory = folder({ 'hello.yaml': HELLO })
  expect((await desk.terminal.svc(['flow', 'apply', directory, '--yes'])).exit).toBe(0)
  return { ...desk, directory }
}

describe('svc flow plan and apply', () => {
  it('plan tells what would change by exit 9; apply does it, once', async () => {
    const { terminal } = await open()
    const directory = folder({ 'hello.yaml': HELLO, 'other.yaml': OTHER })
    const first = await terminal.svc(['flow', 'plan', directory])
    expect(first).toEqual({
      exit: 9,
      stdout: '+ create hello\n+ create other\n',
      stderr: '2 to create, 0 to update, 0 to delete, 0 unchanged.\n',
    })
    const applied = await terminal.svc(['flow', 'apply', directory])
    expect(applied).toEqual({
      exit: 0,
      stdout: '+ create hello (version 1)\n+ create other (version 1)\n',
      stderr: '2 created, 0 updated, 0 deleted, 0 unchanged.\n',
    })
    const again = await terminal.svc(['flow', 'plan', directory])
    expect([again.exit, again.stdout]).toEqual([0, '= unchanged hello\n= unchanged other\n'])
    expect((await terminal.svc(['flow', 'apply', directory])).stderr).toMatch(/^0 created, 0 updated/)
  })

  it('shows an update field by field', async () => {
    const { terminal, json } = await withHello()
    const changed = folder({ 'hello.yaml': HELLO.replace('message: hello', 'message: bye') })
    const { exit, stdout } = await terminal.svc(['flow', 'plan', changed])
    expect([exit, stdout]).toEqual([9, '~ update hello\n    ~ nodes.note.with.message: "hello" -> "bye"\n'])
    expect(await json(['flow', 'plan', changed])).toMatchObject([
      {
        key: 'hello',
        action: 'update',
        workflow_id: 1,
        changes: [{ kind: 'changed', path: 'nodes.note.with.message', before: 'hello', after: 'bye' }],
      },
    ])
  })

  it('nothing is sent while a file has an error, or names a symbol that is not listed', async () => {
    const { terminal, json } = await open()
    const broken = folder({ 'a.yaml': HELLO, 'b.yaml': OTHER.replace('next: note', 'next: nota') })
    const { exit, stdout, stderr } = await terminal.svc(['flow', 'apply', broken, '--yes'])
    expect([exit, stdout]).toEqual([2, ''])
    expect(stderr).toContain('b.yaml:4:27: error[dangling_edge]: ')
    expect(stderr).toContain('1 error in the files; nothing was sent.')
    const stranger = folder({ 'fails.yaml': FAILS.replace('SBIN', 'NOSUCH') })
    const refused = await terminal.svc(['flow', 'plan', stranger])
    expect([refused.exit, refused.stderr]).toEqual([2, expect.stringContaining('error[unknown_symbol]')])
    expect((await terminal.svc(['flow', 'validate', stranger])).exit).toBe(2)
    expect(await json('flow list')).toEqual([])
  })

  it('--prune deletes what no file has any more, only after a yes', async () => {
    const { terminal, json } = await withHello()
    const rest = folder({ 'other.yaml': OTHER })
    const refused = await terminal.svc(['flow', 'apply', rest, '--prune'])
    expect([refused.exit, refused.stderr]).toEqual([2, expect.stringContaining('- delete hello\n')])
    expect(await json('flow list')).toHaveLength(1)
    const { exit, stdout } = await terminal.svc(['flow', 'apply', rest, '--prune', '--yes'])
    expect([exit, stdout]).toEqual([0, '+ create other (version 1)\n- delete hello\n'])
    expect((await json('flow list')).map((row: { file_key: string }) => row.file_key)).toEqual(['other'])
  })

  it('a terminal is asked whenever something changes', async () => {
    const { terminal, json } = await open({ tty: true, stdin: 'n\n' })
    const directory = folder({ 'hello.yaml': HELLO })
    const { exit, stderr } = await terminal.svc(['flow', 'apply', directory])
    expect([exit, stderr]).toEqual([1, expect.stringContaining('+ create hello\nApply 1 change? [y/N]')])
    expect(await json('flow list')).toEqual([])
    expect((await terminal.svc(['flow', 'apply', directory], { stdin: 'y\n' })).exit).toBe(0)
    expect((await terminal.svc(['flow', 'apply', directory], { stdin: '' })).exit).toBe(0)
  })

  it('keeps with each version the file and the commit of its repository', async () => {
    const { terminal, json } = await open()
    const directory = folder({ 'hello.yaml': HELLO })
    const git = (...words: string[]) =>
      execFileSync('git', ['-C', directory, '-c', 'user.name=a', '-c', 'user.email=a@b', ...words], {
        encoding: 'utf8',
      }).trim()
    git('init', '-q')
    git('add', '.')
    git('commit', '-q', '-m', 'first')
    await terminal.svc(['flow', 'apply', directory])
    expect(await json('flow history hello')).toMatchObject([
      { version: 1, origin: 'apply', commit: git('rev-parse', 'HEAD'), file: join(directory, 'hello.yaml') },
    ])
    writeFileSync(join(directory, 'hello.yaml'), HELLO.replace('message: hello', 'message: bye'))
    await terminal.svc(['flow', 'apply', directory, '--commit', 'abc123'])
    expect((await json('flow history hello'))[0]).toMatchObject({ version: 2, commit: 'abc123' })
  })

  it('--activate arms what it applies', async () => {
    const { terminal, json } = await open()
    const { stdout } = await terminal.svc(['flow', 'apply', folder({ 'hello.yaml': HELLO }), '--activate'])
    expect(stdout).toBe('+ create hello (version 1, activated)\n')
    expect(await json('flow list')).toMatchObject([{ is_active: true }])
  })
})

describe('svc flow drift', () => {
  it('is silent, exit 0, until a workflow was changed by hand; then exit 9', async () => {
    const { http, terminal, directory } = await withHello()
    expect(await terminal.svc('flow drift')).toMatchObject({ exit: 0, stdout: '' })
    const token = await http.signIn()
    const headers = { authorization: `Bearer ${token}` }
    await http.request('PUT', '/flow/api/workflows/1', { body: { name: 'Mine' }, headers })
    const bare = await terminal.svc('flow drift')
    expect([bare.exit, bare.stdout]).toEqual([9, expect.stringMatching(/^1\thello\tMine\t2\t/)])
    const fields = await terminal.svc(['flow', 'drift', directory])
    expect([fields.exit, fields.stdout]).toEqual([
      9,
      '~ update hello (changed by hand since it was applied)\n    ~ name: "Mine" -> "Hello"\n',
    ])
    expect((await terminal.svc(['flow', 'apply', directory])).exit).toBe(0)
    expect((await terminal.svc('flow drift')).exit).toBe(0)
  })
})

describe('svc flow run', () => {
  const run = async (text: string, ...options: string[]) => {
    const { terminal } = await open()
    return terminal.svc(['flow', 'run', join(folder({ 'a.yaml': text }), 'a.yaml'), ...options])
  }

  it('a file runs once, with its variables and its payload, and is not kept', async () => {
    const payload = join(folder({ 'p.json': '{"side": "long"}' }), 'p.json')
    const { exit, stdout, stderr } = await run(SAYS, '--dry-run', '--var', 'who=me', '--payload', payload)
    expect([exit, stdout]).toEqual([0, expect.stringMatching(/^\S+\+05:30\tinfo\t.*got me long$/m)])
    expect(stderr).toMatch(/Completed\.\n$/)
  })

  it('a run that fails is exit 1, with the node and the reason', async () => {
    const { exit, stderr } = await run(FAILS, '--dry-run')
    expect(exit).toBe(1)
    expect(stderr).toMatch(/^error: placeOrder: .*unresolved.*quantity/)
  })

  it('--json is one document with the log, --jsonl a line for each', async () => {
    const { terminal } = await open()
    const file = join(folder({ 'a.yaml': HELLO }), 'a.yaml')
    const one = JSON.parse((await terminal.svc(['flow', 'run', file, '--json'])).stdout)
    expect(one).toMatchObject({ status: 'completed', failures: [], visited: ['go', 'note'] })
    expect(one.logs.map((line: { message: string }) => line.message).join()).toContain('hello')
    const lines = (await terminal.svc(['flow', 'run', file, '--jsonl'])).stdout.trim().split('\n')
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ status: 'completed' })
    expect(lines.length).toBe(one.logs.length + 1)
  })

  it('a workflow of the daemon runs by id, key or name, each line of its log once', async () => {
    const { terminal, json } = await withHello()
    for (const word of ['1', 'hello', 'Hello', 'HELLO']) {
      const { exit, stdout } = await terminal.svc(['flow', 'run', word])
      expect(exit).toBe(0)
      expect(stdout.match(/hello$/gm)).toHaveLength(1)
    }
    expect(await json('flow executions hello')).toMatchObject([
      { id: 4, status: 'completed', version: 1 },
      { id: 3 },
      { id: 2 },
      { id: 1 },
    ])
    expect(await json('flow executions 1 --limit 2')).toHaveLength(2)
  })

  it('with --dry-run a workflow of the daemon is tried and no run is kept', async () => {
    const { terminal, json } = await withHello()
    expect((await terminal.svc('flow run hello --dry-run')).exit).toBe(0)
    expect(await json('flow executions hello')).toEqual([])
    expect((await terminal.svc('flow run hello --var a=1')).exit).toBe(2)
  })

  it('a workflow that fails is exit 1', async () => {
    const { terminal } = await open()
    const directory = folder({ 'fails.yaml': FAILS })
    await terminal.svc(['flow', 'apply', directory])
    const { exit, stderr } = await terminal.svc('flow run fails')
    expect([exit, stderr]).toEqual([1, expect.stringContaining('1 node(s) failed: placeOrder')])
  })
})

describe('svc flow logs', () => {
  it('shows the last run, or the one asked for', async () => {
    const { terminal } = await withHello()
    expect((await terminal.svc('flow logs hello')).exit).toBe(4)
    await terminal.svc('flow run hello')
    const last = await terminal.svc('flow logs hello')
    expect(last).toMatchObject({ exit: 0, stdout: expect.stringMatching(/hello\n/) })
    expect(last.stderr).toBe('Run 1: completed.\n')
    expect((await terminal.svc('flow logs hello --execution 1')).stdout).toBe(last.stdout)
    expect((await terminal.svc('flow logs hello --execution 7')).exit).toBe(4)
  })

  it('--follow shows runs as they come, until Ctrl-C', async () => {
    const { terminal } = await withHello()
    const stop = new AbortController()
    const following = terminal.svc('flow logs hello --follow --jsonl', {
      interrupts: stop.signal,
      onOutput: (text) => void (text.includes('finished') && stop.abort()),
    })
    while (!stop.signal.aborted) await terminal.svc('flow run hello')
    const { exit, stdout } = await following
    expect(exit).toBe(130)
    const events = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).type)
    expect(events).toEqual(expect.arrayContaining(['started', 'log', 'finished']))
  })

  it('of a workflow that is not there is exit 4', async () => {
    const { terminal } = await open()
    expect((await terminal.svc('flow logs 9 --follow')).exit).toBe(4)
  })

  it('a run that has ended cannot be cancelled; one that never was is not found', async () => {
    const { terminal } = await withHello()
    await terminal.svc('flow run hello')
    expect((await terminal.svc('flow cancel 1')).exit).toBe(5)
    expect((await terminal.svc('flow cancel 99')).exit).toBe(4)
  })
})

describe('svc flow export and import', () => {
  it('what is exported into a folder is what was applied: the plan is empty', async () => {
    const { terminal, directory } = await withHello()
    const out = join(tempDir(), 'deep', 'flows')
    const { exit, stdout } = await terminal.svc(['flow', 'export', '--all', '--out', out])
    expect([exit, stdout]).toEqual([0, `${join(out, 'hello.yaml')}\n`])
    expect(readFileSync(join(out, 'hello.yaml'), 'utf8')).toMatch(/^name: Hello\n/)
    expect((await terminal.svc(['flow', 'plan', out, '--prune'])).exit).toBe(0)
    expect(readdirSync(directory)).toEqual(['hello.yaml'])
  })

  it('to stdout the readable form names its id; the graph form is JSON that imports', async () => {
    const { terminal, json } = await withHello()
    expect((await terminal.svc('flow export hello')).stdout).toMatch(/^id: hello\nname: Hello\n/)
    const graph = (await terminal.svc('flow export hello --form graph')).stdout
    expect(JSON.parse(graph)).toMatchObject({ id: 'hello', nodes: [{ id: 'go' }, { id: 'note' }] })
    const imported = await terminal.svc('flow import - -q', { stdin: graph })
    expect(imported).toMatchObject({ exit: 0, stdout: '2\n' })
    expect(await json('flow show 2')).toMatchObject({
      name: 'Hello (imported)',
      file_key: null,
      is_active: false,
    })
  })

  it('an import replaces where it is asked to', async () => {
    const { terminal, json } = await withHello()
    const file = join(folder({ 'b.yaml': OTHER }), 'b.yaml')
    expect((await terminal.svc(['flow', 'import', file, '--replace', 'hello'])).exit).toBe(0)
    expect(await json('flow show 1')).toMatchObject({ name: 'Other', drifted: true, version: 2 })
    expect((await terminal.svc('flow import -', { stdin: 'nothing' })).exit).toBe(2)
  })

  it('needs to know what to export, and where', async () => {
    const { terminal } = await open()
    for (const line of ['flow export', 'flow export 1 --all', 'flow export --all']) {
      expect((await terminal.svc(line)).exit).toBe(2)
    }
  })
})

describe('svc flow list, show and the state of workflows', () => {
  it('show tells the nodes and never the secrets of the webhook', async () => {
    const { terminal, json } = await withHello()
    const { webhook_token, webhook_secret } = await json('flow webhook show hello')
    const shown = await terminal.svc('flow show hello')
    expect(shown.stdout).toMatch(/^name\tHello$/m)
    expect(shown.stdout).toMatch(/^go\tstart\t.*\tnote$/m)
    for (const line of [
      'flow show hello',
      'flow show hello --json',
      'flow show hello -v',
      'flow list --json',
    ]) {
      const { stdout, stderr } = await terminal.svc(line)
      expect(stdout + stderr).not.toContain(webhook_token)
      expect(stdout + stderr).not.toContain(webhook_secret)
    }
  })

  it('a name that is mistyped is not found, with the nearest; a name of two has to be told apart', async () => {
    const { terminal } = await withHello()
    const { exit, stderr } = await terminal.svc('flow show helo')
    expect([exit, stderr]).toEqual([4, 'error: There is no workflow "helo". Did you mean "hello"?\n'])
    expect((await terminal.svc('flow show 77')).exit).toBe(4)
    await terminal.svc('flow import -', { stdin: HELLO })
    await terminal.svc('flow import -', { stdin: HELLO })
    const both = await terminal.svc(['flow', 'show', 'Hello (imported)'])
    expect([both.exit, both.stderr]).toEqual([2, expect.stringContaining('one of 2, 3')])
  })

  it('activate and deactivate say when there is nothing to do, exit 0', async () => {
    const { terminal } = await withHello()
    const said = async (line: string) => (await terminal.svc(line)).stdout
    expect(await said('flow activate hello')).toMatch(/^message\tWorkflow activated/m)
    expect(await said('flow activate hello')).toMatch(/^message\tWorkflow is already active$/m)
    expect(await said('flow deactivate hello')).toMatch(/^message\tWorkflow deactivated$/m)
    expect(await terminal.svc('flow deactivate hello 55')).toMatchObject({
      exit: 4,
      stderr: expect.stringContaining('workflow 55: '),
    })
    const { stdout } = await terminal.svc('flow deactivate hello 55 hello --json')
    const row = { id: 1, message: 'Workflow is already inactive' }
    expect(JSON.parse(stdout)).toMatchObject([row, row])
  })

  it('delete needs a yes', async () => {
    const { terminal, json } = await withHello()
    expect((await terminal.svc('flow delete hello')).exit).toBe(2)
    expect(await json('flow list')).toHaveLength(1)
    expect((await terminal.svc('flow delete hello --yes')).exit).toBe(0)
    expect(await json('flow list')).toEqual([])
  })

  it('rollback brings an earlier version back as a new one', async () => {
    const { terminal, json } = await withHello()
    await terminal.svc(['flow', 'apply', folder({ 'hello.yaml': HELLO.replace('Hello', 'Bye') })])
    expect((await terminal.svc('flow rollback hello 1')).exit).toBe(0)
    expect(await json('flow show hello')).toMatchObject({ name: 'Hello', version: 3 })
    expect((await json('flow history hello')).map((row: { version: number }) => row.version)).toEqual([
      3, 2, 1,
    ])
    expect((await terminal.svc('flow rollback hello 9')).exit).toBe(4)
    expect((await terminal.svc('flow rollback hello last')).exit).toBe(2)
  })
})

describe('svc flow webhook, secret and monitor', () => {
  it('token and secret are shown by show and rotate only', async () => {
    const { terminal, json } = await withHello()
    const before = await json('flow webhook show hello')
    const quiet = ['enable hello', 'auth-type hello url', 'auth-type hello', 'disable hello']
    for (const line of quiet) {
      for (const format of ['', ' --json']) {
        const { exit, stdout, stderr } = await terminal.svc(`flow webhook ${line}${format}`)
        expect(exit).toBe(0)
        expect(stdout + stderr).not.toContain(before.webhook_token)
        expect(stdout + stderr).not.toContain(before.webhook_secret)
      }
    }
    expect(await json('flow webhook auth-type hello')).toEqual({ webhook_auth_type: 'url' })
    expect((await terminal.svc('flow webhook rotate hello')).exit).toBe(2)
    const [secret] = (await terminal.svc('flow webhook rotate hello --secret-only --yes -q')).stdout.split(
      '\n',
    )
    const after = await json('flow webhook show hello')
    expect(after).toMatchObject({ webhook_token: before.webhook_token, webhook_secret: secret })
    await terminal.svc('flow webhook rotate hello --yes')
    expect((await json('flow webhook show hello')).webhook_token).not.toBe(before.webhook_token)
  })

  it('a secret comes from stdin or is typed, and is never shown', async () => {
    const { terminal, json } = await open()
    const set = await terminal.svc('flow secret set telegram', { stdin: 's3cr3t\n' })
    expect(set).toEqual({
      exit: 0,
      stdout: '',
      stderr: `Secret telegram is stored. Use it: ${'$'}{secret:telegram}\n`,
    })
    const typed = await terminal.svc('flow secret set other', { tty: true, stdin: 'typed\n' })
    expect(typed.exit).toBe(0)
    const rows = await json('flow secret list')
    expect(rows.map((row: { name: string }) => row.name)).toEqual(['other', 'telegram'])
    expect(JSON.stringify(rows)).not.toMatch(/s3cr3t|typed/)
    expect((await terminal.svc('flow secret set empty', { stdin: '' })).exit).toBe(2)
    expect((await terminal.svc('flow secret remove other')).exit).toBe(2)
    expect((await terminal.svc('flow secret remove other --yes')).exit).toBe(0)
    expect((await terminal.svc('flow secret remove other --yes')).exit).toBe(4)
  })

  it('monitor lists what is armed', async () => {
    const { terminal, json } = await open()
    const alert = `id: alert
name: Alert
nodes:
  go: {type: priceAlert, with: {symbol: SBIN, exchange: NSE, condition: greater_than, price: 900}, next: note}
  note: {type: log, with: {message: hello}}
`
    expect((await terminal.svc('flow monitor')).stdout).toBe('')
    await terminal.svc(['flow', 'apply', folder({ 'alert.yaml': alert }), '--activate'])
    expect((await terminal.svc('flow monitor')).stdout).toMatch(/^1\tprice\tSBIN\tNSE\t/)
    expect(await json('flow monitor')).toMatchObject({ alerts_count: 1 })
  })
})

describe('when the daemon does not answer as it should', () => {
  const EXECUTE = 'POST /flow/api/workflows/1/execute'
  const FOLLOW = 'GET /flow/api/workflows/1/follow'

  it('a run without an answer is of unknown outcome, exit 8', async () => {
    const { daemon, terminal } = await signedIn()
    daemon.on(FOLLOW, { body: {} }).on(EXECUTE, 'drop')
    const { exit, stderr } = await terminal.svc('flow run 1')
    expect([exit, stderr]).toEqual([8, expect.stringContaining('svc flow executions 1')])
  })

  it('a run that outlasts its request is followed to its end', async () => {
    const events = (status: string, error: string | null) =>
      [
        { type: 'log', execution_id: 6, time: 'then', message: 'of another', level: 'info' },
        { type: 'started', execution_id: 7, trigger: 'manual' },
        { type: 'log', execution_id: 7, time: 'now', message: 'hello', level: 'info' },
        { type: 'finished', execution_id: 7, status, error },
      ]
        .map((event) => `${JSON.stringify(event)}\n`)
        .join('')
    const { daemon, terminal } = await signedIn()
    daemon.on(EXECUTE, 'drop').on(FOLLOW, { body: {}, text: events('completed', null) })
    expect(await terminal.svc('flow run 1')).toMatchObject({ exit: 0, stdout: 'now\tinfo\thello\n' })
    daemon.on(FOLLOW, { body: {}, text: events('failed', 'No funds') })
    expect(await terminal.svc('flow run 1')).toMatchObject({ exit: 1, stderr: 'error: No funds.\n' })
  })

  it('a workflow that runs already is refused, exit 5', async () => {
    const { daemon, terminal } = await signedIn()
    const body = { status: 'error', message: 'Workflow is already running', already_running: true }
    daemon.on(FOLLOW, { body: {} }).on(EXECUTE, { status: 409, code: 'conflict', body })
    const { exit, stderr } = await terminal.svc('flow run 1')
    expect([exit, stderr]).toEqual([5, 'error: Workflow is already running.\n'])
  })

  it.each([
    { options: [], exit: 8 },
    { options: ['--dry-run'], exit: 1 },
  ])('a file whose result never came is exit $exit with $options', async ({ options, exit }) => {
    const { daemon, terminal } = await signedIn()
    daemon.on('POST /flow/api/run', { body: { type: 'log', time: 'now', message: 'hello', level: 'info' } })
    const file = join(folder({ 'a.yaml': HELLO }), 'a.yaml')
    expect((await terminal.svc(['flow', 'run', file, ...options])).exit).toBe(exit)
  })

  it('Ctrl-C during a run of a file is exit 130', async () => {
    const { daemon, terminal } = await signedIn()
    daemon.on('POST /flow/api/run', 'hang')
    const file = join(folder({ 'a.yaml': HELLO }), 'a.yaml')
    const interrupts = AbortSignal.timeout(300)
    expect((await terminal.svc(['flow', 'run', file], { interrupts })).exit).toBe(130)
  })

  it('what the daemon finds wrong with a file is said with its key and place', async () => {
    const { daemon, terminal } = await signedIn()
    const errors = [{ key: 'hello', path: '/nodes/0', code: 'x', message: 'No good' }]
    daemon.on('POST /flow/api/apply', {
      status: 400,
      code: 'validation',
      body: { status: 'error', message: 'hello: No good', error: 'Invalid workflow files', errors },
    })
    const { exit, stderr } = await terminal.svc(['flow', 'apply', folder({ 'hello.yaml': HELLO }), '--yes'])
    expect([exit, stderr]).toEqual([2, 'hello /nodes/0: No good\nerror: hello: No good.\n'])
  })

  it('without a daemon every verb that needs one is exit 7, and validate still works', async () => {
    const { daemon, terminal } = await signedIn()
    await daemon.stop()
    const directory = folder({ 'hello.yaml': HELLO })
    for (const line of ['list', 'show 1', 'logs 1 --follow', 'run 1', 'activate 1', 'monitor']) {
      expect((await terminal.svc(`flow ${line}`)).exit).toBe(7)
    }
    expect((await terminal.svc(['flow', 'validate', directory])).exit).toBe(0)
  })
})

describe('the typed client', () => {
  it('reads the lines of a run', async () => {
    const { url, token } = await open()
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
