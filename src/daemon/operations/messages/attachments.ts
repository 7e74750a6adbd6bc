import { realpath, stat } from 'node:fs/promises'
import { isAbsolute, relative } from 'node:path'
import { ServiceError } from '../../../core/errors/index.js'

/** The largest file that WhatsApp takes as an image is 5 MB; the same for documents keeps the memory small. */
const MAX_BYTES = 5 * 1024 * 1024

/**
 * Returns the real path of a file that may be sent: a regular file inside one of the folders, also after its
 * links are followed. @throws ServiceError `validation`, which does not say why: the caller must not search files
 */
export async function attachmentAt(path: string, roots: readonly string[], field: string): Promise<string> {
  const refused = new ServiceError('validation', `${field} is not allowed`)
  if (!isAbsolute(path) || path.includes('\0') || path.split('/').includes('..')) throw refused
  try {
    const real = await realpath(path)
    const folders = await Promise.all(roots.map((root) => realpath(root).catch(() => undefined)))
    const isInside = folders.some((folder) => folder !== undefined && contains(folder, real))
    const file = await stat(real)
    if (isInside && file.isFile() && file.size > 0 && file.size <= MAX_BYTES) return real
  } catch {
    throw refused
  }
  throw refused
}

function contains(folder: string, file: string): boolean {
  const path = relative(folder, file)
  return path !== '' && !path.startsWith('..') && !isAbsolute(path)
}
