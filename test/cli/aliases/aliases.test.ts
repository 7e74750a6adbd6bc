import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { expansionOf, firstWordAt, wordsToComplete } from '../../../src/cli/aliases/expansion.js'
import { run } from '../../../src/cli/framework/run.js'
import type { Io } from '../../../src/cli/io/io.js'
import { NOUNS } from '../../../src/cli/nouns.js'
import { tempDir } from '../../support/files/temp.js'
import { ioOf } from '../support/terminal.js'

/* An alias is a name for a command line. It never replaces a command, and answers no question. */

let folder: string
let file: string

beforeEach(() => {
  folder = join(tempDir(), 'config')
  file = join(folder, 'aliases.json')
})

async function svc(...argv: string[]) {
  const [out, err]: [string[], string[]] = [[], []]
  const io: Io = ioOf(out, err)
  const env = { ...io.env, SVC_CONFIG_DIR: folder }
  const exit = await run(argv, { ...io, env }, { version: '0.1.0', nouns: NOUNS })
  return { exit, stdout: out.join(''), stderr: err.join('') }
}

const written = (aliases: object) => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, JSON.stringify({ version: 1, aliases }), { mode: 0o600 })
}

describe('svc alias', () => {
  it('stores, lists, replaces and removes an alias in a file that only its owner can read', async () => {
    expect((await svc('alias', 'set', 'z', 'schema order')).stderr).toBe('svc z is now svc schema order.\n')
    expect((await svc('alias', 'set', 'z', 'svc schema trade')).stderr).toContain('It was: svc schema order')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ version: 1, aliases: { z: 'schema trade' } })
    expect((await svc('alias', 'list')).stdout).toBe('z\tschema trade\tfalse\n')
    expect((await svc('alias', 'remove', 'z')).exit).toBe(0)
    expect((await svc('alias', 'list')).stdout).toBe('')
    expect(await svc('alias', 'remove', 'z')).toMatchObject({
      exit: 4,
      stderr: expect.stringContaining('There is no alias z'),
    })
  })

  it.each([
    ['the name of a command', 'order', 'fund list', 'is a command of svc'],
    ['another name of a command', 'ctx', 'fund list', 'is a command of svc'],
    ['a name with a blank', 'a b', 'fund list', 'is not the name of an alias'],
    ['an option', '-x', 'fund list', 'is not the name of an alias'],
    ['no command', 'z', '', 'is empty'],
    ['another alias', 'z', 'mine --json', 'is not a command of svc'],
    ['an open quote', 'z', "order list --jq '.x", 'not closed'],
    ['--yes', 'z', 'order cancel-all --yes', 'cannot have --yes'],
    ['-y', 'z', 'order cancel-all -y', 'cannot have -y'],
    ['-y among other letters', 'z', 'order cancel-all -qy', 'cannot have -qy'],
    ['a word that confirms', 'z', 'risk resume --confirm=RESUME', 'cannot have --confirm'],
    ['--force', 'z', 'down --force', 'cannot have --force'],
    [
      'a key of one order',
      'z',
      'order place SBIN NSE BUY 1 --idempotency-key k',
      'cannot have --idempotency-key',
    ],
    ['an option whose name is filled in', 'z', 'risk resume --con$1 RESUME', 'cannot have --con$1'],
    ['a short option that is filled in', 'z', 'order cancel-all -$1', 'cannot have -$1'],
    ['a place of two digits', 'z', 'order place SBIN NSE BUY $10', 'the places are $1 to $9'],
    ['a secret', 'z', 'order list --apikey abc', 'cannot have a secret'],
  ])('refuses %s', async (_what, name, line, says) => {
    const { exit, stderr } = await svc('alias', 'set', '--', name, line)
    expect([exit, stderr.toLowerCase()]).toEqual([2, expect.stringContaining(says.toLowerCase())])
  })
})

