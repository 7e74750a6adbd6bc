/** One measured figure. */
export interface Row {
  name: string
  value: number
  unit: string
  /** The same figure for the reference that the value is compared with, measured in the same run. */
  floor?: number
  /** Value divided by floor; set when it is not simply their quotient (a median over rounds). */
  ratio?: number
  goal?: Goal
}

/** The limit for the value, or for its ratio to the floor. */
export type Goal = { of: 'value' | 'ratio' } & ({ atLeast: number } | { atMost: number })

/** A row as printed: with its ratio, and whether it meets its goal. */
export interface Verdict extends Row {
  met: boolean | undefined
}

export function judge(row: Row): Verdict {
  const ratio = row.ratio ?? (row.floor === undefined ? undefined : row.value / row.floor)
  const judged = row.goal?.of === 'ratio' ? ratio : row.value
  return {
    ...row,
    ...(ratio !== undefined && { ratio }),
    met: row.goal && judged !== undefined ? meets(row.goal, judged) : undefined,
  }
}

/** Returns one aligned table. */
export function table(rows: readonly Verdict[]): string {
  const lines = [
    ['name', 'value', 'floor', 'ratio', 'goal', ''],
    ...rows.map((row) => [
      row.name,
      `${figure(row.value)} ${row.unit}`,
      row.floor === undefined ? '' : `${figure(row.floor)} ${row.unit}`,
      row.ratio === undefined ? '' : row.ratio.toFixed(2),
      row.goal ? goalText(row.goal, row.unit) : '',
      row.met === undefined ? '' : row.met ? 'pass' : 'FAIL',
    ]),
  ]
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)))
  return lines
    .map((line) =>
      line
        .map((cell, column) => {
          const width = widths?.[column] ?? 0
          return column === 0 || column > 3 ? cell.padEnd(width) : cell.padStart(width)
        })
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function meets(goal: Goal, value: number): boolean {
  return 'atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost
}

function goalText(goal: Goal, unit: string): string {
  const bound = 'atLeast' in goal ? `>= ${goal.atLeast}` : `<= ${goal.atMost}`
  return goal.of === 'ratio' ? `${bound} x` : `${bound} ${unit}`
}

/** Returns three significant digits, without an exponent. */
function figure(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en-US')
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2)
}
