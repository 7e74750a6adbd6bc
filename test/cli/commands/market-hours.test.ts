import { describe, expect, test } from 'vitest'
import { LightDaemon } from '../../support/daemons/light-daemon.js'
import { CliDesk } from '../../support/desk/cli-desk.js'

/* The exit statuses 0 and 1 of `svc market` are answers. A failure is none, whatever its kind. */

const VERBS = ['open', 'next', 'hours']

describe.each(VERBS)('svc market %s', (verb) => {
  test.each([
    { status: 500, code: 'internal' },
    { status: 503, code: 'unavailable' },
  ])('ends with 7 after $status', async ({ code, status }) => {
    const desk = await CliDesk.open()
    const daemon = await LightDaemon.open()
    daemon.answerAll((_, response) => {
      response.writeHead(status, {
        'content-type': 'application/json',
        'x-request-id': 'r-1',
        'x-svc-code': code,
      })
      response.end(JSON.stringify({ status: 'error', message: 'Not now.' }))
    })
    const { exit, stderr } = await desk.svc(`market ${verb}`, { env: { SVC_URL: daemon.url } })
    expect([exit, stderr]).toEqual([7, expect.stringContaining('Not now.')])
  })

  test('ends with 7 when a daemon hangs', async () => {
    const desk = await CliDesk.open()
    const daemon = await LightDaemon.open({ hangs: true })
    const { exit } = await desk.svc(`market ${verb} --timeout 200ms`, { env: { SVC_URL: daemon.url } })
    expect(exit).toBe(7)
  })
})

test.each([
  ['market open NSE -q --on 2026-11-20', 0, 'NSE\n'],
  ['market open NSE -q --on 2026-11-21', 1, ''],
  ['market hours NSE -q --on 2026-11-21', 1, ''],
  ['market next MCX -q --on 2026-12-25', 0, 'MCX\n'],
])('%s prints only the exchanges of which the answer is yes', async (line, exit, stdout) => {
  const desk = await CliDesk.open()
  expect(await desk.svc(line)).toMatchObject({ exit, stdout })
})

test('market hours -q leaves out the exchanges that do not trade on the day', async () => {
  const desk = await CliDesk.open()
  const names = (await desk.svc('market hours -q --on 2026-11-10')).stdout.trim().split('\n')
  expect(names).toContain('MCX')
  expect(names).not.toContain('NSE')
})
