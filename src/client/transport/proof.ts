import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto'
import { type IncomingMessage, request } from 'node:http'
import type { Duplex } from 'node:stream'
import { objectOf } from './json.js'
import { NotProvenError } from './not-proven.js'

const CHALLENGE_BYTES = 16
const ID_HEX = 32
/** The answer has a few hundred bytes; another server may send a page of any length. */
const MOST_BYTES = 65_536

/**
 * Asks the daemon at the other end of a new connection to prove its id, before anything else is sent: it signs a
 * challenge with the key that the id is the digest of.
 * @param host the value of the Host header
 * @throws NotProvenError, or the error of the connection
 */
export async function prove(socket: Duplex, host: string, id: string): Promise<void> {
  const challenge = randomBytes(CHALLENGE_BYTES).toString('base64url')
  requireProof(await askedOn(socket, host, `/health?challenge=${challenge}`), challenge, id)
}

interface Answer {
  status: number
  text: string
}

/** Sends one GET request over a connection, which stays open. */
function askedOn(socket: Duplex, host: string, path: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    // No event would come any more.
    if (socket.destroyed) return reject(new Error('The connection was closed'))
    const headers = { host, accept: 'application/json', connection: 'keep-alive' }
    request({ createConnection: () => socket, path, headers })
      .on('error', reject)
      .on('response', (response) => {
        // Node says with this event that the connection has no request any more, and takes the next one.
        const free = new Promise<void>((done) => socket.once('free', done))
        textOf(response)
          .then(async (text) => {
            const answer = { status: response.statusCode ?? 0, text }
            if (answer.status === 200 && text.length <= MOST_BYTES) await Promise.race([free, closed(socket)])
            resolve(answer)
          })
          .catch(reject)
      })
      .end()
  })
}

/** Rejects when a connection closes: its next request would never be answered. */
function closed(socket: Duplex): Promise<never> {
  return new Promise((_, reject) => {
    socket.once('close', () => reject(new Error('The connection was closed after the proof')))
  })
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) {
    text += String(chunk)
    if (text.length > MOST_BYTES) break
  }
  return text
}

function requireProof({ status, text }: Answer, challenge: string, id: string): void {
  const answer = objectOf(text)
  if (status !== 200 || typeof answer?.id !== 'string') throw new NotProvenError('silent', { status, text })
  const { id: found, proof, public_key: key } = answer
  if (found !== id) throw new NotProvenError('other', { status, text, found })
  const isProved =
    typeof key === 'string' && typeof proof === 'string' && isSigned({ id, key, proof, challenge })
  if (!isProved) throw new NotProvenError('copied', { status, text, found })
}

interface Signed {
  id: string
  key: string
  proof: string
  challenge: string
}

/** Returns whether a key belongs to an id and has signed a challenge. */
function isSigned({ id, key, proof, challenge }: Signed): boolean {
  const bytes = Buffer.from(key, 'base64url')
  if (createHash('sha256').update(bytes).digest('hex').slice(0, ID_HEX) !== id) return false
  try {
    const jwk = { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') }
    const signed = Buffer.from(`svc daemon proof 1\n${id}\n${challenge}`)
    return verify(null, signed, createPublicKey({ key: jwk, format: 'jwk' }), Buffer.from(proof, 'base64url'))
  } catch {
    return false
  }
}
