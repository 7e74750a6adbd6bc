import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { upgradeLockIn } from '../../../core/backup/vocabulary.js'
import { messageOf } from '../../../core/errors/index.js'
import type { Input, NounSpec } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { CliError, interruptedError, usageError } from '../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'
import { makeHome, readDaemonFile, requireHome } from '../../io/home.js'
import type { Sink } from '../../io/io.js'
import { colours } from '../../output/colours.js'
import { Output } from '../../output/output.js'
import { versionIn } from '../../package.js'
import { type Found, showFindings } from '../daemon/checks.js'
import { byHandFacts, inShell, prefixOf, svcAt } from './by-hand.js'
import { upgradeChecks } from './checks.js'
import { howItRuns, launchFor, requireNoUnit, startAs } from './daemon-process.js'
import { Drive } from './drive.js'
import { type Installation, isGone, ownInstallation } from './installation.js'
import {
  cutOffText,
  type How,
  type Journal,
  portWords,
  readJournal,
  removeJournal,
  settingsText,
  type Way,
  wayOn,
  writeJournal,
} from './journal.js'
import { runningDaemon } from './proc.js'
import { askRegistry, type Release } from './registry.js'
import { removeTrial, stageNext } from './stage.js'
import { activeFolder, beginStage, formerFolder, isInPlace, nextFolder } from './swap.js'
import { isNewer, isVersion } from './versions.js'

/** One run of the command. Unless it only checks, it has the locks of the installation and of the home. */
interface Run {
  context: Context
  input: Input
  installation: Installation
  code: typeof import('../../../daemon/backup/upgrade.js')
  /** The version that the user has named. */
  wanted: string | undefined
}

export const upgrade: NounSpec = {
  isOfHome: 'named',
  summary: 'Moves this installation and its home to another version, and back if that fails.',
  examples: ['upgrade --check', 'upgrade', 'upgrade --to 0.2.0 --yes', 'upgrade --back'],
  details:
    'For an installation by npm install --global that belongs to you, and a daemon that you started with svc up, or none. As root, for a unit of systemd, in a container or a checkout it changes nothing and prints the commands of the upgrade by hand (exit 5). It installs the new version beside the present one and tries it: an order from end to end, and a migration of a copy of your databases. Only then it stops the daemon, makes a backup, puts the new version in place and starts it. If that one does not come up, or after Ctrl-C, the former version comes back, unless the new one has migrated the databases or left an order in doubt: then the new one stays and runs, and the message has the backup and the commands of the way back by hand. No database is ever put back by itself. An upgrade that was cut off leaves a program that starts: svc doctor says where it stands, svc upgrade goes on with it, and svc upgrade --back goes back.',
  options: [
    { flags: '--check', summary: 'only report whether the upgrade can be done; exit 1 when it cannot' },
    { flags: '--to <release>', summary: 'the version, which may be an older one (default: the newest)' },
    { flags: '--back', summary: 'go back from an upgrade that is not finished' },
    { flags: '--with-strategies', summary: 'although strategies run, whose stops nobody watches meanwhile' },
  ],
  ownsSignals: true,
  async run(context, input) {
    const { io, settings } = context
    const wanted = input.text('to')
    if (wanted !== undefined && !isVersion(wanted)) {
      throw usageError(`--to must be a version, was "${wanted}".`, 'Example: --to 0.2.0')
    }
    const installation = ownInstallation({ io, settings, version: wanted ?? 'latest' })
    const code = await import('../../../daemon/backup/upgrade.js')
    const run = { context, input, installation, code, wanted }
    if (input.flag('check')) return check(run)
    requireHome(settings.home)
    makeHome(settings.home)
    const locks = [await locked(run, installation.lock, `of ${installation.folder}`)]
    try {
      locks.push(await locked(run, upgradeLockIn(settings.home), `in the home ${settings.home}`))
      removeTrial(settings.home)
      const journal = readJournal(settings.home)
      return journal ? await goOn(run, journal) : await begin(run)
    } finally {
      for (const lock of locks) await lock.release()
    }
  },
}

type Lock = NonNullable<Awaited<ReturnType<Run['code']['lockFile']>>>

/** @throws CliError (exit 5) while another upgrade has the lock */
async function locked({ code }: Run, file: string, which: string): Promise<Lock> {
  const lock = await code.lockFile(file)
  if (lock) return lock
  throw new CliError(EXIT.refused, `Another svc upgrade ${which} is at work.`, { hint: 'Wait for its end.' })
}

/** Reports whether an upgrade can be done now, and changes nothing. */
async function check(run: Run): Promise<ExitStatus> {
  const { context } = run
  const journal = readJournal(context.settings.home)
  if (journal) {
    context.out.note(cutOffText(journal))
    return EXIT.failed
  }
  const release = await releaseFor(run)
  if (!release) return EXIT.done
  const { looked } = await lookAt(run, release.version)
  return showFindings(context, await upgradeChecks({ ...looked, begins: { from: context.version, release } }))
}

