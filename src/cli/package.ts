import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The installed package: two folders above this module, in the sources and in the bundle. */
const PACKAGE = new URL('../../', import.meta.url)

/** The name under which npm knows this program. */
export const PACKAGE_NAME = 'svc-desk'

/** The folder of the installed package. */
export const PACKAGE_ROOT = fileURLToPath(PACKAGE)

/** The example workflow files of this installation. */
export const EXAMPLE_FLOWS = fileURLToPath(new URL('flows', PACKAGE))

/** Returns the version of this program, from its package. */
export function ownVersion(): string {
  return versionIn(PACKAGE_ROOT) ?? 'unknown'
}

/** Returns the version of the package in a folder; undefined if there is none. */
export function versionIn(folder: string): string | undefined {
  try {
    return /"version":\s*"([^"]+)"/.exec(readFileSync(join(folder, 'package.json'), 'utf8'))?.[1]
  } catch {
    return undefined
  }
}
