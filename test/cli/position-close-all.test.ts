import { describe, expect, it } from 'vitest'
import { signedIn } from './support/desk.js'

const ROUTE = 'POST /api/v1/closeposition'
const REFUSED = {
  symbol: 'INFY',
  exchange: 'NSE',
  product: 'MIS',
  status: 'error',
  message: 'Insufficient funds',
}
const CLOSED = { symbol: 'SBIN', exchange: 'NSE', product: 'MIS', status: 'success', orderid: '42' }
const PART = {
  status: 'success',
  message: 'Closed 1 positions (Failed to close 1 positions)',
  closed_positions: 1,
  failed_closures: 1,
  results: [CLOSED, REFUSED],
}
const WHOLE = {
  status: 'error',
  message: 'Failed to close positions',
  closed_positions: 0,
  failed_closures: 1,
  results: [REFUSED],
}
const ROW = 'INFY\tNSE\tMIS\terror\t\tInsufficient funds\n'

async function closed(answer: { status?: number; code?: string; body: object }, flags = '') {
  const { daemon, terminal } = await signedIn()
  daemon.on(ROUTE, answer)
  return terminal.svc(`position close-all --yes ${flags}`)
}

describe('svc position close-all says of each position how it ended', () => {
  it('when some stayed open', async () => {
    const { exit, stdout, stderr } = await closed({ body: PART })
    expect([exit, stdout]).toEqual([5, `SBIN\tNSE\tMIS\tsuccess\t42\t\n${ROW}`])
    expect(stderr).toContain(PART.message)
  })

  it('when all stayed open, before the refusal itself', async () => {
    const { exit, stdout, stderr } = await closed({ status: 400, code: 'refused', body: WHOLE })
    expect([exit, stdout]).toEqual([5, ROW])
    expect(stderr).toContain(WHOLE.message)
  })

  it('in the document that was asked for', async () => {
    const part = await closed({ body: PART }, '--json')
    expect([part.exit, JSON.parse(part.stdout)]).toEqual([5, PART])
    const whole = await closed({ status: 400, code: 'refused', body: WHOLE }, '--json')
    expect([whole.exit, JSON.parse(whole.stdout)]).toEqual([5, WHOLE])
    expect(whole.stderr).toContain(WHOLE.message)
  })

  it('and only what was done when all is closed', async () => {
    const { exit, stdout, stderr } = await closed({
      body: { status: 'success', message: 'All Open Positions Squared Off' },
    })
    expect([exit, stdout]).toEqual([0, ''])
    expect(stderr).toContain('All Open Positions Squared Off')
  })
})
