import { rmSync } from 'node:fs'
import { crashPoint, messageOf } from '../../../core/errors/index.js'
import type { Schemas, StoppedHome } from '../../../daemon/backup/upgrade.js'
import type { Context } from '../../framework/context.js'
import { asSentence, CliError } from '../../framework/errors.js'
import { EXIT } from '../../framework/exit-codes.js'
import { homeFile } from '../../io/home.js'
import { PACKAGE_NAME, versionIn } from '../../package.js'
import { inShell, prefixOf, svcAt } from './by-hand.js'
import { othersText, unsettledText } from './checks.js'
import { answersAs, type Launch, STILL_RUNS, startAs, stopAll } from './daemon-process.js'
import type { Installation } from './installation.js'
import { type Journal, portWords, removeJournal, settingsText, type Way, writeJournal } from './journal.js'
import { daemonsOf, isOfHome } from './proc.js'
import { activeFolder, isMoved, placeFormer, placeNext, startInPlace } from './swap.js'

interface Tools {
  context: Context
  installation: Installation
  /** The environment and the folder in which the daemon starts. */
  launch: Launch
  code: typeof import('../../../daemon/backup/upgrade.js')
  /** Ctrl-C, which ends the way there, and not the way back. */
  signal: AbortSignal
}

/**
 * Carries out an upgrade whose next version is staged and whose journal is written, from wherever it was cut off, or the way back. Every
 * step can be repeated. The files of this program move meanwhile: it loads no module from here on.
 *
 * It moves programs only, never databases: those of the backup come back by a person's command. While folders move, it has the lock
 * of the home, and `svc` starts a copy of the former version. One change of a link, after the backup, lets the new one start.
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
    try {
      if (!(await this.#isDone())) await this.#replace()
    } catch (thrown) {
      if (thrown instanceof CliError && thrown.code === STILL_RUNS) throw this.#stillRuns(thrown)
      await this.#goBack(thrown)
      throw this.#failed(thrown)
    }
    return this.#finish()
  }

  /** Goes back. @throws CliError when it cannot */
  async back(): Promise<Journal> {
    await this.#goBack(undefined)
    return this.#finish()
  }

  async #isDone(): Promise<boolean> {
    const { daemon, id, to } = this.#journal
    if (!daemon || !this.#mayHaveRun) return false
    return answersAs(this.#home, { version: to, id }).catch(() => false)
  }

  async #replace(): Promise<void> {
    const { installation, signal } = this.#tools
    const { daemon, to } = this.#journal
    this.#note(daemon ? 'Stopping the daemon …' : 'No daemon runs in this home.')
    crashPoint('upgrade.stop')
    await this.#stopped('forward', async (home) => {
      await this.#backUp(home)
      signal.throwIfAborted()
      if (this.#mayHaveRun) return
      crashPoint('upgrade.swap')
      this.#note(`Putting ${to} in place …`)
      placeNext(installation)
      this.#save({ step: 'start' })
      crashPoint('upgrade.start')
      startInPlace(installation)
      crashPoint('upgrade.switched')
    })
    this.#note(daemon ? 'Starting the daemon …' : 'Left stopped, as it was.')
    await this.#start(to, signal)
  }

  /** Makes the backup that a way back by hand needs. One from before a migration is not replaced. */
  async #backUp(home: StoppedHome): Promise<void> {
    const schemas = await this.#tools.code.schemasOf(this.#home)
    const mayBeLate = this.#journal.backup !== null || this.#mayHaveRun
    if (schemas.svc === 0 || (mayBeLate && !isSame(schemas, this.#journal.schemas))) return
    crashPoint('upgrade.backup')
    const backup = await home.backUp()
    this.#save({ backup, schemas })
    this.#note(`Backup: ${backup}`)
  }

  /**
   * Brings the former version back, if it can read the databases as they are and no order is in doubt. Otherwise the new version stays,
   * and is started again unless it runs: money first, so nothing that it has stored is given up.
   * @throws CliError with what a person does, when it cannot go back
   */
  async #goBack(problem: unknown): Promise<void> {
    const { installation } = this.#tools
    const { from } = this.#journal
    this.#note(`${problem ? `Failed: ${asSentence(messageOf(problem))} ` : ''}Going back to ${from} …`)
    try {
      if (isMoved(installation, from)) {
        await this.#stopped('back', async () => {
          this.#try(() => this.#save({ step: 'back' }))
          crashPoint('upgrade.back')
          placeFormer(installation)
        })
        crashPoint('upgrade.again')
      }
    } catch (thrown) {
      const active = versionIn(activeFolder(installation) ?? '')
      throw this.#stuck(problem, thrown, active ?? 'none', await this.#startAgain(active))
    }
    const failure = await this.#startAgain(from)
    if (failure !== undefined) throw this.#stuck(problem, new Error(`its daemon ${failure}`), from, failure)
  }

  /** Works on the home while no daemon has it. None is stopped for what is not possible. */
  async #stopped(way: Way, work: (home: StoppedHome) => Promise<void>): Promise<void> {
    const { code, context, installation, launch } = this.#tools
    await this.#requirePossible(way)
    await stopAll(context, installation)
    const home = await code.StoppedHome.hold({ home: this.#home, env: launch.env })
    try {
      // Others may have started since, and the daemon has worked on until its end.
      await this.#requirePossible(way)
      await work(home)
    } finally {
      await home.release()
    }
  }

  /** @throws Error when the program must not be exchanged: by other daemons that run from it, by migrated databases, or by orders */
  async #requirePossible(way: Way): Promise<void> {
    const { code } = this.#tools
    const others = this.#otherDaemons()
    if (others.length > 0) throw new CliError(EXIT.refused, othersText(others))
    const isNew = this.#mayHaveRun
    if (isNew === (way === 'forward')) return
    if (isNew && !isSame(await code.schemasOf(this.#home), this.#journal.schemas)) throw new MigratedError()
    const { unsettled } = await code.factsOfHome({ home: this.#home })
    if (unsettled > 0)
      throw new CliError(EXIT.refused, unsettledText(unsettled, svcAt(this.#tools.context), true))
  }

  /** Returns the daemons of other homes that run from this installation, or from its stage. */
  #otherDaemons(): number[] {
    return (daemonsOf(this.#tools.installation) ?? []).filter((pid) => !isOfHome(pid, this.#home))
  }

  /** Starts the daemon of what `svc` starts. @returns what is wrong with it; undefined if it runs, or none is wanted */
  async #startAgain(version: string | undefined): Promise<string | undefined> {
    if (version === undefined) return 'cannot be started'
    try {
      await this.#start(version)
      return undefined
    } catch (thrown) {
      return `does not start: ${messageOf(thrown)}`
    }
  }

  /** Returns the failure that says what is in place, and what a person does. */
  #stuck(problem: unknown, why: unknown, active: string, failure: string | undefined): CliError {
    const { backup, daemon, from, to } = this.#journal
    const lines = [
      ...(problem === undefined ? [] : [`The upgrade to ${to} failed: ${asSentence(messageOf(problem))}`]),
      `It does not go back to ${from}: ${asSentence(messageOf(why))}`,
      `svc ${active} is in place.${daemon ? ` Its daemon ${asSentence(failure ?? 'runs')}` : ''}`,
      ...(why instanceof MigratedError && backup !== null ? this.#byHand(backup) : [this.#goOn]),
    ]
    return new CliError(EXIT.failed, lines.join('\n'), {
      code: 'upgrade_failed',
      lines: true,
      cause: problem ?? why,
    })
  }

  /** The commands of the way back that gives up what was stored since the backup. */
  #byHand(backup: string): string[] {
    const { bin, folder, stage } = this.#tools.installation
    const [svc, prefix, home] = [bin, prefixOf(folder), this.#home].map(inShell)
    const left = [homeFile(this.#home, 'upgrade.json'), stage].map(inShell).join(' ')
    const { daemon, from } = this.#journal
    const ports = daemon ? ` ${portWords(daemon).join(' ')}` : ''
    return [
      `Go on with it when the cause is removed: ${this.#svc('upgrade')}. The backup from before: ${backup}`,
      `Back to ${from}, without anything that was stored since the backup:`,
      ...settingsText(daemon),
      `  ${svc} down --home ${home}`,
      `  npm install --global --force --prefix ${prefix} ${PACKAGE_NAME}@${from}`,
      `  ${svc} restore ${inShell(backup)} --replace --home ${home}`,
      `  rm -r ${left}`,
      `  ${svc} up --detach --home ${home}${ports}`,
      `The kill switch is on then. Compare orders and positions with the broker before ${this.#svc('risk resume')}.`,
    ]
  }

  /** A daemon that was asked to stop may end at any moment: neither a start nor a move is safe. */
  #stillRuns(cause: CliError): CliError {
    return new CliError(EXIT.failed, `The upgrade to ${this.#journal.to} waits: ${cause.message}`, {
      code: 'upgrade_failed',
      hint: `Nothing was killed or replaced. When ${this.#svc('status')} says that it is stopped: ${this.#svc('upgrade')} goes on; ${this.#svc('upgrade --back')} starts it again.`,
      cause,
    })
  }

  /** Returns the failure after the way back. */
  #failed(problem: unknown): CliError {
    const { daemon, from, to } = this.#journal
    this.#finish()
    const exit = problem instanceof CliError ? problem.exit : EXIT.failed
    return new CliError(exit, `The upgrade to ${to} failed: ${messageOf(problem)}`, {
      code: 'upgrade_failed',
      hint: `${from} is installed${daemon ? ' and running' : ''}, and no database was changed by the way back.`,
      cause: problem,
    })
  }

  async #start(version: string, signal?: AbortSignal): Promise<void> {
    const { context, installation, launch } = this.#tools
    const { daemon, id } = this.#journal
    if (daemon) await startAs(context, daemon, { installation, version, id, ...launch }, signal)
  }

  #finish(): Journal {
    const { installation } = this.#tools
    this.#try(() => removeJournal(this.#home))
    // A daemon of another home may have been started from the stage meanwhile; the next upgrade removes it.
    this.#try(() => {
      if (this.#otherDaemons().length === 0) rmSync(installation.stage, { recursive: true, force: true })
    })
    return this.#journal
  }

  #save(changes: Partial<Journal>): void {
    const journal = { ...this.#journal, ...changes }
    writeJournal(this.#home, journal)
    this.#journal = journal
  }

  /** Does what must not keep the daemon from its start when it fails. */
  #try(work: () => void): void {
    try {
      work()
    } catch (thrown) {
      this.#note(`Not done: ${asSentence(messageOf(thrown))}`)
    }
  }

  #note(text: string): void {
    this.#tools.context.out.note(text)
  }

  /** True once `svc` starts the new version: it may have stored something. */
  get #mayHaveRun(): boolean {
    const { from, to } = this.#journal
    const active = activeFolder(this.#tools.installation)
    return from !== to && active !== undefined && versionIn(active) === to
  }

  get #goOn(): string {
    return `Remove the cause. Then ${this.#svc('upgrade')} goes on; ${this.#svc('upgrade --back')} goes back.`
  }

  #svc(words: string): string {
    return svcAt(this.#tools.context)(words)
  }

  get #home(): string {
    return this.#tools.context.settings.home
  }
}

class MigratedError extends Error {
  constructor() {
    super('the new version has migrated the databases, which the former one cannot read then')
  }
}

const isSame = (a: Schemas, b: Schemas): boolean =>
  a.svc === b.svc && a.sandbox === b.sandbox && a.logs === b.logs
