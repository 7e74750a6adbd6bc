import { existsSync, rmSync } from 'node:fs'
import { crashPoint, messageOf } from '../../../core/errors/index.js'
import type { Schemas, StoppedHome } from '../../../daemon/backup/upgrade.js'
import type { Context } from '../../framework/context.js'
import { asSentence, CliError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { PACKAGE_NAME, versionIn } from '../../package.js'
import { unsettledText } from './checks.js'
import { answersAs, runningDaemon, startAs, stopAs } from './daemon-process.js'
import type { Installation } from './installation.js'
import { type Journal, removeJournal, writeJournal } from './journal.js'
import { commandOf, formerFolder, swapBack, swapForward } from './swap.js'

interface Tools {
  context: Context
  installation: Installation
  /** The environment of the daemon. */
  env: Readonly<Record<string, string | undefined>>
  /** Takes the home, so that no daemon starts in it. */
  hold: typeof StoppedHome.hold
}

/**
 * Carries out an upgrade whose next version is staged, from wherever its journal says that it was cut off, or the way back. Every step
 * can be repeated. The files of this program move meanwhile: it loads no module from here on.
 *
 * Between the stop and the start it has the lock of the home, so that no supervisor can start a daemon there: no row is newer than the
 * backup until the new version has started.
 */
export class Drive {
  readonly #tools: Tools
  #journal: Journal

  constructor(tools: Tools, journal: Journal) {
    this.#tools = tools
    this.#journal = journal
  }

  /** Goes forward. @throws CliError after the way back, with what failed and which version runs */
  async forward(): Promise<Journal> {
    const { folder, from, to } = this.#journal
    const wanted = { version: to, id: this.#journal.id }
    this.#save({})
    try {
      const isDone = versionIn(folder) === to && (await answersAs(this.#home, wanted).catch(() => false))
      if (!isDone) await this.#replace()
    } catch (thrown) {
      this.#requireGoingOn(thrown)
      if (this.#isReplaced || versionIn(folder) !== from) return this.back(thrown)
      return this.#unchanged(thrown)
    }
    return this.#finish()
  }

  async #replace(): Promise<void> {
    const { daemon, to } = this.#journal
    this.#note(daemon ? 'Stopping the daemon …' : 'No daemon runs in this home.')
    crashPoint('upgrade.stop')
    await stopAs(this.#tools.context, daemon, false)
    await this.#held(async (home) => {
      await this.#backUp(home)
      crashPoint('upgrade.swap')
      this.#note(`Putting ${to} in place …`)
      swapForward(this.#tools.installation)
      this.#save({ step: 'start' })
    })
    crashPoint('upgrade.start')
    this.#note(daemon ? 'Starting the daemon …' : 'Left stopped, as it was.')
    await this.#start(to)
  }

  /** Makes the backup that a way back needs, unless the new version has migrated the databases already: there is none to make then. */
  async #backUp(home: StoppedHome): Promise<void> {
    const schemas = await home.schemas()
    if (schemas.svc === 0 || !isSame(schemas, this.#journal.schemas)) return
    // A new version that has run must settle its own orders.
    const unsettled = this.#journal.step === 'start' ? 0 : await home.unsettled()
    if (unsettled > 0) throw new CliError(EXIT.refused, unsettledText(unsettled))
    crashPoint('upgrade.backup')
    const { id } = await home.backUp()
    this.#save({ backup: id, step: this.#journal.step === 'stop' ? 'swap' : this.#journal.step })
    this.#note(`Backup ${id}.`)
  }

  /**
   * Brings the former version back, and its databases if the new one has migrated them. Money first: rows that were written since the
   * backup are never given up, the new version stays then. Always fails, with what happened.
   */
  async back(problem: unknown): Promise<never> {
    const { context, installation } = this.#tools
    const { backup, daemon, folder, from, schemas } = this.#journal
    this.#note(`Failed: ${asSentence(messageOf(problem))} Going back to ${from} …`)
    let restored = false
    try {
      await stopAs(context, daemon, true)
      await this.#held(async (home) => {
        const isMigrated = !isSame(await home.schemas(), schemas)
        if (isMigrated) await requireNothingNew(home, backup)
        this.#save({ step: 'back' })
        crashPoint('upgrade.back')
        swapBack(installation)
        if (versionIn(folder) !== from) throw new Error(`${formerFolder(installation.stage)} is missing`)
        crashPoint('upgrade.restore')
        if (isMigrated && backup !== null) await home.restore(backup)
        restored = isMigrated
      })
      crashPoint('upgrade.again')
      await this.#start(from)
    } catch (thrown) {
      this.#requireGoingOn(thrown)
      throw this.#stuck(problem, thrown)
    }
    this.#finish()
    throw this.#failed(
      problem,
      `${daemon ? `${from} is running again.` : `${from} is installed again.`}${
        restored
          ? ` Its databases are those of the backup ${backup}, and the kill switch is on: compare orders and positions with the broker, then svc risk resume.`
          : ' Its databases are as they were.'
      }`,
    )
  }

  /** Ends an upgrade that failed before anything was replaced. */
  async #unchanged(problem: unknown): Promise<never> {
    const { daemon, from } = this.#journal
    try {
      if (!runningDaemon(this.#home)) await this.#start(from)
    } catch (thrown) {
      this.#requireGoingOn(thrown)
      throw this.#failed(problem, `Nothing was replaced, but ${from} does not start: ${messageOf(thrown)}`)
    }
    this.#finish()
    throw this.#failed(problem, `Nothing was changed${daemon ? `; ${from} is running` : ''}.`)
  }

  /** Ctrl-C ends the command where it stands, as a crash would. */
  #requireGoingOn(thrown: unknown): void {
    if (!(thrown instanceof CliError) || thrown.exit !== EXIT.interrupted) return
    throw new CliError(EXIT.interrupted, `Interrupted: the upgrade to ${this.#journal.to} is not finished.`, {
      hint: 'The daemon may be stopped. svc upgrade goes on.',
    })
  }

  #failed(problem: unknown, hint: string): CliError {
    const exit = problem instanceof CliError ? problem.exit : EXIT.failed
    const message = `The upgrade to ${this.#journal.to} failed: ${messageOf(problem)}`
    return new CliError(exit, message, { code: 'upgrade_failed', hint, cause: problem })
  }

  #stuck(problem: unknown, why: unknown): CliError {
    const { backup, from, to } = this.#journal
    const lines = [
      `The upgrade to ${to} failed: ${asSentence(messageOf(problem))}`,
      `It cannot go back by itself: ${asSentence(messageOf(why))}`,
      `Remove the cause; svc upgrade then goes on. ${from} is kept in ${formerFolder(this.#tools.installation.stage)}.`,
      'To go back by hand, without what was stored since the backup:',
      ...['svc down', `svc restore ${backup ?? 'BACKUP'} --replace`].map((line) => `  ${line}`),
      `  npm install --global ${PACKAGE_NAME}@${from}`,
      'Compare orders and positions with the broker before you start it: docs/deployment.md.',
    ]
    return new CliError(EXIT.failed, lines.join('\n'), {
      code: 'upgrade_failed',
      lines: true,
      cause: problem,
    })
  }

  async #start(version: string): Promise<void> {
    const { context, env } = this.#tools
    const { daemon, folder, id } = this.#journal
    if (daemon) await startAs(context, daemon, { command: commandOf(folder), version, id, env })
  }

  async #held(work: (home: StoppedHome) => Promise<void>): Promise<void> {
    const home = await this.#tools.hold({ home: this.#home, env: this.#tools.env })
    try {
      await work(home)
    } finally {
      await home.release()
    }
  }

  #finish(): Journal {
    removeJournal(this.#home)
    rmSync(this.#tools.installation.stage, { recursive: true, force: true })
    return this.#journal
  }

  #save(changes: Partial<Journal>): void {
    this.#journal = { ...this.#journal, ...changes }
    writeJournal(this.#home, this.#journal)
  }

  #note(text: string): void {
    this.#tools.context.out.note(text)
  }

  get #isReplaced(): boolean {
    return existsSync(formerFolder(this.#tools.installation.stage))
  }

  get #home(): string {
    return this.#tools.context.settings.home
  }
}

const isSame = (a: Schemas, b: Schemas): boolean =>
  a.svc === b.svc && a.sandbox === b.sandbox && a.logs === b.logs

/** @throws Error if a restore of the backup would lose something */
async function requireNothingNew(home: StoppedHome, backup: string | null): Promise<void> {
  if (backup === null) throw new Error('the databases are migrated, and there is no backup from before')
  const grown = await home.grownSince(backup)
  if (grown.length === 0) return
  throw new Error(
    `the new version has stored rows that the backup ${backup} does not have (${grown.join(', ')})`,
  )
}
