import { expect, test } from 'vitest'
import {
  type NamedOperation,
  OPERATION_LIST,
  type Operations,
} from '../../../../src/daemon/operations/index.js'
import { IDS, POISON } from '../../../support/chance/poison.js'
import { bearer, type Call, HttpDesk } from '../../../support/desk/http-desk.js'

/** Reads a list of the administration. */
type Read = (path: string) => Promise<Record<string, unknown>>

type AdminRoute = Extract<keyof Operations, `${string} /admin/${string}`>

/** A request and the refusal that it gets. */
type Bad = { id?: string; query?: string; status?: number; says: RegExp } & Call

interface RouteCase {
  /** Returns what stands in the path for the parameter. */
  id?: (read: Read) => Promise<string>
  /** A good request that differs from the example. */
  good?: Call
  bad: readonly Bad[]
  /** Parameters that any text is valid in. */
  anyText?: readonly string[]
  /** Parameters that any value is valid in: a wrong one counts as the usual one. */
  anyValue?: readonly string[]
}

const NONE = { bad: [] } as const
const CSV = { 'content-type': 'text/csv' }
const firstOf = (list: string) => async (read: Read) => {
  const [row] = (await read(list)).data as { id: number }[]
  return String(row?.id)
}
const NO_ENTRY: Bad = { id: '999999', status: 404, says: /^Entry not found$/ }
const NO_DATE: Bad = { body: {}, says: /^description: Missing data for required field/ }

/** The client of the test that runs. */
let assistant = ''

/** A route that has no case here fails the first test. */
const ROUTES: Readonly<Record<AdminRoute, RouteCase>> = {
  'GET /admin/api/stats': NONE,
  'GET /admin/api/freeze': NONE,
  'POST /admin/api/freeze': {
    good: { body: { symbol: 'ZOMATO', freeze_qty: 2500 } },
    anyText: ['symbol'],
    bad: [
      { body: { symbol: 'X' }, says: /^freeze_qty: / },
      { body: { symbol: 'X', freeze_qty: 0 }, says: /whole number from 1 to 1000000000/ },
      { body: { symbol: 'X', freeze_qty: 1, exchange: 'NSE' }, says: /exchange/i },
      { body: { symbol: 'X', freeze_qty: 1, colour: 'red' }, says: /^colour: Unknown field/ },
    ],
  },
  'PUT /admin/api/freeze/:id': {
    id: firstOf('freeze'),
    bad: [
      { body: { freeze_qty: -1 }, says: /whole number/ },
      { ...NO_ENTRY, body: { freeze_qty: 5 } },
    ],
  },
  'DELETE /admin/api/freeze/:id': { id: firstOf('freeze'), bad: [NO_ENTRY] },
  'POST /admin/api/freeze/upload': {
    good: { text: 'SYMBOL,VOL_FRZ_QTY\nNIFTY,1800\n', headers: CSV },
    bad: [
      { text: 'SYMBOL,VOL_FRZ_QTY\nNIFTY,many\n', headers: CSV, says: /NIFTY|line 2|row/i },
      { text: 'a,b\n1,2\n', headers: CSV, says: /SYMBOL/ },
      { body: {}, status: 415, says: /csv/ },
    ],
  },
  'GET /admin/api/holidays': {
    bad: ['1999', 'next', '9e9'].map((year) => ({
      query: `year=${year}`,
      says: /^year: Must be .*2020 .*2050\.$/,
    })),
  },
  'POST /admin/api/holidays': {
    bad: [
      NO_DATE,
      { body: { date: '2027-02-30', description: 'x', exchanges: ['NSE'] }, says: /YYYY-MM-DD/ },
      { body: { date: '9999-01-04', description: 'x', exchanges: ['NSE'] }, says: /year|2050/i },
      { body: { date: '2027-03-22', description: 'x', exchanges: ['NYSE'] }, says: /NYSE|exchange/i },
    ],
    anyText: ['description'],
  },
  'DELETE /admin/api/holidays/:id': {
    id: firstOf('holidays?year=2026'),
    bad: [{ id: '999999', status: 404, says: /^Holiday not found$/ }],
  },
  'PUT /admin/api/holidays/years/:year': {
    id: async () => '2027',
    bad: [
      { id: '1999', body: { complete: true }, says: /2020/ },
      { body: { complete: 'yes' }, says: /^complete: Not a valid boolean/ },
    ],
  },
  'GET /admin/api/timings': NONE,
  'PUT /admin/api/timings/:exchange': {
    id: async () => 'NSE',
    bad: [
      { body: { start_time: '9:15', end_time: '15:30' }, says: /HH:MM/ },
      { id: 'NYSE', body: { start_time: '09:15', end_time: '15:30' }, says: /exchange/i },
    ],
  },
  'POST /admin/api/timings/check': { bad: [{ body: { date: '2026-13-01' }, says: /YYYY-MM-DD/ }] },
  'GET /admin/api/errors': {
    bad: [{ query: `q=${'x'.repeat(201)}`, says: /^q: / }],
    anyText: ['level', 'q'],
    anyValue: ['limit'],
  },
  'POST /admin/api/errors/client': {
    bad: [{ body: {}, says: /^Missing message$/ }],
    anyText: ['message'],
    anyValue: ['url'],
  },
  'GET /admin/api/errors/stats': NONE,
  'GET /admin/api/errors/groups': { bad: [{ query: 'limit=x', says: /^limit: / }], anyValue: ['limit'] },
  'GET /admin/api/system': NONE,
  'POST /admin/api/system/diagnostics': NONE,
  'GET /admin/api/system/report': { bad: [], anyValue: ['format'] },
  'GET /admin/api/oauth/clients': NONE,
  'POST /admin/api/oauth/clients/:client_id/approve': {
    id: async () => assistant,
    bad: [{ id: 'nobody', status: 404, says: /^Client not found\.$/ }],
  },
  'POST /admin/api/oauth/clients/:client_id/revoke': {
    id: async () => assistant,
    bad: [
      { id: 'nobody', body: { confirm: true }, status: 404, says: /^Client not found\.$/ },
      { body: { confirm: false }, says: /^Revocation requires confirm=true/ },
      { body: { confirm: 'true' }, says: /^confirm: must be boolean/ },
    ],
  },
  'GET /admin/api/mcp/audit': {
    bad: [
      { query: 'outcome=odd', says: /^outcome: / },
      { query: 'scope=write', says: /^scope: / },
      { query: 'limit=x', says: /^limit: / },
    ],
    anyText: ['tool', 'client_id'],
    anyValue: ['limit'],
  },
  'POST /admin/api/mcp/kill-switch': {
    bad: [
      { body: {}, says: /^Kill switch requires confirm=/ },
      { body: { confirm: 'yes' }, says: /^Kill switch requires confirm=/ },
    ],
  },
  'GET /admin/api/mcp/settings': NONE,
  'PUT /admin/api/mcp/settings': {
    bad: [
      { body: { public_url: 'http://desk.example' }, says: /^public_url must be HTTPS/ },
      { body: { http_enabled: 'on' }, says: /^http_enabled: must be boolean/ },
      { body: { public_url: 7 }, says: /^public_url: must be string/ },
      { body: { public_url: '' }, says: /^Cannot enable Remote MCP without/ },
      { body: { colour: 'red' }, says: /^colour: Unknown field/ },
    ],
    anyText: ['public_url'],
  },
}

