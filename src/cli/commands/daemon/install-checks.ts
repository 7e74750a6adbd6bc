import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { Context } from '../../framework/context.js'
import { SentRequests } from '../../http/sent-requests.js'
import type { Io, Sink } from '../../io/io.js'
import { PACKAGE_ROOT } from '../../package.js'
import { type Finding, fail, type HealthCheck, nodeVersion, ok, portState, writable } from './checks.js'
import { foreignEnv, removeHome } from './temporary-daemon.js'

/** The checks of `svc self-check`, in this order: what an installed copy needs on this machine. */
export const INSTALL_CHECKS: readonly HealthCheck[] = [
  { name: 'node', find: async () => nodeVersion() },
  { name: 'sqlite3', find: () => database() },
  { name: 'argon2', find: () => passwordHash() },
  { name: 'home', find: async (context) => usableHome(context.settings.home) },
  { name: 'port', find: portState },
  { name: 'order', find: (context) => simulatedOrder(context) },
]

const DATABASE = `import sqlite3 from 'sqlite3'
const db = new sqlite3.Database(process.argv[1])
const failed = (error) => { if (error) throw error }
db.exec('pragma journal_mode = wal; create table t (x); insert into t values (1)', failed)
db.get('select x, sqlite_version() as version from t', (error, row) => {
  failed(error)
  console.log(row.version)
  db.close(failed)
})`

const PASSWORD = `import { hash, verify } from '@node-rs/argon2'
const made = await hash('self-check')
if (!(await verify(made, 'self-check'))) throw new Error('a password does not match its own hash')
console.log(made.slice(1).split('$')[0])`

async function database(): Promise<Finding> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-self-check-'))
  try {
    return ok(`SQLite ${await evaluated(DATABASE, join(folder, 'check.db'))} reads and writes`)
  } catch (thrown) {
    return fail(
      `the package sqlite3 does not work: ${reasonOf(thrown)}`,
      'npm rebuild sqlite3 in the folder of the package; where there is no ready binary it needs python3, make and a C++ compiler',
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function passwordHash(): Promise<Finding> {
  try {
    return ok(`${await evaluated(PASSWORD)} hashes and verifies`)
  } catch (thrown) {
    return fail(
      `the package @node-rs/argon2 does not work: ${reasonOf(thrown)}`,
      'install again without --no-optional and --omit=optional: the binary of this platform is an optional package',
    )
  }
}

/** Runs a script in a process of its own, because a broken binary may end the process that loads it. */
async function evaluated(script: string, ...args: string[]): Promise<string> {
  const words = ['--input-type=module', '-e', script, ...args]
  const { stdout } = await promisify(execFile)(process.execPath, words, {
    cwd: PACKAGE_ROOT,
    timeout: 60_000,
  })
  return stdout.trim()
}

/** Returns the line of a failure that names its cause. */
function reasonOf(thrown: unknown): string {
  const text = thrown instanceof Error && 'stderr' in thrown ? String(thrown.stderr) : String(thrown)
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return (lines.find((line) => /^\w*Error\b/.test(line)) ?? lines[0] ?? 'no reason was given').trim()
}

/** Checks with a real write: in the home, or before the first start in the folder that will hold it. */
function usableHome(home: string): Finding {
  if (existsSync(home)) return writable(home)
  let parent = dirname(home)
  while (!existsSync(parent)) parent = dirname(parent)
  try {
    rmdirSync(mkdtempSync(join(parent, '.svc-self-check-')))
    return ok(`${home} can be created`)
  } catch (thrown) {
    return fail(`${home} cannot be created: ${reasonOf(thrown)}`, 'choose another: --home, or SVC_HOME')
  }
}

const ACCOUNT = ['--username', 'check', '--email', 'check@example.com', '--password-stdin'] as const

/** Places an order at the simulated market, with a daemon of its own in a temporary home. */
async function simulatedOrder(context: Context): Promise<Finding> {
  const home = mkdtempSync(join(tmpdir(), 'svc-self-check-'))
  const svc = (words: readonly string[], stdin?: string) =>
    captured(context, ['--home', home, ...words], stdin)
  try {
    const startedAt = context.io.now()
    const steps: readonly (readonly [words: readonly string[], stdin?: string])[] = [
      [['up', '--detach', '--port', '0', '--ws-port', '0']],
      [['setup', ...ACCOUNT], `${randomBytes(12).toString('base64url')}aA1!`],
      [['order', 'place', 'SBIN', 'NSE', 'BUY', '1', '--product', 'CNC', '--wait']],
      [['down']],
    ]
    for (const [words, stdin] of steps) {
      const { exit, stderr } = await svc(words, stdin)
      if (exit !== 0)
        return fail(
          `svc ${words.slice(0, 2).join(' ')} ended with ${exit}: ${stderr}`,
          'svc demo shows each step',
        )
    }
    return ok(`a simulated order was filled in ${((context.io.now() - startedAt) / 1000).toFixed(1)} s`)
  } finally {
    removeHome(home)
  }
}

/** Runs a command line within this process, away from the user's daemon and terminal. */
async function captured(context: Context, words: readonly string[], stdin = '') {
  const texts = { stdout: '', stderr: '' }
  const sinkTo = (name: keyof typeof texts): Sink => ({
    isTty: false,
    columns: 80,
    write: (text) => {
      texts[name] += text
    },
    flushed: async () => undefined,
  })
  const io: Io = {
    ...context.io,
    env: { ...(await foreignEnv(context.io.env)), NO_COLOR: '1' },
    stdout: sinkTo('stdout'),
    stderr: sinkTo('stderr'),
    stdin: { ...context.io.stdin, isTty: false, readAll: async () => stdin },
    sent: new SentRequests(),
  }
  const exit = await context.program.run(words, io)
  return { exit, stderr: texts.stderr.trim().split('\n').at(-1) ?? '' }
}
