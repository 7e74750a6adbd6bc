import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { CliError, interruptedError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'

type Env = Readonly<Record<string, string | undefined>>

/** How long a program may take that may migrate databases, or install a package. */
export const LONG_MS = 900_000

interface RunOptions {
  /** The whole environment of the program. */
  env: Env
  /** How long it may take; it is ended then, with what it has started. */
  limitMs: number
  cwd?: string
  /** Ends it, with what it has started. */
  signal?: AbortSignal
}

/**
 * Runs a program to its end, out of reach of the terminal's Ctrl-C, and returns its standard output. What it says meanwhile is not
 * shown; a failure has its last words.
 * @throws CliError (exit 1), or the one for Ctrl-C (exit 130) if `signal` ended it
 */
export async function runProgram(
  command: string,
  words: readonly string[],
  { cwd, env, limitMs, signal }: RunOptions,
): Promise<string> {
  if (signal?.aborted) throw interruptedError()
  const child = spawn(command, words, {
    ...(cwd !== undefined && { cwd }),
    env: { ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that all of it can be ended.
    detached: true,
  })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
    })
  }
  let killer: NodeJS.Timeout | undefined
  const end = () => {
    // What it has started in groups of their own, it ends itself at Ctrl-C.
    signalGroup(child.pid, 'SIGINT')
    killer = setTimeout(() => signalGroup(child.pid, 'SIGKILL'), END_MS)
  }
  let isLate = false
  const timer = setTimeout(() => {
    isLate = true
    end()
  }, limitMs)
  signal?.addEventListener('abort', end)
  // What it said may still be on its way; a daemon that it has started may hold the pipe open.
  const closed = new Promise((done) => child.once('close', done))
  const failure = await new Promise<string | undefined>((done) => {
    child.on('error', (error) => done(error.message))
    child.on('exit', (code, by) => done(code === 0 ? undefined : `it ended with ${by ?? code}`))
  })
  const enough = new AbortController()
  await Promise.race([closed, wait(SAID_MS, undefined, enough).catch(() => undefined)])
  enough.abort()
  clearTimeout(timer)
  clearTimeout(killer)
  if (killer) signalGroup(child.pid, 'SIGKILL')
  signal?.removeEventListener('abort', end)
  if (signal?.aborted) throw interruptedError()
  if (failure === undefined) return texts.stdout
  const called = [command, ...words].slice(0, 3).join(' ')
  const late = `${called} has not ended within ${Math.round(limitMs / 1000)} s`
  const said = lastWords(texts.stderr) || failedChecks(texts.stdout) || `${called}: ${failure}`
  throw new CliError(EXIT.failed, withoutCredentials(isLate ? late : said))
}

const SAID_MS = 1_000

/** How long a program that is ended may take before it is killed. */
const END_MS = 5_000

function signalGroup(pid: number | undefined, name: 'SIGINT' | 'SIGKILL'): void {
  try {
    if (pid !== undefined) process.kill(-pid, name)
  } catch {
    // It has ended.
  }
}

/** Runs npm where no file of a project sets anything. @throws CliError as {@link runProgram} */
export function runNpm(words: readonly string[], options: Omit<RunOptions, 'cwd'>): Promise<string> {
  // Nobody else may change what npm installs, whatever this user lets others change. The program starts before the first wait.
  const own = process.umask(0o022)
  try {
    return runProgram('npm', words, { ...options, cwd: '/', env: npmEnv(options.env) })
  } finally {
    process.umask(own)
  }
}

/** What npm may see of an environment: no key, token or password of svc, of a broker or of anything else. */
const OF_NPM = /^(PATH|HOME|(http|https|no|all)_proxy|npm_config_(registry|proxy|https_proxy|noproxy))$/i
/** Variables that name files. A relative path starts at the folder of this command, not at that of npm. */
const FILES_OF_NPM =
  /^(npm_config_(prefix|userconfig|globalconfig|cafile)|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR))$/i

/** Returns the part of an environment that npm, and what it installs, may see. The server of a registry must prove itself. */
export function npmEnv(env: Env, folder = process.cwd()): Env {
  const passed = Object.entries(env).flatMap(([name, value]) => {
    if (OF_NPM.test(name)) return [[name, value]]
    return FILES_OF_NPM.test(name) ? [[name, value && pathsFrom(folder, value)]] : []
  })
  return {
    ...Object.fromEntries(passed),
    ...{ npm_config_update_notifier: 'false', npm_config_strict_ssl: 'true' },
  }
}

/** Returns paths, of which SSL_CERT_DIR may have several, as they are found from any folder. */
const pathsFrom = (folder: string, paths: string): string =>
  paths
    .split(':')
    .map((path) => (path === '' || path.startsWith('~/') ? path : resolve(folder, path)))
    .join(':')

/** Returns a text without the user names and passwords of the URLs in it. */
export const withoutCredentials = (text: string): string => text.replaceAll(/\/\/[^/@\s]+@/g, '//')

/** Returns what `svc self-check` found, of its rows that failed. */
function failedChecks(text: string): string {
  const rows = text.split('\n').map((line) => line.split('\t'))
  return rows
    .flatMap(([status, check, detail]) => (status === 'fail' ? [`${check}: ${detail}`] : []))
    .join('; ')
}

/** Returns the message of an error as commands and npm print it, on one line. */
export function lastWords(text: string): string {
  const lines = text.trim().split('\n')
  const at = lines.findLastIndex((line) => line.startsWith('error: '))
  const own = at === -1 ? [] : [lines[at]?.slice('error: '.length) ?? '', ...lines.slice(at + 1)]
  const npm = lines
    .filter((line) => /^npm (error|ERR!)/.test(line) && !/A complete log|debug-\d/.test(line))
    .map((line) => line.replace(/^npm (error|ERR!) ?/, ''))
  const said = [own, npm].find((words) => words.length > 0) ?? lines
  return said
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(0, 4)
    .join(' ')
}
