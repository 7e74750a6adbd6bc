import { cellText } from '../../views/table/cells.js'
import { type Column, cellOf } from '../../views/table/column.js'
import { type LayoutOptions, laidOut } from '../../views/table/layout.js'

const INDENT = '  '
/** The narrowest line of a text below its row. */
const NARROWEST = 20

type WidthOf = (text: string) => number

/** The texts that a terminal is too narrow to show in their columns, and that go below their rows. */
export class Below {
  private constructor(
    private readonly options: LayoutOptions,
    /** The columns of the table without those whose texts all go below. */
    readonly columns: readonly Column[],
    private readonly moved: readonly Column[],
    private readonly widthOf: WidthOf,
  ) {}

  static of(options: LayoutOptions, widthOf: WidthOf): Below {
    const { columns, width } = options
    const movable = columns.filter(({ below }) => below !== undefined)
    if (width === undefined || movable.length === 0) return new Below(options, columns, [], widthOf)
    const kept = laidOut(options, widthOf)
    const moved = movable.filter((column) => {
      const place = kept.find((one) => one.column.key === column.key)
      const texts = options.rows
        .filter((row) => goesBelow(column, row))
        .map((row) => textOf(column, row, options))
      return texts.some((text) => text !== '' && widthOf(text) > (place?.width ?? 0))
    })
    const left = columns.filter((column) => column.below !== true || !moved.includes(column))
    return new Below(options, left, moved, widthOf)
  }

  /** Returns whether the text of a row is not in its column, but below. */
  has(column: Column, row: object): boolean {
    return this.moved.some(({ key }) => key === column.key) && goesBelow(column, row)
  }

  /** Returns the lines below a row. */
  linesOf(row: object | undefined): string[] {
    if (row === undefined) return []
    const width = Math.max(NARROWEST, (this.options.width ?? 0) - INDENT.length)
    return this.moved
      .filter((column) => goesBelow(column, row))
      .map((column) => textOf(column, row, this.options))
      .flatMap((text) => this.#wrapped(text, width).map((line) => `${INDENT}${line}`))
  }

  /** Breaks a text at its spaces. A longer word has a line of its own. */
  #wrapped(text: string, width: number): string[] {
    const lines: string[] = []
    for (const word of text.split(' ').filter((part) => part !== '')) {
      const last = lines.at(-1)
      if (last === undefined || this.widthOf(`${last} ${word}`) > width) lines.push(word)
      else lines[lines.length - 1] = `${last} ${word}`
    }
    return lines
  }
}

function goesBelow({ below }: Column, row: object): boolean {
  if (below === undefined || below === true) return below === true
  return Object.entries(below).every(([key, values]) => values.some((value) => value === cellOf(row, key)))
}

function textOf({ key, kind = 'text' }: Column, row: object, { style }: LayoutOptions): string {
  const value = cellOf(row, key)
  return value === null || value === undefined ? '' : cellText(value, kind, style, cellOf(row, 'exchange'))
}
