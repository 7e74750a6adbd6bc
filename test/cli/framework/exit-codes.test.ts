import { describe, expect, it } from 'vitest'
import { EXIT, EXIT_MEANINGS, gravest } from '../../../src/cli/framework/exit-codes.js'
import { ERROR_CODES } from '../../../src/core/errors/index.js'
import { signedIn } from '../support/desk.js'
import type { Reply } from '../support/fake-daemon.js'

describe('exit status', () => {
  it.each(Object.entries(ERROR_CODES))('of %s is the one of the table', async (code, { http, exit }) => {
    const { daemon, terminal } = await signedIn()
    daemon.on('POST /api/v1/positionbook', { status: http, code, body: { status: 'error', message: 'No.' } })
    const ran = await terminal.svc('position list')
    expect({ exit: ran.exit, stdout: ran.stdout }).toEqual({ exit, stdout: '' })
    expect(ran.stderr).toMatch(/^error: No\..*\n$/)
  })

  const bare: [number, number][] = [
    [400, 2],
    [401, 3],
    [403, 3],
    [404, 4],
    [409, 5],
    [429, 6],
    [500, 1],
    [502, 1],
    [503, 1],
  ]
  it.each(bare)('of HTTP %i without a code is %i', async (status, exit) => {
    const { daemon, terminal } = await signedIn()
    daemon.on('GET /risk', { status, body: { status: 'error', message: 'No.' } })
    expect((await terminal.svc('risk show')).exit).toBe(exit)
  })

  it('keeps the code when the broker chose the HTTP status', async () => {
    const { daemon, terminal } = await signedIn()
    daemon.on('POST /api/v1/placeorder', {
      status: 400,
      code: 'broker_rejected',
      body: { message: 'Insufficient funds' },
    })
    expect((await terminal.svc('order place SBIN NSE BUY 1')).exit).toBe(EXIT.refused)
  })

  it('says how long to wait when rate limited', async () => {
    const { daemon, terminal } = await signedIn()
    daemon.on('GET /risk', {
      status: 429,
      code: 'rate_limited',
      body: { message: 'Slow down.', retry_after: 3 },
    })
    expect(await terminal.svc('risk show')).toEqual({
      exit: 6,
      stdout: '',
      stderr: 'error: Slow down. Wait 3 s and try again.\n',
    })
  })

  it('is 7 for every noun when nobody answers', async () => {
    const { daemon, terminal } = await signedIn()
    await daemon.stop()
    for (const line of [
      'order list',
      'approval list',
      'mode get',
      'whoami',
      'status',
      'event follow',
      'setup',
    ]) {
      expect([line, (await terminal.svc(line)).exit]).toEqual([line, 7])
    }
  })

  it('is 130 when interrupted', async () => {
    const { terminal } = await signedIn()
    const interrupts = AbortSignal.abort()
    expect((await terminal.svc('order list', { interrupts })).exit).toBe(130)
  })

  it('has a meaning for each status, and svc help exit-codes prints them', async () => {
    const { terminal } = await signedIn()
    const { stdout } = await terminal.svc('help exit-codes')
    expect(EXIT_MEANINGS.map((row) => row.status)).toEqual(Object.values(EXIT))
    for (const { status, meaning } of EXIT_MEANINGS)
      expect(stdout).toMatch(new RegExp(`^ +${status} +${meaning.slice(0, 9)}`, 'm'))
    expect(stdout).toContain('the gravest is its status: 8, 7, 1, 5, 3, 6, 2, 4, in this order.')
  })

  it.each([
    ['any order of them', [4, 5, 8], 8],
    ['a daemon that went away', [5, 7, 3], 7],
    ['a refusal', [4, 2, 5], 5],
    ['not being allowed', [4, 3, 6], 3],
    ['what was asked wrongly', [4, 2], 2],
    ['one alone', [9], 9],
  ] as const)('is the gravest of several: %s', (_, exits, expected) => {
    for (const order of [exits, [...exits].reverse()])
      expect(gravest(order.map((exit) => ({ exit })))).toEqual({ exit: expected })
  })
})