const OPERATIONS = OPERATION_LIST.filter(({ path }) => path.startsWith('/admin/'))

test('every admin route has its case', () => {
  expect(OPERATIONS.map(({ name }) => name).toSorted()).toEqual(Object.keys(ROUTES).toSorted())
})

const BODIES = [
  '',
  '{',
  'null',
  '[]',
  '"x"',
  '\ufeff{}',
  '{"a":1}{"a":1}',
  `${'['.repeat(100_000)}`,
  'x'.repeat(1_100_000),
]
const FILES = [
  '',
  '\0',
  'SYMBOL,VOL_FRZ_QTY',
  'SYMBOL,VOL_FRZ_QTY\n__proto__,1\n__proto__,2\n',
  'SYMBOL,VOL_FRZ_QTY\n\u001b[2J,5\n',
  'SYMBOL,VOL_FRZ_QTY\nX,1e9\n',
  'SYMBOL,VOL_FRZ_QTY\n"X,1\n',
  `SYMBOL,VOL_FRZ_QTY\n${'X,1\n'.repeat(20_001)}`,
  `SYMBOL,VOL_FRZ_QTY\n${'X,1\n'.repeat(1_000_000)}`,
]

async function rigOf() {
  const http = await HttpDesk.open()
  const { mcp } = http.desk.service
  await mcp.changeSettings({ enabled: true, publicUrl: 'https://desk.example' })
  const redirectUris = ['https://assistant.example/']
  assistant = (await mcp.clients.register({ name: 'Desk assistant', redirectUris })).client.clientId
  const auth = bearer(await http.tokenOf('admin', 'read'))
  /** Sends a request; later than the limit of a route by time allows the next. */
  const send = async ({ method, path }: NamedOperation, id: string, query: string, call: Call) => {
    http.desk.clock.suspend(7_000)
    const to = path.replace(/:\w+/, id) + (query && `?${query}`)
    return http.request(method, to, { ...call, headers: { ...auth, ...call.headers } })
  }
  const read = async (path: string) =>
    (await http.request('GET', `/admin/api/${path}`, { headers: auth })).body
  const state = () =>
    Promise.all(
      [
        ...['freeze', 'holidays?year=2026', 'holidays?year=2027', 'timings'],
        ...['oauth/clients', 'mcp/settings'],
      ].map(read),
    )
  return { read, send, state }
}

