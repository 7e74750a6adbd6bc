import { parseDuration } from '../output/text/duration.js'
import type { Context } from './context.js'
import { usageError } from './errors.js'
import type { ExitStatus } from './exit-codes.js'
import type { Completion, OptionSpec } from './option.js'

export interface ArgumentSpec {
  /** `<id>`, `[id]`, `<id...>`, `[id...]`. */
  syntax: string
  summary: string
  choices?: readonly string[]
  complete?: Completion
  /** The values of each word of a variadic argument whose words differ, by position. */
  words?: readonly Pick<ArgumentSpec, 'choices' | 'complete'>[] | undefined
}

/**
 * A command: a noun with its verbs, or a verb that runs. Parsing, help, completion and the tests that walk
 * all commands use this one tree.
 */
export interface CommandSpec {
  name: string
  aliases?: readonly string[]
  summary: string
  /** Command lines without `svc`, shown first in the help. Never with a secret. */
  examples: readonly string[]
  details?: string
  arguments?: readonly ArgumentSpec[]
  options?: readonly OptionSpec[]
  verbs?: readonly CommandSpec[]
  /** The columns of its list, which `--columns` and `--sort` complete. */
  columns?: readonly { readonly key: string }[]
  /** The heading of this verb in the help of its noun, when the noun has many verbs. */
  group?: string
  /** True when the command handles Ctrl-C itself (the daemon in the foreground). */
  ownsSignals?: boolean
  /** Runs the command and returns its exit status; undefined means 0. */
  run?(context: Context, input: Input): Promise<ExitStatus | undefined>
}

/** Other names of verbs, the same for every noun: one verb lists, one shows. */
const VERB_ALIASES: Readonly<Record<string, readonly string[]>> = {
  list: ['ls'],
  show: ['get'],
  get: ['show'],
  status: ['show', 'get'],
}

/** Returns the other names of a verb. A name that another verb of the noun has is left out. */
export function aliasesOf(verb: CommandSpec, noun: CommandSpec): readonly string[] {
  const taken = new Set((noun.verbs ?? []).map(({ name }) => name))
  return [...(verb.aliases ?? []), ...(VERB_ALIASES[verb.name] ?? [])].filter((name) => !taken.has(name))
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

  /** Returns an option by its camel-case name. */
  text(name: string): string | undefined {
    const value = this.#options[name]
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
    return this.#options[name] === true
  }

  list(name: string): string[] {
    const value = this.#options[name]
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

  /** Returns milliseconds for `500ms`, `10s`, `5m`, `2h`; a bare number is seconds. */
  duration(name: string): number | undefined {
    const text = this.text(name)
    return text === undefined ? undefined : parseDuration(text, `--${kebab(name)}`)
  }
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
