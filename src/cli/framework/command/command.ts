import { parseDuration } from '../../output/text/duration.js'
import type { Context } from '../context.js'
import { usageError } from '../errors.js'
import type { ExitStatus } from '../exit-codes.js'
import type { CommandDescription } from './description.js'

/**
 * A command: a noun with its verbs, or a verb that runs. Parsing, help, completion and the tests that walk
 * all commands use this one tree.
 */
export interface CommandSpec extends CommandDescription {
  verbs?: readonly CommandSpec[]
  /** True when the command handles Ctrl-C itself (the daemon in the foreground). */
  ownsSignals?: boolean
  /**
   * Set when the command works on the home of this machine, whatever daemon other commands talk to. With another current
   * context, `said` says so, and `named` is refused until the user names the home: it ends or replaces something.
   */
  isOfHome?: OfHome
  /** Runs the command and returns its exit status; undefined means 0. */
  run?(context: Context, input: Input): Promise<ExitStatus | undefined>
}

export type OfHome = 'said' | 'named'

/** A noun as its file has it. Its name stands in the table of nouns, and so does its summary unless its own help says more. */
export interface NounSpec extends Omit<CommandSpec, 'name' | 'aliases' | 'summary'> {
  summary?: string
}

/** The parsed arguments and options of one invocation. */
export class Input {
  readonly #arguments: readonly unknown[]
  readonly #options: Readonly<Record<string, unknown>>

  constructor(args: readonly unknown[], options: Readonly<Record<string, unknown>>) {
    this.#arguments = args
    this.#options = options
  }

  argument(index: number): string | undefined {
    const value = this.#arguments[index]
    return typeof value === 'string' ? value : undefined
  }

  /** Returns an argument that the syntax makes mandatory. */
  required(index: number): string {
    const value = this.argument(index)
    if (value === undefined) throw usageError('An argument is missing.')
    return value
  }

  /** Returns the words of a variadic argument. */
  words(index: number): string[] {
    const value = this.#arguments[index]
    return Array.isArray(value) ? value.map(String) : []
  }

  /** Returns the input from an argument on, for code that reads its own words from the first. */
  from(index: number): Input {
    return new Input(this.#arguments.slice(index), this.#options)
  }

  /** Returns what the parser read. It knows `--positions-checked` as `positionsChecked`, and no other spelling. */
  #option(name: string): unknown {
    if (name.includes('-')) throw new Error(`${name} is not the name of an option: it has no dashes`)
    return this.#options[name]
  }

  /** Returns an option by its camel-case name. */
  text(name: string): string | undefined {
    const value = this.#option(name)
    return typeof value === 'string' ? value : undefined
  }

  /** Returns the given ones of some options as fields of a request: `{ run: 'run_id' }` is the option and its field. */
  fields(names: Readonly<Record<string, string>>): Record<string, string> {
    return Object.fromEntries(
      Object.entries(names).flatMap(([option, field]) => {
        const value = this.text(option)
        return value === undefined ? [] : [[field, value]]
      }),
    )
  }

  /** Returns whether the user gave an option, with or without a value. */
  isGiven(name: string): boolean {
    return this.flag(name) || this.text(name) !== undefined
  }

  flag(name: string): boolean {
    return this.#option(name) === true
  }

  list(name: string): string[] {
    const value = this.#option(name)
    return Array.isArray(value) ? value.map(String) : []
  }

  /** Returns a number. @throws a usage error that names the option */
  number(name: string): number | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    const value = Number(text)
    if (text.trim() === '' || !Number.isFinite(value)) {
      throw usageError(`--${kebab(name)} must be a number, was "${text}".`)
    }
    return value
  }

  /** Returns a whole number from 1. @throws a usage error that names the option */
  whole(name: string, most = Number.MAX_SAFE_INTEGER): number | undefined {
    const value = this.number(name)
    if (value === undefined || (Number.isSafeInteger(value) && value >= 1 && value <= most)) return value
    const end = most === Number.MAX_SAFE_INTEGER ? '' : ` to ${most}`
    throw usageError(`--${kebab(name)} must be a whole number from 1${end}, was "${value}".`)
  }

  /** Returns milliseconds for `500ms`, `10s`, `5m`, `2h`; a bare number is seconds. */
  duration(name: string): number | undefined {
    const text = this.text(name)
    return text === undefined ? undefined : parseDuration(text, `--${kebab(name)}`)
  }
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