describe('a command line with an alias', () => {
  it('has the words in their places, and the others at the end', async () => {
    await svc('alias', 'set', 'z', 'schema $1')
    expect((await svc('z', 'order')).stdout).toBe((await svc('schema', 'order')).stdout)
    expect((await svc('-q', 'z', 'order')).stdout).toBe((await svc('schema', 'order')).stdout)
    expect(await svc('z')).toMatchObject({
      exit: 2,
      stderr: expect.stringContaining('z needs one word after it'),
    })
  })

  it('is never read by a shell, and a word stays one word', () => {
    const alias = { name: 'b', line: "order place NSE:$1 BUY $2 --strategy 'my own'" }
    expect(expansionOf(alias, ['A; rm -rf /', '$(x)', '--product', 'CNC'])).toEqual([
      ...['order', 'place', 'NSE:A; rm -rf /', 'BUY', '$(x)', '--strategy', 'my own', '--product', 'CNC'],
    ])
  })

  it('takes no option as the word of a place: svc b SBIN --yes is not an order of "--yes"', () => {
    expect(() => expansionOf({ name: 'b', line: 'order place $1 NSE BUY $2' }, ['SBIN', '--yes'])).toThrow(
      'b needs 2 words',
    )
  })

  it('a command comes before an alias that the file has under its name', async () => {
    written({ schema: 'version' })
    expect((await svc('schema', 'order')).stdout).toContain('svc/order/1')
    expect((await svc('alias', 'list')).stdout).toBe('schema\tversion\ttrue\n')
  })

  it.each([
    ['itself', { z: 'z' }],
    ['another alias', { z: 'x', x: 'z' }],
    ['an answer to a question', { z: 'order cancel-all --yes' }],
  ])('written by hand, cannot stand for %s', async (_what, aliases) => {
    written(aliases)
    expect(await svc('z')).toMatchObject({ exit: 2, stdout: '' })
  })

  it('--help and svc help show what it stands for', async () => {
    await svc('alias', 'set', 'b', 'order place $1 NSE BUY $2')
    for (const line of [
      ['b', '--help'],
      ['help', 'b'],
    ]) {
      const { exit, stdout } = await svc(...line)
      expect([exit, stdout]).toEqual([
        0,
        expect.stringMatching(/^b is an alias: svc order place \$1 NSE BUY \$2\n\nPlaces an order/),
      ])
    }
  })

  it('a file that others may change is refused, and commands still run', async () => {
    written({ z: 'schema order' })
    chmodSync(file, 0o666)
    expect(await svc('z')).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('other users may change it'),
    })
    expect((await svc('schema', 'order')).exit).toBe(0)
    expect((await svc('__complete', '--', 'sche')).stdout).toContain('schema\t')
  })
})

describe('completion', () => {
  it('knows the aliases, and completes the places of one as its command does', async () => {
    await svc('alias', 'set', 'mine', 'order list --strategy $1')
    expect((await svc('__complete', '--', 'mi')).stdout).toBe('mine\talias: svc order list --strategy $1\n')
    expect((await svc('__complete', '--', 'alias', 'remove', 'm')).stdout).toBe(
      'mine\torder list --strategy $1\n',
    )
    expect((await svc('__complete', '--', 'mine', 'demo', '--stat')).stdout).toContain('--status\t')
  })

  it.each([
    [['SB'], ['order', 'place', 'SB']],
    [
      ['SBIN', '1'],
      ['order', 'place', 'SBIN', 'NSE', 'BUY', '1'],
    ],
    [
      ['SBIN', '1', '--pr'],
      ['order', 'place', 'SBIN', 'NSE', 'BUY', '1', '--type', 'LIMIT', '--pr'],
    ],
  ])('b %j asks for the words of %j', (given, words) => {
    const alias = { name: 'b', line: 'order place $1 NSE BUY $2 --type LIMIT' }
    expect(wordsToComplete(alias, given)).toEqual(words)
  })
})

it.each([
  [['order'], 0],
  [['--json', 'order'], 1],
  [['--home', 'x', 'order'], 2],
  [['--home=x', 'order'], 1],
  [['-o', 'json', 'order'], 2],
  [['--', 'order'], -1],
  [[], -1],
])('the first word of %j is at %i', (argv, at) => {
  expect(firstWordAt(argv)).toBe(at)
})
