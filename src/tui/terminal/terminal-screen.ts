/** The alternate screen without a cursor and without line breaks; pasted texts come between marks. */
const ENTER = '\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[?2004h\u001b[H\u001b[2J'
const LEAVE = '\u001b[0m\u001b[?2004l\u001b[?7h\u001b[?25h\u001b[?1049l'
const BELL = '\u0007'
const CLEAR = '\u001b[H\u001b[2J'
/** A terminal that knows these marks shows all changes of a frame at once; others ignore them. */
const [BEGIN_FRAME, END_FRAME] = ['\u001b[?2026h', '\u001b[?2026l']
/** At most 15 frames a second. */
const FRAME_MS = 66

export interface TerminalOutput {
  write(text: string): void
  /** The height of the terminal. */
  rows(): number
  now(): number
  /** Runs something later; returns the way to cancel it. */
  later(run: () => void, ms: number): () => void
}

/**
 * The whole terminal, on its alternate screen. It takes complete frames and writes only the lines that differ
 * from the last one, each at its own place, so that nothing flickers and no frame depends on the cursor.
 */
export class TerminalScreen {
  readonly #terminal: TerminalOutput
  #isOpen = false
  #lines: readonly string[] = []
  #next: string | undefined
  #paintedAt = Number.NEGATIVE_INFINITY
  #cancel: (() => void) | undefined

  constructor(terminal: TerminalOutput) {
    this.#terminal = terminal
  }

  /** Switches to the alternate screen and shows the last frame there, if there is one. */
  enter(): void {
    if (this.#isOpen) return
    this.#isOpen = true
    this.#terminal.write(ENTER)
    this.#repaint()
  }

  /** Gives the terminal back as it was. Safe to call at any time, also twice. */
  leave(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    this.#cancel?.()
    this.#cancel = undefined
    this.#terminal.write(LEAVE)
  }

  /** Rings the terminal's bell: between two frames, since each frame is one write. */
  ring(): void {
    if (this.#isOpen) this.#terminal.write(BELL)
  }

  /** Draws everything again: after a resize the terminal may show anything. */
  redraw(): void {
    if (!this.#isOpen) return
    this.#terminal.write(CLEAR)
    this.#repaint()
  }

  /** Shows a frame: at once, or together with later ones when the last frame is too recent. */
  show(frame: string): void {
    this.#next = frame
    if (!this.#isOpen || this.#cancel) return
    const wait = this.#paintedAt + FRAME_MS - this.#terminal.now()
    if (wait <= 0) this.#paint()
    else this.#later(wait)
  }

  #later(wait: number): void {
    this.#cancel = this.#terminal.later(() => {
      this.#cancel = undefined
      this.#paint()
    }, wait)
  }

  #repaint(): void {
    this.#lines = []
    this.#paint()
  }

  #paint(): void {
    if (!this.#isOpen || this.#next === undefined) return
    this.#paintedAt = this.#terminal.now()
    const lines = this.#next.split('\n').slice(0, this.#terminal.rows())
    const changes: string[] = []
    for (let row = 0; row < Math.max(lines.length, this.#lines.length); row += 1) {
      const line = lines[row] ?? ''
      if (line !== (this.#lines[row] ?? '')) changes.push(`\u001b[${row + 1};1H\u001b[0m\u001b[2K${line}`)
    }
    this.#lines = lines
    if (changes.length > 0) this.#terminal.write(`${BEGIN_FRAME}${changes.join('')}\u001b[0m${END_FRAME}`)
  }
}
