import { open } from 'node:fs/promises'
import type { Context } from '../framework/context.js'
import { CliError } from '../framework/errors.js'
import { EXIT } from '../framework/exit-codes.js'

/** Writes texts as they arrive. */
type Write = (texts: AsyncIterable<string>) => Promise<void>

const toStdout =
  ({ io, out }: Context): Write =>
  async (texts) => {
    for await (const text of texts) {
      out.write(text)
      // A slow reader must not fill the memory.
      await io.stdout.flushed()
    }
  }

const toFile =
  (path: string): Write =>
  async (texts) => {
    const file = await open(path, 'wx', 0o600).catch((cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'EEXIST' ? 'it exists' : cause.message
      throw new CliError(EXIT.failed, `${path} cannot be written: ${why}.`, { cause })
    })
    try {
      for await (const text of texts) await file.write(text)
    } finally {
      await file.close()
    }
  }

/** Writes a long answer to a new file (0600), or to standard output without one, and holds none of it in memory. */
export async function saveTexts(
  context: Context,
  file: string | undefined,
  read: (write: Write) => Promise<void>,
): Promise<void> {
  await read(file === undefined ? toStdout(context) : toFile(file))
  if (file !== undefined) context.out.note(`Written to ${file}.`)
}
