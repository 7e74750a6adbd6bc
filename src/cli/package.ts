import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The installed package: two folders above this module, in the sources and in the bundle. */
const PACKAGE = new URL('../../', import.meta.url)

/** The folder of the installed package. */
export const PACKAGE_ROOT = fileURLToPath(PACKAGE)

/** The example workflow files of this installation. */
export const EXAMPLE_FLOWS = fileURLToPath(new URL('flows', PACKAGE))

/** Returns the version of this program, from its package. */
export function ownVersion(): string {
  const text = readFileSync(new URL('package.json', PACKAGE), 'utf8')
  return /"version":\s*"([^"]+)"/.exec(text)?.[1] ?? 'unknown'
}
