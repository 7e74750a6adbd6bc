import type { Input, NounSpec } from '../../framework/command/command.js'
import type { Context } from '../../framework/context.js'
import { CliError, usageError } from '../../framework/errors.js'
import { EXIT, type ExitStatus } from '../../framework/exit-codes.js'
import { makeHome, readDaemonFile } from '../../io/home.js'
import type { Sink } from '../../io/io.js'
import { colours, Output } from '../../output/output.js'
import { versionIn } from '../../package.js'
import { type Found, showFindings } from '../daemon/checks.js'
import { upgradeChecks } from './checks.js'
import { environmentFor, howItRuns } from './daemon-process.js'
import { Drive } from './drive.js'
import { type Installation, ownInstallation } from './installation.js'
import { cutOffText, type How, type Journal, readJournal, removeJournal, wayOn } from './journal.js'
import { askRegistry } from './registry.js'
import { stageNext } from './stage.js'
import { commandOf, formerFolder, nextFolder } from './swap.js'
import { isVersion } from './versions.js'

/** One run of the command. It has the lock of the installation. */
interface Run {
  context: Context
  input: Input
  installation: Installation
  code: typeof import('../../../daemon/backup/upgrade.js')
}

export const upgrade: NounSpec = {
  isOfHome: true,
  summary: 'Moves this installation and its home to another version, and back if that fails.',
  examples: ['upgrade --check', 'upgrade', 'upgrade --to 0.2.0 --yes'],
  details:
    'For an installation by npm install --global that belongs to you, with a daemon that you or your own systemd started. As root, for a unit of the whole system, in a container or a checkout it changes nothing and prints the commands of the upgrade by hand (exit 5). It installs the new version beside the present one and tries it: an order from end to end, and a migration of a copy of your databases. Only then it stops the daemon, makes a backup, puts the new version in place and starts it. If that one does not come up, the former version comes back, with its databases; what the new version has stored is never given up. An upgrade that was cut off leaves a program that starts: svc doctor says where it stands, and svc upgrade goes on with it.',
  options: [
    { flags: '--check', summary: 'only report whether the upgrade can be done; exit 1 when it cannot' },
    { flags: '--to <release>', summary: 'the version (default: the newest)' },
    { flags: '--with-strategies', summary: 'although strategies run, whose stops nobody watches meanwhile' },
  ],
  ownsSignals: true,
  async run(context, input) {
    const { io, settings } = context
    const wanted = input.text('to')
    if (wanted !== undefined && !isVersion(wanted)) {
      throw usageError(`--to must be a version, was "${wanted}".`, 'Example: --to 0.2.0')
    }
    const installation = ownInstallation({ io, home: settings.home, version: wanted ?? 'latest' })
    const code = await import('../../../daemon/backup/upgrade.js')
    const lock = await code.lockFile(installation.lock)
    if (!lock) {
      throw new CliError(EXIT.refused, `Another svc upgrade of ${installation.folder} is at work.`, {
        hint: 'Wait for its end.',
      })
    }
    try {
      const run = { context, input, installation, code }
      const journal = readJournal(settings.home)
      return journal ? await goOn(run, journal) : await begin(run, wanted)
    } finally {
      await lock.release()
    }
  },
}

async function begin(run: Run, wanted: string | undefined): Promise<ExitStatus> {
  const { code, context, input, installation } = run
  const { io, out, prompts, settings, version: from } = context
  const { home } = settings
  const daemon = await howItRuns(context, byHandOf(run, wanted ?? 'latest'))
  const release = await askRegistry(io, wanted)
  const { version: to } = release
  if (to === from) {
    out.note(`svc ${from} is installed: nothing to do.`)
    return EXIT.done
  }
  const facts = await code.factsOfHome({ home })
  const withStrategies = input.flag('withStrategies')
  const found = await upgradeChecks({ installation, home, facts, from, release, withStrategies })
  if (input.flag('check')) return showFindings(context, found)
  await requireAll(context, found)
  await prompts.confirm(`Upgrade svc from ${from} to ${to}. ${planOf(daemon)}`)
  makeHome(home)
  try {
    const env = await environmentFor(context, daemon)
    await stageNext(context, installation, { to, env, copyHome: code.copyHome })
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown
    throw new CliError(EXIT.failed, `The upgrade to ${to} failed: ${thrown.message}`, {
      code: 'upgrade_failed',
      hint: `Nothing was changed: ${from} is installed, and its daemon was not stopped.`,
      cause: thrown,
    })
  }
  const id = daemon ? (readDaemonFile(home)?.id ?? null) : null
  const { folder } = installation
  return carryOut(run, { from, to, step: 'stop', folder, id, daemon, schemas: facts.schemas, backup: null })
}

