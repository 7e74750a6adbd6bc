// Prints the slowest files of some reports of vitest, and how many tests passed. No test is tried again; a measurement
// that was taken again says so in the output of its test.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

const SLOWEST = 20

const reports = process.argv.slice(2).map((file) => JSON.parse(readFileSync(file, 'utf8')))
const files = reports.flatMap(({ testResults }) =>
  testResults.map(({ name, startTime, endTime }) => ({ name, seconds: (endTime - startTime) / 1000 })),
)
console.log(`The slowest ${SLOWEST} files, in seconds (no test is retried):`)
for (const { name, seconds } of files.sort((one, other) => other.seconds - one.seconds).slice(0, SLOWEST)) {
  console.log(`${seconds.toFixed(1).padStart(7)}  ${relative('.', name)}`)
}
const sum = (count) => reports.reduce((total, report) => total + report[count], 0)
console.log(
  `${sum('numPassedTests')} passed, ${sum('numFailedTests')} failed, ${sum('numPendingTests')} skipped`,
)
