import type { BrokerSocket } from './broker-socket.js'

interface PoolOptions {
  /** Makes the connection of a place. It is not opened yet. */
  connect: (place: number) => BrokerSocket
  /** The most connections that the broker allows. */
  sockets: number
  /** The most keys of one connection. */
  keysEach: number
}

/** A connection without data for so long is silent; the price feed is found lost after the same time. */
const SILENT_MS = 4000

/**
 * The connections of a feed whose broker limits how much one carries. The first one is always there; each further one opens
 * when the others are full. A key stays with its connection, also while that reconnects.
 */
export class SocketPool<Key> {
  readonly #options: PoolOptions
  readonly #places: { socket: BrokerSocket; keys: Set<Key> }[]
  readonly #placeOf = new Map<Key, number>()
  /** The first connection was open before, so it is connected or returns by itself. */
  #opened = false

  constructor(options: PoolOptions) {
    this.#options = options
    this.#places = [{ socket: options.connect(0), keys: new Set() }]
  }

  /** The connection that is always there. */
  get first(): BrokerSocket {
    const [place] = this.#places
    if (!place) throw new RangeError('a pool has a first connection')
    return place.socket
  }

  /** The most keys of all connections. */
  get limit(): number {
    return this.#options.sockets * this.#options.keysEach
  }

  get size(): number {
    return this.#placeOf.size
  }

  /** Returns the keys of a connection. */
  keysAt(place: number): ReadonlySet<Key> {
    return this.#places[place]?.keys ?? new Set()
  }

  /**
   * Gives each key a connection, if it has none yet. Call it only while there is room.
   * @returns the keys by their connection, with which their subscriptions are to be sent. One that is not open yet asks for its
   * keys when it is.
   */
  add(keys: Iterable<Key>): Map<BrokerSocket, Key[]> {
    return this.#bySocket(keys, (key) => this.#placeOf.get(key) ?? this.#placed(key))
  }

  /** Removes keys. @returns the known ones by their connection */
  delete(keys: Iterable<Key>): Map<BrokerSocket, Key[]> {
    return this.#bySocket(keys, (key) => {
      const place = this.#placeOf.get(key)
      if (place !== undefined) this.#places[place]?.keys.delete(key)
      this.#placeOf.delete(key)
      return place
    })
  }

  /** Opens the first connection, and the others in the background. @throws BrokerError if the first one cannot be opened */
  async open(): Promise<void> {
    await this.first.open()
    this.#opened = true
    for (const { socket } of this.#further()) socket.keepOpen()
  }

  /**
   * Reconnects the silent connections, because the feed was found silent, and opens those that never were. One with data
   * carries on: it is of no use to drop it for the silence of another. If none is silent, but no price comes, all reconnect.
   * @throws BrokerError as {@link open}
   */
  async reopen(): Promise<void> {
    const silent = this.#used().filter(({ socket }) => socket.silentMs() > SILENT_MS)
    for (const { socket } of silent.length > 0 ? silent : this.#places)
      if (socket.state().connected) await socket.reopen()
    await this.open()
  }

  /** Returns milliseconds since the last data of the most silent connection that has keys, or of the first. */
  silentMs(): number {
    return Math.max(...this.#used().map(({ socket }) => socket.silentMs()))
  }

  /** Returns whether the broker refused the session at any connection. */
  get refused(): boolean {
    return this.#places.some(({ socket }) => socket.refused)
  }

  close(): void {
    this.#opened = false
    for (const { socket } of this.#places) socket.close()
  }

  /** Returns the first connection, and the others that have keys. */
  #used() {
    return this.#places.filter(({ keys }, place) => place === 0 || keys.size > 0)
  }

  #further() {
    return this.#places.slice(1)
  }

  #placed(key: Key): number {
    const { connect, keysEach, sockets } = this.#options
    let place = this.#places.findIndex(({ keys }) => keys.size < keysEach)
    if (place < 0) {
      place = this.#places.length
      if (place >= sockets) throw new RangeError(`more than ${this.limit} keys`)
      const socket = connect(place)
      this.#places.push({ socket, keys: new Set() })
      if (this.#opened && !this.refused) socket.keepOpen()
    }
    this.#places[place]?.keys.add(key)
    this.#placeOf.set(key, place)
    return place
  }

  #bySocket(keys: Iterable<Key>, placeOf: (key: Key) => number | undefined): Map<BrokerSocket, Key[]> {
    const found = new Map<BrokerSocket, Key[]>()
    for (const key of keys) {
      const place = placeOf(key)
      const socket = place === undefined ? undefined : this.#places[place]?.socket
      if (!socket) continue
      const list = found.get(socket)
      if (list) list.push(key)
      else found.set(socket, [key])
    }
    return found
  }
}
