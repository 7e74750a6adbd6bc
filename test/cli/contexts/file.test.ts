import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { changeContexts, configFolder, readContexts } from '../../../src/cli/contexts/file.js'
import { tempDir } from '../../support/files/temp.js'
import { ioOf } from '../support/terminal.js'

const ID = 'a'.repeat(32)
const PROD = { url: 'https://desk.example.com', id: ID }
let folder = ''
const io = () => ({ ...ioOf([], []), env: { SVC_CONFIG_DIR: folder } })
const file = () => join(folder, 'contexts.json')
const write = (content: unknown, mode = 0o600) => {
  writeFileSync(file(), typeof content === 'string' ? content : JSON.stringify(content))
  chmodSync(file(), mode)
}

beforeEach(() => {
  folder = join(tempDir(), 'config')
})

const add = (name: string) =>
  changeContexts(io(), ({ current, daemons }) => ({
    current,
    daemons: new Map([...daemons, [name, { ...PROD, colour: undefined }]]),
  }))

test('is in SVC_CONFIG_DIR, else in the folder of the system', () => {
  expect(configFolder({ env: { SVC_CONFIG_DIR: '/c' }, userHome: '/u' })).toBe('/c')
  expect(configFolder({ env: { XDG_CONFIG_HOME: '/x' }, userHome: '/u' })).toBe('/x/svc')
  expect(configFolder({ env: {}, userHome: '/u' })).toBe('/u/.config/svc')
})

test('without a file only the local home is known', () => {
  expect(readContexts(io())).toEqual({ current: 'local', daemons: new Map() })
  expect(existsSync(folder)).toBe(false)
})

test('only the owner can read it, and nothing else stays in the folder', async () => {
  await add('prod')
  expect(statSync(file()).mode & 0o777).toBe(0o600)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(existsSync(`${file()}.lock`)).toBe(false)
  expect(readContexts(io()).daemons.get('prod')).toEqual({ ...PROD, colour: undefined })
})

test('changes at once lose none of each other', async () => {
  await Promise.all(Array.from({ length: 12 }, (_, at) => add(`desk-${at}`)))
  expect(readContexts(io()).daemons.size).toBe(12)
})

test('the lock of a process that has ended is taken over; that of one that runs is not', async () => {
  await add('prod')
  writeFileSync(`${file()}.lock`, '4194305')
  await add('lab')
  writeFileSync(`${file()}.lock`, String(process.ppid))
  await expect(add('late')).rejects.toMatchObject({
    exit: 1,
    message: expect.stringContaining('another svc changes it'),
  })
  expect([...readContexts(io()).daemons.keys()]).toEqual(['prod', 'lab'])
})

test('a change that is refused leaves the file as it was', async () => {
  await add('prod')
  const before = readFileSync(file(), 'utf8')
  await expect(
    changeContexts(io(), () => {
      throw new Error('no')
    }),
  ).rejects.toThrow()
  expect(readFileSync(file(), 'utf8')).toBe(before)
  expect(existsSync(`${file()}.lock`)).toBe(false)
})

test.each<[string, unknown, string]>([
  ['broken', '{"version":1,', 'it is not a JSON object'],
  ['empty', '', 'it is not a JSON object'],
  ['of a later version', { version: 2, anything: [] }, 'a later version of svc wrote it (format 2)'],
  ['without contexts', { version: 1, current: 'local' }, 'it has no contexts of format 1'],
  ['with a wrong current one', { version: 1, current: 'x', contexts: {} }, 'current must be local or one'],
  [
    'without an id',
    { version: 1, current: 'local', contexts: { a: { url: PROD.url } } },
    'contexts.a.id is not an id',
  ],
  [
    'with an address of plain HTTP',
    { version: 1, current: 'local', contexts: { a: { ...PROD, url: 'http://desk.example.com' } } },
    'contexts.a.url must begin with https',
  ],
  [
    'with a name that leads elsewhere',
    { version: 1, current: 'local', contexts: { '../a': PROD } },
    'is not the name',
  ],
])('a file that is %s is refused, with its path and the reason', async (_, content, reason) => {
  await add('prod')
  write(content)
  expect(() => readContexts(io())).toThrow(
    expect.objectContaining({ exit: 1, message: expect.stringMatching(`${file()} cannot be used: `) }),
  )
  expect(() => readContexts(io())).toThrow(reason)
})

test('a file that others may change is refused; one that they may read is not', async () => {
  await add('prod')
  chmodSync(file(), 0o644)
  expect(readContexts(io()).daemons.size).toBe(1)
  chmodSync(file(), 0o666)
  expect(() => readContexts(io())).toThrow('other users may change it')
})
