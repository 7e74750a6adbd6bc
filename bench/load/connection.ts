import { connect, type Socket } from 'node:net'

const HEAD_END = Buffer.from('\r\n\r\n')
const EMPTY = Buffer.alloc(0)

/**
 * A keep-alive connection that sends prepared bytes and reads only status and length of the answers. A client
 * that parsed and built every message would cost as much as the server that it measures.
 */
export class Connection {
  readonly #socket: Socket
  #received: Buffer = EMPTY
  #answer: { resolve: (status: number) => void; reject: (error: Error) => void } | undefined

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (chunk) => this.#take(chunk))
    socket.on('error', (error) => this.#fail(error))
    socket.on('close', () => this.#fail(new Error('the server closed the connection')))
  }

  static open(port: number, host = '127.0.0.1'): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, host, () => resolve(new Connection(socket)))
      socket.once('error', reject)
    })
  }

  /** Sends a request unchanged and resolves with the status of its answer. One request at a time. */
  send(request: Buffer): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#answer = { resolve, reject }
      this.#socket.write(request)
    })
  }

  close(): void {
    this.#answer = undefined
    this.#socket.destroy()
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk])
    const headEnd = this.#received.indexOf(HEAD_END)
    if (headEnd < 0) return
    const head = this.#received.toString('latin1', 0, headEnd)
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
    if (length === undefined) {
      this.#fail(new Error(`an answer without Content-Length:\n${head}`))
      return
    }
    if (this.#received.length < headEnd + HEAD_END.length + Number(length)) return
    this.#received = EMPTY
    const answer = this.#answer
    this.#answer = undefined
    answer?.resolve(Number(head.slice(9, 12)))
  }

  #fail(error: Error): void {
    this.#answer?.reject(error)
    this.#answer = undefined
  }
}

/** Returns the bytes of a POST with a JSON body. */
export function postRequest(path: string, body: unknown): Buffer {
  const text = JSON.stringify(body)
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
}
