import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { damages } from '../support/files/files.js'
import { DaemonProcess, type Env } from '../support/process/daemon-process.js'

/*
 * The daemon logs every exception: a fault in a request gets an answer, a fault of the process a graceful
 * stop.
 */

/** Targets that are not URLs. */
const TARGETS = ['//', '///', 'http://', '//[', 'http://a:99999999/', 'http://%']

async function readyDaemon(env: Env = {}): Promise<DaemonProcess> {
  const daemon = await DaemonProcess.ready(env)
  onTestFinished(() => daemon.dispose())
  return daemon
}

/** Returns the first line of the answer to a WebSocket upgrade. */
function upgradeAnswer(port: number, target: string, origin: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.on('data', (chunk) => {
      text += String(chunk)
      if (text.includes('\r\n\r\n')) socket.destroy()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(text.split('\r\n')[0] ?? ''))
    socket.write(
      `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nOrigin: ${origin}\r\n` +
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
    )
  })
}

function errorsOf({ home }: DaemonProcess): { event: string; error?: string; stack?: string }[] {
  const lines = readFileSync(join(home, 'log', 'errors.jsonl'), 'utf8')
    .trim()
    .split('\n')
  return lines.filter(Boolean).map((line) => JSON.parse(line))
}

it('both ports refuse an upgrade whose target is no URL, and the daemon keeps serving', async () => {
  const daemon = await readyDaemon()
  const { pid } = daemon
  const facts = JSON.parse(readFileSync(join(daemon.home, 'daemon.json'), 'utf8'))
  for (const url of [facts.url, facts.ws_url]) {
    const port = Number(new URL(url).port)
    for (const target of TARGETS) {
      const answer = await upgradeAnswer(port, target, 'http://evil.example')
      expect(answer, `${target} on ${url}`).toBe('HTTP/1.1 400 Bad Request')
    }
  }
  expect((await daemon.place()).status).toBe(200)
  expect(daemon.pid).toBe(pid)
  expect(errorsOf(daemon)).toEqual([])
})

/** Sends the head of a request and the beginning of its body, and closes the connection. */
function breakOff(port: number, path: string, framing: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.on('close', () => resolve())
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${framing}{"apikey":`,
      () => setTimeout(() => socket.destroy(), 100),
    )
  })
}

it('an upload that the client aborts is not logged as an error', async () => {
  const daemon = await readyDaemon()
  const port = Number(new URL(daemon.url).port)
  for (const path of ['/api/v1/placeorder', '/auth/login', '/flow/webhook/none']) {
    for (const framing of ['Content-Length: 1000\r\n\r\n', 'Transfer-Encoding: chunked\r\n\r\n3e8\r\n']) {
      await breakOff(port, path, framing)
    }
  }
  expect((await daemon.place()).status).toBe(200)
  expect(errorsOf(daemon)).toEqual([])
  expect(daemon.output).not.toContain('"level":"error"')
})

it('a closed standard output does not end the daemon or delay its stop', async () => {
  const daemon = DaemonProcess.prepared({ LOG_LEVEL: 'DEBUG' })
  onTestFinished(() => daemon.dispose())
  await daemon.start({ deaf: true })
  expect((await daemon.place()).status).toBe(200)
  // A stop that takes too long is ended by force, with 1.
  expect(await daemon.signal('SIGTERM')).toEqual({ code: 0, signal: null })
  expect(errorsOf(daemon)).toEqual([])
})

/** Starts the daemon with code that throws, outside of every request, after SIGUSR2. */
const throwing = (code: string): Env => ({
  NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(`process.once('SIGUSR2',()=>{${code}})`)}`,
})

it.each([
  ['an exception of a timer', `setTimeout(()=>{throw new Error('the timer broke')},0)`, 'process.exception'],
  ['a rejection nobody handles', `Promise.reject(new Error('the timer broke'))`, 'process.rejection'],
])('%s stops the daemon in order, with its reason in errors.jsonl', async (_name, code, event) => {
  const daemon = await readyDaemon(throwing(code))
  expect((await daemon.place()).status).toBe(200)
  expect(await daemon.signal('SIGUSR2')).toEqual({ code: 1, signal: null })
  expect(errorsOf(daemon)).toEqual([
    expect.objectContaining({ event, error: 'the timer broke', stack: expect.stringContaining('Error') }),
  ])
  expect(daemon.output).toContain('daemon.stopped')
  expect(await damages(daemon.home)).toEqual([])
  await daemon.start({ env: { NODE_OPTIONS: '' } })
  expect((await daemon.place()).status).toBe(200)
})
