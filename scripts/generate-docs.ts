import { writeFileSync } from 'node:fs'
import { documents } from './docs/documents.js'
import { sections } from './docs/sections.js'
import { withSections } from './docs/with-sections.js'

/* `npm run docs`: brings the generated sections of the documentation up to date. A unit test fails while any is not. */
const generated = await sections()
for (const { path, text } of documents()) {
  const current = withSections(text, generated)
  if (current === text) continue
  writeFileSync(path, current)
  console.log(`updated ${path}`)
}
