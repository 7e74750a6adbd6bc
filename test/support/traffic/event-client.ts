import WebSocket from 'ws'
import { eventually } from '../eventually.js'
import type { DaemonProcess } from '../process/daemon-process.js'

export interface EventFrame {
  type: string
  event: string
  seq: number
  data: Record<string, unknown>
}

/** A client of the event stream. It stores all events and can reconnect to get the ones it missed. */
export class EventClient {
  readonly frames: EventFrame[] = []
  readonly #daemon: DaemonProcess
  #socket: WebSocket | undefined
  /** The reason for the end of the last connection; undefined while it is open. */
  closeCode: number | undefined
  welcome: EventFrame | undefined

  constructor(daemon: DaemonProcess) {
    this.#daemon = daemon
  }

  /** The number of the newest event received. */
  get lastSeq(): number {
    return this.frames.at(-1)?.seq ?? this.welcome?.seq ?? 0
  }

  events(name: string): EventFrame[] {
    return this.frames.filter(({ event }) => event === name)
  }

  /** Connects, resumes after the given number, and resolves when the `connected` frame has arrived. */
  async connect(since?: number, token = this.#daemon.token): Promise<void> {
    const url = new URL('/events', this.#daemon.url.replace('http', 'ws'))
    if (since !== undefined) url.searchParams.set('since', String(since))
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } })
    this.#socket = socket
    this.welcome = undefined
    this.closeCode = undefined
    socket.on('message', (message) => {
      const frame: EventFrame = JSON.parse(String(message))
      if (frame.event === 'connected') this.welcome = frame
      else this.frames.push(frame)
    })
    socket.on('close', (code) => {
      this.closeCode = code
    })
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject)
      socket.once('open', resolve)
    })
    socket.on('error', () => undefined)
    await eventually(() => this.welcome !== undefined, 'the client is welcomed')
  }

  /** Breaks the connection without a close frame. */
  async disconnect(): Promise<void> {
    const socket = this.#socket
    if (!socket || socket.readyState === WebSocket.CLOSED) return
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.terminate()
    await closed
  }
}
