import { describe, expect, it } from 'vitest'
import { commandDesk } from '../../support/desk/command-desk.js'

/* The exit status of `svc market` is for cron: 0 and 1 are answers, everything else is none. */

const desk = commandDesk()
/** A cron job without any credential. */
const NOBODY = { env: { SVC_API_KEY: '', SVC_TOKEN: '', SVC_HOME: '/nonexistent' } }

describe('svc market', () => {
  it.each([
    ['market open --on 2026-11-20', 0],
    ['market open NSE --on 2026-11-21', 1],
    ['market open --on 2026-11-08', 0],
    ['market open mcx --on 2026-11-10', 0],
    ['market open NSE --on 2026-11-10', 1],
    ['market hours --on 2026-11-21', 1],
    ['market hours CRYPTO --on 2026-11-21', 0],
    ['market next --on 2026-12-25', 0],
    ['market open XX', 2],
    ['market open --on 2026-13-01', 2],
  ])('%s ends with %i', async (line, status) => {
    const { exit } = await desk.terminal.svc(line)
    expect(exit).toBe(status)
  })

  it('warns once of a year whose holidays are not known, and still answers', async () => {
    const { exit, stderr } = await desk.terminal.svc('market hours --on 2027-11-10')
    expect([exit, stderr.split('warning:').length - 1]).toEqual([0, 1])
  })

  it('needs no credential', async () => {
    const { exit } = await desk.terminal.svc(`market open --on 2026-11-20 --url ${desk.gateway.url}`, NOBODY)
    expect(exit).toBe(0)
  })

  it('says when the next session begins', async () => {
    const rows: { next_open: string }[] = JSON.parse(
      (await desk.terminal.svc('market next MCX --on 2026-12-25 -o json')).stdout,
    )
    expect(rows.map((row) => row.next_open)).toEqual(['2026-12-28T09:00:00.000+05:30'])
  })
})
