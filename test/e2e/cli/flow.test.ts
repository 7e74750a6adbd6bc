import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { NODES } from '../../../src/core/flows/nodes/index.js'
import { tempDir } from '../../support/files/temp.js'
import { Terminal } from '../../support/terminal.js'

const FINE =
  'name: Fine\nnodes:\n  go: {type: start, next: note}\n  note: {type: log, with: {message: hello}}\n'
const WARNS = FINE.replace('hello', '"{{nothing}}"')
const WRONG = FINE.replace('next: note', 'next: nota')
const SCENARIO = '- name: runs\n  at: 2026-11-20T09:31:00\n  expect: {status: completed, orders: []}\n'

function folder(files: Readonly<Record<string, string>>): string {
  const directory = tempDir()
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(directory, name, '..'), { recursive: true })
    writeFileSync(join(directory, name), text)
  }
  return directory
}

const svc = (line: string | readonly string[]) => new Terminal({ home: join(tempDir(), 'home') }).svc(line)

describe('svc flow init', () => {
  it('writes a workflow whose scenarios pass, and says the next commands', async () => {
    const directory = join(tempDir(), 'flows')
    const { exit, stdout, stderr } = await svc(['flow', 'init', directory])
    expect([exit, stdout.split('\n').length]).toEqual([0, 6])
    expect(stderr).toBe(
      `Next:\n  svc flow test ${directory}\n  svc flow graph ${join(directory, 'first.yaml')}\n  svc flow apply ${directory}\n`,
    )
    const ignored = readFileSync(join(directory, '.gitignore'), 'utf8').split('\n')
    expect(ignored).toEqual(expect.arrayContaining(['*.db', '*.plan.json']))
    const checked = await svc(['flow', 'validate', directory])
    expect(checked).toEqual({ exit: 0, stdout: '', stderr: '2 files, 0 errors, 0 warnings.\n' })
    expect((await svc(['flow', 'test', directory])).stderr).toBe('2 cases, 0 failed.\n')
  })

  it('writes nothing if one of the files exists', async () => {
    const directory = folder({ '.gitignore': 'mine\n' })
    const { exit, stderr } = await svc(['flow', 'init', directory])
    expect(exit).toBe(2)
    expect(stderr).toContain('.gitignore exists; nothing was written.')
    expect(readFileSync(join(directory, '.gitignore'), 'utf8')).toBe('mine\n')
    expect(existsSync(join(directory, 'first.yaml'))).toBe(false)
  })
})

describe('svc flow graph and indicators', () => {
  it('draws a file as a tree of at most 80 columns, and as Mermaid', async () => {
    const file = 'flows/option-straddle.yaml'
    const { exit, stdout } = await svc(['flow', 'graph', file])
    expect([exit, stdout.split('\n')[0]]).toEqual([0, 'every_minute: start interval 1 minutes'])
    expect(stdout.split('\n').every((line) => line.length <= 80)).toBe(true)
    expect((await svc(['flow', 'graph', file, '--mermaid'])).stdout).toMatch(/^flowchart TD\n/)
  })

  it('prints each finding of a broken file on a line of its own, exit 2', async () => {
    const file = join(folder({ 'a.yaml': 'name: n\nnode: {}\n' }), 'a.yaml')
    const { exit, stderr } = await svc(['flow', 'graph', file])
    expect([exit, stderr.includes('u000a')]).toEqual([2, false])
  })

  it('shows one indicator, and suggests a name for an unknown one', async () => {
    expect((await svc(['flow', 'indicators', 'MACD'])).stdout).toContain('{{macd.latest.out2}}\thistogram')
    const unknown = await svc(['flow', 'indicators', 'rsii'])
    expect([unknown.exit, unknown.stderr.includes('Did you mean "rsi"?')]).toEqual([4, true])
  })
})

