import { visible } from '../../views/table/cells.js'
import type { ShownContext } from '../contexts/target.js'
import { CliError, usageError } from '../framework/errors.js'
import { EXIT } from '../framework/exit-codes.js'
import type { GlobalSettings } from '../framework/globals.js'
import type { Io } from './io.js'

/** Asks the person at the terminal. Each question has an option that answers it in advance. */
export class Prompts {
  readonly #io: Io
  readonly #settings: GlobalSettings
  readonly #context: () => ShownContext | undefined
  #hasConfirmed = false

  /** @param context returns the context that a question names */
  constructor(io: Io, settings: GlobalSettings, context: () => ShownContext | undefined) {
    this.#context = context
    this.#io = io
    this.#settings = settings
  }

  /**
   * Confirms a destructive action: asks on a terminal, needs `--yes` in a script.
   * @param requireKnown refuses what the action would be refused for, such as an id that does not exist, before anybody is
   * asked; a credential that may not look is asked all the same
   */
  async confirm(question: string, requireKnown?: () => Promise<unknown>): Promise<void> {
    if (this.#settings.yes) return
    this.#needTerminal(`${this.#placed(question)}: this needs a confirmation.`, 'Pass --yes.')
    await requireKnown?.().catch((thrown: unknown) => {
      if (!(thrown instanceof CliError) || thrown.exit !== EXIT.denied) throw thrown
    })
    await this.ask(question)
    this.#hasConfirmed = true
  }

  /** True once the person at the terminal has confirmed what the command does. */
  get hasConfirmed(): boolean {
    return this.#hasConfirmed
  }

  /** Asks at a terminal. @throws CliError if the answer is no, and with --no-input */
  async ask(question: string): Promise<void> {
    this.#needTerminal(`${this.#placed(question)}: this needs a confirmation.`, 'Pass --yes.')
    const answer = await this.#io.stdin.readLine(`${visible(this.#placed(question))}? [y/N] `)
    if (!/^y(es)?$/i.test(answer.trim())) throw declined()
  }

  /** Confirms a severe action: the user types the word, or passes it with `--confirm`. */
  async confirmWord(question: string, word: string, given: string | undefined): Promise<void> {
    if (given === word) return
    if (given !== undefined) throw usageError(`--confirm must be ${word}.`)
    const asked = this.#placed(question)
    const pass = this.#settings.yes ? '--yes does not answer this: pass' : 'Pass'
    this.#needTerminal(`${asked}: this needs a confirmation.`, `${pass} --confirm ${word}.`)
    const answer = await this.#io.stdin.readLine(`${visible(asked)}. Type ${word} to continue: `)
    if (answer.trim() !== word) throw declined()
    this.#hasConfirmed = true
  }

  /** Returns the value of an option, otherwise the text that the user types. */
  async text(given: string | undefined, label: string, option: string): Promise<string> {
    if (given !== undefined && given !== '') return given
    this.#needTerminal(`${label} is missing.`, `Pass ${option}.`)
    for (;;) {
      const typed = (await this.#io.stdin.readLine(`${this.#placed(label)}: `)).trim()
      if (typed !== '') return typed
      this.#io.stderr.write(`${label} is missing.\n`)
    }
  }

  /**
   * Returns a secret from stdin or typed without echo; never from the command line. What stdin has is one line: a second one is
   * no part of a secret, but a mistake.
   * @param options `manyLines` allows a text of several lines, such as a key file
   */
  async secret(
    fromStdin: boolean,
    label: string,
    options: { twice: boolean; hint?: string; manyLines?: true },
  ): Promise<string> {
    if (fromStdin) {
      const text = await this.#stdinText(label)
      if (options.manyLines || !/[\r\n]/.test(text)) return text
      throw usageError(`${label} on stdin has more than one line.`, 'Pass it as one line.')
    }
    this.#needTerminal(`${label} is missing.`, options.hint ?? 'Pass it on stdin with --password-stdin.')
    for (;;) {
      const typed = await this.#io.stdin.readLine(`${this.#placed(label)}: `, { echo: false })
      if (!options.twice || typed === (await this.#io.stdin.readLine(`${label} again: `, { echo: false })))
        return typed
      this.#io.stderr.write('The two entries differ. Type them again.\n')
    }
  }

  /** Returns the lines of secrets that stdin has one below the other. */
  async secretLines(label: string): Promise<string[]> {
    return (await this.#stdinText(label)).split(/\r?\n/)
  }

  /** Returns what stdin has, without the end of its last line. */
  async #stdinText(label: string): Promise<string> {
    const text = (await this.#io.stdin.readAll()).replace(/\r?\n$/, '')
    if (text === '') throw usageError(`${label} on stdin is empty.`)
    return text
  }

  /** Returns a question with the context that it is about: `Cancel all orders in the context prod`. */
  #placed(question: string): string {
    const context = this.#context()
    return context === undefined ? question : `${question} (context ${context.name})`
  }

  #needTerminal(problem: string, hint: string): void {
    if (!this.#settings.interactive) throw usageError(problem, hint)
  }
}

function declined(): CliError {
  return new CliError(EXIT.failed, 'Aborted: nothing was changed.', { code: 'declined' })
}