/** Returns the version to upgrade to; undefined, with a note, if there is nothing to do. */
async function releaseFor({ context, wanted }: Run): Promise<Release | undefined> {
  const { io, out, version: from } = context
  const release = await askRegistry(io, wanted)
  if (release.version !== from && (wanted !== undefined || isNewer(release.version, from))) return release
  const newest = release.version === from ? '' : `, and the newest in the registry is ${release.version}`
  out.note(`svc ${from} is installed${newest}: nothing to do.`)
  return undefined
}

/** Reads how the daemon runs, and what the home says. */
async function lookAt(run: Run, version: string, journal?: Journal) {
  const { code, context, input, installation } = run
  const { home } = context.settings
  const by = factsFor(context, installation, version)
  const daemon = await howItRuns(installation, by)
  if (!daemon && journal?.daemon) requireNoUnit('own unit', by)
  const facts = await code.factsOfHome({ home })
  const withStrategies = input.flag('withStrategies')
  return { daemon, looked: { svc: by.svc, installation, home, facts, orders: true, withStrategies } }
}

async function begin(run: Run): Promise<ExitStatus> {
  const { context, input } = run
  const { prompts, version: from } = context
  if (input.flag('back')) {
    throw new CliError(EXIT.refused, 'No upgrade of this home is unfinished: there is no way back to go.', {
      hint: `To install another version: ${svcAt(context)('upgrade --to VERSION')}`,
    })
  }
  const release = await releaseFor(run)
  if (!release) return EXIT.done
  const { version: to } = release
  const first = await lookAt(run, to)
  await requireAll(context, await upgradeChecks({ ...first.looked, begins: { from, release } }))
  await prompts.confirm(`Upgrade svc from ${from} to ${to}. ${planOf(first.daemon)}`)
  const journal = await staged(run, release, launchFor(context, first.daemon).env)
  return carryOut(run, journal, 'forward')
}

/** Stages the next version, and writes the journal. @throws CliError that says that nothing was changed */
async function staged(run: Run, release: Release, env: Context['io']['env']): Promise<Journal> {
  const { code, context, installation } = run
  const { io, settings, version: from } = context
  const { version: to } = release
  beginStage(installation, settings.home)
  try {
    await stageNext(context, installation, { from, release, env, copyHome: code.copyHome })
    // The question and the trial took their time: what was read before may not be true any more.
    const { daemon, looked } = await lookAt(run, to)
    await requireAll(context, await upgradeChecks(looked))
    const journal: Journal = {
      ...{ from, to, at: new Date(io.now()).toISOString(), step: 'stop', backup: null, daemon },
      folder: installation.folder,
      id: daemon ? (readDaemonFile(settings.home)?.id ?? null) : null,
      schemas: looked.facts.schemas,
    }
    writeJournal(settings.home, journal)
    return journal
  } catch (thrown) {
    rmSync(installation.stage, { recursive: true, force: true })
    throw new CliError(
      thrown instanceof CliError ? thrown.exit : EXIT.failed,
      `The upgrade to ${to} failed: ${messageOf(thrown)}`,
      {
        code: 'upgrade_failed',
        hint: 'Nothing was changed, and the daemon was not stopped.',
        lines: thrown instanceof CliError && thrown.lines,
        cause: thrown,
      },
    )
  }
}

/** Warns of what is not in order. @throws CliError (exit 5) for what must be */
async function requireAll({ out, settings }: Context, found: readonly Found[]): Promise<void> {
  const refused = found.flatMap(({ detail, status }) => (status === 'fail' ? [detail] : []))
  if (refused.length > 0) {
    throw new CliError(EXIT.refused, `The upgrade cannot be done now: ${refused.join('; ')}`, {
      hint: `Nothing was changed. See all checks: ${svcAt({ settings })('upgrade --check')}`,
    })
  }
  for (const { check, detail, fix, status } of found) {
    if (status === 'warn') await out.warn(`${check}: ${detail}; ${fix ?? ''}`)
  }
}

const planOf = (daemon: How | null): string =>
  daemon
    ? 'The daemon stops for some seconds, in which nothing watches stops, and starts again in the background, as svc up --detach does'
    : 'No daemon runs, and none is started'

/** Goes on with an upgrade that was cut off. */
async function goOn(run: Run, journal: Journal): Promise<ExitStatus> {
  const { context, input, installation } = run
  const { out, prompts } = context
  out.note(cutOffText(journal))
  if (isGone(journal.folder)) return forget(run, journal, `${journal.folder} is gone`)
  requireSame(run, journal)
  const way = wayOf(installation, input.flag('back') ? { ...journal, step: 'back' } : journal)
  if (way === 'void') {
    return forget(
      run,
      journal,
      'Another version was installed since, or the files of the upgrade were removed',
    )
  }
  const look = async () => {
    // Somebody may have started a daemon since, which has orders of its own.
    const { daemon, looked } = await lookAt(run, journal.to, journal)
    const isNew = versionIn(activeFolder(installation) ?? '') === journal.to
    const orders = isNew === (way === 'back')
    // A new version that runs is not stopped: there is nothing left to do.
    const withStrategies = looked.withStrategies || (way === 'forward' && isNew)
    await requireAll(context, await upgradeChecks({ ...looked, orders, withStrategies }))
    return daemon ?? journal.daemon
  }
  await look()
  await prompts.confirm(
    way === 'back' ? `Go back to ${journal.from}` : `Go on with the upgrade to ${journal.to}`,
  )
  return carryOut(run, { ...journal, daemon: await look() }, way)
}

