import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { cached } from './cached.js'

/** The name of the compressed script beside the built program; the build writes it. */
export const BUILT_SCRIPT = 'api-reference.js.gz'

/** The script in the package of the renderer, for a daemon that runs from its sources. */
const PACKAGED = '../../../node_modules/@scalar/api-reference/dist/browser/standalone.js'

/** Returns the script that renders the API reference, compressed with gzip (about 1 MB). It is read once. */
export const referenceScript = cached(async () => {
  const built = await readFile(new URL(BUILT_SCRIPT, import.meta.url)).catch(() => undefined)
  return new Uint8Array(built ?? (await compressedPackage()))
})

/** Returns the script of the installed package, compressed. */
export async function compressedPackage(): Promise<Buffer> {
  return promisify(gzip)(await readFile(new URL(PACKAGED, import.meta.url)), { level: 9 })
}
