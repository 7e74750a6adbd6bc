import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { CLIENT_CHANGES, clientChanges } from './docs/client-changes.js'
import { documents } from './docs/documents.js'
import { recordSchemas, SCHEMA_FOLDER } from './docs/record-schemas.js'
import { sections } from './docs/sections.js'
import { withSections } from './docs/with-sections.js'

/*
 * `npm run docs`: brings the generated sections of the documentation, and the generated list of the client, up to date.
 * A unit test fails while any is not.
 */
const generated = await sections()
for (const { path, text } of documents()) {
  const current = withSections(text, generated)
  if (current === text) continue
  writeFileSync(path, current)
  console.log(`updated ${path}`)
}

if (readFileSync(CLIENT_CHANGES, 'utf8') !== clientChanges()) {
  writeFileSync(CLIENT_CHANGES, clientChanges())
  console.log(`updated ${CLIENT_CHANGES}`)
}

mkdirSync(SCHEMA_FOLDER, { recursive: true })
for (const [path, text] of await recordSchemas()) {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) continue
  writeFileSync(path, text)
  console.log(`updated ${path}`)
}
