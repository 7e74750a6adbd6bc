import { open } from 'node:fs/promises'
import type { Context } from '../framework/context.js'
import { CliError } from '../framework/errors.js'
import { EXIT } from '../framework/exit-codes.js'

type Write = (texts: AsyncIterable<string>) => Promise<void>

/** Returns a function that writes texts to standard output as they arrive. */
export const toStdout =
  ({ io, out }: Context): Write =>
  async (texts) => {
    for await (const text of texts) {
      out.write(text)
      // A slow reader must not fill the memory.
      await io.stdout.flushed()
    }
  }

/** Returns a function that writes texts to a new file (0600), and fails if it exists. */
export const toFile =
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
