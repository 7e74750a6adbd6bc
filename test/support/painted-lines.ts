const [BEGIN_FRAME, END_FRAME] = ['\u001b[?2026h', '\u001b[?2026l']
/** A line that a frame writes: its number, and its content up to the next line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the marks before each line
const LINE = /\u001b\[(\d+);1H\u001b\[0m\u001b\[2K([\s\S]*?)(?=\u001b\[\d+;1H|\u001b\[0m$)/g
/** The marks of {@link LINE} and the output of frames. Nothing else may be between two frames, except a bell. */
const BELL = '\u0007'

/** The lines of a terminal, as the frames of the program paint them. */
export class PaintedLines {
  /** The lines of each frame. */
  readonly frames: number[][] = []
  /** The lines that were painted with the content that they had. */
  readonly unchanged: string[] = []
  /** The output outside of frames. */
  outside = ''
  readonly #content = new Map<number, string>()
  #rest = ''

  /** Takes a piece of the output. */
  take(text: string): void {
    this.#rest += text
    for (let end = this.#rest.indexOf(END_FRAME); end >= 0; end = this.#rest.indexOf(END_FRAME)) {
      const begin = this.#rest.indexOf(BEGIN_FRAME)
      this.outside += this.#rest.slice(0, begin).replaceAll(BELL, '')
      this.#frame(this.#rest.slice(begin + BEGIN_FRAME.length, end))
      this.#rest = this.#rest.slice(end + END_FRAME.length)
    }
  }

  #frame(frame: string): void {
    const painted = [...frame.matchAll(LINE)].map(([, row = '', content = '']) => ({
      row: Number(row),
      content,
    }))
    for (const { row, content } of painted) {
      if (this.#content.get(row) === content) this.unchanged.push(`${row}: ${content}`)
      this.#content.set(row, content)
    }
    this.frames.push(painted.map(({ row }) => row))
  }
}
