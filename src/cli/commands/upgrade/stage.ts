import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { trialIn } from '../../../core/backup/vocabulary.js'
import type { Context } from '../../framework/context.js'
import { CliError, interruptedError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { PACKAGE_NAME, versionIn } from '../../package.js'
import { settingsIn } from './daemon-process.js'
import type { Installation } from './installation.js'
import type { Release } from './registry.js'
import { LONG_MS, runNpm, runProgram } from './run-program.js'
import { commandOf, formerFolder, keepFormer, nextFolder } from './swap.js'

/** Removes the copy of the databases that a killed trial has left. */
export const removeTrial = (home: string): void => rmSync(trialIn(home), { recursive: true, force: true })

/** What the trial of the next version needs besides the installation. */
interface Trial {
  from: string
  release: Release
  /** The environment of the daemon. */
  env: Readonly<Record<string, string | undefined>>
  copyHome: (home: string, folder: string, signal: AbortSignal) => Promise<void>
}

/**
 * Installs the next version in its stage, beside the present one, and proves that it runs on this machine and opens a copy of the
 * databases of the home. Keeps a copy of the present version, and proves that it starts. The daemon works on meanwhile.
 * @throws CliError that says what is wrong; exit 130 after a signal
 */
export async function stageNext(context: Context, installation: Installation, trial: Trial): Promise<void> {
  const stop = new AbortController()
  const onSignal = () => stop.abort(interruptedError())
  for (const name of SIGNALS) process.on(name, onSignal)
  try {
    await tryNext(context, installation, trial, stop.signal)
  } finally {
    removeTrial(context.settings.home)
    for (const name of SIGNALS) process.off(name, onSignal)
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

async function tryNext(
  { out, settings: { home }, io }: Context,
  installation: Installation,
  { copyHome, env, from, release }: Trial,
  signal: AbortSignal,
): Promise<void> {
  const { stage } = installation
  const next = nextFolder(stage)
  const to = release.version
  // A folder of this run: npm of a run that was killed may still write into its own.
  const prefix = mkdtempSync(join(stage, 'npm-'))
  const run = (command: string, words: readonly string[], given: Trial['env']) =>
    runProgram(command, words, { env: given, limitMs: LONG_MS, cwd: stage, signal })
  const npm = (...words: string[]) =>
    runNpm([...words, ...release.npm], { env: io.env, limitMs: LONG_MS, signal })
  out.note(`Installing ${to} beside ${from} …`)
  await npm('pack', `${PACKAGE_NAME}@${to}`, '--pack-destination', prefix)
  const file = join(prefix, `${PACKAGE_NAME}-${to}.tgz`)
  requireRelease(file, release)
  await npm(...NPM_INSTALL, '--prefix', prefix, file)
  const installed = join(prefix, 'lib/node_modules', PACKAGE_NAME)
  requireVersion(installed, to)
  renameSync(installed, next)
  keepFormer(installation)
  requireVersion(formerFolder(stage), from)
  await run(process.execPath, [commandOf(formerFolder(stage)), '--version'], plainEnv(io.env))
  out.note(`Trying ${to}: an order from end to end, and a copy of the databases …`)
  const alone = { ...plainEnv(io.env), SVC_HOME: join(prefix, 'home') }
  await run(process.execPath, [commandOf(next), 'self-check'], alone)
  await copyHome(home, trialIn(home), signal)
  const secrets = (await settingsIn(env)).map((name) => [name, env[name]] as const)
  const asDaemon = { ...plainEnv(io.env), ...Object.fromEntries(secrets) }
  await run(process.execPath, [commandOf(next), '__migrate', '--home', trialIn(home)], asDaemon)
  // A power cut must not find the new version in place, and its files not on the disk.
  await run('sync', [], plainEnv(io.env))
  signal.throwIfAborted()
}

/** @throws CliError for a file that is not the one of which the registry has given the checksum */
export function requireRelease(
  file: string,
  { integrity, registry }: Pick<Release, 'integrity' | 'registry'>,
): void {
  const sum = `sha512-${createHash('sha512').update(readFileSync(file)).digest('base64')}`
  if (integrity?.split(' ').includes(sum)) return
  throw new CliError(
    EXIT.failed,
    `The file that npm has downloaded is not the one that ${registry} has named.`,
  )
}

function requireVersion(folder: string, wanted: string): void {
  const version = versionIn(folder)
  if (version === wanted && existsSync(commandOf(folder))) return
  throw new CliError(
    EXIT.failed,
    `${folder} has ${version ?? 'no version'} of ${PACKAGE_NAME}, not ${wanted}.`,
  )
}

/** Returns what a program of this package needs of an environment, without settings and secrets. */
function plainEnv({ HOME, LANG, PATH, TMPDIR, TZ }: Trial['env']): Trial['env'] {
  return { HOME, LANG, PATH, TMPDIR, TZ }
}

// Newer versions of npm run no script of a package that is not named; older ones ignore the option.
const NPM_INSTALL = ['install', '--global', '--allow-scripts=sqlite3', '--no-audit', '--no-fund'] as const
