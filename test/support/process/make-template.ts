// Makes the template in the folder that its argument names. Another worker may do the same.
import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { makeTemplate } from './template.js'

const [folder = ''] = process.argv.slice(2)
const made = mkdtempSync(`${folder}-`)
await makeTemplate(made)
try {
  renameSync(made, folder)
} catch {
  // The other worker was first.
  rmSync(made, { recursive: true })
}
