/** Returns a Markdown table. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escaped).join(' | ')} |`
  return [line(heading), line(heading.map(() => '---')), ...rows.map(line)].join('\n')
}

export const code = (text: string): string => `\`${text}\``

function escaped(cell: string): string {
  return cell.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
