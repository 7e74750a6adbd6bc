import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from './documents.js'

const CALL = /crashPoint\('([\w.]+)'\)/g

/** Returns each named crash point and the files that contain it, sorted by name. */
export function crashPoints(): [name: string, files: string[]][] {
  const found = new Map<string, Set<string>>()
  for (const entry of readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.ts')) continue
    const file = join(entry.parentPath, entry.name)
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(CALL)) {
      found.set(name, (found.get(name) ?? new Set()).add(file.slice(ROOT.length)))
    }
  }
  return [...found].map(([name, files]): [string, string[]] => [name, [...files]]).sort()
}
