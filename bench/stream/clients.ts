import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { FrameCounter } from './frame-counter.js'

/**
 * The parent's requests: open clients that send these messages, or report when this many frames have arrived
 * since they opened.
 */
export type Order =
  | { kind: 'open'; port: number; messages: readonly (readonly unknown[])[]; answers: number }
  | { kind: 'expect'; total: number }
  | { kind: 'close' }

/**
 * The process that plays the clients: raw sockets that only count frames, so that it keeps up with any
 * server.
 */
let clients: { socket: Socket; counter: FrameCounter }[] = []
let expected = Number.POSITIVE_INFINITY

process.on('message', (order: Order) => {
  if (order.kind === 'open') void open(order)
  if (order.kind === 'expect') expect(order.total)
  if (order.kind === 'close') {
    for (const { socket } of clients) socket.destroy()
    clients = []
    process.send?.('closed')
  }
})

async function open({ port, messages, answers }: Extract<Order, { kind: 'open' }>): Promise<void> {
  expected = Number.POSITIVE_INFINITY
  clients = await Promise.all(messages.map((each) => openOne(port, each)))
  expect(answers)
}

function expect(frames: number): void {
  expected = frames
  tellWhenHere()
}

const total = () => clients.reduce((sum, { counter }) => sum + counter.count, 0)

function tellWhenHere(): void {
  if (expected === Number.POSITIVE_INFINITY || total() < expected) return
  expected = Number.POSITIVE_INFINITY
  process.send?.('here')
}

function openOne(port: number, messages: readonly unknown[]): Promise<(typeof clients)[number]> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    const counter = new FrameCounter()
    socket.once('error', reject)
    socket.write(
      `GET /ws HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
    )
    socket.once('data', (head) => {
      const end = head.indexOf('\r\n\r\n') + 4
      counter.take(head.subarray(end))
      socket.on('data', (chunk) => {
        counter.take(chunk)
        tellWhenHere()
      })
      for (const message of messages) socket.write(maskedFrame(JSON.stringify(message)))
      resolve({ socket, counter })
    })
  })
}

/** Returns a text frame with the mask that clients must send; a mask of zeros leaves the bytes unchanged. */
function maskedFrame(text: string): Buffer {
  const payload = Buffer.from(text)
  const header =
    payload.length < 126
      ? Buffer.from([0x81, 0x80 | payload.length])
      : Buffer.from([0x81, 0x80 | 126, payload.length >> 8, payload.length & 0xff])
  return Buffer.concat([header, Buffer.alloc(4), payload])
}
