import { beforeEach, expect, test } from 'vitest'
import { LightDaemon } from '../../../support/daemons/light-daemon.js'
import { CliDesk } from '../../../support/desk/cli-desk.js'

let desk: CliDesk
let daemon: LightDaemon

beforeEach(async () => {
  desk = await CliDesk.open()
  daemon = await LightDaemon.open()
})

const instrument = (_: unknown, index: number) => ({ symbol: `SYMBOL${index}`, exchange: 'NSE', expiry: '' })

/** Searches a daemon that found so many instruments, of which it answers at most 500. */
function search(found: number, options: string) {
  daemon.answerWith('POST /api/v1/search', {
    status: 'success',
    message: `Found ${found} matching symbols`,
    data: Array.from({ length: Math.min(found, 500) }, instrument),
  })
  return desk.svc(`search symbol -q ${options}`, { env: { SVC_URL: daemon.url, SVC_API_KEY: 'key' } })
}

test.each([
  [5, '--limit 2', 2, 'only the first 2 matches are shown, 3 more match: add words or --exchange'],
  [700, '', 500, 'only the first 500 matches are shown, 200 more match: add words or --exchange'],
  [500, '', 500, 'only the first 500 matches are shown: add words or --exchange'],
])(
  'a search that finds %s with %j shows %s, and says how many more match',
  async (found, options, rows, text) => {
    const { exit, stderr, stdout } = await search(found, options)
    expect([exit, stdout.trim().split('\n').length]).toEqual([0, rows])
    expect(stderr).toContain(text)
  },
)

test('a search that shows all of its matches has no warning, and a limit is 1 to 500', async () => {
  expect((await search(2, '--limit 2')).stderr).toBe('')
  for (const limit of [0, 501, 'x']) expect((await search(2, `--limit ${limit}`)).exit).toBe(2)
})
