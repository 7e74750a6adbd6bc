// Prints the slowest files of a report of vitest, and its summary again. No test is tried again; a measurement
// that was taken again says so in the output of its test.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

const SLOWEST = 20

const [path = ''] = process.argv.slice(2)
const report = JSON.parse(readFileSync(path, 'utf8'))
const files = report.testResults.map(({ name, startTime, endTime }) => ({
  name,
  seconds: (endTime - startTime) / 1000,
}))
console.log(`The slowest ${SLOWEST} files, in seconds (no test is retried):`)
for (const { name, seconds } of files.sort((one, other) => other.seconds - one.seconds).slice(0, SLOWEST)) {
  console.log(`${seconds.toFixed(1).padStart(7)}  ${relative('.', name)}`)
}

/** Returns a line of the summary as vitest writes it: `Tests  12 passed | 1 skipped (13)`. */
function summaryOf(title, counts) {
  const named = Object.entries(counts).filter(([name, count]) => count > 0 || name === 'passed')
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0)
  return `${title.padStart(11)}  ${named.map(([name, count]) => `${count} ${name}`).join(' | ')} (${total})`
}

const failedFiles = report.testResults.filter(({ status }) => status === 'failed')
console.log(
  summaryOf('Test Files', { failed: failedFiles.length, passed: files.length - failedFiles.length }),
)
console.log(
  summaryOf('Tests', {
    failed: report.numFailedTests,
    passed: report.numPassedTests,
    skipped: report.numPendingTests,
  }),
)
