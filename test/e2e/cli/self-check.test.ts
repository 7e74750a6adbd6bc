import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from '../../../scripts/docs/documents.js'
import { tempDir } from '../../support/files/temp.js'
import { startChild } from '../../support/process/children.js'
import { Terminal } from '../../support/terminal.js'

interface Finding {
  check: string
  status: 'ok' | 'warn' | 'fail'
  detail: string
  fix: string
}

const CHECKS = ['node', 'sqlite3', 'argon2', 'home', 'port', 'order']
const left = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('svc-self-check-'))

it('svc self-check places an order from end to end, and leaves nothing behind', async () => {
  const tmp = tempDir()
  const terminal = new Terminal({ home: join(tempDir(), 'home'), env: { TMPDIR: tmp } })
  const { exit, stdout } = await terminal.svc('self-check --json', { env: { SIM_SESSIONS: 'market' } })
  const rows: Finding[] = JSON.parse(stdout)
  expect(rows.map(({ check }) => check)).toEqual(CHECKS)
  expect(rows.filter(({ status }) => status === 'fail')).toEqual([])
  expect(rows.find(({ check }) => check === 'order')?.detail).toMatch(/^a simulated order was filled in /)
  expect(exit).toBe(0)
  expect(left(tmp)).toEqual([])
})

/** Returns a copy of the installed package in which `sqlite3` has no binary. */
function withoutDatabase(): string {
  const root = tempDir()
  for (const name of ['bin', 'dist', 'package.json'])
    cpSync(join(ROOT, name), join(root, name), { recursive: true })
  const modules = join(root, 'node_modules')
  mkdirSync(join(modules, 'sqlite3'), { recursive: true })
  for (const name of readdirSync(join(ROOT, 'node_modules'))) {
    if (name !== 'sqlite3') symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
  }
  writeFileSync(join(modules, 'sqlite3', 'package.json'), '{"name":"sqlite3","main":"index.js"}')
  writeFileSync(join(modules, 'sqlite3', 'index.js'), `throw new Error('Could not locate the bindings file')`)
  return root
}

it('says what is wrong and what to do: a database package without its binary, a home that cannot be made', async () => {
  const tmp = tempDir()
  const words = [
    join(withoutDatabase(), 'bin', 'svc'),
    'self-check',
    '--json',
    '--home',
    '/proc/nowhere/home',
  ]
  const child = startChild(process.execPath, words, { HOME: '/nonexistent', TMPDIR: tmp })
  let stdout = ''
  child.process.stdout?.on('data', (chunk) => {
    stdout += String(chunk)
  })
  expect((await child.exited).code).toBe(1)
  const rows: Finding[] = JSON.parse(stdout)
  const failed = rows.filter(({ status }) => status === 'fail')
  expect(failed.map(({ check }) => check)).toEqual(['sqlite3', 'home', 'order'])
  expect(failed[0]).toMatchObject({
    detail: 'the package sqlite3 does not work: Error: Could not locate the bindings file',
    fix: expect.stringContaining('npm rebuild sqlite3'),
  })
  expect(failed[1]?.fix).toContain('--home')
  expect(left(tmp)).toEqual([])
})
