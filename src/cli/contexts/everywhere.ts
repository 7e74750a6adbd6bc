import { existsSync } from 'node:fs'
import { visible } from '../../views/table/cells.js'
import type { Context } from '../framework/context.js'
import { asSentence, CliError } from '../framework/errors.js'
import { EXIT, worstFailure } from '../framework/exit-codes.js'
import { homeFile } from '../io/home.js'
import { readContexts } from './file.js'
import { LOCAL } from './words.js'

/** What became of one context: its answer, or why there is none. */
export interface Outcome<Answer> {
  name: string
  answer: Answer | undefined
  failure: CliError | undefined
}

/** Returns the names of all contexts; the local home counts once it was set up, or when nothing else is known. */
export function everyContext({ io, settings }: Context): string[] {
  const names = [...readContexts(io).daemons.keys()]
  const isLocalUsed = existsSync(homeFile(settings.home, 'svc.db')) || names.length === 0
  return isLocalUsed ? [LOCAL, ...names] : names
}

/**
 * Asks or changes all contexts at once, each with its own credentials. The failure of one stops no other.
 * @param timeoutMs how long each of them may take, unless `--timeout` says otherwise
 */
export function everywhere<Answer>(
  context: Context,
  timeoutMs: number,
  act: (one: Context) => Promise<Answer>,
): Promise<Outcome<Answer>[]> {
  const settings = { timeoutMs: context.settings.timeoutMs ?? timeoutMs, interactive: false, quiet: true }
  return Promise.all(
    everyContext(context).map(async (name): Promise<Outcome<Answer>> => {
      try {
        return { name, answer: await act(context.in(name, settings)), failure: undefined }
      } catch (thrown) {
        if (thrown instanceof CliError && thrown.exit === EXIT.interrupted) throw thrown
        return { name, answer: undefined, failure: asFailure(thrown) }
      }
    }),
  )
}

function asFailure(thrown: unknown): CliError {
  if (thrown instanceof CliError) return thrown
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return new CliError(EXIT.failed, message, { cause: thrown })
}

/**
 * Names each context that failed, on stderr.
 * @throws CliError with the most severe exit status, if one failed
 */
export function reportFailures(context: Context, outcomes: readonly Outcome<unknown>[]): void {
  const failed = outcomes.flatMap(({ failure, name }) => (failure === undefined ? [] : [{ failure, name }]))
  for (const { failure, name } of failed) {
    const hint = failure.hint === undefined ? '' : ` ${visible(failure.hint)}`
    context.io.stderr.write(`${name}: ${visible(asSentence(failure.message))}${hint}\n`)
  }
  const worst = worstFailure(failed.map(({ failure }) => failure))
  if (worst === undefined) return
  const names = failed.map(({ name }) => name).join(', ')
  throw new CliError(worst.exit, `${failed.length} of ${outcomes.length} contexts failed: ${names}.`, {
    code: worst.code,
  })
}