/** Forgets an upgrade that nobody can finish. The daemon that it has stopped starts again if its version is still the one that starts. */
async function forget({ context, installation }: Run, journal: Journal, reason: string): Promise<ExitStatus> {
  const { out, prompts, settings } = context
  const { daemon, folder, from, id } = journal
  const svc = svcAt(context)
  const isDown = runningDaemon(settings.home) === undefined
  const isOwn = folder === installation.folder && isInPlace(installation)
  const isFormer = isOwn && versionIn(folder) === from
  if (daemon && isDown && isFormer) {
    requireNoUnit('own unit', factsFor(context, installation, from))
    const launch = launchFor(context, daemon)
    await prompts.confirm(`${reason}. Forget the upgrade, and start the daemon of ${from} again`)
    await startAs(context, daemon, { installation, version: from, id, ...launch })
  }
  removeJournal(settings.home)
  if (!daemon || !isDown || isFormer) {
    out.note(`${reason}: it is forgotten.${daemon ? ' The daemon runs.' : ''} Next: ${svc('doctor')}`)
    return EXIT.done
  }
  const lines = [
    `${reason}: it is forgotten. The daemon that it has stopped is not started. As it ran:`,
    ...settingsText(daemon),
    `  ${svc(['up --detach', ...portWords(daemon)].join(' '))}`,
  ]
  throw new CliError(EXIT.failed, lines.join('\n'), { code: 'daemon_stopped', lines: true })
}

const factsFor = (context: Context, { folder }: Installation, version: string) =>
  byHandFacts(context, { folder, uid: process.getuid?.(), version })

/** @throws CliError (exit 5) when the unfinished upgrade is another one than the user means */
function requireSame({ context, installation, wanted }: Run, { folder, to }: Journal): void {
  const svc = svcAt(context)
  if (folder !== installation.folder) {
    throw new CliError(EXIT.refused, `The unfinished upgrade of this home is one of ${folder}.`, {
      hint: `Go on with it there: ${inShell(join(prefixOf(folder), 'bin'))}/${svc('upgrade')}`,
    })
  }
  if (wanted === undefined || wanted === to) return
  throw new CliError(EXIT.refused, `The upgrade to ${to} is not finished.`, {
    hint: `Finish it first: ${svc('upgrade')}; or go back: ${svc('upgrade --back')}`,
  })
}

function wayOf({ folder, stage }: Installation, journal: Journal): Way | 'void' {
  const [installed, next, former] = [folder, nextFolder(stage), formerFolder(stage)].map(versionIn)
  return wayOn(journal, { installed, next, former })
}

async function carryOut(run: Run, journal: Journal, way: Way): Promise<ExitStatus> {
  const { code, context, input, installation } = run
  const { out } = context
  const launch = launchFor(context, journal.daemon)
  await loadTheRest(context, journal)
  // Ctrl-C is a failure, after which the former version runs. A terminal that closes, or a kill, does not leave the daemon stopped.
  const stop = new AbortController()
  process.on('SIGINT', () => stop.abort(interruptedError()))
  for (const name of ['SIGTERM', 'SIGHUP'] as const) process.on(name, () => undefined)
  const drive = new Drive({ context, installation, launch, code, signal: stop.signal }, journal)
  const done = way === 'back' ? await drive.back() : await drive.forward()
  await out.record(resultOf(way === 'back' ? { ...done, from: done.to, to: done.from } : done))
  out.note(
    `${way === 'back' ? 'Went back.' : 'Upgraded.'}${done.daemon ? ' The daemon runs.' : ''} Next: ${svcAt(context)('doctor')}`,
  )
  return way === 'forward' || input.flag('back') ? EXIT.done : EXIT.failed
}

const resultOf = ({ backup, from, to }: Journal) => ({
  record: { from, to, backup },
  fields: [{ key: 'from' }, { key: 'to' }, { key: 'backup' }] as const,
  id: 'to' as const,
})

/**
 * Loads what the rest of the command needs. The files of this program are about to move, so a module that is loaded later would
 * be missing, or one of another version.
 */
async function loadTheRest({ io, settings }: Context, journal: Journal): Promise<void> {
  const nowhere: Sink = { ...sizeOf(io.stdout), write: () => undefined, flushed: async () => undefined }
  await new Output({ ...io, stdout: nowhere, stderr: nowhere }, settings).record(resultOf(journal))
  await colours(nowhere, io, settings)
}

const sizeOf = ({ columns, isTty }: Sink) => ({ columns, isTty })
