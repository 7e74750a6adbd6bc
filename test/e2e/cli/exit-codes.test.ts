import { describe, expect, it } from 'vitest'
import { commandDesk } from '../../support/desk/command-desk.js'
import { answer, type Reply } from '../../support/traffic/gateway.js'

const desk = commandDesk({ ORDER_RATE_LIMIT: '1 per minute' })
const svc: typeof desk.terminal.svc = (line, options) => desk.terminal.svc(line, options)
const PLACE = 'order place SBIN NSE BUY 10'

describe('the exit status of a refusal', () => {
  it('depends on its code, and the line names the next step', async () => {
    const bad = await svc('depth NOPE NSE')
    expect([bad.exit, bad.stdout]).toEqual([4, ''])
    const missing = await svc('flow show 999')
    expect([missing.exit, missing.stdout]).toEqual([4, ''])
    expect(missing.stderr).toBe('error: Workflow not found.\n')

    await desk.daemon.request('PUT', '/risk', { max_order_value: 1 })
    const refused = await svc(`${PLACE} --idempotency-key k`)
    await desk.daemon.request('PUT', '/risk', { max_order_value: null })
    expect(refused.exit).toBe(5)
    expect(refused.stderr).toMatch(
      /^idempotency key: k\nerror: Order value ₹[\d,.]+ exceeds the limit of ₹1\.00\. See the limits: svc risk show\n$/,
    )

    const limited = await svc(PLACE)
    expect(limited.exit).toBe(6)
    expect(limited.stderr).toMatch(/ Wait \d+ s and try again\.\n$/)
  })

  it('with --verbose also has the request id and the response', async () => {
    const { stderr } = await svc('risk set nonsense=1 --verbose')
    const [line, id, response] = stderr.split('\n')
    expect(line).toMatch(/^error: /)
    expect(id).toMatch(/^request id: [0-9a-f]{8}-/)
    expect(JSON.parse(response?.replace('response: ', '') ?? '')).toMatchObject({ status: 'error' })
  })

  it('with --json is one JSON line on stderr with a stable code', async () => {
    const { exit, stdout, stderr } = await svc('risk set nonsense=1 --json')
    expect([exit, stdout]).toEqual([2, ''])
    expect(JSON.parse(stderr)).toMatchObject({ status: 'error', code: 'validation', exit: 2 })
  })
})

describe('wrong usage is exit 2, with the next step', () => {
  it.each([
    ['ordr list', 'Did you mean order?'],
    ['order plaec', 'Did you mean place?'],
    ['order list --watc', 'Did you mean --watch?'],
    ['order status', "Missing required argument 'order-id'"],
    ['mode set manual', 'Allowed choices are auto, semi_auto'],
    ['order list a b', 'Too many arguments'],
    ['order list --json --jsonl', 'Choose one output format'],
    ['order list -o xml', 'Allowed choices are table'],
    ['order list --timeout soon', '--timeout must be a duration'],
    ['order list --timeout 0', '--timeout must be a duration above 0 and at most 24d'],
    ['order list --timeout 0.1ms', '--timeout must be a duration above 0'],
    ['order list --timeout 25d', '--timeout must be a duration above 0 and at most 24d'],
    ['order list --watch --interval 0s', '--interval must be a duration above 0'],
    [`${PLACE} --wait --wait-timeout 0`, '--wait-timeout must be a duration above 0'],
    ['order list --url ftp://x', 'is not an http or https URL'],
    ['risk set max', 'is not of the form rule=value'],
    ['token create --scope read', 'Pass --name'],
    ['help ordr', 'Did you mean order?'],
    [
      'log traffic --stats --since 1h --errors',
      '--stats counts all rows, so it does not take --since, --errors.',
    ],
    ['log latency --chart --type PLACE', '--chart counts all rows, so it does not take --type.'],
    ['log traffic --status abc', '--status must be a number, was "abc".'],
    ['log traffic --status 4', '--status must be a whole number from 100 to 599, was "4".'],
    ['ban settings 404_ban_duration=5m', '404_ban_duration must be whole hours or days, such as 24h or 7d'],
    [
      'approval approve',
      'error: Give the ids of approvals, or a filter: --strategy, --symbol, --max-value, --max-drift.',
    ],
  ])('svc %s', async (line, message) => {
    const { exit, stdout, stderr } = await svc(line)
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(desk.gateway.received).toEqual([])
  })
})

describe('at the address of another server', () => {
  const page = (status: number): Reply => ({
    status,
    headers: { 'content-type': 'text/html' },
    text: '<!DOCTYPE html>\n<html><body>Welcome</body></html>',
  })

  it.each([200, 404, 502])('a command prints one line that reports it (HTTP %i)', async (status) => {
    desk.gateway.on('GET /risk', page(status))
    expect(await svc('risk show')).toEqual({
      exit: 7,
      stdout: '',
      stderr:
        `error: The server at ${desk.gateway.url} is not an svc daemon (HTTP ${status}). ` +
        'Set the address of the daemon with --url or SVC_URL.\n',
    })
  })

  it('an order that a gateway may have forwarded is not reported as failed', async () => {
    desk.gateway.on('POST /api/v1/placeorder', page(502))
    const { exit, stderr } = await svc(`${PLACE} --idempotency-key k`)
    expect([exit, stderr]).toEqual([8, expect.stringContaining('Repeat it safely with --idempotency-key k')])
  })

  it('svc status finds no daemon', async () => {
    for (const path of ['/health/ready', '/version']) desk.gateway.on(`GET ${path}`, page(200))
    expect((await svc('status')).exit).toBe(7)
  })
})

it('an error cannot control the terminal', async () => {
  desk.gateway.on('GET /risk', answer({ message: 'x\u001b[2Jy\u202ez' }, 500))
  expect((await svc('risk show --no-color')).stderr).toBe('error: x\\u001b[2Jy\\u202ez.\n')
})

it('svc status and svc doctor report a broker without a plugin', async () => {
  const data = {
    state: 'ready',
    broker: 'elsewhere',
    available: false,
    broker_available: false,
    calendar_gaps: [],
    backup: { failure: null, newest_at: null, overdue: false, schedule: null },
  }
  for (const route of ['GET /broker/status', 'GET /status']) desk.gateway.on(route, answer({ data }))
  const { exit, stdout } = await svc('doctor')
  expect(exit).toBe(1)
  expect(stdout).toContain('fail\tbroker\tno plugin for elsewhere\tsvc broker list, then svc broker use')
  expect((await svc('status')).stderr).toContain('There is no plugin for elsewhere')
})
