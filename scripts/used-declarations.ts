import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const IMPORT = /(?:\bfrom |\bimport\(|\bimport )['"](\.[^'"]+)\.js['"]/g

/**
 * Removes the declarations below a folder that the given one does not lead to. The compiler writes one for each file that
 * it has read, and the types of the client lead to few of them.
 */
export function keepUsedDeclarations(folder: string, entry: string): void {
  const used = new Set<string>()
  const follow = (file: string) => {
    if (used.has(file)) return
    used.add(file)
    for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      follow(resolve(dirname(file), `${path}.d.ts`))
    }
  }
  follow(resolve(folder, entry))
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const file = resolve(join(folder, name))
    if (name.endsWith('.d.ts') && !used.has(file)) rmSync(file)
  }
}
