/** Returns a count with its noun: "1 order", "3 orders". */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
