import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { chmod, mkdir, open } from 'node:fs/promises'

/** Bytes that are read and hashed at once: short enough that requests run in between. */
const PART = 256 * 1024

/** Waits until a file, or the names in a folder, are on the disk. */
export async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Creates a folder that only its owner can read. Its parent must exist. */
export async function privateFolder(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 })
  // The umask of the process cannot widen the mode, but it may take bits from it.
  await chmod(path, 0o700)
}

/** Writes a file (0600) to the disk. It must not exist. */
export async function writeDurably(path: string, text: string): Promise<void> {
  const handle = await open(path, 'wx', 0o600)
  try {
    await handle.writeFile(text)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Returns the SHA-256 of a file in hex. */
export async function digestOf(path: string, signal?: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  const parts: AsyncIterable<Buffer> = createReadStream(path, {
    highWaterMark: PART,
    ...(signal && { signal }),
  })
  for await (const part of parts) hash.update(part)
  return hash.digest('hex')
}
