import { spawn } from 'node:child_process'
import { CliError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'

interface RunOptions {
  env: Readonly<Record<string, string | undefined>>
  cwd?: string
  /** True for a program that Ctrl-C at the terminal must not end. */
  detached?: boolean
}

/**
 * Runs a program to its end and returns its standard output. What it says meanwhile is not shown; a failure has its last words.
 * @throws CliError (exit 1)
 */
export async function runProgram(
  command: string,
  words: readonly string[],
  options: RunOptions,
): Promise<string> {
  const { env, ...rest } = options
  const child = spawn(command, words, { ...rest, env: { ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text
    })
  }
  const failure = await new Promise<string | undefined>((done) => {
    child.on('error', (error) => done(error.message))
    child.on('close', (code, signal) => done(code === 0 ? undefined : `it ended with ${signal ?? code}`))
  })
  if (failure === undefined) return texts.stdout
  const called = [command, ...words].slice(0, 3).join(' ')
  const said = lastWords(texts.stderr) || failedChecks(texts.stdout) || `${called}: ${failure}`
  throw new CliError(EXIT.failed, said)
}

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
