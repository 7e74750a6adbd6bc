import { writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { commandDesk, strangerAt } from '../../support/desk/command-desk.js'
import { queueOne } from '../../support/desk/desk-state.js'
import { tempFile } from '../../support/files/temp.js'
import { freeUrl } from '../../support/traffic/gateway.js'

const desk = commandDesk()
const svc: typeof desk.terminal.svc = (line, options) => desk.terminal.svc(line, options)

describe('svc api', () => {
  it('sends the API key under /api/v1, and the session elsewhere', async () => {
    const words = ['api', 'POST', '/api/v1/quotes', '-f', 'symbol=SBIN', '-f', 'exchange=NSE']
    const quote = await svc([...words, '--jq', '.data.ltp'])
    expect(quote.exit).toBe(0)
    expect(Number(quote.stdout)).toBeGreaterThan(0)
    const asked = desk.gateway.last('POST /api/v1/quotes')
    expect(asked.body).toEqual({ symbol: 'SBIN', exchange: 'NSE' })
    expect(asked.headers).toMatchObject({ 'x-api-key': desk.daemon.apikey })
    expect(asked.headers.authorization).toBeUndefined()

    expect((await svc('api /risk --jq .data.kill_switch.on')).stdout).toBe('false\n')
    const { headers } = desk.gateway.last('GET /risk')
    expect(headers.authorization).toBe(`Bearer ${desk.daemon.token}`)
    expect(headers['x-api-key']).toBeUndefined()
  })

  it('sends text and typed fields, lists and objects; a GET takes them as its query', async () => {
    await svc([
      'api',
      'PUT',
      '/risk',
      '-F',
      'max_order_value=500000',
      '-F',
      'allowed_exchanges[]=NSE',
      '-F',
      'allowed_exchanges[]=NFO',
    ])
    expect(desk.gateway.last('PUT /risk').body).toEqual({
      max_order_value: 500_000,
      allowed_exchanges: ['NSE', 'NFO'],
    })
    await svc('api PUT /risk -F max_order_value=null -F allowed_exchanges=null')
    expect(await desk.terminal.json('api GET /risk')).toMatchObject({
      data: { rules: { max_order_value: null } },
    })
    await svc(['api', 'POST', '/nowhere', '-f', 'a[b]=1', '-F', 'a[c]=1', '-F', 'big=12345678901234567890'])
    expect(desk.gateway.last('POST /nowhere').body).toEqual({
      a: { b: '1', c: 1 },
      big: '12345678901234567890',
    })
    await svc('api GET /orders/journal -f state=filled -F limit=3')
    expect(desk.gateway.last('GET /orders/journal').path).toBe('/orders/journal?state=filled&limit=3')
  })

  it('sends a file or stdin unchanged as the body, with own headers', async () => {
    const text =
      '{ "symbol": "SBIN", "exchange": "NSE", "action": "BUY", "quantity": 10.0, "strategy": "api" }'
    const file = tempFile('order.json')
    writeFileSync(file, text)
    const words = ['api', 'POST', '/api/v1/placeorder', '-H', 'Idempotency-Key: once']
    const first = await svc([...words, '--input', file])
    expect(first).toMatchObject({ exit: 0, stderr: '' })
    const again = await svc([...words, '--input', '-'], { stdin: text })
    expect(JSON.parse(again.stdout).orderid).toBe(JSON.parse(first.stdout).orderid)
    expect(desk.gateway.last('POST /api/v1/placeorder').headers['content-type']).toBe('application/json')
  })

  it('prints a refusal, and ends with its exit status', async () => {
    const refused = await svc('api POST /api/v1/quotes -f symbol=SBIN')
    expect([refused.exit, JSON.parse(refused.stdout).status]).toEqual([2, 'error'])
    expect(refused.stderr).toMatch(/^error: .*exchange/)
    expect((await svc('api GET /orders/journal/none')).exit).toBe(4)
    expect((await strangerAt(desk.daemon, desk.daemon.url).svc('api /risk')).exit).toBe(3)
    const nobody = strangerAt(desk.daemon, await freeUrl())
    expect((await nobody.svc('api /version')).exit).toBe(7)
  })

  it('a change without an answer has an unknown outcome', async () => {
    desk.gateway.on('POST /api/v1/placeorder', 'lost').on('POST /api/v1/quotes', 'lost')
    expect((await svc('api POST /api/v1/placeorder -f symbol=SBIN')).exit).toBe(8)
    expect((await svc('api POST /api/v1/quotes -f symbol=SBIN')).exit).toBe(7)
  })

  it('never sends a credential to another server, and never prints one', async () => {
    for (const path of ['http://evil.example/', '//evil.example/', '/\\evil.example', 'risk']) {
      expect([path, (await svc(['api', 'GET', path])).exit]).toEqual([path, 2])
    }
    expect((await svc('api SEND /risk')).exit).toBe(2)
    const shown = await svc('api GET /apikey -i --verbose')
    expect(shown.exit).toBe(0)
    expect(shown.stdout).toMatch(/^HTTP 200\n/)
    expect(shown.stdout).toContain('x-request-id: ')
    expect(shown.stdout).toContain('"login_username":"asha"')
    const login = await svc([
      'api',
      'POST',
      '/auth/login',
      '-i',
      '-f',
      'username=asha',
      '-f',
      'password=Passw0rd!',
    ])
    expect(login.stdout).toMatch(/^set-cookie: \w+=…;/m)
    for (const { stdout, stderr } of [shown, login]) {
      expect(stdout + stderr).not.toContain(desk.daemon.apikey)
      expect(stdout + stderr).not.toContain(desk.daemon.token)
    }
  })

  it('--paginate prints every page', async () => {
    await desk.daemon.orderMode('semi_auto')
    const ids = [await queueOne(desk.daemon), await queueOne(desk.daemon), await queueOne(desk.daemon)]
    await desk.daemon.orderMode('auto')
    const words = ['api', 'GET', '/action-center/api/data', '-F', 'limit=1', '--jq', '.data.orders[].id']
    expect((await svc(words)).stdout).toBe(`${ids[2]}\n`)
    expect((await svc([...words, '--paginate'])).stdout).toBe(`${ids.toReversed().join('\n')}\n`)
    expect((await svc('api POST /risk --paginate')).exit).toBe(2)
  })

  it('the formats of every command apply', async () => {
    expect((await svc('api /version -o yaml')).stdout).toMatch(/^status: success\n/)
    expect((await svc('api /version --json')).stdout).toMatch(/^{\n {2}"/)
    expect((await svc('api /version -q')).stdout).toBe('')
    expect((await svc('api /version', { tty: 'stdout' })).stdout).toMatch(/^{\n {2}"/)
  })
})

describe('svc open docs', () => {
  it('prints the address where there is no browser', async () => {
    const { exit, stdout } = await svc('open docs -q')
    expect([exit, stdout]).toEqual([0, `${desk.gateway.url}/docs\n`])
    expect((await svc('open docs', { tty: 'stdout' })).stdout).toContain(`${desk.gateway.url}/docs`)
    expect((await svc('open nonsense')).exit).toBe(2)
  })
})
