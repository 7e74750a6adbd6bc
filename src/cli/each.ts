import type { Context } from './context.js'
import { CliError } from './errors.js'
import { EXIT, type ExitStatus, gravest } from './exit-codes.js'

/** Each on its own, in the order given; one that fails keeps none from running, and the gravest gives the exit status. */
export async function each(
  context: Context,
  noun: string,
  words: readonly string[],
  act: (word: string) => Promise<void>,
): Promise<ExitStatus> {
  const failures: CliError[] = []
  for (const word of words) {
    try {
      await act(word)
    } catch (thrown) {
      if (!(thrown instanceof CliError) || words.length === 1 || thrown.exit === EXIT.interrupted)
        throw thrown
      failures.push(thrown)
      const hint = thrown.hint === undefined ? '' : ` ${thrown.hint}`
      context.io.stderr.write(`${noun} ${word}: ${thrown.message}${hint}\n`)
    }
  }
  const worst = gravest(failures)
  if (worst === undefined) return EXIT.done
  throw new CliError(worst.exit, `${failures.length} of ${words.length} failed.`, { code: worst.code })
}
