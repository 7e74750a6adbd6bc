import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ROOT = fileURLToPath(new URL('../../', import.meta.url))

export interface Document {
  path: string
  text: string
}

/** Every page of the documentation: those in the root folder, and those in `docs/` and its folders. */
export function documents(): Document[] {
  const pages = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  )
  return ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...pages.map((name) => join('docs', name))].map(
    (name) => {
      const path = join(ROOT, name)
      return { path, text: readFileSync(path, 'utf8') }
    },
  )
}
