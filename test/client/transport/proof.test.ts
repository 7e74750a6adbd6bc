import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { SvcClient } from '../../../src/client/index.js'
import { openLines, openText } from '../../../src/client/transport/lines.js'
import { prove } from '../../../src/client/transport/proof.js'
import { SigningKey } from '../../../src/core/secrets/index.js'
import { LightDaemon, proofOf, send } from '../../support/daemons/light-daemon.js'
import { HttpDesk } from '../../support/desk/http-desk.js'

const ROUTES = { 'GET /auth/whoami': { status: 'success', data: { username: 'asha' } } }
const asking = (url: string, id: string) =>
  new SvcClient({ url, token: 'secret', trust: { id } }).request('GET /auth/whoami', {})

test('a daemon proves the id of its home, and only then gets a credential', async () => {
  const http = await HttpDesk.open()
  const { port } = await http.listen()
  const { id } = http.desk.service.settings.identity
  const client = new SvcClient({
    url: `http://127.0.0.1:${port}`,
    token: await http.signIn(),
    apikey: http.apikey,
    trust: { id },
  })
  expect(await client.request('GET /auth/whoami', {})).toMatchObject({ status: 'success' })
  const events = client.events()
  expect((await events.next()).value).toMatchObject({ event: 'connected' })
  await events.return(undefined)
})

test('a connection proves it once, and takes the next requests', async () => {
  const daemon = await LightDaemon.open({ routes: ROUTES })
  const client = new SvcClient({ url: daemon.url, token: 'secret', trust: { id: daemon.id } })
  for (let times = 0; times < 3; times += 1) await client.request('GET /auth/whoami', {})
  expect(daemon.seen.map(({ path }) => path)).toEqual([
    '/health',
    '/auth/whoami',
    '/auth/whoami',
    '/auth/whoami',
  ])
})

test('another daemon gets no credential, nor does one that took the port meanwhile', async () => {
  const daemon = await LightDaemon.open({ routes: ROUTES })
  const port = Number(new URL(daemon.url).port)
  await asking(daemon.url, daemon.id)
  await daemon.close()
  const other = await LightDaemon.open({ port, routes: ROUTES })
  // The first request may still meet the end of the old connection.
  const refusal = () => asking(other.url, daemon.id).catch(String)
  await expect.poll(refusal).toContain(`Another daemon answers (${other.id})`)
  expect(other.withCredential).toEqual([])
})

test('a call, lines and a stream name the other daemon, and none calls it a broken connection', async () => {
  const other = await LightDaemon.open({ routes: ROUTES })
  const trust = { id: '0'.repeat(32) }
  const client = new SvcClient({ url: other.url, token: 'secret', apikey: 'secret', trust })
  const options = { signal: new AbortController().signal, userAgent: 'test', trust }
  const call = { method: 'GET', path: '/flow/api/run' } as const
  const asked: readonly (() => Promise<unknown>)[] = [
    () => client.request('GET /auth/whoami', {}),
    () => openLines(other.url, call, options),
    () => openText(other.url, call, options),
    () => client.events().next(),
    () => client.ticks({ symbols: [{ symbol: 'SBIN', exchange: 'NSE' }] }).next(),
  ]
  const said = new RegExp(`^Another daemon answers \\(${other.id}\\) at .*no credential was sent$`)
  for (const ask of asked) {
    const thrown: unknown = await ask().catch((error: unknown) => error)
    expect(thrown).toMatchObject({ name: 'NoAnswerError', message: expect.stringMatching(said), sent: false })
  }
  expect(other.withCredential).toEqual([])
})

test('a server that copies the id cannot prove it', async () => {
  const [owner, thief] = [SigningKey.make(), SigningKey.make()]
  const copies: readonly ((challenge: string) => object)[] = [
    // It says the id alone, with its own key, with the owner's key and its own signature, or with an old proof.
    () => ({ id: owner.id }),
    (challenge) => ({ ...proofOf(thief, challenge), id: owner.id }),
    (challenge) => ({ ...proofOf(thief, challenge), id: owner.id, public_key: owner.publicKey }),
    () => proofOf(owner, 'the-challenge-of-yesterday'),
    () => ({ id: owner.id, public_key: 7, proof: {} }),
    () => ({ id: owner.id, public_key: '', proof: '' }),
  ]
  for (const copy of copies) {
    const server = await LightDaemon.open({
      answer: (request, response) => {
        const challenge = new URL(request.url ?? '', 'http://x').searchParams.get('challenge') ?? ''
        send(response, 200, copy(challenge))
      },
    })
    await expect(asking(server.url, owner.id)).rejects.toThrow('cannot prove it')
    expect(server.withCredential).toEqual([])
  }
})

test('a server that says no id gets none: an older daemon, a page, a redirect, one that hangs up', async () => {
  const { id } = SigningKey.make()
  const answers: readonly Parameters<typeof LightDaemon.open>[0][] = [
    { answer: (_request, response) => send(response, 404, { status: 'error' }) },
    { answer: (_request, response) => void response.end('<html>') },
    { answer: (_request, response) => void response.end('x'.repeat(1_000_000)) },
    {
      answer: (_request, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
    },
    { answer: (request) => void request.socket.destroy() },
    { answer: (_request, response) => send(response, 502, { id }) },
  ]
  for (const options of answers) {
    const server = await LightDaemon.open(options)
    await expect(asking(server.url, id)).rejects.toMatchObject({ name: 'NoAnswerError', sent: false })
    expect(server.withCredential).toEqual([])
  }
})

test('a daemon that hangs before its proof was sent nothing, and the change is not in doubt', async () => {
  const server = await LightDaemon.open({ answer: () => undefined })
  const client = new SvcClient({ url: server.url, token: 'secret', timeoutMs: 50, trust: { id: server.id } })
  await expect(client.request('POST /risk/kill-switch', { body: { on: true } })).rejects.toMatchObject({
    sent: false,
  })
  expect(server.seen.map(({ path }) => path)).toEqual(['/health'])
})

test('a connection that has failed already proves nothing, and nobody waits for it', async () => {
  const socket = new Socket()
  socket.destroy()
  await expect(prove(socket, '127.0.0.1:1', '0'.repeat(32))).rejects.toThrow('The connection was closed')
})

test('a port where nothing listens is refused, also with an id', async () => {
  await expect(asking('http://127.0.0.1:9', '0'.repeat(32))).rejects.toThrow('ECONNREFUSED')
})

test('a proxy of the environment gets no request', async () => {
  const daemon = await LightDaemon.open({ routes: ROUTES })
  const proxy = await LightDaemon.open()
  for (const name of ['http_proxy', 'HTTP_PROXY', 'ALL_PROXY', 'NODE_USE_ENV_PROXY']) {
    process.env[name] = name.startsWith('NODE') ? '1' : proxy.url
  }
  await asking(daemon.url, daemon.id)
  expect(proxy.seen).toEqual([])
  for (const name of ['http_proxy', 'HTTP_PROXY', 'ALL_PROXY', 'NODE_USE_ENV_PROXY']) delete process.env[name]
})