/** Warns of what is not in order. @throws CliError (exit 5) for what must be */
async function requireAll({ out }: Context, found: readonly Found[]): Promise<void> {
  const refused = found.flatMap(({ detail, status }) => (status === 'fail' ? [detail] : []))
  if (refused.length > 0) {
    throw new CliError(EXIT.refused, `The upgrade cannot be done now: ${refused.join('; ')}`, {
      hint: 'Nothing was changed. See all checks: svc upgrade --check',
    })
  }
  for (const { check, detail, fix, status } of found) {
    if (status === 'warn') await out.warn(`${check}: ${detail}; ${fix ?? ''}`)
  }
}

function planOf(daemon: How | null): string {
  if (!daemon) return 'No daemon runs, and none is started'
  const how = daemon.unit
    ? `by systemctl --user (${daemon.unit})`
    : 'in the background, as svc up --detach does'
  return `The daemon stops for some seconds, in which nothing watches stops, and starts again ${how}`
}

/** Goes on with an upgrade that was cut off. */
async function goOn(run: Run, journal: Journal): Promise<ExitStatus> {
  const { context, input, installation } = run
  const { out, prompts, settings } = context
  const { folder, stage } = installation
  if (journal.folder !== folder) {
    throw new CliError(EXIT.refused, `The unfinished upgrade of this home is one of ${journal.folder}.`, {
      hint: `Go on with it there: ${commandOf(journal.folder)} upgrade`,
    })
  }
  out.note(cutOffText(journal))
  if (input.flag('check')) return EXIT.failed
  const installed = versionIn(folder)
  const found = { installed, next: versionIn(nextFolder(stage)), former: versionIn(formerFolder(stage)) }
  const way = wayOn(journal, found)
  if (way === 'void') {
    removeJournal(settings.home)
    out.note(`${installed} was installed by other means since, so it is forgotten. Next: svc doctor`)
    return EXIT.done
  }
  await prompts.confirm(
    way === 'back' ? `Go back to ${journal.from}` : `Go on with the upgrade to ${journal.to}`,
  )
  // Somebody may have started a daemon since.
  const daemon = (await howItRuns(context, byHandOf(run, journal.to))) ?? journal.daemon
  return carryOut(run, { ...journal, daemon }, way)
}

async function carryOut(
  { code, context, installation }: Run,
  journal: Journal,
  way: 'forward' | 'back' = 'forward',
): Promise<ExitStatus> {
  const env = await environmentFor(context, journal.daemon)
  await loadTheRest(context, journal)
  // The first Ctrl-C does not end the process in the middle of a step, and a terminal that closes does not leave the daemon stopped.
  context.io.interrupts()
  process.on('SIGHUP', () => undefined)
  const drive = new Drive({ context, installation, env, hold: (at) => code.StoppedHome.hold(at) }, journal)
  const done = way === 'back' ? await drive.back(new Error('it was cut off')) : await drive.forward()
  await context.out.record(resultOf(done))
  context.out.note(`Upgraded.${done.daemon ? ' The daemon runs.' : ''} Next: svc doctor`)
  return EXIT.done
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
  await Promise.all([colours(nowhere, io, settings), import('../../../client/transport/proof.js')])
}

const sizeOf = ({ columns, isTty }: Sink) => ({ columns, isTty })

const byHandOf = ({ context, installation }: Run, version: string) => ({
  home: context.settings.home,
  version,
  folder: installation.folder,
  unit: 'svc',
})
