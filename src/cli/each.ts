import type { Context } from './context.js'
import { CliError } from './errors.js'
import { EXIT, type ExitStatus } from './exit-codes.js'

/** Each on its own, in the order given; the first failure gives the exit status, and the others still run. */
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
      context.io.stderr.write(`${noun} ${word}: ${thrown.message}\n`)
    }
  }
  const [first] = failures
  if (first === undefined) return EXIT.done
  throw new CliError(first.exit, `${failures.length} of ${words.length} failed.`, { code: first.code })
}
