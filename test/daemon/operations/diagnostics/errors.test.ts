import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { ErrorLog } from '../../../../src/core/diagnostics/index.js'
import { createLogger } from '../../../../src/core/logging/index.js'
import { errorList } from '../../../../src/daemon/operations/diagnostics/errors.js'
import { FRIDAY_11, TestDesk } from '../../../support/desk/desk.js'
import { deskClock } from '../../../support/desk/desk-clock.js'
import { bearer, HttpDesk } from '../../../support/desk/http-desk.js'
import { mounted } from '../../../support/desk/mounted.js'
import { tempDir } from '../../../support/files/temp.js'

const LINE = {
  level: 'error',
  time: '2026-11-20T05:29:00.000Z',
  request_id: 'ab-1',
  method: 'GET',
  route: '/orders',
  error: 'boom 7',
  event: 'request.failed',
}

/** Opens a desk whose error log has lines. */
async function deskWith(...lines: object[]) {
  const http = await HttpDesk.open()
  mkdirSync(join(http.desk.home, 'log'), { recursive: true })
  const add = (line: object) =>
    appendFileSync(join(http.desk.home, 'log/errors.jsonl'), `${JSON.stringify(line)}\n`)
  for (const line of lines) add(line)
  const headers = bearer(await http.tokenOf('admin'))
  const get = (path: string) => http.request('GET', `/admin/api/errors${path}`, { headers })
  return { http, get, headers }
}

