const ESCAPE = '\u001b'
/** The beginning of a sequence, without its escape. */
const UNFINISHED = /^(?:\[[0-9;:<=>?]*|O)?$/
/** A control sequence: its parameters and its last character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape begins it
const SEQUENCE = /\u001b\[(?!\[)([0-9;:<=>?]*)[ -/]*([@-~])/g
/** The sequences that Ink has names for. It fails on another one that looks like a key with Ctrl. */
const NAMED = /^(?:(?:[1-8]|1[1-57-9]|2[0134]|20[01])(?:;\d+)?~|(?:1;\d+)?[A-FHZa-e])$/
/** A key of several bytes that has not arrived whole by then is the escape key. */
const WAIT_MS = 30

/** The source of bytes, and the way to say that there is something to read again. */
export interface KeyBytes {
  read(): unknown
  later(run: () => void, ms: number): () => void
  readable(): void
}

/**
 * Joins the pieces in which the bytes of one key may arrive: at the end of a long pasted text, or on a slow line. A cut
 * sequence would be a press of each of its characters.
 */
export class WholeKeys {
  readonly #bytes: KeyBytes
  #held = ''
  #isDue = false
  #cancel: () => void = () => undefined

  constructor(bytes: KeyBytes) {
    this.#bytes = bytes
  }

  /** Returns what has arrived, without an unfinished sequence at its end; null if there is nothing. */
  read(): string | null {
    for (let chunk = this.#bytes.read(); chunk !== null; chunk = this.#bytes.read()) {
      const whole = this.#take(this.#held + String(chunk))
      if (whole !== '') return whole
    }
    return this.#isDue ? this.#rest() : null
  }

  #take(arrived: string): string {
    const text = arrived.replace(SEQUENCE, (sequence, parameters: string, last: string) =>
      NAMED.test(parameters + last) ? sequence : '',
    )
    this.#cancel()
    this.#isDue = false
    const at = text.lastIndexOf(ESCAPE)
    const isCut = at >= 0 && UNFINISHED.test(text.slice(at + 1))
    this.#held = isCut ? text.slice(at) : ''
    if (this.#held !== '') {
      this.#cancel = this.#bytes.later(() => {
        this.#isDue = true
        this.#bytes.readable()
      }, WAIT_MS)
    }
    return isCut ? text.slice(0, at) : text
  }

  #rest(): string | null {
    this.#isDue = false
    const held = this.#held
    this.#held = ''
    return held === '' ? null : held
  }
}

/** Returns a terminal's input whose reads never cut a key. */
export function wholeKeysOf(stdin: NodeJS.ReadStream): NodeJS.ReadStream {
  const keys = new WholeKeys({
    read: (): unknown => stdin.read(),
    readable: () => void stdin.emit('readable'),
    later(run, ms) {
      const timer = setTimeout(run, ms)
      return () => clearTimeout(timer)
    },
  })
  const read = () => keys.read()
  return new Proxy(stdin, {
    get: (stream, name) => (name === 'read' ? read : Reflect.get(stream, name, stream)),
  })
}