describe('svc flow validate', () => {
  it('prints nothing on stdout for valid files, exit 0', async () => {
    const directory = folder({
      'a.yaml': FINE,
      'deep/b.json': '{"name": "B", "nodes": {"go": {"type": "start"}}}',
      'a.test.yaml': SCENARIO,
    })
    const { exit, stdout, stderr } = await svc(['flow', 'validate', directory])
    expect({ exit, stdout, stderr }).toEqual({
      exit: 0,
      stdout: '',
      stderr: '3 files, 0 errors, 0 warnings.\n',
    })
  })

  it('names file, line and column of each error, exit 2', async () => {
    const file = join(folder({ 'a.yaml': WRONG }), 'a.yaml')
    const { exit, stdout, stderr } = await svc(['flow', 'validate', file])
    expect(exit).toBe(2)
    expect(stdout).toBe(
      `${file}:3:27: error[dangling_edge]: Edge 'go-next-nota' names 'nota' as its target, which is not a node. Did you mean "note"?\n`,
    )
    expect(stderr).toBe('1 file, 1 error, 0 warnings.\n')
  })

  it('warnings are errors only on request', async () => {
    const directory = folder({ 'a.yaml': WARNS })
    const lax = await svc(['flow', 'validate', directory])
    const strict = await svc(['flow', 'validate', directory, '--strict-warnings'])
    expect([lax.exit, strict.exit]).toEqual([0, 2])
    expect(strict.stdout).toBe(lax.stdout)
    expect(lax.stdout).toContain(':4:37: warning[unresolved_variable]: ')
  })

  it('--json gives the findings as data', async () => {
    const file = join(folder({ 'a.yaml': WRONG }), 'a.yaml')
    const { stdout } = await svc(['flow', 'validate', file, '--json'])
    expect(JSON.parse(stdout)).toMatchObject([
      { file, line: 3, column: 27, severity: 'error', code: 'dangling_edge', path: '/edges/0/target' },
    ])
  })

  it('reads several paths, each file once', async () => {
    const directory = folder({ 'a.yaml': FINE, 'b.yml': FINE })
    const line = ['flow', 'validate', join(directory, 'a.yaml'), directory]
    expect((await svc(line)).stderr).toBe('2 files, 0 errors, 0 warnings.\n')
  })

  it('refuses two workflows with one id', async () => {
    const directory = folder({ 'a.yaml': FINE, 'b.yaml': `id: a\n${FINE}` })
    const { exit, stdout } = await svc(['flow', 'validate', directory])
    expect([exit, stdout]).toEqual([
      2,
      `${join(directory, 'b.yaml')}:1:5: error[duplicate_id]: The id "a" is also the id of ${join(directory, 'a.yaml')}.\n`,
    ])
  })

  it('reports a mistake in an if together with the other mistakes of the file', async () => {
    const wrong = [
      'name: n',
      'nodes:',
      '  start: {type: start, next: rsi}',
      '  rsi: {type: indicator, with: {symbol: SBIN, exchange: NSE, indicatorName: rsii, interval: 15min}, next: check}',
      '  check: {if: "{{rsi}} = 30", yes: buy}',
      '  buy: {type: placeOrder, with: {symbol: SBIN, exchange: NSE, action: BUY, quantity: 1}}',
    ].join('\n')
    const directory = folder({ 'a.yaml': wrong })
    const { exit, stdout } = await svc(['flow', 'validate', directory])
    expect(exit).toBe(2)
    expect(stdout).toContain('a.yaml:5:')
    expect(stdout).toContain('error[invalid_condition]: Write "==" to compare.')
    expect(stdout).toMatch(/a\.yaml:4:.*rsii.*rsi/)
    expect(stdout).toMatch(/a\.yaml:4:.*15min/)
  })

  it('checks scenarios against the schema of scenarios', async () => {
    const directory = folder({ 'a.test.yaml': SCENARIO.replace('orders', 'order') })
    const { exit, stdout } = await svc(['flow', 'validate', directory])
    expect(exit).toBe(2)
    expect(stdout).toContain(':3:31: error[unknown_key]: There is no "order". Did you mean "orders"?')
  })

  it('skips hidden folders, packages, schemas and other files', async () => {
    const directory = folder({
      'a.yaml': FINE,
      '.git/b.yaml': WRONG,
      'node_modules/c.yaml': WRONG,
      'flow.schema.json': '{}',
      'README.md': 'no',
    })
    expect((await svc(['flow', 'validate', directory])).exit).toBe(0)
  })

  it('a missing file is exit 4; a folder without workflows is exit 2', async () => {
    const missing = await svc('flow validate nowhere.yaml')
    expect([missing.exit, missing.stderr]).toEqual([4, 'error: There is no file nowhere.yaml.\n'])
    expect((await svc(['flow', 'validate', tempDir()])).exit).toBe(2)
  })

  it('a file larger than 2 MiB is not read', async () => {
    const directory = folder({ 'a.yaml': 'x'.repeat(2 ** 21 + 1) })
    const { exit, stdout } = await svc(['flow', 'validate', directory])
    expect(exit).toBe(2)
    expect(stdout).toContain('a.yaml:1:1: error[file_too_large]')
  })
})

describe('svc flow schema', () => {
  it('prints the schema of workflows, and of scenarios', async () => {
    const schema = JSON.parse((await svc('flow schema')).stdout)
    expect(schema.$defs['with.placeOrder'].required).toContain('symbol')
    const scenarios = JSON.parse((await svc('flow schema --scenarios')).stdout)
    expect(scenarios.items.required).toContain('expect')
  })

  it('--out writes it into a file', async () => {
    const file = join(tempDir(), 'flow.schema.json')
    const { exit, stdout, stderr } = await svc(['flow', 'schema', '--out', file])
    expect({ exit, stdout, stderr }).toEqual({ exit: 0, stdout: '', stderr: `Written: ${file}\n` })
    expect(JSON.parse(readFileSync(file, 'utf8')).title).toBe('Workflow')
  })

  it('an unwritable path is exit 1', async () => {
    const file = join(tempDir(), 'none', 'flow.schema.json')
    expect((await svc(['flow', 'schema', '--out', file])).exit).toBe(1)
    expect(existsSync(file)).toBe(false)
  })
})

describe('svc flow nodes', () => {
  it('lists every type', async () => {
    const { stdout } = await svc('flow nodes')
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => line.split('\t')[1]),
    ).toEqual(Object.keys(NODES))
  })

  it('shows the fields and outputs of one type', async () => {
    const { exit, stdout } = await svc('flow nodes placeOrder')
    expect(exit).toBe(0)
    expect(stdout).toContain('placeOrder (order): ')
    expect(stdout).toMatch(/^action \*\ttext\t"BUY"\t.*One of BUY, SELL\./m)
    expect(stdout).toMatch(/^orderid\t/m)
  })

  it('shows the branches of a condition, and the variable of an arithmetic result', async () => {
    expect((await svc('flow nodes fundCheck')).stdout).toContain('Exits: yes, no, always, next\n')
    expect((await svc('flow nodes log')).stdout).not.toContain('outputVariable')
  })

  it('prints one type as data', async () => {
    const { stdout } = await svc('flow nodes varCondition --json')
    expect(JSON.parse(stdout)).toMatchObject({
      type: 'varCondition',
      handles: ['yes', 'no', 'always', 'next'],
    })
  })

  it('an unknown type is exit 4, with the nearest type', async () => {
    const { exit, stderr } = await svc('flow nodes placeorder')
    expect(exit).toBe(4)
    expect(stderr).toContain('There is no node type "placeorder".')
    expect(stderr).toContain('placeOrder')
  })
})
