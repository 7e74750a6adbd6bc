import type { JsonObject } from '../../client/answers/json.js'
import { visible } from '../../views/table/cells.js'
import type { AnyRecord, Column } from '../../views/table/column.js'
import { Output } from '../output/output.js'
import type { Context } from './context.js'
import { asSentence, CliError } from './errors.js'
import { EXIT, type ExitStatus, worstFailure } from './exit-codes.js'
import type { Format } from './globals.js'

/** Formats in which the whole output is one document; in the others each record has its own line or lines. */
const DOCUMENTS: ReadonlySet<Format | undefined> = new Set(['json', 'yaml', 'csv', 'tsv'])

/** The help of a command that takes several ids. */
export const SEVERAL =
  'Several ids are processed one by one, in the order given, also after a failure. The most severe failure decides the exit status: svc help exit-codes.'

/** Returns the last sentence: what became of all words together. */
type Told = (failures: readonly CliError[], words: number) => string

const ofAllFailed: Told = ({ length }, words) => `${length} of ${words} failed.`

/**
 * Runs each word separately, in the order given; a failure does not stop the others, and the most severe one
 * decides the exit status. When one document is requested, it is a list of the outputs of all words that have
 * one, also when others failed.
 * @param told has a word of its own for each outcome, where a failure is not simply one
 */
export async function each(
  context: Context,
  noun: string,
  words: readonly string[],
  act: (word: string, out: Output) => Promise<void>,
  told: Told = ofAllFailed,
): Promise<ExitStatus> {
  if (words.length === 1 || !DOCUMENTS.has(context.settings.format)) {
    return inTurn(context, noun, words, (word) => act(word, context.out), told)
  }
  const gathered = new Gathered(context.io, context.settings)
  let status: ExitStatus
  try {
    status = await inTurn(context, noun, words, (word) => act(word, gathered), told)
  } catch (thrown) {
    // The outcome counts, even when the output cannot be shown (--columns).
    await gathered.show(context.out).catch(() => undefined)
    throw thrown
  }
  await gathered.show(context.out)
  return status
}

async function inTurn(
  context: Context,
  noun: string,
  words: readonly string[],
  act: (word: string) => Promise<void>,
  told: Told,
): Promise<ExitStatus> {
  const failures: CliError[] = []
  for (const word of words) {
    try {
      await act(word)
    } catch (thrown) {
      if (!(thrown instanceof CliError) || words.length === 1 || thrown.exit === EXIT.interrupted)
        throw thrown
      failures.push(thrown)
      const hint = thrown.hint === undefined ? '' : ` ${visible(thrown.hint)}`
      context.io.stderr.write(`${noun} ${visible(word)}: ${visible(asSentence(thrown.message))}${hint}\n`)
    }
  }
  const worst = worstFailure(failures)
  if (worst === undefined) return EXIT.done
  throw new CliError(worst.exit, told(failures, words.length), { code: worst.code })
}

/** An output that collects its records until all are known. */
class Gathered extends Output {
  readonly #views: AnyRecord[] = []

  override async printRecord(view: AnyRecord): Promise<void> {
    this.#views.push(view)
  }

  show(out: Output): Promise<void> {
    const columns = this.#views.flatMap(({ fields }): readonly Column[] => fields)
    const rows = this.#views.map(({ record }): JsonObject => ({ ...record }))
    return out.list({ rows, columns, id: 'id', empty: '' })
  }
}
