import http from 'node:http'
import type { Duplex } from 'node:stream'

/** How a client makes sure that it talks to the right daemon. */
export interface Trust {
  /** The id of the daemon (`GET /health`). Each connection proves it before a request goes over it. */
  id?: string | undefined
  /** The authorities that the daemon's certificate must come from, as PEM; by default those that Node knows. */
  ca?: string | undefined
}

/** Less than the five seconds after which a daemon closes an idle connection: a request must not meet that. */
const IDLE_MS = 4_000
const AGENT = { keepAlive: true, timeout: IDLE_MS }

const agents = new Map<string, http.Agent>()

/**
 * Returns the agent that keeps the connections to daemons of one trust. Only a client of an encrypted address pays for
 * loading the modules of TLS. The certificate is checked always, whatever the environment says; proxies of the
 * environment are not used.
 */
export async function agentFor({ protocol }: URL, { ca, id }: Trust = {}): Promise<http.Agent> {
  const isEncrypted = protocol === 'https:' || protocol === 'wss:'
  const name = JSON.stringify([isEncrypted, id, ca])
  const known = agents.get(name)
  if (known !== undefined) return known
  const made = isEncrypted
    ? new (await import('node:https')).Agent({
        ...AGENT,
        rejectUnauthorized: true,
        ...(ca !== undefined && { ca }),
      })
    : new http.Agent(AGENT)
  // Loaded before the first connection: its error must find a listener.
  const agent = id === undefined ? made : proving(made, id, (await import('./proof.js')).prove)
  agents.set(name, agent)
  return agent
}

/** What a request and its agent tell each other besides the options of Node. */
export class Waiting {
  /** True once a connection is made. Before that, nothing can have been sent. */
  isConnected = false

  /** @param abandoned aborted when nobody waits for the request any more */
  constructor(readonly abandoned: AbortSignal) {}
}

/** Calls back once a socket is connected: at once if it is. */
export function whenConnected(socket: Duplex, done: () => void): void {
  if ('connecting' in socket && socket.connecting === true) socket.once('connect', done)
  else done()
}

type Prove = (socket: Duplex, host: string, id: string) => Promise<void>

/** Makes an agent prove each of its new connections before it gives it to a request. */
function proving(agent: http.Agent, id: string, prove: Prove): http.Agent {
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (options, callback) => {
    const socket = connect(options)
    if (!socket || !callback) throw new Error('no connection was made')
    // Between the proof and the request nothing else listens.
    socket.on('error', () => undefined)
    proved(socket, options, (host) => prove(socket, host, id)).then(
      () => callback(null, socket),
      (error: Error) => {
        socket.destroy()
        callback(error, socket)
      },
    )
    return undefined
  }
  return agent
}

async function proved(
  socket: Duplex,
  options: object,
  prove: (host: string) => Promise<void>,
): Promise<void> {
  const waiting = 'waiting' in options && options.waiting instanceof Waiting ? options.waiting : undefined
  const abandoned = waiting?.abandoned
  whenConnected(socket, () => {
    if (waiting) waiting.isConnected = true
  })
  const leave = () => socket.destroy(new Error('Nobody waits for the answer'))
  if (abandoned?.aborted) leave()
  abandoned?.addEventListener('abort', leave, { once: true })
  try {
    await prove(hostOf(options))
  } finally {
    abandoned?.removeEventListener('abort', leave)
  }
}

/** Returns the Host header for the address of a connection; proxies choose the daemon by it. */
function hostOf(options: object): string {
  const { host, port } = { host: '', port: '', ...options }
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  return `${name}:${port}`
}