const exampleOf = ({ example }: NamedOperation) => (example ?? {}) as Record<string, unknown>
const text = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
const queryOf = (values: Record<string, unknown>) =>
  new URLSearchParams(
    Object.entries(values).map(([key, value]): [string, string] => [key, text(value)]),
  ).toString()

test.each(OPERATIONS)('$name does what a good request asks', async (operation) => {
  const { read, send } = await rigOf()
  const { good, id } = ROUTES[operation.name as AdminRoute]
  const example = exampleOf(operation)
  const call = good ?? (operation.body ? { body: example } : {})
  const reply = await send(operation, (await id?.(read)) ?? '', operation.query ? queryOf(example) : '', call)
  expect([reply.status, reply.text]).toEqual([200, reply.text])
})

test('every route refuses a bad request, names the fault, and changes nothing', async () => {
  const { read, send, state } = await rigOf()
  const before = await state()
  for (const operation of OPERATIONS) {
    const { bad, id } = ROUTES[operation.name as AdminRoute]
    for (const { id: other, query, says, status = 400, ...call } of bad) {
      const reply = await send(operation, other ?? (await id?.(read)) ?? '', query ?? '', call)
      const wanted = [status, expect.objectContaining({ status: 'error' })]
      expect([reply.status, reply.body], operation.name).toEqual(wanted)
      expect(String(reply.body.message), operation.name).toMatch(says)
    }
    expect(await state(), operation.name).toEqual(before)
  }
})

/** Each hostile request of a route, and whether it may be accepted. */
function hostileTo(
  operation: NamedOperation,
  id: string,
): { id: string; query: string; call: Call; mayPass: boolean }[] {
  const { anyText = [], anyValue = [] } = ROUTES[operation.name as AdminRoute]
  const example = exampleOf(operation)
  const base = { id, query: '', call: {}, mayPass: false }
  const body = operation.body && { body: example }
  const mayPass = (field: string, value: unknown) =>
    anyValue.includes(field) || (anyText.includes(field) && typeof value === 'string')
  const each = Object.keys(example).flatMap((field) =>
    POISON.filter((value) => value !== example[field]).map((value) => ({ field, value })),
  )
  return [
    ...(id === '' ? [] : IDS.map((other) => ({ ...base, id: other, call: body ?? {} }))),
    ...each.map(({ field, value }) =>
      operation.body
        ? { ...base, call: { body: { ...example, [field]: value } }, mayPass: mayPass(field, value) }
        : { ...base, query: queryOf({ ...example, [field]: value }), mayPass: mayPass(field, text(value)) },
    ),
    ...(operation.body ? BODIES.map((text) => ({ ...base, call: { text } })) : []),
    ...(operation.bodyText ? FILES.map((text) => ({ ...base, call: { text, headers: CSV } })) : []),
  ]
}

test.each(OPERATIONS)('$name survives hostile requests', async (operation) => {
  const { read, send, state } = await rigOf()
  const id = (await ROUTES[operation.name as AdminRoute].id?.(read)) ?? ''
  const before = await state()
  let passed = 0
  for (const { call, id: given, mayPass, query } of hostileTo(operation, id)) {
    const reply = await send(operation, given, query, call)
    const shown = `${given} ${query} ${call.text ?? JSON.stringify(call.body)}`.slice(0, 200)
    if (mayPass && reply.status === 200) {
      passed++
      continue
    }
    expect([reply.status >= 400 && reply.status < 500, shown, reply.status]).toEqual([
      true,
      shown,
      reply.status,
    ])
    expect(reply.body, shown).toMatchObject({ status: 'error', message: expect.any(String) })
    expect(reply.text, shown).not.toMatch(/[\p{Cc}\u202e]/u)
    expect(reply.text.length, shown).toBeLessThan(20_000)
  }
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  const after = await state()
  // A terminal that shows the lists runs no control sequence of them.
  expect(JSON.stringify(after)).not.toMatch(/\\u00[01]/)
  if (passed === 0) expect(after).toEqual(before)
})