describe('wrong usage is exit 2, with the next step', () => {
  const lines: [string, string][] = [
    ['ordr list', 'Did you mean order?'],
    ['order plaec', 'Did you mean place?'],
    ['order list --watc', 'Did you mean --watch?'],
    ['order status', "Missing required argument 'order-id'"],
    ['mode set manual', 'Allowed choices are auto, semi_auto'],
    ['order list a b', 'Too many arguments'],
    ['order list --json --jsonl', 'Choose one output format'],
    ['order list -o xml', 'Allowed choices are table'],
    ['order list --timeout soon', '--timeout must be a duration'],
    ['order list --timeout=', '--timeout must be a duration above 0'],
    ['order list --timeout 0', '--timeout must be a duration above 0 and of 24d at most'],
    ['order list --timeout 0.1ms', '--timeout must be a duration above 0'],
    ['order list --timeout 25d', '--timeout must be a duration above 0 and of 24d at most'],
    ['order list --watch --interval 0s', '--interval must be a duration above 0'],
    ['order place SBIN NSE BUY 10 --wait --wait-timeout 0', '--wait-timeout must be a duration above 0'],
    ['order list --url ftp://x', 'is not an http or https URL'],
    ['risk set max', 'is not of the form rule=value'],
    ['token create --scope read', 'Pass --name'],
    ['help ordr', 'Did you mean order?'],
  ]
  it.each(lines)('svc %s', async (line, message) => {
    const { daemon, terminal } = await signedIn()
    const { exit, stdout, stderr } = await terminal.svc(line)
    expect({ exit, stdout }).toEqual({ exit: 2, stdout: '' })
    expect(stderr).toContain(message)
    expect(daemon.received).toEqual([])
  })

  it('a missing argument shows the help with its examples', async () => {
    const { terminal } = await signedIn()
    expect((await terminal.svc('approval approve')).stderr).toContain('Examples:\n  svc approval approve 42')
  })
})

describe('errors', () => {
  const refusal = {
    status: 403,
    code: 'risk_refused',
    body: { status: 'error', message: 'Above max_order_value.' },
  }

  it('are one line that says what to do next', async () => {
    const { daemon, terminal } = await signedIn()
    daemon.on('POST /api/v1/placeorder', refusal)
    const { stderr } = await terminal.svc('order place SBIN NSE BUY 10 --idempotency-key k')
    expect(stderr).toBe('idempotency key: k\nerror: Above max_order_value. See the limits: svc risk show\n')
  })

  it('with --verbose have the request id and the response', async () => {
    const { daemon, terminal } = await signedIn()
    daemon.on('GET /risk', refusal)
    const { stderr } = await terminal.svc('risk show --verbose')
    expect(stderr.split('\n').slice(1)).toEqual([
      'request id: req-1',
      'response: {"status":"error","message":"Above max_order_value."}',
      '',
    ])
  })

  it('with --json are one JSON line on stderr with a stable code', async () => {
    const { daemon, terminal } = await signedIn()
    daemon.on('GET /risk', refusal)
    const { stdout, stderr } = await terminal.svc('risk show --json')
    expect(stdout).toBe('')
    expect(JSON.parse(stderr)).toEqual({
      status: 'error',
      code: 'risk_refused',
      message: 'Above max_order_value.',
      hint: 'See the limits: svc risk show',
      exit: 5,
    })
  })

  describe('at the address of another server', () => {
    const page = (status: number): Reply => ({
      status,
      headers: { 'content-type': 'text/html', 'x-request-id': '' },
      body: undefined,
      text: '<!DOCTYPE html>\n<html><body>Welcome</body></html>',
    })
    it.each([200, 404, 502])('are one line that says so (HTTP %i)', async (status) => {
      const { daemon, terminal } = await signedIn()
      daemon.on('GET /risk', page(status)).on('POST /flow/api/run', page(status))
      expect(await terminal.svc('risk show')).toEqual({
        exit: 7,
        stdout: '',
        stderr:
          `error: What answers at ${daemon.url} (HTTP ${status}) is no svc daemon. ` +
          'Give the address of the daemon: --url, or SVC_URL.\n',
      })
    })

    it('never call an order failed that a gateway may have passed on', async () => {
      const { daemon, terminal } = await signedIn()
      daemon.on('POST /api/v1/placeorder', page(502))
      const { exit, stderr } = await terminal.svc('order place SBIN NSE BUY 1 --idempotency-key k')
      expect(exit).toBe(8)
      expect(stderr).toContain('Repeat it safely with --idempotency-key k')
    })

    it('are told by svc status as no daemon there', async () => {
      const { daemon, terminal } = await signedIn()
      for (const path of ['/health/ready', '/version']) daemon.on(`GET ${path}`, page(200))
      expect((await terminal.svc('status')).exit).toBe(7)
    })
  })

  it('cannot draw on the terminal', async () => {
    const { daemon, terminal } = await signedIn({ tty: true })
    daemon.on('GET /risk', { status: 500, body: { message: 'x\u001b[2Jy\u202ez' } })
    expect((await terminal.svc('risk show --no-color')).stderr).toBe('error: x\\u001b[2Jy\\u202ez.\n')
  })
})