describe('the error log over HTTP', () => {
  it('lists, counts and groups', async () => {
    const { get } = await deskWith(LINE, { ...LINE, error: 'boom 8' })
    const list = await get('?limit=1')
    expect([list.status, list.headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(list.body).toEqual({
      status: 'success',
      data: [
        {
          ts: '2026-11-20 10:59:00',
          at: '2026-11-20T05:29:00.000Z',
          level: 'ERROR',
          logger: 'request.failed',
          module: 'request',
          file: null,
          message: 'boom 8',
          request: { method: 'GET', path: '/orders', ip: null, id: 'ab-1' },
          details: {},
        },
      ],
      count: 1,
      scanned: 2,
      total_in_window: 2,
    })
    expect((await get('/stats')).body).toEqual({
      status: 'success',
      total: 2,
      by_level: { ERROR: 2 },
      last_24h: 2,
      last_1h: 2,
    })
    const { body } = await get('/groups')
    expect(body).toMatchObject({
      groups: [{ count: 2, first_seen: '2026-11-20 10:59:00', sample: { message: 'boom 8' } }],
      total_entries: 2,
      total_groups: 1,
    })
  })

  it('is empty without a file', async () => {
    const { get } = await deskWith()
    expect((await get('')).body).toMatchObject({ data: [], count: 0, scanned: 0, total_in_window: 0 })
    expect((await get('/groups')).body).toMatchObject({ groups: [], total_entries: 0, total_groups: 0 })
  })

  it.each([
    ['?level=FATAL', 400, 'Invalid level'],
    ['?level=error', 400, 'Invalid level'],
    ['?level=__proto__', 400, 'Invalid level'],
    ['?limit=x', 400, 'limit: Not a valid number.'],
    ['?limit=1.5', 400, 'limit: Not a valid integer.'],
    [`?q=${'x'.repeat(201)}`, 400, 'q: Longer than maximum length 200.'],
  ])('refuses %s', async (query, status, message) => {
    const { get } = await deskWith(LINE)
    const answer = await get(query)
    expect([answer.status, answer.body.message]).toEqual([status, message])
  })

  it.each([
    ['?limit=0', 1],
    ['?limit=-5', 1],
    ['?limit=999999999', 2],
    ['?level=ERROR&q=BOOM', 2],
    ['?level=DEBUG', 0],
    ['?q=', 2],
  ])('answers %s', async (query, count) => {
    const { get } = await deskWith(LINE, LINE)
    expect((await get(query)).body.count).toBe(count)
  })

  it('says that it cannot be read', async () => {
    const { get, http } = await deskWith()
    mkdirSync(join(http.desk.home, 'log/errors.jsonl'))
    const answers = await Promise.all([get(''), get('/stats'), get('/groups')])
    expect(answers.map(({ status, body }) => [status, body.message])).toEqual([
      [500, 'Failed to read error log'],
      [500, 'Failed to read error log'],
      [500, 'Failed to group errors'],
    ])
  })
})

describe('the report of a page', () => {
  /** Mounts the routes over a real log. */
  async function reporting() {
    const { service } = await TestDesk.open()
    const dir = tempDir()
    const clock = deskClock(FRIDAY_11)
    const secrets = ['k3yOfThisInstallation']
    const options = { level: 'INFO', dir, home: '/', toFile: false, retention: 1, console: false } as const
    const { log } = createLogger({ ...options, secrets }, clock)
    const app = mounted(
      service.identity,
      { username: 'asha', scopes: ['admin'] },
      { errorLog: new ErrorLog({ dir, clock, secrets }), log },
    )
    const send = async (body: unknown) => {
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      const headers = { 'content-type': 'application/json' }
      const answer = await app.request(
        '/admin/api/errors/client',
        { method: 'POST', headers, body: text },
        {},
      )
      return { status: answer.status, body: await answer.json() }
    }
    const list = async () => {
      const answer = await app.request('/admin/api/errors', {}, {})
      return errorList.parse(await answer.json())
    }
    return { list, send, file: () => readFileSync(join(dir, 'errors.jsonl'), 'utf8') }
  }

  it('is an entry; a warning is none, and any other level is an error', async () => {
    const { list, send } = await reporting()
    expect(await send({ message: 'one', level: 'WARN' })).toEqual({
      status: 200,
      body: { status: 'success' },
    })
    await send({ message: 'two', level: { $ne: 1 }, extra: true, stack: null })
    await send({ message: 'three', level: 'ERROR', url: 'https://x/a?token=1' })
    const { data } = await list()
    expect(data.map(({ message, level }) => [level, message])).toEqual([
      ['ERROR', '[CLIENT] two'],
      ['ERROR', '[CLIENT] three\nURL: https://x/a'],
    ])
    expect(data[0]).toMatchObject({
      logger: 'client.browser',
      module: 'client',
      details: { user_id: 'asha' },
    })
  })

  it.each([
    [{}, 'Missing message'],
    [{ message: '' }, 'Missing message'],
    [{ message: null }, 'Missing message'],
    [{ message: '\u0000\u001b[2J ' }, 'Missing message'],
    [{ message: 5 }, 'Invalid payload'],
    [{ message: 'x', stack: {} }, 'Invalid payload'],
    [[], 'Invalid payload'],
    ['null', 'Invalid payload'],
    ['"x"', 'Invalid payload'],
  ])('%j is refused', async (body, message) => {
    const { send } = await reporting()
    expect(await send(body)).toMatchObject({ status: 400, body: { message } })
  })

  it('cannot forge a line, write to a terminal, or store a secret', async () => {
    const { file, list, send } = await reporting()
    await send({
      message: '\u001b]0;owned\u0007x\n{"level":"error","event":"forged"}',
      stack: `Error\n    at k3yOfThisInstallation\n    at https://x/?api_key=canary-12345678\n Bearer canary.abcdefgh`,
      component_stack: '\u202e\u2028in A password=canary999',
      user_agent: 'UA\r\n{"forged":true}',
      url: 'https://user:canary1234@x/webhook/canary-token-123',
      __proto__: { polluted: true },
    })
    const text = file()
    expect(text.trimEnd().split('\n')).toHaveLength(1)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of these may be in the file
    expect(text).not.toMatch(/canary|k3yOf|[\u0000-\u0009\u001b\u202e\u2028]/)
    expect(JSON.stringify(await list())).not.toMatch(/canary|k3yOf/)
  })

  it('of any size leaves one bounded line', async () => {
    const { file, send } = await reporting()
    const long = '\u0000é\n'.repeat(20_000)
    expect((await send({ message: `x${long}`, stack: long, component_stack: long, url: long })).status).toBe(
      200,
    )
    expect(file().length).toBeLessThan(150_000)
  })
})
