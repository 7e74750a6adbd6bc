import { afterAll, beforeAll, expect, it } from 'vitest'
import WebSocket from 'ws'
import { eventually } from '../support/eventually.js'
import { DaemonProcess } from '../support/process/daemon-process.js'
import { EventClient } from '../support/traffic/event-client.js'

/* The end of a session and the use of a ticket, with the real process. */
let daemon: DaemonProcess
beforeAll(async () => {
  daemon = await DaemonProcess.ready()
})
afterAll(() => daemon.dispose())

it('a logout refuses the token over HTTP at once and closes its event stream within a second', async () => {
  const stays = daemon.token
  await daemon.signIn()
  const ended = daemon.token
  const [own, other] = [new EventClient(daemon), new EventClient(daemon)]
  await own.connect(undefined, ended)
  await other.connect(undefined, stays)
  expect((await daemon.request('POST', '/auth/logout')).status).toBe(200)
  expect((await daemon.request('GET', '/status')).status).toBe(401)
  await eventually(() => own.closeCode === 4401, 'the stream is closed')
  await expect(new EventClient(daemon).connect(undefined, ended)).rejects.toThrow('401')
  await daemon.crash()
  expect((await daemon.request('GET', '/status')).status).toBe(401)
  daemon.token = stays
  expect((await daemon.request('GET', '/status')).status).toBe(200)
})

it('a ticket that ten clients use at the same moment opens one stream', async () => {
  const { body } = await daemon.request<{ ticket: string }>('POST', '/auth/ws-ticket')
  const url = `${daemon.url.replace('http', 'ws')}/events?ticket=${body.ticket}`
  const opened = await Promise.all(
    Array.from({ length: 10 }, () => {
      const socket = new WebSocket(url)
      return new Promise<boolean>((resolve) => {
        socket.on('message', () => resolve(true)).on('error', () => resolve(false))
        socket.on('close', () => resolve(false))
      }).finally(() => socket.terminate())
    }),
  )
  expect(opened.filter(Boolean)).toHaveLength(1)
})
