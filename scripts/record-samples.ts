import { writeFileSync } from 'node:fs'
import { documents } from './docs/documents.js'
import { isStale, recordPage, withSamples } from './docs/samples/record.js'

/*
 * `npx tsx scripts/record-samples.ts [page …]`: runs the commands in the `console` blocks of the pages with the built
 * program, and writes what they print. A page whose samples differ only in ids, times and prices stays as it is, so that
 * a recording changes nothing without a reason. A test fails while a page is stale.
 */
const names = process.argv.slice(2)
const chosen = documents().filter(
  ({ path }) => names.length === 0 || names.some((name) => path.endsWith(name)),
)
for (const page of withSamples(chosen)) {
  const now = await recordPage(page)
  if (!isStale(page.text, now)) continue
  writeFileSync(page.path, now)
  console.log(`recorded ${page.path}`)
}
